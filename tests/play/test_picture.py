"""How a table is drawn that no game has: what is a column, what a line, what is left out, and how it is set."""

import io
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import pytest

from service.play.grid import Column, flowing, rows
from service.play.ink import Ink
from service.play.picture import Picture
from service.play.words import Words

SEAT = {"type": "integer", "format": "seat", "minimum": 0, "description": "A place at the table, 0 to n-1."}
NUMBERS = {"type": "array", "items": {"type": "integer"}}
TABLE = {
    "game": {"type": "string", "const": "hills"},
    "phase": {"type": "string"},
    "length": {"type": "string", "description": "Agreed on."},
    "turn": {"type": ["integer", "null"], "format": "seat", "description": "Whose turn it is; null between two turns."},
    "height": {"type": "integer", "minimum": 0, "description": "How high it is."},
    "points": {**NUMBERS, "x-seat-order": True},
    "hands": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}, "x-seat-order": True},
    "ready": {"type": "array", "items": SEAT, "description": "Those who are ready."},
    "stones": {"type": "array", "items": {"$ref": "#/components/schemas/Stones"}, "x-seat-order": True},
    "your_hand": NUMBERS,
    "steps": {"type": "array", "items": {"$ref": "#/components/schemas/Step"}},
    "history": {"type": "array", "items": NUMBERS},
    "last": {"oneOf": [{"$ref": "#/components/schemas/Last"}, {"type": "null"}]},
}
DOCUMENT = {
    "components": {
        "schemas": {
            "MatchTable": {"discriminator": {"mapping": {"hills": "#/components/schemas/View"}}},
            "View": {"properties": TABLE},
            "Stones": {"properties": {"white": {"type": "integer"}, "black": {"type": "integer"}}},
            "Step": {"properties": {"seat": SEAT, "card": {"type": "string"}}},
            "Last": {"properties": {"seat": SEAT, "won": {"type": "boolean"}, "cards": {**NUMBERS, "x-seat-order": True}}},
            "MatchEvent": {
                "discriminator": {
                    "mapping": {"hills.climbed": "#/components/schemas/Climbed", "match.resigned": "#/components/schemas/Resigned"}
                }
            },
            "Resigned": {"properties": {"seat": SEAT}},
            "Climbed": {"properties": {"climber": {**SEAT, "description": "Who climbs."}, "height": {"type": "integer", "minimum": 0}}},
        }
    }
}
SHARED = {"labels": json.loads(files("service.http").joinpath("labels.json").read_text("utf-8"))}

GAME = {
    "game": "hills",
    "title": {"en": "Hills", "fr": "Collines"},
    "sentence": {"en": "Climb.", "fr": "Grimpez."},
    "rules": {"en": "", "fr": ""},
    "components": [{"id": "oak", "label": "card.oak"}],
    "labels": {
        "phase.climb": {"en": "Climb!", "fr": "Grimpez !"},
        "field.turn": {"en": "To climb", "fr": "Au tour de"},
        "field.white": {"en": "White", "fr": "Blanches"},
        "card.oak": {"en": "big oak", "fr": "grand chêne"},
        "command.climb": {"en": "Climb", "fr": "Grimper"},
        "command.jump": {"en": "Jump over the {card}", "fr": "Sauter le {card}"},
        "event.climbed": {"en": "{climber} climbs to {height}.", "fr": "{climber} monte à {height}."},
    },
}
OFF = Ink(io.StringIO(), {})


def picture(seats: Sequence[str] = ("Ann", "Bob"), width: int = 80, language: Any = "en") -> Picture:
    words = Words(GAME, SHARED, DOCUMENT, language)
    words.seats = seats
    return Picture(words, OFF, width, {"game": "hills", "length": "short"})


def drawn(one: Picture, you: int | None = 0, **table: Any) -> list[str]:
    view = {"game": "hills", "you": you, "table": {"game": "hills", "phase": "climb", **table}}
    return list(one.table(view))


def test_what_is_one_for_all_stands_in_a_line_and_what_was_agreed_on_is_left_out() -> None:
    assert drawn(picture(), length="short", turn=1, height=0) == ["Climb!", "To climb Bob · Height 0"]
    assert drawn(picture(language="fr"), turn=None) == ["Grimpez !"]


