"""A cursor is opaque and nobody's secret: whatever somebody makes of one is a page of the same list, or none of its cursors."""

import base64
import copy
import json
from collections.abc import Iterator
from typing import Any

import httpx

from tests.contract.rules import operations
from tests.service.conftest import Join
from tests.service.documented import document
from tests.service.test_standings import beaten, counted

EDGES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1.5, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**63 - 1, 2**63, -(2**63) - 1, 10**40, 1e308, [], {}, "", "x"),
    *("\0", "ply_\0", "\x7f", "\U0010ffff", "x" * 3_000, "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "2026-11-30T12:00:00"),
    *("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "00000000-0000-0000-0000-000000000000"),
)


DEEP = tuple(opening * 1_000 + "1" + closing * 1_000 for opening, closing in (("[", "]"), ('{"a":', "}")))
"""Deeper than anybody reads."""


def read(cursor: str) -> Any:
    return json.loads(base64.urlsafe_b64decode(cursor + "=="))


def written(content: Any) -> str:
    return encoded(json.dumps(content, separators=(",", ":")))


def encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def places(content: Any, way: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """The way to every part of it."""
    yield way
    if isinstance(content, list):
        for at, part in enumerate(content):
            yield from places(part, (*way, at))


def changed(content: Any, way: tuple[int, ...], value: Any) -> Any:
    if not way:
        return value
    made = copy.deepcopy(content)
    within = made
    for at in way[:-1]:
        within = within[at]
    within[way[-1]] = value
    return made


async def test_whatever_is_made_of_a_cursor_nothing_fails(join: Join, operator: httpx.AsyncClient) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    for _ in range(2):
        await beaten(ada, bob)
        opened = (await ada.post("/v1/matches", json={"options": {"game": "pico"}})).json()
        await bob.post(f"/v1/matches/{opened['match_id']}/seats", json={})
        stranger = (await ada.post("/v1/players", json={"display_name": "Eve"})).json()["player_id"]
        await operator.post(f"/v1/operator/players/{stranger}/sign-out", json={"note": "A complaint"})
    await counted(ada, "pico", 4)
    lists = {"/v1/matches": ada, "/v1/players/me/turns": ada, "/v1/games/pico/standings": ada, "/v1/operator/actions": operator}
    for path, reader in lists.items():
        mark, place = read((await reader.get(path, params={"limit": 1})).json()["next_cursor"])
        cursors = [written([mark, changed(place, way, value)]) for way in places(place) for value in EDGES]
        for cursor in (*cursors, *(encoded(f'["{mark}",{deep}]') for deep in DEEP), *map(encoded, DEEP)):
            answer = await reader.get(path, params={"limit": 1, "cursor": cursor})
            assert answer.status_code in (200, 400), f"{path} from {cursor}: {answer.text}"
            if answer.status_code == 400:
                assert answer.json()["errors"][0]["pointer"] == "/cursor"
    pages = {path for path, _, each in operations(document()) if any(named["name"] == "cursor" for named in each.get("parameters", ()))}
    assert {path.format(game="pico") for path in pages} == lists.keys(), "every list is tried"
