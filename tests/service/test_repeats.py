"""A call that comes again with its key: done once, and answered again, whatever has become of the match meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import httpx
import pytest

from tests.service.conftest import Join
from tests.service.documented import document

SHEEP = {"options": {"game": "black-sheep"}, "seats": 4, "start": "by_host", "visibility": "private"}
KEY = {"Idempotency-Key": "the-same"}


class Asked(NamedTuple):
    """A request; `path` is below that of the match."""

    method: str
    path: str = ""
    body: Any = None


@dataclass
class Party:
    """A match and its people; the first one is its host."""

    people: list[httpx.AsyncClient]
    path: str

    async def ask(self, who: int, asked: Asked) -> httpx.Response:
        path = self.path + asked.path if asked.path != "/v1/matches" else asked.path
        return await self.people[who].request(asked.method, path, json=asked.body, headers=KEY)

    async def sit(self, who: int, seat: int | None = None) -> None:
        invite = (await self.people[0].get(self.path)).json()["invite"]
        answer = await self.people[who].post(f"{self.path}/seats", json={"invite": invite, "seat": seat})
        assert answer.status_code == 200, answer.text

    async def start(self) -> None:
        assert (await self.people[0].post(f"{self.path}/start", json={"fill_with_bots": "easy"})).status_code == 200

    async def end(self) -> None:
        for person in self.people:
            await person.post(f"{self.path}/resign")
        assert await self.status() == "ended"

    async def settled(self) -> int:
        """The version of the match when no bot owes a choice."""
        while True:
            view = (await self.people[0].get(self.path)).json()
            if all(view["seats"][seat]["kind"] == "player" and not view["seats"][seat]["stand_in"] for seat in view["waiting_for"]):
                return int(view["version"])
            await asyncio.sleep(0.02)

    async def status(self) -> str:
        return str((await self.people[0].get(self.path)).json()["status"])


async def begun(party: Party) -> None:
    for who in range(1, len(party.people)):
        await party.sit(who)
    await party.start()


async def over(party: Party) -> None:
    await begun(party)
    await party.end()


async def with_a_bot(party: Party) -> None:
    await party.people[0].post(f"{party.path}/seats/2/bot", json={"level": "easy"})


async def nothing(party: Party) -> None:
    return None


async def choice(party: Party, number: int) -> Asked:
    """One of the choices that the host has, as soon as they have several; until then everybody plays their first one."""
    while True:
        await party.settled()
        for who, person in enumerate(party.people):
            for decision in (await person.get(party.path)).json()["decisions"]:
                if who == 0 and len(decision["choices"]) > 1:
                    return Asked("POST", "/commands", {"command": decision["choices"][number]})
                await person.post(f"{party.path}/commands", json={"command": decision["choices"][0]})


class Case(NamedTuple):
    """One operation: who calls it, when, for what, and for what else under the same key."""

    asked: Asked
    other: Asked | None
    before: Callable[[Party], Awaitable[None]] = nothing
    who: int = 0


CASES = {
    "open_match": Case(Asked("POST", "/v1/matches", SHEEP), Asked("POST", "/v1/matches", {**SHEEP, "seats": 3})),
    "take_seat": Case(Asked("POST", "/seats", {"seat": 2}), Asked("POST", "/seats", {"seat": 3}), who=1),
    "leave_seat": Case(Asked("DELETE", "/seats/me"), None, lambda party: party.sit(1), who=1),
    "seat_bot": Case(Asked("POST", "/seats/2/bot", {"level": "easy"}), Asked("POST", "/seats/3/bot", {"level": "easy"})),
    "remove_bot": Case(Asked("DELETE", "/seats/2/bot"), Asked("DELETE", "/seats/3/bot"), with_a_bot),
    "remove_player": Case(Asked("DELETE", "/seats/2/player"), Asked("DELETE", "/seats/1/player"), lambda party: party.sit(1, 2)),
    "renew_invite": Case(Asked("POST", "/invite", {}), Asked("POST", "/invite", {"lasts_seconds": 60})),
    "start_match": Case(Asked("POST", "/start", {"fill_with_bots": "easy"}), Asked("POST", "/start"), lambda party: party.sit(1)),
    "close_match": Case(Asked("DELETE"), None),
    "send_command": Case(Asked("POST", "/commands"), Asked("POST", "/commands"), begun),
    "send_message": Case(Asked("POST", "/messages", {"text": "Hello"}), Asked("POST", "/messages", {"text": "Bye"})),
    "resign": Case(Asked("POST", "/resign"), None, begun, who=1),
    "move_clock": Case(Asked("POST", "/clock", {"forward_seconds": 1}), Asked("POST", "/clock", {"forward_seconds": 2})),
    "rematch": Case(Asked("POST", "/rematch"), None, over),
}


async def party(join: Join, *others: str) -> Party:
    people = [await join(name) for name in ("Ada", "Bob", *others)]
    opened = await people[0].post("/v1/matches", json=SHEEP)
    return Party(people, f"/v1/matches/{opened.json()['match_id']}")


async def later(party: Party, path: str) -> AsyncIterator[str]:
    """Brings a match along from wherever it is to its end, and tells of each stage."""
    yield "at once"
    here = Party(party.people, path)
    if await here.status() == "open":
        if (await here.people[1].get(path)).status_code == 404:
            await here.sit(1)
            yield "when another has sat down"
        if await here.status() == "open":
            await here.start()
            yield "when the match has begun"
    if await here.status() == "playing":
        await here.end()
        yield "when the match is over"
    again = await here.people[1].post(f"{path}/rematch")
    if again.status_code == 201:
        yield "when there is a rematch"


def lasting(answer: httpx.Response) -> tuple[int, Any]:
    """What an answer tells, but for what is always of the present: the time, the code that is valid now, the match that follows."""
    told = answer.json() if answer.content else {}
    for view in (told, told.get("view", {})):
        for name in ("server_time", "invite", "rematch"):
            view.pop(name, None)
    return answer.status_code, told


async def test_every_call_that_changes_a_match_is_known_again() -> None:
    operations = [operation for item in document()["paths"].values() for operation in item.values() if isinstance(operation, dict)]
    keyed = {each["operationId"] for each in operations if "Idempotency-Key" in str(each.get("parameters"))}
    assert keyed == set(CASES)
    posts = {item["post"]["operationId"]: item["post"] for item in document()["paths"].values() if "post" in item}
    assert {name for name in posts.keys() - keyed if "Idempotency-Key" not in posts[name]["description"]} == set(), "they say so"


@pytest.mark.parametrize("operation", CASES)
async def test_a_call_that_comes_again_is_answered_again_at_every_later_stage(join: Join, operation: str) -> None:
    case, people = CASES[operation], await party(join)
    await case.before(people)
    asked, other = case.asked, case.other
    if operation == "take_seat":
        invite = (await people.people[0].get(people.path)).json()["invite"]
        asked, other = (each._replace(body={**each.body, "invite": invite}) for each in (asked, other) if each)
    if operation == "send_command":
        asked, other = await choice(people, 0), await choice(people, 1)
    first = await people.ask(case.who, asked)
    assert first.is_success, first.text
    stages = list[str]()
    new = f"/v1/matches/{first.json()['match_id']}" if operation in ("open_match", "rematch") else people.path
    async for stage in later(people, new):
        stages.append(stage)
        before = await Party(people.people, new).settled()
        again = await people.ask(case.who, asked)
        assert lasting(again) == lasting(first), stage
        if other is not None:
            refused = await people.ask(case.who, other)
            assert (refused.status_code, refused.json()["code"]) == (422, "key_reused"), stage
        assert await Party(people.people, new).settled() == before, f"something happened {stage}"
    assert len(stages) > 1 or operation == "close_match"


async def test_who_has_left_is_answered_as_a_stranger(join: Join) -> None:
    ada, bob = [await join(name) for name in ("Ada", "Bob")]
    for visibility, status in (("public", 200), ("private", 404)):
        opened = (await ada.post("/v1/matches", json={**SHEEP, "visibility": visibility})).json()
        path, asked = f"/v1/matches/{opened['match_id']}", {"invite": opened["invite"]}
        assert (await bob.post(f"{path}/seats", json=asked, headers=KEY)).json()["you"] == 1
        for _ in range(2):
            assert (await bob.delete(f"{path}/seats/me", headers=KEY)).status_code == 204
        again = await bob.post(f"{path}/seats", json=asked, headers=KEY)
        assert again.status_code == status
        assert again.json().get("you") is None
        assert (await ada.get(path)).json()["seats"][1]["kind"] == "open", "nobody is seated by an old call"


async def test_who_hosts_no_more_learns_no_invitation_from_the_past(join: Join) -> None:
    ada, bob = [await join(name) for name in ("Ada", "Bob")]
    opened = (await ada.post("/v1/matches", json=SHEEP, headers=KEY)).json()
    path = f"/v1/matches/{opened['match_id']}"
    await bob.post(f"{path}/seats", json={"invite": opened["invite"]})
    await ada.delete(f"{path}/seats/me")
    assert (await ada.post("/v1/matches", json=SHEEP, headers=KEY)).status_code == 404
    code = (await bob.get(path)).json()["invite"]
    await ada.post(f"{path}/seats", json={"invite": code})
    for past in (await ada.post("/v1/matches", json=SHEEP, headers=KEY), await ada.get(path, params={"at_version": 2})):
        assert past.is_success
        assert past.json()["host"] != (await ada.get(path)).json()["host"]
        assert past.json()["invite"] is None


async def test_who_sits_sees_also_what_was_before_they_came(join: Join) -> None:
    ada, bob = [await join(name) for name in ("Ada", "Bob")]
    opened = (await ada.post("/v1/matches", json=SHEEP)).json()
    path = f"/v1/matches/{opened['match_id']}"
    await bob.post(f"{path}/seats", json={"invite": opened["invite"]})
    assert (await bob.get(path, params={"at_version": 1})).json()["seats"][1]["kind"] == "open"


async def test_a_code_is_renewed_once_though_asked_for_many_times_at_once(join: Join) -> None:
    ada = await join("Ada")
    opened = (await ada.post("/v1/matches", json=SHEEP)).json()
    path = f"/v1/matches/{opened['match_id']}"
    answers = await asyncio.gather(*(ada.post(f"{path}/invite", json={}, headers=KEY) for _ in range(8)))
    codes = {answer.json()["invite"] for answer in answers}
    assert len(codes) == 1
    assert opened["invite"] not in codes
    assert {(await ada.post(f"{path}/invite", json={})).json()["invite"]}.isdisjoint(codes)


async def test_a_call_for_a_rematch_leads_to_one_match_for_ever(join: Join) -> None:
    """Also when that one is void, and another player has offered the next."""
    people = await party(join, "Cid")
    await over(people)
    ada, bob, _ = people.people

    async def ask(who: httpx.AsyncClient) -> httpx.Response:
        return await who.post(f"{people.path}/rematch", headers=KEY)

    first = (await ask(ada)).json()["match_id"]
    assert (await ask(bob)).json()["match_id"] == first
    await ada.delete(f"/v1/matches/{first}/seats/me")
    assert (await ada.get(people.path)).json()["rematch"] is None
    second = (await bob.post(f"{people.path}/rematch")).json()["match_id"]
    assert second != first
    for who in (ada, bob):
        assert (await ask(who)).json()["match_id"] == first
    assert [seat["kind"] for seat in (await bob.get(f"/v1/matches/{second}")).json()["seats"]].count("player") == 1


async def test_a_condition_that_held_is_not_asked_for_again(join: Join) -> None:
    ada, bob = [await join(name) for name in ("Ada", "Bob")]
    opened = (await ada.post("/v1/matches", json={**SHEEP, "visibility": "public", "spectators": "none"})).json()
    path, condition = f"/v1/matches/{opened['match_id']}", {**KEY, "If-Match": '"v2"'}
    for _ in range(2):
        assert (await bob.post(f"{path}/seats", json={}, headers=condition)).status_code == 200
    await bob.delete(f"{path}/seats/me")
    await ada.post(f"{path}/start", json={"fill_with_bots": "easy"})
    again = await bob.post(f"{path}/seats", json={}, headers=condition)
    assert (again.status_code, again.json()["you"], again.json()["version"]) == (200, None, 3)


@pytest.mark.parametrize("spectators", ["none", "delayed"])
async def test_a_host_who_does_not_sit_is_answered_and_sees_no_more_of_the_play_than_others(join: Join, spectators: str) -> None:
    ada = await join("Ada")
    asked = {**SHEEP, "spectators": spectators, "sit": False}
    path = f"/v1/matches/{(await ada.post('/v1/matches', json=asked)).json()['match_id']}"
    for _ in range(2):
        started = await ada.post(f"{path}/start", json={"fill_with_bots": "easy"}, headers=KEY)
        assert (started.status_code, started.json()["status"]) == (200, "playing")
        table = started.json()["table"]
        assert table is None if spectators == "none" else table["hand_sizes"] == [0] * 4, "nothing is dealt as far as they see"
    closed = f"/v1/matches/{(await ada.post('/v1/matches', json=asked)).json()['match_id']}"
    assert (await ada.delete(closed)).json()["status"] == "ended"


def test_nobody_insists_on_the_version_of_a_match_that_is_not_there() -> None:
    assert "If-Match" not in str(document()["paths"]["/v1/matches"]["post"].get("parameters"))
