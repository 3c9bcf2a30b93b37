"""The examples of the document are what a visit to every operation sends and gets."""

import json
from uuid import uuid4

import pytest

from service import bots, chance, clocks, erasure, resources
from service.calls import Call
from service.http.openapi.document import write
from service.http.routes import stream
from tests.contract.building import app_without_database
from tests.contract.collection import collection
from tests.contract.conftest import BLESSING
from tests.contract.rules import operations
from tests.contract.tour import Foretold, visit
from tests.service.documented import Documented, document


async def test_a_visit_shows_what_the_examples_tell(transport: Documented, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chance, "secrets", Foretold(1))
    monkeypatch.setattr(stream, "ROTATE_SECONDS", -1)  # A stream that would go on for ever ends after its first frame.
    for module in (bots, clocks, erasure):  # What the house does comes at any moment of a visit, and nobody sees its ids.
        monkeypatch.setattr(module, "house_call", lambda actor="": Call(uuid4(), b"", keyed=False, actor=actor))
    seen = await visit(transport)
    folder = resources.folder("openapi")
    if BLESSING:
        (folder / "examples.json").write_text(json.dumps(seen, indent=1, ensure_ascii=False) + "\n", "utf-8")
        write(app_without_database(), folder)
        (folder / "ludicitude.http").write_text(collection(json.loads((folder / "openapi.json").read_text("utf-8"))), "utf-8")
    assert json.loads((folder / "examples.json").read_text("utf-8")) == seen
    assert set(seen) == {operation["operationId"] for _, _, operation in operations(document())}, "the visit misses an operation"
