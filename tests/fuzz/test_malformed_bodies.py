"""Ten thousand bodies that are wrong, sent to where right ones would be taken: each is a problem, and nothing has happened."""

import hashlib
import itertools
import json
import random
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import asyncpg
import httpx
import msgspec
import pytest
from litestar import Litestar

from service.http import codes
from service.http.problems import MEDIA_TYPE, Problem
from tests.fuzz.mutations import bodies
from tests.service.conftest import Join, app, client, join, operator, transport
from tests.service.documented import document

__all__ = ["app", "client", "join", "operator", "transport"]

BODIES = 10_000

MAY_MOVE = {"checkpoints", "standings", "match_results", "snapshots", "alembic_version"}
"""Tables that follow the log at their own pace."""


class Sending(NamedTuple):
    """An operation that takes a body, and where in this test's world a right one would be taken, and from whom."""

    name: str
    method: str
    path: str
    token: str
    example: Any
    operation: Mapping[str, Any]


@pytest.mark.timeout(600)
async def test_ten_thousand_wrong_bodies_change_nothing(app: Litestar, join: Join, operator: httpx.AsyncClient, database_url: str) -> None:
    await _refuse(app, join, operator, database_url, BODIES, seed=1)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(2, 12))
async def test_a_hundred_thousand_wrong_bodies_change_nothing(
    app: Litestar, join: Join, operator: httpx.AsyncClient, database_url: str, seed: int
) -> None:
    await _refuse(app, join, operator, database_url, BODIES, seed)


