"""Matches of every game that come to every kind of end, over HTTP, and what their records say."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx

from domain.games import GAMES
from tests.service.conftest import OLGA, Join, bearing

OPTIONS: dict[str, dict[str, Any]] = {"schemers": {"rounds_max": 5}, "black-sheep": {"bets": True}, "little-train": {"games": 1}}
"""What makes a match short, or have all its kinds of secrets; nothing for a game that is not named."""

ENTROPY = "ab" * 16
MONTH_SECONDS = 2_592_000


def terms(game: str, **more: Any) -> dict[str, Any]:
    """The terms of a match of this game with as few seats as two people can fill."""
    seats = max(2, min(GAMES[game].seats))
    return {"options": {"game": game, **OPTIONS.get(game, {})}, "seats": seats, "entropy": ENTROPY, **more}


async def opened(host: httpx.AsyncClient, game: str, **more: Any) -> str:
    """The path of a new match on these terms."""
    answer = await host.post("/v1/matches", json=terms(game, **more))
    assert answer.status_code == 201, answer.text
    return f"/v1/matches/{answer.json()['match_id']}"


async def record_of(reader: httpx.AsyncClient, path: str) -> dict[str, Any]:
    """The record of a match once it has ended, which must be soon."""
    while (view := (await reader.get(path)).json())["status"] != "ended":
        page = (await reader.get(f"{path}/events", params={"after": view["version"], "wait": 20})).json()
        assert page["items"], "nothing happens any more, and the match has not ended"
    record: dict[str, Any] = (await reader.get(f"{path}/record")).json()
    return record


async def played_out(join: Join, game: str, **more: Any) -> dict[str, Any]:
    """Against bots, with the first choice every time."""
    ada = await join("Ada")
    path = await opened(ada, game, bots=["easy"] * (terms(game)["seats"] - 1), **more)
    view = (await ada.get(path)).json()
    while view["status"] != "ended":
        for decision in view["decisions"]:
            await ada.post(f"{path}/commands", json={"command": decision["choices"][0], "decision": decision["decision"]})
        await ada.get(f"{path}/events", params={"after": view["version"], "wait": 5, "limit": 1})
        view = (await ada.get(path)).json()
    return await record_of(ada, path)


async def choose_once(player: httpx.AsyncClient, path: str) -> None:
    """The first choice of a player who owes one, so that the record has a seal in it where choices are secret."""
    for decision in (await player.get(path)).json()["decisions"]:
        await player.post(f"{path}/commands", json={"command": decision["choices"][0]})


async def seated(join: Join, game: str, **more: Any) -> tuple[list[httpx.AsyncClient], str]:
    """A match in play with a person on every seat, the first of whom has chosen once if they could."""
    players = [await join(name) for name in ("Ada", "Bob", "Cid")[: terms(game)["seats"]]]
    path = await opened(players[0], game, **more)
    for other in players[1:]:
        await other.post(f"{path}/seats", json={})
    await choose_once(players[0], path)
    return players, path


async def resigned(join: Join, game: str) -> dict[str, Any]:
    """Everybody resigns; where two sit, the first one who does ends it."""
    players, path = await seated(join, game)
    for player in players:
        await player.post(f"{path}/resign")
    return await record_of(players[0], path)


async def timed_out(join: Join, game: str) -> dict[str, Any]:
    """The clock resigns who is silent, until nobody is left."""
    players, path = await seated(join, game, clock={"turn_seconds": 5, "on_timeout": "resign"})
    while (view := (await players[0].get(path)).json())["status"] != "ended":
        await players[0].post(f"{path}/clock", json={"forward_seconds": 60})
        await players[0].get(f"{path}/events", params={"after": view["version"] + 1, "wait": 10})
    return await record_of(players[0], path)


async def played_by_the_clock(join: Join, game: str) -> dict[str, Any]:
    """The clock chooses for everybody once, and then they resign."""
    players, path = await seated(join, game, clock={"turn_seconds": 5, "on_timeout": "auto"})
    version = (await players[0].get(path)).json()["version"]
    await players[0].post(f"{path}/clock", json={"forward_seconds": 60})
    await players[0].get(f"{path}/events", params={"after": version + 1, "wait": 10})
    for player in players:
        await player.post(f"{path}/resign")
    return await record_of(players[0], path)


async def abandoned(join: Join, game: str) -> dict[str, Any]:
    """A match without a clock that nobody touches for a month."""
    players, path = await seated(join, game, clock=None, visibility="private")
    if (view := (await players[0].get(path)).json())["invite"]:  # Strangers need the code; `seated` has none.
        for other in players[1:]:
            await other.post(f"{path}/seats", json={"invite": view["invite"]})
    await choose_once(players[0], path)
    for _ in range(2):  # The first choice of a match has some seconds more.
        await players[0].post(f"{path}/clock", json={"forward_seconds": MONTH_SECONDS})
    return await record_of(players[0], path)


async def closed(join: Join, game: str) -> dict[str, Any]:
    """The host closes it before the start."""
    ada = await join("Ada")
    path = await opened(ada, game)
    await ada.delete(path)
    return await record_of(ada, path)


async def left(join: Join, game: str) -> dict[str, Any]:
    """Everybody leaves before the start."""
    ada = await join("Ada")
    path = await opened(ada, game)
    await ada.delete(f"{path}/seats/me")
    return await record_of(ada, path)


async def expired(join: Join, game: str) -> dict[str, Any]:
    """Nobody comes for a day."""
    ada = await join("Ada")
    path = await opened(ada, game)
    await ada.post(f"{path}/clock", json={"forward_seconds": MONTH_SECONDS})
    return await record_of(ada, path)


async def stopped(join: Join, game: str) -> dict[str, Any]:
    """Whoever runs the service stops it in play."""
    players, path = await seated(join, game)
    return await _stopped(players[0], path)


async def stopped_before_the_start(join: Join, game: str) -> dict[str, Any]:
    """Whoever runs the service stops it while it waits for players."""
    ada = await join("Ada")
    return await _stopped(ada, await opened(ada, game))


async def _stopped(player: httpx.AsyncClient, path: str) -> dict[str, Any]:
    operator = bearing(player._transport, OLGA)
    done = await operator.post(path.replace("/v1/", "/v1/operator/") + "/stop", json={"note": "It must not go on"})
    assert done.status_code == 200, done.text
    return await record_of(player, path)


ENDS: dict[str, Callable[[Join, str], Awaitable[dict[str, Any]]]] = {
    end.__name__: end
    for end in (
        *(played_out, resigned, timed_out, played_by_the_clock, abandoned),
        *(closed, left, expired, stopped, stopped_before_the_start),
    )
}
"""Every way in which a match can end."""


def changed(record: dict[str, Any], change: Callable[[Any], object]) -> dict[str, Any]:
    """A copy of the record, changed."""
    forged: dict[str, Any] = json.loads(json.dumps(record))
    change(forged)
    return forged
