"""Every die and every shuffle that a game asks for is fair: each face at each die, each card at each place, and no face or card
goes by what came before it.

The draws are those of many matches with seeds that never change, so the outcomes are the same at every run. A count is compared with
the even one by chi-square, and a chi-square must lie where that of a fair source lies but once in `ONCE_IN` times, on either side: also
counts that are too even are no chance. There are some hundred comparisons, so a fair scheme would fail here for one choice of seeds in
some thousands. A die that shows a one for every tenth of its sixes does not pass, nor does a card that lies at one place twice as often
as elsewhere.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache
from itertools import count
from statistics import NormalDist
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.games import GAMES
from domain.match import fate
from domain.match.game import Request, Roll
from tests.laws.matches import played, tables

ONCE_IN = 1_000_000
FACES_EXPECTED, CARDS_EXPECTED = 4_000, 400
"""How often each face of a die, and each card at a place, should come by chance alone."""

Draw = Callable[[bytes, int, Request], Sequence[Any]]


@cache
def requests(key: str) -> frozenset[Request]:
    """Every roll and every shuffle that the rules of this game ask for, at every table there is."""
    matches = (played(table, seed) for table in tables(GAMES[key]) for seed in range(2))
    return frozenset(entry.draw.request for match in matches for entry in match.entries if entry.draw is not None)


def outcomes(request: Request, draws: int, draw: Draw = fate.draw) -> list[Sequence[Any]]:
    """The outcomes of so many draws, each of a match with a seed of its own, one of its first ten draws."""
    drawn = []
    for number in range(draws):
        match_id, seed = f"mat_{number:032x}", hashlib.sha256(f"seed {number}".encode()).digest()
        drawn.append(draw(fate.match_key(match_id, seed, ["", "ab" * 16]), 1 + number % 10, request))
    return drawn


def bounds(freedom: int) -> tuple[float, float]:
    """Between which values chi-square lies, but once in `ONCE_IN` times (by the approximation of Wilson and Hilferty)."""
    far, spread = NormalDist().inv_cdf(1 - 1 / ONCE_IN / 2), 2 / (9 * freedom)
    low, high = (freedom * max(0, 1 - spread + side * far * spread**0.5) ** 3 for side in (-1, 1))
    return low, high


def uneven(found: Iterable[Hashable], weights: Counter[Hashable]) -> str | None:
    """What is wrong with how often these values came, each of which should come as often as it weighs; None if nothing is."""
    counts = Counter(found)
    total, weight = counts.total(), weights.total()
    if not counts.keys() <= weights.keys():
        return f"there is no {counts.keys() - weights.keys()}"
    chi_square = sum((counts[value] - total * share / weight) ** 2 / (total * share / weight) for value, share in weights.items())
    low, high = bounds(len(weights) - 1)
    return None if low <= chi_square <= high else f"chi-square {chi_square:.1f} is not in {low:.2f} to {high:.2f} for {dict(counts)}"


def faults(request: Request, draw: Draw = fate.draw) -> list[str]:
    """What is wrong with the outcomes of this request: at each place, and from each place to the next one."""
    values: Counter[Hashable] = Counter(range(1, request.sides + 1) if isinstance(request, Roll) else request.items)
    places, expected = (request.dice, FACES_EXPECTED) if isinstance(request, Roll) else (len(request.items), CARDS_EXPECTED)
    drawn = outcomes(request, expected * values.total(), draw)
    found = [uneven((each[place] for each in drawn), values) for place in range(places)]
    if isinstance(request, Roll):
        pairs = Counter[Hashable]((one, other) for one in values for other in values)
        found += [uneven(((each[place], each[place + 1]) for each in drawn), pairs) for place in range(places - 1)]
    elif len(values) == places:  # How far the next card is from this one in the order of the deck, of cards that are all unlike.
        at, steps = request.items.index, Counter[Hashable](range(1, places))
        found += [uneven(((at(each[n + 1]) - at(each[n])) % places for each in drawn), steps) for n in range(places - 1)]
    return [fault for fault in found if fault is not None]


@pytest.mark.parametrize("game", GAMES)
def test_every_die_and_every_shuffle_of_a_game_is_fair(game: str) -> None:
    for request in sorted(requests(game), key=repr):
        assert faults(request) == [], request


def test_draws_of_one_match_are_as_fair_as_those_of_many() -> None:
    key, numbers = fate.match_key("mat_" + "0" * 32, bytes(32), ["", ""]), count(1)
    assert faults(Roll(5, 6), lambda _, __, request: fate.draw(key, next(numbers), request)) == []


def small_words(key: bytes, number: int, request: Request) -> Sequence[Any]:
    """Each face as the remainder of four bits: the small ones come more often."""
    assert isinstance(request, Roll)
    digest = hashlib.sha256(key + bytes([number])).digest()
    return [1 + (byte & 15) % request.sides for byte in digest[: request.dice]]


def some_sixes_are_ones(key: bytes, number: int, request: Request) -> Sequence[Any]:
    """One six in ten is shown as a one."""
    luck = hashlib.sha256(key).digest()
    return [1 if face == 6 and luck[die] < 26 else face for die, face in enumerate(fate.draw(key, number, request))]


def one_card_stays_often(key: bytes, number: int, request: Request) -> Sequence[Any]:
    """The top card is left where it lay every tenth time, and so lies there about twice as often as it should."""
    assert not isinstance(request, Roll)
    items = list(fate.draw(key, number, request))
    if key[0] < 26:
        at = items.index(request.items[0])
        items[0], items[at] = items[at], items[0]
    return items


def the_same_word_twice(key: bytes, number: int, request: Request) -> Sequence[Any]:
    """Two dice that show one word: each of them is fair, and both together are not."""
    one, *_ = fate.draw(key, number, request)
    assert isinstance(request, Roll)
    return [one] * request.dice


def swapped_with_any(key: bytes, number: int, request: Request) -> Sequence[Any]:
    """The shuffle that looks right and is not: every card changes places with any other."""
    assert not isinstance(request, Roll)
    items = list(request.items)
    for at, other in enumerate(fate.draw(key, number, Roll(len(items), len(items)))):
        items[at], items[other - 1] = items[other - 1], items[at]
    return items


throws = count()


def in_turn(key: bytes, number: int, request: Request) -> Sequence[Any]:
    """Each face as often as every other, and by no chance."""
    assert isinstance(request, Roll)
    return [1 + face % request.sides for face, _ in zip(throws, range(request.dice), strict=False)]


@pytest.mark.parametrize("draw", [small_words, some_sixes_are_ones, the_same_word_twice, in_turn])
def test_dice_that_are_not_fair_do_not_pass(draw: Draw) -> None:
    assert faults(Roll(5, 6), draw)


@pytest.mark.parametrize("draw", [swapped_with_any, one_card_stays_often])
def test_shuffles_that_are_not_fair_do_not_pass(draw: Draw) -> None:
    assert faults(min(requests("pico"), key=repr), draw)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_what_is_hashed_is_written_in_one_way_whichever_way_is_quicker(value: Any) -> None:
    """Sorted keys, no spaces, ASCII: as Python's `json` writes it, and as the verifiers do."""
    assert fate._canonical(value) == json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=True).encode()