def test_what_is_of_the_seats_stands_in_columns() -> None:
    assert drawn(
        picture(), you=1, points=[3, -12], hands=[["oak"], []], ready=[1], stones=[{"white": 1, "black": 2}, {"white": 10, "black": 0}]
    ) == [
        "Climb!",
        "        Points   Hands     Ready   White   Black",
        "  Ann        3   big oak               1       2",
        "▸ Bob      -12   -         ✓          10       0",
    ]


def test_a_column_with_nothing_in_it_is_left_out() -> None:
    assert drawn(picture(), points=[None, None], hands=[[], []], ready=[]) == ["Climb!"]


def test_your_own_things_and_things_that_name_their_seat_are_no_columns_though_there_be_as_many_as_seats() -> None:
    assert drawn(picture(), your_hand=[5, 6], steps=[{"seat": 1, "card": "oak"}, {"seat": 0, "card": "elm"}]) == [
        "Climb!",
        "Your hand: 5, 6",
        "Steps: Bob (big oak), Ann (elm)",
    ]


def test_a_list_is_of_the_seats_where_the_document_says_so_and_a_history_is_left_out() -> None:
    assert drawn(picture(), your_hand=[1, 2], history=[[1, 2], [3, 4]]) == ["Climb!", "Your hand: 1, 2"]


def test_a_record_says_whose_it_is_and_what_there_is() -> None:
    last = {"seat": 1, "won": True, "cards": [4, 0]}
    assert drawn(picture(), last=last) == ["Climb!", "Last: Bob · Won · Cards Ann (4), Bob (0)"]
    assert drawn(picture(), last=last | {"won": False, "cards": []}) == ["Climb!", "Last: Bob"]


def test_choices_that_are_alike_stand_side_by_side_and_keep_their_numbers() -> None:
    jumps = [{"type": "hills.jump", "card": tree} for tree in ("oak", "elm", "fir")]
    assert list(picture(width=34).choices([{"type": "hills.climb"}, *jumps])) == [
        " [1] Climb",
        " [2] Jump over the big oak",
        " [3] Jump over the elm",
        " [4] Jump over the fir",
    ]
    assert list(picture(width=60).choices(jumps)) == [" [1] Jump over the big oak   [2] Jump over the elm", " [3] Jump over the fir"]
    assert list(picture().choices([{"type": "hills.of_no_words"}])) == [" [1] hills.of_no_words"]


def test_a_number_is_a_seat_only_where_the_document_says_so() -> None:
    assert list(picture().happened({"type": "hills.climbed", "climber": 1, "height": 1})) == ["  Bob climbs to 1."]
    assert list(picture().happened({"type": "hills.of_no_words"})) == []
    assert list(picture().happened({"type": "match.resigned", "seat": 0})) == ["  Ann gives up."]


def test_the_ranking_is_set_in_columns() -> None:
    places = [{"seat": 1, "rank": 1, "score": 104}, {"seat": 0, "rank": 2, "score": -3}]
    assert list(picture(("Ann", "Robert")).ranking({"reason": "resigned", "ranking": places}, you=0)) == [
        "A player has given up.",
        "  1. Robert   104",
        "▸ 2. Ann       -3",
    ]


def test_wide_columns_give_way_and_are_broken_between_words() -> None:
    columns = [Column("", ["Ann"]), Column("Hand", ["oak elm fir ash yew oak elm fir"])]
    assert [*rows(columns, 24)] == [["      Hand"], ["Ann   oak elm fir ash", "      yew oak elm fir"]]


@pytest.mark.parametrize("width", [12, 14, 30])
def test_flowing_lines_are_full_and_lose_nothing(width: int) -> None:
    parts = ["one", "two of them", "three", "a part that is longer than any line"]
    lines = list(flowing(parts, " · ", width))
    assert all(len(line) <= width for line in lines)
    assert " ".join(lines).replace(" ·", "").split() == " ".join(parts).split()


def test_only_a_person_sees_colours() -> None:
    terminal = type("Terminal", (io.StringIO,), {"isatty": lambda self: True})()
    environments: list[Mapping[str, str]] = [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}]
    assert [Ink(terminal, each).bold("x") for each in environments] == ["\x1b[1mx\x1b[0m", "x", "x"]
    assert OFF.bold("x") == "x"
