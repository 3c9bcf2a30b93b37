"""One whole match of every game, written down with what each viewer is told and sees.

A change here is a change of the rules or of sight. `make bless` (LUDICITUDE_BLESS=1) writes it down anew; read the difference before
you commit it.
"""

import os
from collections.abc import Iterator
from typing import Any

from domain.match.game import AnyGame
from tests.laws.matches import played
from tests.rooms import every_game, own_tests
from tests.scenario import as_json, said
from tests.table import Match, Moment, Table


@every_game
def test_transcript(game: AnyGame) -> None:
    path = own_tests(game) / "transcript.txt"
    match = played(Table(game, game.options(), 3 if 3 in game.seats else game.seats[0]), seed=1)
    text = "\n".join(lines(match)) + "\n"
    if os.environ.get("LUDICITUDE_BLESS"):
        path.write_text(text)
    assert path.exists(), "`make bless` writes it"
    assert path.read_text() == text, "the rules or what is seen have changed: `make bless`, and read the difference"


def lines(match: Match) -> Iterator[str]:
    yield f"{match.game.key} with {match.table.seats} seats: {fields(match.table.options)}"
    before, table = 0, dict[str, Any]()
    for moment in match.moments:
        for number in range(before, moment.events):
            yield from told(match, number)
        seen = as_json(match.game.view(moment.state, None))
        yield f"         table: {changes(seen, table)}"
        yield from own_sights(match, moment, seen)
        before, table = moment.events, seen
    assert match.result is not None
    places = ", ".join(f"{place.rank}. seat {place.seat} with {place.score}" for place in match.result.ranking)
    yield f"{match.result.reason}: {places}"


def told(match: Match, number: int) -> Iterator[str]:
    entry, game = match.entries[number], match.game
    if entry.seat is not None:
        yield f"seat {entry.seat} chooses"
    if entry.draw is not None:
        yield f"draw {entry.draw.number}: {fields(entry.draw.request)}"
    yield f"    {number + 1:3} {fields(entry.event)}"
    veils = {viewer: fields(game.veil(entry.event, viewer)) for viewer in match.viewers}
    for veiled in dict.fromkeys(veil for veil in veils.values() if veil != fields(entry.event)):
        who = ", ".join("spectator" if viewer is None else f"seat {viewer}" for viewer, veil in veils.items() if veil == veiled)
        yield f"         {who}: {veiled}"


def own_sights(match: Match, moment: Moment, table: dict[str, Any]) -> Iterator[str]:
    """What a seat sees of the table otherwise than the spectator does."""
    for seat in range(match.table.seats):
        view = as_json(match.game.view(moment.state, seat))
        if view != table:
            yield f"         seat {seat} sees: {changes(view, table)}"


def changes(seen: dict[str, Any], before: dict[str, Any]) -> str:
    return " ".join(f"{field}={said(value)}" for field, value in seen.items() if field not in before or before[field] != value)


def fields(record: Any) -> str:
    """A tagged record in the words of the scenarios: its tag, and its fields."""
    read = as_json(record)
    tag = read.pop(record.__struct_config__.tag_field)
    return " ".join([tag, *(f"{field}={said(value)}" for field, value in read.items())])
