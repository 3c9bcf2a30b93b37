"""Finding matches: what is listed to whom, page by page, and how the database finds it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import product
from typing import Any
from uuid import uuid4

import httpx
import pytest
from litestar import Litestar
from sqlalchemy import event, text
from sqlalchemy.ext.asyncio import AsyncEngine

from service.projector import DELAY_EVENTS
from service.readmodels.lobby import FOR_A_PLAYER, FOR_NOBODY, OF_A_PLAYER, TOP
from service.store.address import sqlalchemy_engine
from tests.service.conftest import Join

PICO = {"game": "pico"}
TRAIN = {"game": "little-train"}


@pytest.fixture
async def ada(join: Join) -> httpx.AsyncClient:
    return await join("Ada")


@pytest.fixture
async def bob(join: Join) -> httpx.AsyncClient:
    return await join("Bob")


async def opened(by: httpx.AsyncClient, options: dict[str, Any] = PICO, **terms: Any) -> str:
    answer = await by.post("/v1/matches", json={"options": options, **terms})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["match_id"])


async def listed(client: httpx.AsyncClient, **filters: Any) -> list[str]:
    """The ids of the matches on the first page."""
    answer = await client.get("/v1/matches", params=filters)
    assert answer.status_code == 200, answer.text
    return [item["match_id"] for item in answer.json()["items"]]


async def pages(client: httpx.AsyncClient, meanwhile: Callable[[], Awaitable[Any]] | None = None, **filters: Any) -> list[list[str]]:
    """The ids on each page; something may happen between one page and the next."""
    found, cursor = list[list[str]](), dict[str, str]()
    while True:
        page = (await client.get("/v1/matches", params={**filters, **cursor})).json()
        found.append([item["match_id"] for item in page["items"]])
        if page["next_cursor"] is None:
            return found
        cursor = {"cursor": page["next_cursor"]}
        if meanwhile is not None:
            await meanwhile()


async def test_a_match_is_listed_with_all_that_a_lobby_shows(client: httpx.AsyncClient, ada: httpx.AsyncClient) -> None:
    match_id = await opened(ada, {"game": "pico", "edition": "pico1"}, spectators="none", start="by_host")
    [item] = (await client.get("/v1/matches")).json()["items"]
    view = (await ada.get(f"/v1/matches/{match_id}")).json()
    terms = ("options", "visibility", "spectators", "clock", "start")
    assert item == {
        **{key: view[key] for key in ("match_id", "game", "status", *terms, "seats", "host")},
        "host_name": "Ada",
        "seats_open": 1,
        "opened_at": item["opened_at"],
        "version": view["version"],
    }
    assert item["seats"][0]["display_name"] == "Ada"
    assert item["start"] == "by_host"


async def test_the_newest_come_first_and_filters_narrow(client: httpx.AsyncClient, ada: httpx.AsyncClient, bob: httpx.AsyncClient) -> None:
    waiting = await opened(ada)
    playing = await opened(bob, bots=["easy"])
    ended = await opened(ada, TRAIN, seats=2)
    await ada.delete(f"/v1/matches/{ended}")
    train = await opened(bob, TRAIN, seats=2, start="by_host")
    assert await listed(client) == [train, ended, playing, waiting]
    assert await listed(client, game="pico") == [playing, waiting]
    assert await listed(client, status="open") == [train, waiting]
    assert await listed(client, status="ended", game="little-train") == [ended]
    assert await listed(client, status="ended", game="pico") == []
    assert await listed(client, open_seats=True) == [train, waiting]
    assert await listed(client, open_seats=True, status="playing") == []
    assert await listed(ada, mine=True) == [ended, waiting]
    assert await listed(bob, mine=True, status="open") == [train]


async def test_who_looks_for_a_table_need_not_see_their_own(
    client: httpx.AsyncClient, ada: httpx.AsyncClient, bob: httpx.AsyncClient
) -> None:
    await opened(ada)
    await opened(ada, visibility="private")
    hosted = await opened(ada, visibility="private", sit=False)
    bobs = await opened(bob)
    assert await listed(ada, others=True, open_seats=True) == [bobs, hosted]
    assert await pages(ada, others=True, limit=1) == [[bobs], [hosted]]
    assert len(await listed(client, others=True)) == 2
    assert await listed(ada, others=True, mine=True) == []


async def test_a_full_match_that_waits_for_its_host_has_no_open_seat(client: httpx.AsyncClient, ada: httpx.AsyncClient) -> None:
    full = await opened(ada, start="by_host", bots=["easy"])
    assert await listed(client, status="open") == [full]
    assert await listed(client, open_seats=True) == []
    await ada.delete(f"/v1/matches/{full}/seats/1/bot")
    assert await listed(client, open_seats=True) == [full]


async def test_a_seat_that_a_rematch_keeps_is_not_open_to_others(ada: httpx.AsyncClient, bob: httpx.AsyncClient) -> None:
    match_id = await opened(ada)
    await bob.post(f"/v1/matches/{match_id}/seats", json={})
    await bob.post(f"/v1/matches/{match_id}/resign")
    again = (await ada.post(f"/v1/matches/{match_id}/rematch")).json()["match_id"]
    [item] = (await bob.get("/v1/matches", params={"status": "open"})).json()["items"]
    assert (item["match_id"], item["seats_open"]) == (again, 0)
    assert [seat["kind"] for seat in item["seats"]].count("open") == 1
    assert await listed(bob, open_seats=True) == []


async def test_private_matches_are_listed_to_those_who_sit_there_and_to_their_host(
    client: httpx.AsyncClient, ada: httpx.AsyncClient, bob: httpx.AsyncClient, join: Join
) -> None:
    """Before and after the start."""
    private = await opened(ada, visibility="private", start="by_host", sit=False, seats=2)
    invite = (await ada.get(f"/v1/matches/{private}")).json()["invite"]
    for _ in range(2):
        await bob.post(f"/v1/matches/{private}/seats", json={"invite": invite})
        for filters in ({}, {"game": "pico"}, {"open_seats": True} if _ == 0 else {"status": "playing"}):
            assert await listed(ada, **filters) == [private]
            assert await listed(bob, **filters) == [private]
            for stranger in (client, await join("Eve")):
                assert await listed(stranger, **filters) == []
        await ada.post(f"/v1/matches/{private}/start", json={"fill_with_bots": "easy"})
    assert await listed(bob, mine=True) == [private]
    assert await listed(ada, mine=True) == [], "the host does not sit"


async def test_private_and_public_matches_share_one_order(ada: httpx.AsyncClient) -> None:
    made = [await opened(ada, visibility=visibility) for visibility in ("private", "public", "private", "public", "private")]
    assert await listed(ada) == made[::-1]
    assert await pages(ada, limit=2) == [[made[4], made[3]], [made[2], made[1]], [made[0]]]


async def test_pages_stay_where_they_are_while_matches_are_opened(client: httpx.AsyncClient, ada: httpx.AsyncClient) -> None:
    made = [await opened(ada) for _ in range(7)]
    found = await pages(client, lambda: asyncio.gather(*(opened(ada) for _ in range(3))), limit=3, status="open")
    assert found == [made[:3:-1], made[3:0:-1], made[:1]]


async def test_the_last_page_says_so_also_when_it_is_full(client: httpx.AsyncClient, ada: httpx.AsyncClient) -> None:
    made = [await opened(ada) for _ in range(4)]
    assert await pages(client, limit=2) == [made[:1:-1], made[1::-1]]
    assert await pages(client, limit=2, game="little-train") == [[]]


async def test_a_cursor_is_for_the_list_that_it_came_with(client: httpx.AsyncClient, ada: httpx.AsyncClient) -> None:
    for _ in range(2):
        await opened(ada)
    cursor = (await client.get("/v1/matches", params={"limit": 1, "game": "pico"})).json()["next_cursor"]
    assert (await client.get("/v1/matches", params={"limit": 2, "game": "pico", "cursor": cursor})).status_code == 200
    for path, params in (
        ("/v1/matches", {"cursor": cursor}),
        ("/v1/matches", {"cursor": cursor, "game": "pico", "status": "open"}),
        ("/v1/matches", {"cursor": cursor, "game": "pico", "open_seats": "true"}),
        ("/v1/matches", {"cursor": "", "game": "pico"}),
        ("/v1/matches", {"cursor": "nonsense", "game": "pico"}),
        ("/v1/matches", {"cursor": "\u00e9\U0001f600", "game": "pico"}),
        ("/v1/matches", {"cursor": cursor[:-2], "game": "pico"}),
        ("/v1/games/pico/standings", {"cursor": cursor}),
    ):
        answer = await client.get(path, params=params)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_parameter"), params
        assert answer.json()["errors"][0]["pointer"] == "/cursor"


async def test_what_is_asked_for_wrongly_is_named(client: httpx.AsyncClient) -> None:
    for name, value in (("game", "chess"), ("status", "over"), ("open_seats", "maybe"), ("limit", "0")):
        answer = await client.get("/v1/matches", params={name: value})
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_parameter")
        assert answer.json()["errors"][0]["pointer"] == f"/{name}"
    answer = await client.get("/v1/matches", params={"mine": True})
    assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated")
    assert (await client.get("/v1/matches", params={"limit": 1_000_000})).status_code == 200


async def test_a_delayed_match_does_not_tell_its_spectators_how_far_it_is(ada: httpx.AsyncClient, bob: httpx.AsyncClient) -> None:
    match_id = await opened(ada, spectators="delayed")
    version = begun = (await bob.post(f"/v1/matches/{match_id}/seats", json={})).json()["version"]
    while version <= begun + DELAY_EVENTS:  # Some deals bring a match to its end soon after that, when nothing is held back any more.
        for player in (ada, bob):
            for decision in (await player.get(f"/v1/matches/{match_id}")).json()["decisions"]:
                await player.post(f"/v1/matches/{match_id}/commands", json={"command": decision["choices"][0]})
        version = (await ada.get(f"/v1/matches/{match_id}")).json()["version"]
    [seated] = (await ada.get("/v1/matches")).json()["items"]
    ada.headers.pop("Authorization")
    [watched] = (await ada.get("/v1/matches")).json()["items"]
    assert (seated["version"], watched["version"]) == (version, version - DELAY_EVENTS)


async def test_a_delayed_match_does_not_tell_its_spectators_who_has_just_resigned(client: httpx.AsyncClient, join: Join) -> None:
    ada, bob, cid = [await join(name) for name in ("Ada", "Bob", "Cid")]
    match_id = await opened(ada, {"game": "wolves"}, seats=3, spectators="delayed")
    for other in (bob, cid):
        await other.post(f"/v1/matches/{match_id}/seats", json={})
    assert (await cid.post(f"/v1/matches/{match_id}/resign")).status_code == 200

    async def stand_ins(who: httpx.AsyncClient) -> list[bool]:
        [item] = (await who.get("/v1/matches")).json()["items"]
        return [seat["stand_in"] for seat in item["seats"]]

    assert await stand_ins(client) == [False, False, False]
    assert await stand_ins(ada) == [False, False, True]
    for player in (ada, bob):
        await player.post(f"/v1/matches/{match_id}/resign")
    assert (await stand_ins(client))[2], "when it is over there is no delay"


async def test_entropy_is_nobodys_to_see_before_the_start(ada: httpx.AsyncClient, database_url: str) -> None:
    secret = "ab" * 20
    await opened(ada, entropy=secret)
    assert secret not in (await ada.get("/v1/matches")).text
    async with sqlalchemy_engine(database_url).connect() as connection:
        assert secret not in str((await connection.execute(text("SELECT shown FROM match_current"))).scalar_one())


async def test_a_page_costs_as_many_statements_as_one_item(app: Litestar, ada: httpx.AsyncClient) -> None:
    asked = list[str]()
    engine: AsyncEngine = app.state.lobby._engine
    event.listen(engine.sync_engine, "before_cursor_execute", lambda *told: asked.append(told[2]))
    counts = []
    for _ in range(3):
        await opened(ada)
        asked.clear()
        await ada.get("/v1/matches")
        counts.append(sum("match_current" in each or "players" in each for each in asked))
    assert counts[0] == counts[2] <= 3, asked


MANY = """
INSERT INTO match_current (stream_id, version, game, status, visibility, seats, seats_open, players, waits_for, opened_at, updated_at,
    shown)