async def _refuse(app: Litestar, join: Join, operator: httpx.AsyncClient, database_url: str, times: int, seed: int) -> None:
    sendings = await _world(join, operator)
    before = await _everything(database_url)
    for each in sendings:
        [content] = each.operation["requestBody"]["content"].values()
        for body in itertools.islice(
            bodies(each.example, content["schema"], random.Random(f"{seed} {each.name}")), -(-times // len(sendings))
        ):
            _require_refused(each, body, *await _sent(app, each, body))
    assert await _everything(database_url) == before
    for each in sendings:
        status, _, content = await _sent(app, each, json.dumps(each.example).encode())
        assert 200 <= status < 300, f"{each.name} would not have taken a right body either: {content!r}"
    assert await _everything(database_url) != before, "what is compared would not have shown a change"


def _require_refused(sent: Sending, body: bytes, status: int, headers: Mapping[bytes, bytes], content: bytes) -> None:
    told = f"{sent.name} answers {body[:300]!r} with {status}: {content[:300]!r}"
    assert 400 <= status < 500, told
    assert headers[b"content-type"] == MEDIA_TYPE.encode(), told
    assert headers[b"x-content-type-options"] == b"nosniff", told
    problem = msgspec.json.decode(content, type=Problem)
    assert codes.KINDS[problem.code].status == status == problem.status, told
    assert problem.code in re.findall(r"`(\w+)`", sent.operation["responses"][str(status)]["description"]), told
    assert len(content) < 3_000, f"the answer says too much of the body again: {told}"


async def _world(join: Join, operator: httpx.AsyncClient) -> list[Sending]:
    """People and matches for which every body of the examples is right, and the operations that take one."""
    ada, bob, cid, dan = [await join(name) for name in ("Ada", "Bob", "Cid", "Dan")]
    dans_id = (await dan.get("/v1/players/me")).json()["player_id"]
    pico: dict[str, Any] = {"options": {"game": "pico"}}
    public, another, stopped = [(await ada.post("/v1/matches", json={**pico, "start": "by_host"})).json() for _ in range(3)]
    filled = (await ada.post("/v1/matches", json={**pico, "start": "by_host", "bots": ["easy"]})).json()
    private = (await ada.post("/v1/matches", json={**pico, "visibility": "private"})).json()
    playing = (await ada.post("/v1/matches", json=pico)).json()
    seated = (await bob.post(f"/v1/matches/{playing['match_id']}/seats", json={})).json()
    mover = (ada, bob)[seated["waiting_for"][0]]
    [decision] = (await mover.get(f"/v1/matches/{playing['match_id']}")).json()["decisions"]
    choice = {"command": decision["choices"][0], "decision": decision["decision"]}
    open_match = {
        **pico,
        "seats": 2,
        "visibility": "private",
        "spectators": "delayed",
        "clock": {"turn_seconds": 60, "talk_seconds": None, "on_timeout": "bot"},
        "start": "by_host",
        "bots": ["easy"],
        "sit": True,
    }
    where: dict[str, tuple[str, httpx.AsyncClient | None, Any]] = {
        "create_player": ("", None, {"display_name": "Ada"}),
        "create_stream_ticket": ("", ada, {"match_id": playing["match_id"]}),
        "move_clock": (playing["match_id"], ada, {"forward_seconds": 60}),
        "open_match": ("", ada, open_match),
        "look_up_invite": ("", None, {"invite": private["invite"]}),
        "renew_invite": (private["match_id"], ada, {"lasts_seconds": 3600}),
        "send_command": (playing["match_id"], mover, choice),
        "send_message": (playing["match_id"], ada, {"text": "Let us stay below 12."}),
        "start_match": (filled["match_id"], ada, {"fill_with_bots": "easy"}),
        "take_seat": (another["match_id"], cid, {"seat": 1, "entropy": "00ff" * 8}),
        "update_me": ("", bob, {"display_name": "Bob the Second"}),
        "seat_bot": (public["match_id"], ada, {"level": "normal"}),
        "stop_match": (stopped["match_id"], operator, {"note": "A complaint"}),
        "sign_out_player": (dans_id, operator, {"note": "A lost phone"}),
        "erase_player": (dans_id, operator, {"note": "Asked for by mail"}),
    }
    where = {
        name: where[name] for name in sorted(where, key=lambda name: name == "seat_bot")
    }  # Cid sits down before it would be a bot's seat.
    return _sendings(where)


def _sendings(where: Mapping[str, tuple[str, httpx.AsyncClient | None, Any]]) -> list[Sending]:
    """`where` tells of each operation the match or the player it is about, the caller and a right body."""
    found = {
        operation["operationId"]: (method, path, operation)
        for path, item in document()["paths"].items()
        for method, operation in item.items()
        if "requestBody" in operation
    }
    assert found.keys() == where.keys(), "every operation that takes a body has its place in this world"
    return [
        Sending(
            name,
            found[name][0].upper(),
            found[name][1].format(match_id=subject, player_id=subject, seat=1),
            "" if caller is None else caller.headers["Authorization"],
            example,
            found[name][2],
        )
        for name, (subject, caller, example) in where.items()
    ]


async def _sent(app: Litestar, sending: Sending, body: bytes) -> tuple[int, dict[bytes, bytes], bytes]:
    """The answer of the app: its status, its headers and its body. (A client in between would take longer than the app.)"""
    headers = [(b"host", b"ludicitude.test"), (b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if sending.token:
        headers.append((b"authorization", sending.token.encode()))
    scope: Any = {"type": "http", "method": sending.method, "path": sending.path, "query_string": b"", "headers": headers, "root_path": ""}
    scope |= {"client": ("192.0.2.1", 1), "server": None, "scheme": "http", "http_version": "1.1", "raw_path": sending.path.encode()}
    answered: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        answered.append(message)

    await app(scope, receive, send)
    content = b"".join(message.get("body", b"") for message in answered[1:])
    return answered[0]["status"], dict(answered[0]["headers"]), content


async def _everything(database_url: str) -> dict[str, str]:
    """A hash of all rows of every table, but for when tokens were last used."""
    connection = await asyncpg.connect(database_url)
    try:
        tables = await connection.fetch("SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('es', 'public')")
        found = {}
        for schema, table in tables:
            if table not in MAY_MOVE:
                rows = await connection.fetch(f'SELECT (to_jsonb(t) - \'last_used_at\')::text FROM "{schema}"."{table}" t ORDER BY 1')
                found[table] = hashlib.sha256("\n".join(row[0] for row in rows).encode()).hexdigest()
        return found
    finally:
        await connection.close()
