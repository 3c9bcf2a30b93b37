"""The code of a private match, by which alone its match is found: by whom, as long as it is good, and however it was typed."""

import httpx
import pytest
from sqlalchemy import text

from service.store.address import sqlalchemy_engine
from tests.service.conftest import Join

FRIENDS = {"options": {"game": "black-sheep", "bets": True}, "seats": 3, "visibility": "private", "start": "by_host"}


@pytest.fixture
async def ada(join: Join) -> httpx.AsyncClient:
    return await join("Ada")


async def opened(host: httpx.AsyncClient, **terms: object) -> tuple[str, str]:
    """A private match of this host: its id and its code."""
    view = (await host.post("/v1/matches", json={**FRIENDS, **terms})).json()
    return view["match_id"], view["invite"]


async def found(client: httpx.AsyncClient, code: str) -> httpx.Response:
    return await client.post("/v1/invites/look-up", json={"invite": code})


async def test_a_code_alone_brings_one_to_the_table(client: httpx.AsyncClient, ada: httpx.AsyncClient, join: Join) -> None:
    """Also who has no account yet sees what they are asked to, and the rest is to sit down."""
    match_id, code = await opened(ada)
    told = (await found(client, code)).json()
    assert (told["match_id"], told["game"], told["options"]["bets"], told["host_name"]) == (match_id, "black-sheep", True, "Ada")
    assert [(seat["kind"], seat["display_name"]) for seat in told["seats"]] == [("player", "Ada"), ("open", None), ("open", None)]
    assert (told["seats_open"], told["status"], told["visibility"]) == (2, "open", "private")
    bob = await join("Bob")
    seated = await bob.post(f"/v1/matches/{told['match_id']}/seats", json={"invite": code})
    assert (seated.status_code, seated.json()["you"]) == (200, 1)


async def test_who_invites_is_named_also_when_they_do_not_sit(client: httpx.AsyncClient, ada: httpx.AsyncClient) -> None:
    _, code = await opened(ada, sit=False)
    told = (await found(client, code)).json()
    assert (told["host_name"], [seat["kind"] for seat in told["seats"]]) == ("Ada", ["open"] * 3)


async def test_a_code_is_read_however_it_was_heard(client: httpx.AsyncClient, ada: httpx.AsyncClient, join: Join) -> None:
    match_id, code = await opened(ada)
    spoken = f" {code[:4]}-{code[4:8]} {code[8:12]}-{code[12:]} ".upper().replace("0", "O").replace("1", "L")
    assert (await found(client, spoken)).json()["match_id"] == match_id
    bob, cid = await join("Bob"), await join("Cid")
    assert (await bob.post(f"/v1/matches/{match_id}/seats", json={"invite": spoken})).status_code == 200
    assert (await cid.post(f"/v1/matches/{match_id}/seats", json={"invite": code.replace("1", "i")})).status_code == 200


async def test_what_is_no_code_any_more_is_told_as_what_never_was_one(
    client: httpx.AsyncClient, ada: httpx.AsyncClient, join: Join, database_url: str
) -> None:
    match_id, renewed = await opened(ada)
    assert (await ada.post(f"/v1/matches/{match_id}/invite", json={})).json()["invite"] != renewed
    _, expired = await opened(ada)
    assert (await found(client, expired)).status_code == 200
    engine = sqlalchemy_engine(database_url)
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE match_invites SET expires_at = now() WHERE code = :code"), {"code": expired})
    await engine.dispose()
    begun, spent = await opened(ada)
    await ada.post(f"/v1/matches/{begun}/start", json={"fill_with_bots": "easy"})
    closed, void = await opened(ada)
    await ada.delete(f"/v1/matches/{closed}")
    for caller in (client, await join("Eve")):
        answers = [await found(caller, code) for code in ("0" * 16, "", "x" * 64, renewed[:-1], renewed, expired, spent, void)]
        told = [{**answer.json(), "request_id": ""} for answer in answers]
        assert told == [told[0]] * len(told)
        assert (told[0]["status"], told[0]["code"]) == (404, "invite_not_found")
    assert [(await found(ada, code)).status_code for code in (renewed, expired)] == [404, 404], "a code that is void is so for everybody"


async def test_the_link_leads_those_who_sit_there_back_after_the_start(
    client: httpx.AsyncClient, ada: httpx.AsyncClient, join: Join
) -> None:
    bob = await join("Bob")
    match_id, code = await opened(ada)
    await bob.post(f"/v1/matches/{match_id}/seats", json={"invite": code})
    await ada.post(f"/v1/matches/{match_id}/start", json={"fill_with_bots": "easy"})
    for player in (ada, bob):
        told = (await found(player, code)).json()
        assert (told["match_id"], told["status"]) == (match_id, "playing")
    assert (await found(client, code)).status_code == 404


async def test_a_code_is_too_long_to_be_found_by_trying(ada: httpx.AsyncClient) -> None:
    """80 bits of an alphabet that can be read aloud; so a request limit of its own, beside that on all requests, would stop nobody."""
    codes = {(await opened(ada))[1] for _ in range(20)}
    assert len(codes) == 20
    assert all(len(code) == 16 and set(code) <= set("0123456789abcdefghjkmnpqrstvwxyz") for code in codes)
    assert len({code[0] for code in codes}) > 5, "all of it is drawn"


async def test_who_holds_a_code_may_insist_on_the_version_that_it_tells(ada: httpx.AsyncClient, join: Join) -> None:
    bob, cid, eve = [await join(name) for name in ("Bob", "Cid", "Eve")]
    match_id, code = await opened(ada, start="when_full", seats=2)
    version, path = (await found(bob, code)).json()["version"], f"/v1/matches/{match_id}/seats"

    async def sits_down(who: httpx.AsyncClient, version: int, **invite: str) -> tuple[int, str | None]:
        answer = await who.post(path, json=invite, headers={"If-Match": f'"v{version}"'})
        return answer.status_code, answer.json().get("code")

    assert await sits_down(bob, version) == (404, "match_not_found")
    assert await sits_down(bob, version + 1, invite=code) == (412, "precondition_failed")
    assert await sits_down(bob, version, invite=code) == (200, None)
    now = (await bob.get(f"/v1/matches/{match_id}")).json()["version"]
    answers = [(await cid.post(path, json={"invite": code}, headers={"If-Match": f'"v{each}"'})).json() for each in (now, now - 1)]
    told = [{**answer, "request_id": ""} for answer in answers]
    assert told[0] == told[1], "once it has begun, the code tells how it stands no more"
    assert await sits_down(eve, now) == (404, "match_not_found")
