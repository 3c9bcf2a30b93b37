"""Cuts a release of the API document: `make release-document`. From then on no change may break the clients made from it."""

import json
from pathlib import Path

from service import resources

FOLDER = Path(__file__).parent / "released"


def cut(version: str, content: bytes, folder: Path) -> Path:
    """Keep `content` as the document of this version, for ever. Exits where another one is."""
    path = folder / f"{version}.json"
    if path.exists() and path.read_bytes() != content:
        raise SystemExit(f"The document of version {version} is released already. Raise VERSION in service/http/openapi/document.py first.")
    folder.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


if __name__ == "__main__":
    document = (resources.folder("openapi") / "openapi.json").read_bytes()
    print(cut(json.loads(document)["info"]["version"], document, FOLDER))
