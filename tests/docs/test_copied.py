"""What a front-end developer copies is where the guide says, and fits into their project as it is."""

import json
import shutil
from pathlib import Path

import pytest

from tests import node
from tests.docs.conftest import COPIED, EXAMPLES, ROOT

CHECKER = """
import { brokenPromises, faults } from "./verify.mjs";

type Item = { version: number; seal: string | null; event: { type: string } };
type Record = { match_id: string; events: Item[]; proof: { seed: string } };

export async function wrong(record: Record, seen: Item[]): Promise<string[]> {
  return [...(await faults(record)), ...brokenPromises(record, seen)];
}
"""
"""Uses the verifier as a client in TypeScript does."""


GUIDE = {"follow": "live.md", "send": "client.md", "talk": "talk.md", "turns": "live.md", "words": "words.md"}
"""On which page is said what each is for."""


@pytest.mark.parametrize(("name", "page"), GUIDE.items())
@pytest.mark.parametrize("source", ["python/{}.py", "typescript/{}.ts"])
def test_the_guide_leads_to_what_the_examples_use(name: str, page: str, source: str) -> None:
    assert f"](../examples/{source.format(name)})" in (ROOT / "docs" / page).read_text("utf-8")
    assert (EXAMPLES / source.format(name)).is_file()


def test_what_is_copied_fits_into_a_project_for_browsers(javascript: Path) -> None:
    """Of the usual kind, that insists on more than `strict`; with the types of Node.js they are checked with the examples."""
    insists = "strict noUncheckedIndexedAccess exactOptionalPropertyTypes noUnusedLocals noUnusedParameters erasableSyntaxOnly"
    insists += " verbatimModuleSyntax noPropertyAccessFromIndexSignature"
    browser = {"target": "ES2022", "lib": ["ES2022", "DOM"], "types": [], "module": "ESNext", "moduleResolution": "bundler"}
    files = [*(f"{name}.ts" for name in COPIED), "checker.ts"]
    project = {"compilerOptions": browser | dict.fromkeys(insists.split(), True), "files": files}
    for verifier in ("verify.mjs", "verify.d.mts"):
        shutil.copy(ROOT / "verify" / verifier, javascript)
    (javascript / "checker.ts").write_text(CHECKER, "utf-8")
    (javascript / "tsconfig.browser.json").write_text(json.dumps(project), "utf-8")
    done = node.run("tsc", "--project", "tsconfig.browser.json", "--noEmit", "--skipLibCheck", folder=javascript)
    assert done.returncode == 0, done.stdout
