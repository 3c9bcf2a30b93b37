"""Answers worked out by hand, `tests/vectors/<key>.json`: what the rules make of each case must be just that.

A game may go without them. One that has them has a `vectors.py` too, which holds `ANSWERS`: for each kind of case a function
of the fields of its input, which plays the case through the rules and gives the fields of its expected output.
"""

import importlib
import json
from typing import Any

import pytest

from domain.games import GAMES
from domain.match.game import AnyGame
from tests.rooms import TESTS, name

CASES = [
    pytest.param(game, case, id=case["id"])
    for game in GAMES.values()
    if (worked_out := TESTS / "vectors" / f"{game.key}.json").exists()
    for case in json.loads(worked_out.read_text())["cases"]
]


@pytest.mark.parametrize(("game", "case"), CASES)
def test_the_rules_answer_as_the_case_says(game: AnyGame, case: dict[str, Any]) -> None:
    answers = importlib.import_module(f"tests.games.{name(game)}.vectors").ANSWERS
    answer = answers[case["kind"]](**case["input"])
    assert {field: settled(field, value) for field, value in answer.items()} == {
        field: settled(field, value) for field, value in case["expected"].items()
    }, case["note"]


def settled(field: str, value: Any) -> Any:
    """A value without the order that does not matter: `hand` and `cards` are piles of cards, `fronts` are such piles by seat."""
    match field:
        case "hand" | "cards":
            return sorted(value)
        case "fronts":
            return [sorted(pile) for pile in value]
    return value
