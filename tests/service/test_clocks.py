"""The clocks of matches as front ends meet them: nobody has to be there for them, and nobody is judged by being there."""

import asyncio
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg
import httpx
from litestar import Litestar

from tests.service.conftest import Join
from tests.service.talkers import playing

WAITING = 55
"""Tables that are opened and forgotten: a thousand on a machine of one's own, which are swept as these are, a batch after another."""

PAST_EVERY_DEADLINE = 2_592_000
PICO = {"options": {"game": "pico"}, "clock": {"turn_seconds": 600}}


async def begun(join: Join, **terms: Any) -> tuple[httpx.AsyncClient, httpx.AsyncClient, str]:
    ada, bob = await join("Ada"), await join("Bob")
    path = f"/v1/matches/{(await ada.post('/v1/matches', json={**PICO, **terms})).json()['match_id']}"
    await bob.post(f"{path}/seats", json={})
    return ada, bob, path


async def forward(client: httpx.AsyncClient, path: str, seconds: int) -> int:
    """Put the clock forward; the version of the match then."""
    moved = await client.post(f"{path}/clock", json={"forward_seconds": seconds})
    assert moved.status_code == 200, moved.text
    return int(moved.json()["version"])


async def happened(client: httpx.AsyncClient, path: str, after: int, wait: int = 20) -> list[str]:
    items = (await client.get(f"{path}/events", params={"after": after, "wait": wait, "limit": 500})).json()["items"]
    return [item["event"]["type"] for item in items]


async def test_all_who_look_see_one_deadline_and_the_time_of_the_server(join: Join, client: httpx.AsyncClient) -> None:
    """Also a spectator who comes late, and a seat that has chosen."""
    ada, bob, path = await begun(join)
    [decision] = (await ada.get(path)).json()["decisions"]
    await ada.post(f"{path}/commands", json={"command": decision["choices"][0]})
    views = [(await who.get(path)).json() for who in (ada, bob, client)]
    assert len({view["deadline_at"] for view in views}) == 1
    assert views[1]["decisions"][0]["deadline_at"] == views[1]["deadline_at"] == decision["deadline_at"]
    left = datetime.fromisoformat(views[2]["deadline_at"]) - datetime.fromisoformat(views[2]["server_time"])
    assert 600 < left.total_seconds() <= 630, "the first choice of a match has half a minute more"
    times = [datetime.fromisoformat(view["server_time"]).timestamp() for view in views]
    assert max(times) - min(times) < 60
    private = {"options": {"game": "pico"}, "visibility": "private", "clock": None, "bots": ["easy"]}
    assert (await ada.post("/v1/matches", json=private)).json()["deadline_at"] is None


async def test_the_table_moves_on_at_the_deadline_with_nobody_there_to_claim_it(join: Join) -> None:
    ada, _, path = await begun(join)
    told = await happened(ada, path, await forward(ada, path, 700))
    assert told[:3] == ["match.timed_out", "pico.card_committed", "pico.card_committed"]


async def test_one_who_is_silent_holds_up_the_others_until_the_deadline_and_no_longer(join: Join) -> None:
    talkers = await playing(join, clock={"turn_seconds": 600, "on_timeout": "auto"})
    for seat in (0, 1):
        await talkers.choose(seat, {"type": "schemers.ready"})
    view = (await talkers.players[0].get(talkers.path)).json()
    assert (view["table"]["phase"], view["waiting_for"]) == ("talk1", [2])
    told = await happened(talkers.players[0], talkers.path, await forward(talkers.players[0], talkers.path, 700))
    assert told[0] == "match.timed_out"
    later = (await talkers.players[0].get(talkers.path)).json()
    assert (later["status"], later["waiting_for"]) == ("playing", [0, 1, 2])
    assert later["table"]["phase"] != "talk1"


async def test_a_time_out_of_one_seat_never_ends_the_match_of_the_others(join: Join) -> None:
    for on_timeout in ("auto", "bot"):
        talkers = await playing(join, clock={"turn_seconds": 600, "on_timeout": on_timeout})
        await talkers.choose(0, {"type": "schemers.ready"})
        for _ in range(3):
            version = await forward(talkers.players[0], talkers.path, 700)
            assert (await happened(talkers.players[0], talkers.path, version))[0] == "match.timed_out"
        view = (await talkers.players[0].get(talkers.path)).json()
        assert view["status"] == "playing"
        assert not any(seat["stand_in"] for seat in view["seats"])


