"""The twin: the same commands of the same matches on the same tables, written as a tutorial would, with Litestar and asyncpg.

A token is looked up, the events are read and folded, the rules decide, and everything is written in one transaction; then the view is
put together. It does all that the service does for a command, and nothing to do it fast.
"""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from uuid import uuid5

import asyncpg
import uvicorn
from litestar import Litestar, Request, Response, post

from domain.games import GAMES
from domain.match import table
from domain.match.state import Match, fold
from service.held import Held, line, stream_of
from service.http.idempotency import command_id, fingerprint
from service.http.routes.commands import CommandAnswer, SendCommand
from service.projector import feed, view
from service.store import Stored
from service.store.codec import Origin, Record, decode, encode
from service.store.connections import speak_json


@post("/v1/matches/{match_id:str}/commands", status_code=200)
async def send_command(match_id: str, data: SendCommand, request: Request[Any, Any, Any]) -> Response[CommandAnswer]:
    """Plays one choice."""
    stream = stream_of(match_id)
    token = request.headers["authorization"].removeprefix("Bearer ")
    async with request.app.state.pool.acquire() as connection, connection.transaction():
        player_id = await connection.fetchval(
            "SELECT player_id FROM player_tokens WHERE hash = $1 AND revoked_at IS NULL", sha256(token.encode()).digest()
        )
        await connection.fetchval("SELECT version FROM es.streams WHERE stream_id = $1 FOR UPDATE", stream)
        game = GAMES[await connection.fetchval("SELECT game FROM match_current WHERE stream_id = $1", stream)]
        seed = await connection.fetchval("SELECT seed FROM match_seeds WHERE stream_id = $1", stream)
        rows = await connection.fetch(
            "SELECT version, at, type, schema_version, data, meta FROM es.events WHERE stream_id = $1 ORDER BY version", stream
        )
        before: Any = fold(game, Match(match_id), (decode(game, Stored(*row)).entry for row in rows))
        held = Held(game, before, seed)
        entries = table.choose(game, before, player_id, data.command, data.decision, held.world)
        after, command = fold(game, before, entries), command_id(player_id, "send_command", request.headers["idempotency-key"])
        row = line(after)
        await connection.execute(
            "INSERT INTO es.commands (stream_id, command_id, fingerprint, first_version, last_version) VALUES ($1, $2, $3, $4, $5)",
            *(stream, command, fingerprint("send_command", match_id, data), before.version + 1, after.version),
        )
        origin, at = Origin(player_id, command), datetime.now(UTC)
        await connection.executemany(
            "INSERT INTO es.events (stream_id, version, epoch, tx_id, event_id, type, schema_version, data, meta, at)"
            " VALUES ($1, $2, 0, pg_current_xact_id(), $3, $4, $5, $6, $7, $8)",
            [
                (stream, before.version + n, uuid5(command, str(n)), event.type, event.schema_version, event.data, event.meta, at)
                for n, event in enumerate((encode(entry, origin) for entry in entries), start=1)
            ],
        )
        await connection.execute(
            "UPDATE es.streams SET version = $2, last_tx = pg_current_xact_id() WHERE stream_id = $1", stream, after.version
        )
        await connection.execute(
            "UPDATE match_current SET version = $2, status = $3, waits_for = $4, due_at = $5, shown = $6, updated_at = $7"
            " WHERE stream_id = $1",
            *(stream, after.version, row.status, row.waits_for, row.due_at, row.shown, at),
        )
        names = await connection.fetch("SELECT player_id, display_name FROM players WHERE player_id = ANY($1)", list(after.seated))
    seen = view(after, after.seat_of(player_id), dict(map(tuple, names)), datetime.now(UTC))
    records = tuple(Record(n, at, entry) for n, entry in enumerate(entries, start=before.version + 1))
    return Response(CommandAnswer(seen, feed(after, records, seen.you), seen.version))


@asynccontextmanager
async def pool(app: Litestar) -> AsyncIterator[None]:
    """Ten connections, as many as the service has for its queries."""
    async with asyncpg.create_pool(sys.argv[1], max_size=10, init=speak_json) as app.state.pool:
        yield


if __name__ == "__main__":
    app = Litestar([send_command], lifespan=[pool], openapi_config=None, logging_config=None)
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), loop="uvloop", http="httptools", log_level="warning", access_log=False)
