"""A match that began by one ruleset and goes on by the next: what has happened stands, and the rest follows the rules of today."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from domain.games import GAMES
from domain.games.pico import rules
from domain.match import table
from domain.match.game import Advance, Outcome, Over, Result
from domain.match.play import NotNow
from domain.match.state import AnyMatch, Match, fold
from service.store.codec import Record
from service.upkeep.verify import verify
from tests.matches.conftest import Process, StartProcess, hand, new_call

PICO = GAMES["pico"]


def over_after_one_round(state: Any) -> Advance[Any]:
    """A match has one round and not two."""
    return Over(Result(rules.standing(state), "rounds_played")) if state.rounds_ended == 1 else rules.advance(state)


def dealt_from_the_bottom(state: Any, outcome: Outcome) -> Sequence[Any]:
    """So that no match of the older ruleset could have come about."""
    return rules.settle(state, outcome[::-1])


NEWER = replace(PICO, ruleset=PICO.ruleset + 1, advance=over_after_one_round, settle=dealt_from_the_bottom)


def written(match: AnyMatch) -> bytes:
    return msgspec.json.encode(match)


def rounds_ended(match: AnyMatch) -> int:
    state: Any = match.table
    return int(state.rounds_ended)


async def chosen(process: Process, match: AnyMatch, player: str) -> AnyMatch:
    return (await process.choose(match.match_id, player, hand(match, player)[0])).match


async def records(process: Process, match: AnyMatch) -> tuple[Record, ...]:
    return await process.matches.records(match, 0, 500)


async def test_a_match_goes_on_by_newer_rules_from_where_it_stands(
    start_process: StartProcess, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = await start_process()
    before = await chosen(older, await older.begun(), "ann")
    log = await records(older, before)

    monkeypatch.setitem(GAMES, "pico", NEWER)
    newer = await start_process()
    match = await newer.matches.get(before.match_id)
    assert written(match) == written(before)
    match = await chosen(newer, match, "bob")
    while match.status == "playing":
        for player in ("ann", "bob"):
            match = await chosen(newer, match, player)
    assert rounds_ended(match) == 1, "what was to come followed the newer rules"
    assert match.agreed.ruleset == PICO.ruleset, "the one that it began by"

    whole = await records(newer, match)
    assert whole[: len(log)] == log, "what has happened stands"
    entries = [record.entry for record in whole]
    for game in (PICO, NEWER):
        assert written(fold(game, Match[Any, Any](match.match_id), entries)) == written(match), "and means the same by either rules"
    told = list[str]()
    assert await verify(database_url, told.append) == 0, told
    assert told[0].endswith("; played again by the rules of this release: 0.")


async def test_a_match_that_the_newer_rules_cannot_go_on_with_keeps_what_it_has_and_can_be_stopped(
    start_process: StartProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In its second round, say, where the newer rules have one."""
    older = await start_process()
    before = await older.begun()
    while rounds_ended(before) == 0:
        for player in ("ann", "bob"):
            before = await chosen(older, before, player)

    monkeypatch.setitem(GAMES, "pico", NEWER)
    newer = await start_process()
    with pytest.raises(NotNow, match="match_over"):
        await chosen(newer, before, "ann")
    assert written(await newer.matches.get(before.match_id)) == written(before)
    stopped = await newer.matches.change(before.match_id, new_call(""), lambda _game, match, _world: table.stop(match))
    assert stopped.match.result is not None
    assert stopped.match.result.reason == "stopped"