async def test_a_player_who_only_calls_now_and_then_is_never_taken_for_gone(join: Join) -> None:
    """Without a stream, and long after the turn began, round after round."""
    ada, bob, path = await begun(join)
    for _ in range(3):
        await forward(ada, path, 500)
        await asyncio.sleep(0.6)
        for player in (ada, bob):
            view = (await player.get(path)).json()
            assert (view["status"], len(view["decisions"])) == ("playing", 1)
            chosen = await player.post(f"{path}/commands", json={"command": view["decisions"][0]["choices"][0]})
            assert chosen.status_code == 200, chosen.text
    events = (await ada.get(f"{path}/events", params={"limit": 500})).json()["items"]
    assert "match.timed_out" not in {item["event"]["type"] for item in events}


async def test_a_choice_and_the_clock_never_both_count_for_one_decision(join: Join) -> None:
    """At the very same moment, many times: one of them is the answer, and the other one hears so."""
    ada, bob, path = await begun(join)
    answered = list[int]()
    for _ in range(8):
        view = (await ada.get(path)).json()
        if view["status"] == "ended":
            break
        [decision] = view["decisions"]
        await forward(bob, path, 700 if not answered else 600)
        choice = {"command": decision["choices"][-1], "decision": decision["decision"]}
        chosen = await ada.post(f"{path}/commands", json=choice)
        answered.append(chosen.status_code)
        assert chosen.status_code == 200 or chosen.json()["code"] in ("decision_closed", "match_over"), chosen.text
        await happened(bob, path, view["version"] + 2)
    items = (await ada.get(f"{path}/events", params={"limit": 500})).json()["items"]
    commits = [(item["seat"], item["version"]) for item in items if item["event"]["type"] == "pico.card_committed"]
    reveals = sum(item["event"]["type"] == "pico.cards_revealed" for item in items)
    assert len(commits) in (2 * reveals, 2 * reveals + 1)
    assert [seat for seat, _ in commits].count(0) - [seat for seat, _ in commits].count(1) in (-1, 0, 1)


async def test_tables_that_nobody_came_to_expire_and_leave_nothing_behind(app: Litestar, join: Join, client: httpx.AsyncClient) -> None:
    hosts = [await join(f"Host {number}") for number in range(3)]
    paths = list[str]()
    for number in range(WAITING):
        opened = await hosts[number % 3].post("/v1/matches", json={"options": {"game": "wolves"}, "seats": 4})
        paths.append(f"/v1/matches/{opened.json()['match_id']}")
    for number, path in enumerate(paths):
        await forward(hosts[number % 3], path, PAST_EVERY_DEADLINE)
    for path in paths:
        page = (await client.get(f"{path}/events", params={"after": 3, "wait": 20})).json()
        assert page["ended"], "forgotten"
    assert (await client.get("/v1/matches", params={"status": "open"})).json()["items"] == []
    for path in paths:
        assert (await client.get(path)).json()["result"] == {"ranking": [], "reason": "expired"}
    assert app.state.watch.waiting == 0
    async with app.state.lobby._engine.connect() as connection:
        left = "SELECT count(*) FROM match_current WHERE due_at IS NOT NULL OR bots_at IS NOT NULL"
        assert (await connection.exec_driver_sql(left)).scalar_one() == 0


BROKEN = """
WITH moved AS (UPDATE es.streams SET version = version + 1 WHERE stream_id = $1 RETURNING stream_id, version, last_epoch, last_tx)
INSERT INTO es.events (stream_id, version, epoch, tx_id, event_id, type, schema_version, data, meta, at)
SELECT stream_id, version, last_epoch, last_tx, gen_random_uuid(), $2, 1, '{}',
    jsonb_build_object('actor', '', 'command', stream_id, 'app', ''), now()
FROM moved
"""
DUE = "UPDATE match_current SET due_at = now() - interval '1 hour', bots_at = now() - interval '1 hour' WHERE stream_id = $1"


async def test_a_match_that_breaks_keeps_nobody_from_playing_another(join: Join, database_url: str) -> None:
    """Two of them: by an event of no known type, and by one without its fields; their clocks are due. They are left alone."""
    database = await asyncpg.connect(database_url)
    for event_type in ("pico.unheard_of", "pico.card_committed"):
        ada, _, path = await begun(join)
        stream = UUID(path.rpartition("_")[2])
        await database.execute(BROKEN, stream, event_type)
        await database.execute(DUE, stream)
        assert (await ada.post(f"{path}/resign")).status_code >= 500
    await database.close()
    ada, _, slow = await begun(join)
    for _ in range(2):
        assert "match.timed_out" in await happened(ada, slow, await forward(ada, slow, 700)), "also the clocks of others"
    ada, bob, another = await begun(join)
    assert (await bob.post(f"{another}/resign")).json()["status"] == "ended"
    assert (await ada.get("/v1/matches", params={"mine": True})).status_code == 200
