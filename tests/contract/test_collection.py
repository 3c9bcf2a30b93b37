"""The collection for HTTP clients is what the document makes of it, has every operation, and runs from top to bottom."""

from pathlib import Path

from service import resources
from tests import node
from tests.contract.collection import LEFT_OUT, SERVER, STEPS, collection
from tests.contract.rules import operations
from tests.faults.served import served
from tests.service.documented import document

FILE = resources.folder("openapi") / "ludicitude.http"


def test_it_is_made_of_the_document() -> None:
    assert FILE.read_text("utf-8") == collection(document()), "the document has changed; write it anew: make bless"


def test_it_has_every_operation_or_a_reason() -> None:
    asked = {step.operation for step in STEPS}
    assert asked | LEFT_OUT.keys() == {operation["operationId"] for _, _, operation in operations(document())}
    assert not asked & LEFT_OUT.keys()


def test_it_runs_from_top_to_bottom(used_server_folder: Path, tmp_path: Path) -> None:
    node.program("httpyac")
    with served(used_server_folder) as service:
        copy = tmp_path / "ludicitude.http"
        copy.write_text(FILE.read_text("utf-8").replace(SERVER, service.address), "utf-8")
        said = node.run("httpyac", "send", copy.name, "--all", "--bail", "--output", "none", "--output-failed", "exchange", folder=tmp_path)
    assert said.returncode == 0, said.stdout
    assert f"{len(STEPS)} requests processed ({len(STEPS)} succeeded)" in said.stdout
