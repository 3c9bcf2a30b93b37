"""How often a busy request goes to the database, whatever the machine: that is what its speed rests on."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from litestar import Litestar
from sqlalchemy import event
from sqlalchemy.engine import Engine

from service.store import event_store, writer
from service.store.connections import Connections
from tests.service.conftest import Join
from tests.service.documented import Documented
from tests.service.test_issuer import address, me, token, trusting

__all__ = ("address", "trusting")

OF_REQUESTS = {
    writer.APPEND: "append",
    writer.APPEND_MANY: "append together",
    event_store.LOAD: "load",
    event_store.EVENTS: "events",
    event_store.VERSIONS: "versions",
    event_store.REMEMBERED: "remembered",
    event_store.SUCCESSOR: "successor",
}
"""What requests ask of the store; the house's own sweeps and looks ask other things."""


OF_THE_HOUSE = ("match_results", "standings", "player_departures")
"""Tables that it asks by itself about players, whoever calls."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, app: Litestar) -> Iterator[list[str]]:
    """Every statement that is sent for a request, in a word."""
    seen: list[str] = []
    rows = Connections.rows

    async def noted(self: Connections, statement: str, *arguments: Any, **more: Any) -> Any:
        seen.extend(OF_REQUESTS[known] for known in (statement,) if known in OF_REQUESTS)
        return await rows(self, statement, *arguments, **more)

    def of_accounts(_: Any, __: Any, statement: str, *___: Any) -> None:
        if "player" in statement and not any(table in statement for table in OF_THE_HOUSE):
            seen.append("accounts")

    monkeypatch.setattr(Connections, "rows", noted)
    event.listen(Engine, "before_cursor_execute", of_accounts)
    yield seen
    event.remove(Engine, "before_cursor_execute", of_accounts)


async def test_a_command_is_one_round_trip_and_a_view_is_one(join: Join, asked: list[str]) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    match = (await ada.post("/v1/matches", json={"options": {"game": "pico"}})).json()["match_id"]
    await bob.post(f"/v1/matches/{match}/seats", json={})
    for caller in (ada, bob):  # Their tokens and names are known from here on, for less than a second.
        view = (await caller.get(f"/v1/matches/{match}")).json()
        asked.clear()
        [decision] = view["decisions"]
        body = {"command": decision["choices"][0], "decision": decision["decision"]}
        answer = await caller.post(f"/v1/matches/{match}/commands", json=body, headers={"Idempotency-Key": "one"})
        assert answer.status_code == 200, answer.text
        assert [statement for statement in asked if statement != "accounts"] == ["append"]
        asked.clear()
        assert (await caller.get(f"/v1/matches/{match}")).status_code == 200
        assert [statement for statement in asked if statement != "accounts"] == ["versions"]


async def test_who_calls_and_what_they_are_called_is_not_asked_with_every_request(
    join: Join, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.accounts.lately.FRESH_SECONDS", 1000.0)
    ada, bob = await join("Ada"), await join("Bob")
    match = (await ada.post("/v1/matches", json={"options": {"game": "pico"}})).json()["match_id"]
    await bob.post(f"/v1/matches/{match}/seats", json={})
    await ada.get(f"/v1/matches/{match}")
    asked.clear()
    for _ in range(5):
        await ada.get(f"/v1/matches/{match}")
    assert "accounts" not in asked


async def test_who_a_token_from_outside_speaks_for_is_asked_once_for_all_requests_of_a_moment(trusting: Documented) -> None:
    """They ask before they wait for places, so many of one player would else take all connections to the database from everybody."""
    sent, asked = token(), list[str]()
    known = (await me(trusting, sent)).json()

    def note(_: Any, __: Any, statement: str, *___: Any) -> None:
        if "player_identities" in statement:
            asked.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        answers = await asyncio.gather(*(me(trusting, sent) for _ in range(100)))
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    assert 1 <= len(asked) < 50, "each of them would ask once, and most once more when they have waited"
    assert known in [answer.json() for answer in answers]
