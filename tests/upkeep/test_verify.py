"""`ludicitude verify` is silent about every match that the service makes, and names whatever was changed behind its back."""

import asyncio
import os
import random
import sys

import msgspec
import pytest

from domain.games import GAMES
from domain.match.state import AnyMatch
from service.cant_run import CantRun
from service.held import stream_of
from service.store.snapshots import state_schema
from service.upkeep.verify import verify
from tests.matches.conftest import Process
from tests.store.appends import Session
from tests.upkeep.lives import every_life, filled, opened, to_the_end

PICO = GAMES["pico"]


async def verified(database_url: str) -> tuple[int, list[str]]:
    told = list[str]()
    return await verify(database_url, told.append), told


async def saved(process: Process, match: AnyMatch) -> None:
    """Keep a snapshot of where the match stands, and milestones on its way there."""
    stream = stream_of(match.match_id)
    for version in {1, match.version // 2, match.version - 1} - {0}:
        milestone = msgspec.json.encode(await process.matches.at(match, version))
        await process.store.save_snapshot(stream, state_schema(), version, milestone, stays=True)
    await process.store.save_snapshot(stream, state_schema(), match.version, msgspec.json.encode(match))


async def test_nothing_that_a_match_can_live_through_is_a_fault(process: Process, database_url: str) -> None:
    lives = await every_life(process)
    for match in lives:
        await saved(process, match)
    faults, told = await verified(database_url)
    assert faults == 0, "\n".join(told[:20])
    assert told[0].startswith(f"Matches: {len(lives)} (")
    assert told[0].endswith(f"; played again by the rules of this release: {len(lives)}.")
    assert {match.result.reason for match in lives if match.result} >= {
        "closed",
        "declined",
        "expired",
        "abandoned",
        "resigned",
        "stopped",
        "rounds_played",
    }


TABLES = ("es.events", "es.streams", "es.commands", "es.snapshots", "es.milestones", "public.match_current", "public.match_seeds")
OF_EVENTS = "UPDATE es.events SET {} WHERE stream_id = $1 AND {}"
OF_ROW = "UPDATE public.match_current SET {} WHERE stream_id = $1"
LAST = "version = (SELECT max(version) FROM es.events WHERE stream_id = $1)"
FIRST_SEAL = "version = (SELECT min(version) FROM es.events WHERE stream_id = $1 AND meta ? 'sealed')"

VANDALISM = {
    "an event is gone": ("DELETE FROM es.events WHERE stream_id = $1 AND version = 5", "missing"),
    "the last event is gone": (f"DELETE FROM es.events WHERE stream_id = $1 AND {LAST}", "missing"),
    "the stream's row is gone": ("DELETE FROM es.streams WHERE stream_id = $1", "rows but no stream"),
    "the stream says more": ("UPDATE es.streams SET version = version + 1 WHERE stream_id = $1", "missing"),
    "the guard names another transaction": ("UPDATE es.streams SET last_tx = '1' WHERE stream_id = $1", "guards the order"),
    "an event in another place": (OF_EVENTS.format("tx_id = '1'", "version = 5"), "order of all events"),
    "an event id": (OF_EVENTS.format("event_id = stream_id", "version = 5"), "ids from event"),
    "a command remembered elsewhere": (
        "UPDATE es.commands SET first_version = first_version - 1 WHERE stream_id = $1 AND first_version > 1",
        "remembered for events",
    ),
    "a type of event": (OF_EVENTS.format("type = 'pico.wished'", "version = 5"), "no way to read"),
    "a later form": (OF_EVENTS.format("schema_version = 9", "version = 5"), "no way to read"),
    "an unreadable event": (OF_EVENTS.format("""data = '{"seat": "ann"}'""", "type = 'pico.card_committed'"), "cannot be read"),
    "an unknown game": (OF_EVENTS.format("""data = data || '{"game": "chess"}'""", "version = 1"), "does not have"),
    "another card": (OF_EVENTS.format("""data = data || '{"card": 3}'""", "type = 'pico.card_committed'"), "not what the rules make"),
    "another trick": (
        OF_EVENTS.format('data = data || \'{"winner": 0, "points": [9, 0]}\'', "type = 'pico.trick_resolved'"),
        "not what the",
    ),
    "another ranking": (
        OF_EVENTS.format("data = jsonb_set(data, '{ranking,0,score}', '99')", "type = 'match.ended'"),
        "not what the rules make",
    ),
    "another reason": (OF_EVENTS.format("""data = data || '{"reason": "won"}'""", "type = 'match.ended'"), "not what the rules make"),
    "another hand": (OF_EVENTS.format("data = jsonb_set(data, '{cards,0}', '2')", "type = 'pico.hand_dealt'"), "not what the rules make"),
    "another outcome": (
        OF_EVENTS.format("meta = jsonb_set(meta, '{draw,outcome}', (meta #> '{draw,request,items}'))", "meta ? 'draw'"),
        "is not what its seed gives",
    ),
    "another number of a draw": (OF_EVENTS.format("meta = jsonb_set(meta, '{draw,number}', '7')", "meta ? 'draw'"), "it is the match's 1"),
    "a draw left out": (OF_EVENTS.format("meta = meta - 'draw'", "meta ? 'draw'"), "does not record draw 1"),
    "another secret choice": (OF_EVENTS.format("meta = jsonb_set(meta, '{sealed,command,card}', '3')", FIRST_SEAL), "that was sealed"),
    "a seal left out": (OF_EVENTS.format("meta = meta - 'sealed'", FIRST_SEAL), "not what the rules make"),
    "another entropy": (
        OF_EVENTS.format("data = jsonb_set(data, '{seats,0,entropy}', '\"cd\"')", "type = 'match.started'"),
        "is not what its seed gives",
    ),
    "the chooser": (OF_EVENTS.format("meta = meta || '{\"seat\": 1}'", f"{FIRST_SEAL} AND (meta->>'seat') = '0'"), "that was sealed"),
    "another question": (
        OF_EVENTS.format("meta = jsonb_set(meta, '{owed,0,since}', '1')", "type = 'pico.trick_resolved' AND meta ? 'owed'"),
        "not what the rules make",
    ),
    "another seed": ("UPDATE public.match_seeds SET seed = decode(repeat('00', 32), 'hex') WHERE stream_id = $1", "committed to"),
    "no seed": ("DELETE FROM public.match_seeds WHERE stream_id = $1", "seed is missing"),
    "a seed that stays shut": ("UPDATE public.match_seeds SET opened_at = NULL WHERE stream_id = $1", "seed is not open"),
    "a snapshot": (
        "UPDATE es.snapshots SET state = replace(state::text, '\"draws\":1', '\"draws\":2')::json WHERE stream_id = $1",
        "not what its events lead to",
    ),
    "a snapshot of the future": ("UPDATE es.snapshots SET version = version + 1 WHERE stream_id = $1", "has not reached"),
    "a milestone": (
        "UPDATE es.milestones SET state = replace(state::text, '\"draws\":1', '\"draws\":2')::json WHERE stream_id = $1"
        " AND version = (SELECT max(version) FROM es.milestones)",
        "not what its events lead to",
    ),
    "a milestone that is nothing": (
        "UPDATE es.milestones SET state = '{}' WHERE stream_id = $1 AND version = 1",
        "its milestone of version 1 is",
    ),
    "a milestone of the future": (
        "UPDATE es.milestones SET version = version + 1000 WHERE stream_id = $1 AND version = (SELECT max(version) FROM es.milestones)",
        "has not reached",
    ),
    "no row": ("DELETE FROM public.match_current WHERE stream_id = $1", "no row in match_current"),
    **{
        f"the row's {change.split()[0]}": (OF_ROW.format(change), f"its row says {change.split()[0]}")
        for change in (
            "version = version - 1",
            "status = 'playing'",
            "visibility = 'private'",
            "seats = 3",
            "seats_open = 1",
            "players = '{ann}'",
            "due_at = now()",
            'shown = shown || \'{"host": "eve"}\'',
            "rematch_of = stream_id",
            "opened_at = now()",
            "updated_at = now()",
            "ended_at = NULL",
        )
    },
    "the row's bots": (OF_ROW.format("bots_at = now()"), "its row says bots_owe"),
}
"""What is done to an ended match of Pico, and what the fault says."""


async def test_whatever_is_changed_is_found_and_told_in_a_line(process: Process, vandal: Session, database_url: str) -> None:
    luck = random.Random(1)
    match = await to_the_end(process, await filled(process, await opened(process, PICO, 2)), luck)
    await saved(process, match)
    bystander = await opened(process, PICO, 2)
    for what, (vandalism, says) in VANDALISM.items():
        for table in TABLES:
            await vandal.execute(f"CREATE TEMP TABLE kept_{table.split('.')[1]} AS SELECT * FROM {table}")
        done = await vandal.execute(vandalism, stream_of(match.match_id))
        assert not done.endswith(" 0"), f"{what}: nothing was changed"
        faults, told = await verified(database_url)
        assert faults == len(told) - 2 > 0, what
        assert any(says in line for line in told), f"{what}: {told}"
        assert all(line.startswith(f"{match.match_id}: ") and "\n" not in line for line in told[:-2]), what
        assert bystander.match_id not in " ".join(told)
        for table in TABLES:
            kept = f"kept_{table.split('.')[1]}"
            await vandal.execute(f"DELETE FROM {table}; INSERT INTO {table} SELECT * FROM {kept}; DROP TABLE {kept}")
    assert (await verified(database_url))[0] == 0


async def test_a_row_that_says_nothing_of_what_its_release_did_not_know_is_no_fault(
    process: Process, vandal: Session, database_url: str
) -> None:
    await opened(process, PICO, 2)
    await vandal.execute("UPDATE public.match_current SET shown = shown #- '{chairs,0,kept_for}'")
    assert (await verified(database_url))[0] == 0


async def test_a_match_of_earlier_rules_is_followed_but_not_played_again(process: Process, vandal: Session, database_url: str) -> None:
    match = await filled(process, await opened(process, PICO, 2))
    await vandal.execute("UPDATE es.events SET data = data || '{\"ruleset\": 0}' WHERE version = 1")
    faults, told = await verified(database_url)
    assert (faults, told[0]) == (0, f"Matches: 1 (1 playing), events: {match.version}; played again by the rules of this release: 0.")


async def test_the_command_ends_with_1_when_there_are_faults(process: Process, vandal: Session, database_url: str) -> None:
    match = await opened(process, PICO, 2)

    async def run() -> tuple[int | None, str, str]:
        command = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "service", "verify"),
            env={**os.environ, "DATABASE_URL": database_url},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, errors = await command.communicate()
        return command.returncode, out.decode(), errors.decode()

    assert (await run())[::2] == (0, "")
    await vandal.execute("DELETE FROM public.match_seeds")
    code, out, errors = await run()
    assert (code, errors) == (1, "ludicitude: Faults found: 1.\n")
    assert out.startswith(f"{match.match_id}: its seed is missing")


async def test_a_database_that_cannot_be_read_is_told_in_a_sentence(vandal: Session, database_url: str) -> None:
    with pytest.raises(CantRun, match="cannot be reached"):
        await verified("postgresql://nobody@127.0.0.1:1/nowhere")
    await vandal.execute("DROP SCHEMA es CASCADE")
    with pytest.raises(CantRun, match="not been migrated"):
        await verified(database_url)
