"""Matches that leave one database arrive in another as they were, and no secret leaves by accident."""

import asyncio
import json
import os
import random
import sys
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.games import GAMES
from domain.match.state import AnyMatch
from service.cant_run import CantRun
from service.live.watch import Watch
from service.matches import Matches
from service.projector import unveiled
from service.store import EventStore
from service.upkeep.carry import export, import_matches
from service.upkeep.verify import verify
from tests.matches.conftest import Process
from tests.store.appends import Session, session
from tests.upkeep.lives import chosen, every_life, filled, opened, to_the_end

PICO = GAMES["pico"]

EVENTS = "SELECT stream_id, version, event_id, type, schema_version, data, meta, at FROM es.events ORDER BY stream_id, version"
COMMANDS = "SELECT * FROM es.commands ORDER BY stream_id, command_id"
ROWS = """
SELECT stream_id, version, game, status, visibility, seats, seats_open, players, opened_at, updated_at, ended_at, due_at, shown, rematch_of,
    bots_at IS NOT NULL FROM public.match_current ORDER BY stream_id
"""
SEEDS = "SELECT * FROM public.match_seeds ORDER BY stream_id"


@pytest.fixture
async def elsewhere(other_database_url: str) -> AsyncIterator[Process]:
    store = await EventStore.connect(other_database_url)
    async with Watch(store.versions) as watch:
        yield Process(store, watch, Matches(store, watch))
    await store.close()


async def exported(url: str, *ids: str, with_secrets: bool = False) -> tuple[list[bytes], list[str]]:
    written, told = list[bytes](), list[str]()
    await export(url, written.append, told.append, ids, with_secrets)
    return written, told


async def imported(url: str, lines: list[bytes]) -> tuple[int, list[str]]:
    told = list[str]()
    return await import_matches(url, lines, told.append), told


async def record(process: Process, match: AnyMatch) -> bytes:
    now = await process.matches.get(match.match_id)
    pages = [unveiled(page) async for page in process.matches.pages(now)]
    return msgspec.json.encode([now, pages, await process.matches.proof(now)])


async def test_everything_arrives_as_it_was(
    process: Process, elsewhere: Process, database: Session, database_url: str, other_database_url: str
) -> None:
    lives = await every_life(process)
    lines, told = await exported(database_url, with_secrets=True)
    assert told[0].startswith("WITH SECRETS")
    assert len(lines) == 1 + len(lives)
    refused, told = await imported(other_database_url, lines)
    assert (refused, told[0]) == (0, f"Matches imported: {len(lives)}, refused: 0.")
    async with session(other_database_url) as there:
        for what in (EVENTS, COMMANDS, ROWS, SEEDS):
            assert [tuple(row) for row in await there.fetch(what)] == [tuple(row) for row in await database.fetch(what)]
    assert await verify(other_database_url, told.append) == 0, told
    for match in lives:
        if match.status == "ended":
            assert await record(elsewhere, match) == await record(process, match)


async def test_a_match_goes_on_where_it_arrived_and_readers_of_all_events_meet_it_in_order(
    process: Process, elsewhere: Process, database_url: str, other_database_url: str
) -> None:
    luck = random.Random(3)
    match = await to_the_end(process, await filled(process, await opened(process, PICO, 2)), luck, most=3)
    await imported(other_database_url, (await exported(database_url, match.match_id, with_secrets=True))[0])
    there = await chosen(elsewhere, await elsewhere.matches.get(match.match_id), luck)
    there = await to_the_end(elsewhere, there, luck)
    told = list[str]()
    assert await verify(other_database_url, told.append) == 0, told
    async with session(other_database_url) as reader:
        order = await reader.fetch("SELECT version FROM es.events ORDER BY epoch, tx_id, position")
    assert [row["version"] for row in order] == list(range(1, there.version + 1))


async def test_secrets_stay_where_they_are_unless_somebody_insists(process: Process, database: Session, database_url: str) -> None:
    over = await to_the_end(process, await filled(process, await opened(process, PICO, 2)), random.Random(1))
    running = await filled(process, await opened(process, PICO, 2))
    waiting = await opened(process, PICO, 2)
    lines, told = await exported(database_url)
    assert [json.loads(line)["match_id"] for line in lines[1:]] == [over.match_id]
    assert any(line.startswith("Left out: 2,") for line in told)
    for match in (running, waiting):
        secret = await database.fetchval("SELECT encode(seed, 'hex') FROM match_seeds WHERE stream_id = $1::uuid", match.match_id[4:])
        assert secret.encode() not in b"".join(lines)
        with pytest.raises(CantRun, match="--with-secrets"):
            await exported(database_url, match.match_id)
        assert secret.encode() in (await exported(database_url, match.match_id, with_secrets=True))[0][1]
    for match_id, reason in (("mat_" + "0" * 32, "no match"), ("pico", "no id")):
        with pytest.raises(CantRun, match=reason):
            await exported(database_url, match_id)


