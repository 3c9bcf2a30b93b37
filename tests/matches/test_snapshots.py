"""What is kept of matches only saves work: with a snapshot or without it, a match is the same."""

import gc
from typing import Any

import msgspec
import pytest

from domain.match import table
from domain.match.state import AnyMatch, Match, match_type
from service import cache
from service.held import stream_of
from service.store import event_store
from service.store.connections import Connections
from service.store.snapshots import state_schema
from tests.matches.conftest import PICO, Process, StartProcess, hand, new_call


async def played(process: Process, tricks: int) -> AnyMatch:
    match = await process.begun()
    for _ in range(tricks):
        for player in ("ann", "bob"):
            match = (await process.choose(match.match_id, player, hand(match, player)[0])).match
    return match


async def test_a_match_read_from_a_snapshot_is_the_match_that_was_saved(start_process: StartProcess) -> None:
    here, there = await start_process(), await start_process()
    match = await played(here, 2)
    await here.store.save_snapshot(stream_of(match.match_id), state_schema(), match.version, msgspec.json.encode(match))
    await here.choose(match.match_id, "ann", hand(match, "ann")[0])
    loaded = await there.store.load(stream_of(match.match_id), state_schema())
    assert loaded is not None
    assert loaded.snapshot is not None
    assert len(loaded.tail) == 1
    assert await there.matches.get(match.match_id) == await here.matches.get(match.match_id)


async def test_long_matches_are_saved_on_the_way(start_process: StartProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = await start_process(), await start_process()
    monkeypatch.setattr(cache, "SNAPSHOT_EVERY", 10)
    match = await played(here, 3)
    loaded = await there.store.load(stream_of(match.match_id), state_schema())
    assert loaded is not None
    assert loaded.snapshot is not None
    assert loaded.snapshot.version > match.version - 10
    assert await there.matches.get(match.match_id) == match


async def test_an_earlier_version_is_seen_as_it_was(process: Process) -> None:
    match = await process.begun()
    states = {match.version: match}
    for player in ("ann", "bob", "ann", "bob"):
        match = (await process.choose(match.match_id, player, hand(match, player)[0])).match
        states[match.version] = match
        await process.store.save_snapshot(stream_of(match.match_id), state_schema(), match.version, msgspec.json.encode(match))
    for version, state in states.items():
        assert await process.matches.at(match, version) == state


async def test_what_a_process_holds_of_a_match_is_not_looked_at_for_garbage(process: Process) -> None:
    """There are matches by the thousand, and everybody waits for as long as the collector looks."""
    match = await played(process, 2)
    held, records = await process.matches.held(stream_of(match.match_id)), await process.matches.records(match, 0, match.version)
    entries = [record.entry for record in records]
    parts = [held, held.match, *match.chairs, *match.owed, *records, *entries, *(entry.sealed for entry in entries)]
    assert [each for each in parts if gc.is_tracked(each)] == []


class Counted:
    """The rows that the database has been asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.rows: list[int] = []
        ask = Connections.rows

        async def counted(connections: Connections, statement: str, *arguments: Any) -> Any:
            rows = await ask(connections, statement, *arguments)
            if statement in (event_store.LOAD, event_store.EVENTS, event_store.FOLLOWING):
                self.rows.append(len(rows))
            return rows

        monkeypatch.setattr(Connections, "rows", counted)


async def test_a_long_match_is_loaded_and_shown_at_any_version_in_small_bites(
    start_process: StartProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hundred thousand events, a milestone every thousand and pages of five hundred, scaled to 260, 50 and 20."""
    for name, scaled in {"SNAPSHOT_EVERY": 10, "MILESTONE_EVERY": 50, "PAGE": 20}.items():
        monkeypatch.setattr(cache, name, scaled)
    for module in (cache, event_store):
        monkeypatch.setattr(module, "FOLLOWING_MAX", 20)
    here = await start_process()
    match = await here.begun()
    states = {match.version: match}
    while match.version < 260:
        match = (await here.matches.change(match.match_id, new_call("ann"), lambda _, match, __: table.move_clock(match, 1))).match
        states[match.version] = match
    counted = Counted(monkeypatch)
    for schema in (state_schema(), 12345):  # This release, and one whose rules are others, so that it trusts nothing that is saved.
        monkeypatch.setattr(cache, "state_schema", lambda schema=schema: schema)
        there = await start_process()
        assert await there.matches.get(match.match_id) == match
        counted.rows.clear()
        for version in (255, 199, 130, 51, 10):
            assert await there.matches.at(match, version) == states[version]
        assert max(counted.rows) <= 21
        assert sum(counted.rows) <= 5 * (50 + 20 + 2)
    pages = [page async for page in here.matches.pages(match)]
    assert [record.version for page in pages for record in page] == list(range(1, 261))


def test_a_match_survives_the_trip_to_json() -> None:
    blank: AnyMatch = Match("mat_test")
    assert msgspec.json.decode(msgspec.json.encode(blank), type=match_type(PICO)) == blank
