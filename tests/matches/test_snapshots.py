"""A snapshot only saves work: with it or without it, a match is the same."""

import msgspec
import pytest

from domain.match.state import AnyMatch, Match, match_type
from service import matches
from service.held import stream_of
from service.store.snapshots import state_schema
from tests.matches.conftest import PICO, Process, StartProcess, hand


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
    monkeypatch.setattr(matches, "SNAPSHOT_EVERY", 10)
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


def test_a_match_survives_the_trip_to_json() -> None:
    blank: AnyMatch = Match("mat_test")
    assert msgspec.json.decode(msgspec.json.encode(blank), type=match_type(PICO)) == blank
