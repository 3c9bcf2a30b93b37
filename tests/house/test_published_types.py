"""What a room publishes can be read without asking: tagged alike, described field by field, plain enough for any generator."""

import re
from typing import Any

import msgspec
import pytest

from domain.match.game import AnyGame
from tests.house.test_labels import fields_of, values
from tests.rooms import every_game, labels, members

OF_A_SEAT = re.compile(r"a place at the table|the seats? (that|whose|still)|your seat|the owner of|whose turn|who leads", re.IGNORECASE)


@every_game
def test_options_and_view_are_tagged_by_game_and_the_rest_by_type(game: AnyGame) -> None:
    for struct in (game.options, game.view_type):
        assert (struct.__struct_config__.tag_field, struct.__struct_config__.tag) == ("game", game.key)
    for struct in (*members(game.command), *members(game.event)):
        snake = re.sub(r"(?<!^)(?=[A-Z])", "_", struct.__name__).lower()
        assert (struct.__struct_config__.tag_field, struct.__struct_config__.tag) == ("type", f"{game.key}.{snake}")


@every_game
def test_everything_published_says_what_it_is(game: AnyGame) -> None:
    for title, schema in published(game).items():
        assert schema.get("description"), f"{title} has no docstring"
        for field, described in schema.get("properties", {}).items():
            is_tag = field in ("type", "game") and "enum" in described
            assert is_tag or described.get("description"), f"{title}.{field} has no description"


@every_game
def test_lists_hold_one_kind_of_thing(game: AnyGame) -> None:
    """A tuple of fixed length becomes `prefixItems`, which many generators cannot read."""
    assert "prefixItems" not in str(published(game))


@every_game
def test_seats_and_lists_in_seat_order_are_marked(game: AnyGame) -> None:
    """What is said of them in words says the schema too, for front ends that know no game."""
    for title, schema in published(game).items():
        for field, shape in schema.get("properties", {}).items():
            said, place = shape.get("description", ""), shape.get("items", shape)
            if OF_A_SEAT.match(said) and {"type": "integer"} in [{"type": each.get("type")} for each in place.get("anyOf", [place])]:
                assert "seat" in [each.get("format") for each in place.get("anyOf", [place])], f"{title}.{field} is a seat"
            if "in seat order" in said:
                assert shape.get("x-seat-order"), f"{title}.{field} is in seat order"


@every_game
def test_what_comes_from_outside_is_taken_strictly_and_options_have_defaults(game: AnyGame) -> None:
    for struct in (game.options, *members(game.command)):
        assert struct.__struct_config__.forbid_unknown_fields, struct
    assert game.options() == msgspec.json.decode(b'{"game": "%s"}' % game.key.encode(), type=game.options)
    for struct in (game.options, game.view_type, *members(game.command), *members(game.event)):
        assert struct.__struct_config__.frozen, struct
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({struct.__struct_config__.tag_field: "another"}, struct)


@every_game
def test_the_view_names_its_phase(game: AnyGame) -> None:
    phases = [phase for field in fields_of(game.view_type) if field.name == "phase" for phase in values(field.type)]
    assert len(phases) > 1
    assert "over" in phases


@every_game
def test_components_are_named_once_and_labelled(game: AnyGame) -> None:
    ids = [(component.set, component.id) for component in game.components]
    assert len(set(ids)) == len(ids)
    assert {component.label for component in game.components} <= set(labels(game))


def published(game: AnyGame) -> dict[str, Any]:
    types = (game.options, *members(game.command), *members(game.event), game.view_type)
    _, components = msgspec.json.schema_components(types)
    return components