SELECT gen_random_uuid(), 1, (ARRAY['pico', 'little-train', 'black-sheep'])[1 + n % 3],
    CASE WHEN n % 50 = 0 THEN 'open' WHEN n % 20 = 1 THEN 'playing' ELSE 'ended' END,
    CASE WHEN n % 10 = 0 THEN 'private' ELSE 'public' END, 2, CASE WHEN n % 50 = 0 THEN 1 ELSE 0 END,
    ARRAY['ply_' || n % 3000, 'ply_' || n % 2999], '{}', now() - n * interval '1 minute', now(), '{}'
FROM generate_series(1, 20000) n
"""


async def test_every_list_is_read_from_an_index_and_no_more_of_it_than_fits_on_the_page(database_url: str) -> None:
    """Whether the server plans for the parameters at hand or for any."""
    asked: dict[str, Any] = {
        "games": ["pico", "little-train", "black-sheep"],
        "statuses": ["open", "playing", "ended"],
        "open_seats": False,
        "player_id": "ply_7",
        "opened_at": TOP.opened_at,
        "stream_id": uuid4(),
        "limit": 51,
    }
    engine = sqlalchemy_engine(database_url)
    async with engine.connect() as connection:
        await connection.execute(text("SET LOCAL statement_timeout = '20s'"))
        await connection.execute(text(MANY))
        await connection.execute(text("ANALYZE match_current"))
        modes, statements = ("force_custom_plan", "force_generic_plan"), (FOR_NOBODY, FOR_A_PLAYER, OF_A_PLAYER)
        for mode, statement, others in product(modes, statements, (False, True)):
            await connection.execute(text(f"SET LOCAL plan_cache_mode = {mode}"))
            explained = text(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement.text}").bindparams(*statement._bindparams.values())
            nodes = list(_nodes((await connection.execute(explained, {**asked, "others": others})).scalar_one()))
            scans = {(node["Node Type"], node.get("Index Name")) for node in nodes if "Scan" in node["Node Type"]}
            assert scans <= {
                *[("Index Scan", "match_current_lobby"), ("Bitmap Index Scan", "match_current_players")],
                *[("Bitmap Heap Scan", None), ("Subquery Scan", None), ("Function Scan", None)],
            }
            assert max(node["Actual Rows"] for node in nodes) <= 9 * 51 + 51
    await engine.dispose()


def _nodes(plan: Sequence[Any]) -> Iterator[Any]:
    for each in plan:
        node = each.get("Plan", each)
        yield node
        yield from _nodes(node.get("Plans", []))
