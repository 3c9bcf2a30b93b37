"""Every word that a screen shows for a game stands in its labels, in English and in French, and nothing else does."""

import ast
import re
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import inspect

from domain.match.game import AnyGame, Waiting
from tests.house.test_rulebooks import refusals
from tests.laws.matches import sample
from tests.laws.samples import commands
from tests.rooms import every_game, labels, members, room, tag


@every_game
def test_each_thing_has_its_label_and_each_label_its_thing(game: AnyGame) -> None:
    named, needed = {key for key in labels(game) if not key.startswith("end.") and not is_instead(key)}, set(things(game))
    assert not needed - named, f"labels.json of {game.key} has no words for: {', '.join(sorted(needed - named))}"
    assert not named - needed, f"labels.json of {game.key} has words for what is not there: {', '.join(sorted(named - needed))}"


@every_game
def test_each_end_has_its_label(game: AnyGame) -> None:
    reasons = {key.removeprefix("end.") for key in labels(game) if key.startswith("end.")}
    given = {match.result.reason for match in sample(game) if match.result is not None}
    assert given <= reasons, (
        f"labels.json of {game.key} has no words for: {', '.join(f'end.{reason}' for reason in sorted(given - reasons))}"
    )
    tree = ast.parse((room(game) / "rules.py").read_text())
    written = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert reasons <= written, "an end that the rules never give"


@every_game
def test_labels_are_in_both_languages_and_name_fields_alike(game: AnyGame) -> None:
    """The sentence of a choice names all there is to it, so that no two choices are said alike."""
    events = {f"event.{tag(event)}": set(event.__struct_fields__) for event in members(game.event)}
    commands = {f"command.{tag(command)}": set(command.__struct_fields__) for command in members(game.command)}
    for key, label in labels(game).items():
        if is_instead(key):
            key = key.rpartition(".")[0]
        assert list(label) == ["en", "fr"], key
        assert all(text.strip() == text != "" for text in label.values()), key
        english, french = map(named, label.values())
        assert english == french, f"{key} names other fields in French"
        assert english <= events.get(key, commands.get(key, set())), f"{key} names {sorted(english)}, which it does not all have"
        assert english >= commands.get(key, set()), f"{key} does not name {sorted(commands[key] - english)}"


@every_game
def test_a_sentence_that_is_said_instead_is_of_a_field_that_can_hold_nothing(game: AnyGame) -> None:
    """Else it would be said every time, or never."""
    of_fields = {f"event.{tag(event)}.{field.name}": field.type for event in members(game.event) for field in fields_of(event)}
    for key in filter(is_instead, labels(game)):
        assert can_hold_nothing(of_fields[key]), key


@every_game
def test_whoever_an_event_is_about_stands_in_a_sentence_of_it(game: AnyGame) -> None:
    """A screen that knows no game would else be silent about who is out, or who has won."""
    for event in members(game.event):
        about = {field.name for field in fields_of(event) if is_seat(field.type)}
        told = {name for key, label in labels(game).items() if of_event(key, tag(event)) for name in named(label["en"])}
        assert about - told <= PLAIN_TO_SEE.get(event.__struct_config__.tag, set()), f"{event.__struct_config__.tag}: {about - told}"


PLAIN_TO_SEE = {"schemers.round_started": {"seats"}}
"""Whom no sentence needs to name: who is still in the game, after it has been said who is out."""


@every_game
def test_what_is_chosen_in_secret_is_hidden_somewhere_on_the_table(game: AnyGame) -> None:
    """For a screen says that it is hidden, and not that there is none, where the document tells it to."""
    marked = {(field.name, phase) for field in fields_of(game.view_type) if (phase := hidden_in(field.type))}
    secret = set()
    for match in sample(game):
        for moment in match.moments:
            waiting = game.advance(moment.state)
            if isinstance(waiting, Waiting) and waiting.secret:
                seen = game.view(moment.state, None)
                secret.add(seen.phase)
                for name, _ in (each for each in marked if each[1] == seen.phase):
                    shown = getattr(seen, name)
                    assert not shown or all(shown[seat] is None for seat in seen.committed), f"{name} is not hidden in {seen.phase}"
    assert {phase for _, phase in marked} == secret


