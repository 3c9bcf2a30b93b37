"""Events as they have been stored, `<game>/events.json`: whatever was written once can be read for ever.

`make bless` (LUDICITUDE_BLESS=1) adds samples of new types, new versions and new fields. It changes and removes none, and neither
should you: these are the events in other people's databases.
"""

import json
import os
from typing import Any

import msgspec

from domain.match.game import AnyGame
from service.store.upcasters import STEPS, current_version, upcast
from tests.laws.matches import sample
from tests.rooms import every_game, members, own_tests
from tests.scenario import as_json

FOR_EVER = (
    "Events that were ever stored are read for ever: keep the old ones, or add a step in service/store/upcasters.py."
    " Only a game that nobody has played yet may begin anew: delete its events.json, and `make bless`."
)


@every_game
def test_every_form_of_every_event_has_a_sample(game: AnyGame) -> None:
    assert gone(game) == set(), f"{game.key} can't read these any more. {FOR_EVER}"
    if os.environ.get("LUDICITUDE_BLESS"):
        bless(game)
    assert missing(game, stored(game)) == set(), "these have no sample of today's fields: `make bless` adds one"
    for event_type in types(game):
        versions = {row["schema_version"] for row in stored(game) if row["type"] == event_type}
        assert versions == set(range(1, current_version(event_type, STEPS) + 1))


@every_game
def test_every_sample_is_read_and_loses_nothing(game: AnyGame) -> None:
    for row in stored(game):
        fields = upcast(row["type"], row["schema_version"], row["data"], STEPS)
        try:
            event = msgspec.convert({"type": row["type"], **fields}, game.event)
        except msgspec.ValidationError as error:
            raise AssertionError(f"{row} can't be read any more: {error}. {FOR_EVER}") from error
        assert as_json(event).items() >= fields.items(), row


def gone(game: AnyGame) -> set[str]:
    """The types of samples that the game no longer has."""
    return {row["type"] for row in stored(game)} - set(types(game))


def stored(game: AnyGame) -> list[dict[str, Any]]:
    path = own_tests(game) / "events.json"
    rows: list[dict[str, Any]] = json.loads(path.read_text()) if path.exists() else []
    return rows


def types(game: AnyGame) -> dict[str, Any]:
    return {event.__struct_config__.tag: event for event in members(game.event)}


def missing(game: AnyGame, rows: list[dict[str, Any]]) -> set[str]:
    """The types of which no sample has today's version and all of today's fields."""
    whole = {row["type"] for row in rows if row["schema_version"] == current_version(row["type"], STEPS) and full(game, row)}
    return set(types(game)) - whole


def full(game: AnyGame, row: dict[str, Any]) -> bool:
    return set(row["data"]) == set(types(game)[row["type"]].__struct_encode_fields__)


def bless(game: AnyGame) -> None:
    rows = stored(game)
    for match in sample(game):
        for event in match.events:
            fields = as_json(event)
            event_type = fields.pop("type")
            if event_type in missing(game, rows):
                rows.append({"type": event_type, "schema_version": current_version(event_type, STEPS), "data": fields})
    (own_tests(game) / "events.json").write_text("[\n" + ",\n".join(f"  {json.dumps(row)}" for row in rows) + "\n]\n")
