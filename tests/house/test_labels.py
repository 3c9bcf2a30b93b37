"""Every word that a screen shows for a game stands in its labels, in English and in French, and nothing else does."""

import ast
import re
from collections.abc import Iterator
from typing import Any

from msgspec import inspect

from domain.match.game import AnyGame
from tests.house.test_rulebooks import refusals
from tests.laws.matches import sample
from tests.rooms import every_game, labels, members, room, tag


@every_game
def test_each_thing_has_its_label_and_each_label_its_thing(game: AnyGame) -> None:
    named = {key for key in labels(game) if not key.startswith("end.")}
    assert named == set(things(game))


@every_game
def test_each_end_has_its_label(game: AnyGame) -> None:
    reasons = {key.removeprefix("end.") for key in labels(game) if key.startswith("end.")}
    assert {match.result.reason for match in sample(game) if match.result is not None} <= reasons
    tree = ast.parse((room(game) / "rules.py").read_text())
    written = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert reasons <= written, "an end that the rules never give"


@every_game
def test_labels_are_in_both_languages_and_name_fields_alike(game: AnyGame) -> None:
    fields = {f"event.{tag(event)}": set(event.__struct_fields__) for event in members(game.event)}
    for key, label in labels(game).items():
        assert list(label) == ["en", "fr"], key
        assert all(text.strip() == text != "" for text in label.values()), key
        english, french = (set(re.findall(r"\{(\w+)\}", text)) for text in label.values())
        assert english == french, f"{key} names other fields in French"
        assert english <= fields.get(key, set()), f"{key} names {english}"


def things(game: AnyGame) -> Iterator[str]:
    """The key of everything a screen has to name, but for the reasons why a match ends."""
    yield from ("title", "sentence")
    yield from (f"event.{tag(event)}" for event in members(game.event))
    for command in members(game.command):
        yield f"command.{tag(command)}"
        yield from (f"command.{tag(command)}.{field}" for field in command.__struct_fields__)
    for field in fields_of(game.options):
        yield f"option.{field.name}"
        yield from (f"option.{field.name}.{value}" for value in values(field.type))
    agreed_on = {option.name for option in fields_of(game.options)}
    for field in fields_of(game.view_type):
        if field.name not in agreed_on:
            yield from (f"{field.name}.{word}" for word in words(field.type))
    yield from (f"field.{name}" for name in names(inspect.type_info(game.view_type)) - agreed_on)
    yield from (component.label for component in game.components)
    yield from (f"refusal.{code}" for code, *_ in refusals(game))
    yield from (f"bot.{level}" for level in game.bots)


def names(kind: inspect.Type) -> set[str]:
    """The names of all fields in this type, also of those inside of others."""
    match kind:
        case inspect.StructType(_, fields):
            return {field.name for field in fields}.union(*(names(field.type) for field in fields))
        case inspect.Metadata(inner) | inspect.VarTupleType(inner):
            return names(inner)
        case inspect.UnionType(types):
            return set[str]().union(*map(names, types))
    return set()


def words(kind: inspect.Type) -> Iterator[str]:
    """The words that a field of a view can say."""
    match kind:
        case inspect.LiteralType(literals) | inspect.Metadata(inspect.LiteralType(literals)):
            yield from map(str, literals)


def values(kind: inspect.Type) -> Iterator[str]:
    """The values that are words on a screen; numbers speak for themselves."""
    match kind:
        case inspect.Metadata(inner):
            yield from values(inner)
        case inspect.UnionType(types):
            for one in types:
                yield from values(one)
        case inspect.LiteralType(literals):
            yield from (str(value) for value in literals)
        case inspect.BoolType():
            yield from ("true", "false")
        case inspect.NoneType():
            yield "none"


def fields_of(struct: Any) -> tuple[inspect.Field, ...]:
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    return info.fields