@every_game
def test_what_sentences_name_has_words_of_its_own(game: AnyGame) -> None:
    """A word for programs, such as `loco`, stands in no sentence: it is a piece, or `<field>.<word>` says it."""
    pieces, known = {piece.id for piece in game.components}, labels(game)
    happened = (("event", event) for match in sample(game) for event in match.events)
    for kind, record in [*happened, *(("command", command) for command in commands(game))]:
        sentence = known[f"{kind}.{tag(record)}"]["en"]
        for field in named(sentence):
            raw = [word for word in said(msgspec.to_builtins(getattr(record, field))) if f"{field}.{word}" not in known]
            assert set(raw) <= pieces, f"{kind}.{tag(record)} would say {raw} for {field}"


@every_game
def test_pieces_are_written_as_the_rulebook_writes_them_within_a_sentence(game: AnyGame) -> None:
    """So that a sentence never says "plays the Super black sheep" of what is no name."""
    books = {"en": (room(game) / "RULES.md").read_text("utf-8"), "fr": (room(game) / "fr" / "RULES.md").read_text("utf-8")}
    for piece in game.components:
        for language, book in books.items():
            name = labels(game)[piece.label][language]
            assert not name[0].isupper() or re.search(rf"[^\W\d_A-Z,:] {re.escape(name)}|, {re.escape(name)}", book), (
                f"{piece.label}: {name}"
            )


@every_game
def test_no_name_stands_in_french_behind_a_word_that_is_cut_before_a_vowel(game: AnyGame) -> None:
    """It would be "le loup de Ada"."""
    for struct in members(game.event):
        seats = "|".join(field.name for field in fields_of(struct) if is_seat(field.type))
        for french in (label["fr"] for key, label in labels(game).items() if of_event(key, tag(struct))):
            assert not seats or not re.search(rf"\b(de|que|ne|se|si|le|la) \{{({seats})\}}", french, re.IGNORECASE), french


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
    agreed_on = {option.name: list(values(option.type)) for option in fields_of(game.options)}
    for field in fields_of(game.view_type):
        repeated = agreed_on.get(field.name, []) == list(values(field.type))
        yield from (f"{field.name}.{word}" for word in (values if repeated else words)(field.type))
    yield from (f"field.{name}" for name in names(inspect.type_info(game.view_type)))
    yield from (component.label for component in game.components)
    if game.pledges is not None:
        for match in sample(game):
            open_now = (game.pledges.open(moment.state, seat) for moment in match.moments for seat in range(match.table.seats))
            yield from (f"pledge.{phase}" for phases in open_now for phase in phases)
    yield from (f"refusal.{code}" for code, *_ in refusals(game))
    yield from (f"bot.{level}" for level in game.bots)


def named(text: str) -> set[str]:
    """The fields that a sentence has in braces."""
    return set(re.findall(r"\{(\w+)\}", text))


def is_instead(key: str) -> bool:
    """Whether this sentence is said of an event in place of the usual one, for what one field of it holds: `event.<name>.<field>`."""
    return re.fullmatch(r"event\.(match\.)?\w+\.\w+", key) is not None and not re.fullmatch(r"event\.match\.\w+", key)


def of_event(key: str, name: str) -> bool:
    """Whether this is a sentence of the event."""
    return key == f"event.{name}" or key.startswith(f"event.{name}.")


def can_hold_nothing(kind: inspect.Type) -> bool:
    """Whether a field may be null, false, or an empty list."""
    match kind:
        case inspect.Metadata(inner):
            return can_hold_nothing(inner)
        case inspect.UnionType(types):
            return any(isinstance(each, inspect.NoneType) for each in types)
    return isinstance(kind, inspect.VarTupleType | inspect.BoolType)


def hidden_in(kind: inspect.Type) -> str | None:
    """The phase in which those choose in secret whose choices this field of a view shows afterwards."""
    while isinstance(kind, inspect.Metadata):
        if phase := (kind.extra_json_schema or {}).get("x-hidden-in"):
            return str(phase)
        kind = kind.type
    return None


def is_seat(kind: inspect.Type) -> bool:
    """Whether a field holds a seat or several, or may."""
    match kind:
        case inspect.Metadata(inner, schema):
            return (schema or {}).get("format") == "seat" or is_seat(inner)
        case inspect.VarTupleType(inner):
            return is_seat(inner)
        case inspect.UnionType(types):
            return any(map(is_seat, types))
    return False


def said(value: Any) -> Iterator[str]:
    """The texts that a value would be said with, if it were said as it stands; a record has no words at all."""
    match value:
        case str() | dict():
            yield str(value)
        case list() | tuple():
            for each in value:
                yield from said(each)


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
