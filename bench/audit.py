"""Whether every acknowledged command is in the log, once and in order, and nothing else is."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

import asyncpg

from bench.tables import Table
from service.held import stream_of
from service.http.idempotency import command_id

COMMANDS = """
SELECT stream_id, array_agg(command_id ORDER BY first_version) AS ids, max(last_version) AS last,
    sum(last_version - first_version + 1) AS covered
FROM es.commands WHERE stream_id = ANY($1) GROUP BY stream_id
"""
EVENTS = "SELECT stream_id, count(*) AS events, max(version) AS last FROM es.events WHERE stream_id = ANY($1) GROUP BY stream_id"
BEFORE = 2
"""The commands of a match before its first move: it was opened, and the second seat was taken."""


class Lost(Exception):
    """The log and what was acknowledged differ."""


async def audit(url: str, tables: Sequence[Table], acknowledged: int, under_way: int) -> tuple[int, int]:
    """Compare the log of these tables with their moves, of which so many were acknowledged since the last audit, and note how far they are.

    `under_way` is how many may have been stored without an answer, because the load ended. Answers how many commands and events
    were stored since. Raises `Lost`.
    """
    streams = {stream_of(table.match_id): table for table in tables}
    connection = await asyncpg.connect(url)
    try:
        await _quiet(connection)
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            commands = {row["stream_id"]: row for row in await connection.fetch(COMMANDS, list(streams))}
            events = {row["stream_id"]: row for row in await connection.fetch(EVENTS, list(streams))}
    finally:
        await connection.close()
    stored, new_events = 0, 0
    for stream, table in streams.items():
        found, ids = events[stream], commands[stream]["ids"][BEFORE:]
        if not found["events"] == found["last"] == commands[stream]["last"] == commands[stream]["covered"]:
            raise Lost(f"the versions of {table.match_id} are not those that its commands were answered with")
        if ids != expected(table)[: len(ids)] or len(ids) < table.played:
            raise Lost(f"the commands of {table.match_id} are not the first ones of those that were sent, each once and in order")
        stored += len(ids) - table.played
        new_events += found["events"] - (table.events or found["events"])
        table.played, table.events = len(ids), found["events"]
    if not acknowledged <= stored <= acknowledged + under_way:
        raise Lost(f"{acknowledged} commands were acknowledged, and {stored} are stored")
    return stored, new_events


async def _quiet(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
    """Wait until what was on its way when the load ended is stored, or has failed."""
    before = -1
    while before != (now := await connection.fetchval("SELECT last_value FROM es.event_position")):
        before = now
        await asyncio.sleep(0.25)


def expected(table: Table) -> list[UUID]:
    """The ids of all commands of a table, in their order."""
    return [command_id(table.players[seat].player_id, "send_command", key) for seat, key in table.keys]