async def test_what_is_there_already_is_refused_and_left_alone(process: Process, database: Session, database_url: str) -> None:
    match = await to_the_end(process, await filled(process, await opened(process, PICO, 2)), random.Random(1))
    lines, _ = await exported(database_url)
    before = await database.fetch(ROWS)
    refused, told = await imported(database_url, lines)
    assert (refused, told) == (
        1,
        [f"{match.match_id} refused: this database has it already, or has another rematch of the same match.", told[1]],
    )
    assert await database.fetch(ROWS) == before


def without_seed(carried: dict[str, Any]) -> None:
    carried["seed"] = None


def with_fresh_seed(carried: dict[str, Any]) -> None:
    carried["seed"] = "ab" * 32


def with_gap(carried: dict[str, Any]) -> None:
    del carried["events"][3]


def with_other_card(carried: dict[str, Any]) -> None:
    event = next(event for event in carried["events"] if event["type"] == "pico.card_committed")
    event["data"]["card"] = 3


def with_other_game(carried: dict[str, Any]) -> None:
    carried["events"][0]["data"]["game"] = "chess"


def with_zero_character(carried: dict[str, Any]) -> None:
    carried["events"][0]["meta"]["app"] = "a\0b"


DAMAGES = [without_seed, with_fresh_seed, with_gap, with_other_card, with_other_game, with_zero_character]


async def test_a_match_that_would_not_stand_an_audit_is_refused_and_the_others_arrive(
    process: Process, database_url: str, other_database_url: str
) -> None:
    match = await to_the_end(process, await filled(process, await opened(process, PICO, 2)), random.Random(1), most=3)
    other = await opened(process, PICO, 2)
    lines, _ = await exported(database_url, match.match_id, other.match_id, with_secrets=True)
    damaged = [lines[0]]
    for damage in DAMAGES:
        carried = json.loads(lines[1])
        damage(carried)
        damaged.append(json.dumps(carried).encode())
    refused, told = await imported(other_database_url, [*damaged, lines[2]])
    assert refused == len(DAMAGES)
    assert [line.split(":")[0] for line in told[: len(DAMAGES)]] == [f"{match.match_id} refused"] * len(DAMAGES)
    async with session(other_database_url) as there:
        assert [row["stream_id"].hex for row in await there.fetch(ROWS)] == [other.match_id[4:]]
        assert await there.fetchval("SELECT count(*) FROM es.events") == other.version


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([], "no export"),
        ([b"hello"], "no export"),
        ([b'{"format": "ludicitude-matches", "version": 2, "with_secrets": false}'], "version 2"),
        ([b'{"format": "ludicitude-matches", "version": 1, "with_secrets": false}', b"{}"], "Line 2"),
    ],
)
async def test_what_is_no_export_is_told_as_such(database_url: str, lines: list[bytes], reason: str) -> None:
    with pytest.raises(CantRun, match=reason):
        await imported(database_url, lines)


async def test_the_commands_write_to_the_output_and_read_from_the_input(
    process: Process, elsewhere: Process, database_url: str, other_database_url: str
) -> None:
    match = await to_the_end(process, await filled(process, await opened(process, PICO, 2)), random.Random(1))

    async def run(url: str, given: bytes, *command: str) -> tuple[int | None, bytes, str]:
        started = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "service", *command),
            env={**os.environ, "DATABASE_URL": url},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, errors = await started.communicate(given)
        return started.returncode, out, errors.decode()

    code, out, errors = await run(database_url, b"", "export", "--match", match.match_id)
    assert (code, errors) == (0, "Matches exported: 1.\n")
    assert await run(other_database_url, out, "import") == (0, b"", "Matches imported: 1, refused: 0.\n")
    code, _, errors = await run(other_database_url, out, "import")
    assert (code, errors.splitlines()[-1]) == (1, "ludicitude: Matches refused: 1.")
    assert (await elsewhere.matches.get(match.match_id)).result == match.result
    assert replace(match, version=match.version) == await elsewhere.matches.get(match.match_id)
