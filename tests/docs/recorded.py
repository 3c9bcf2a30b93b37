"""A match played over the API for a page: every request that a player sends, and the answer to it."""

import random
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import httpx

PEOPLE = ("Ada", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal")
NOON = "2026-12-01T12:00:00Z"
STEPS_MAX = 500

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_HASH = re.compile(r"\b([0-9a-f]{8})[0-9a-f]{56}\b")


class Pair(NamedTuple):
    """A request of a person, and its answer, with moments all one and hashes cut short."""

    who: str
    method: str
    path: str
    body: Any
    answer: Any


async def record(client: httpx.AsyncClient, terms: Mapping[str, Any]) -> list[Pair]:
    """A match by these terms, from the opening to the record. Everybody plays any of their choices, by luck that is always the same."""
    people: list[tuple[str, dict[str, str]]] = []
    pairs: list[Pair] = []
    luck = random.Random(7)

    async def call(seat: int, method: str, path: str, body: Any = None) -> Any:
        name, headers = people[seat]
        answer = await client.request(method, path, json=body, headers=headers)
        assert answer.is_success, answer.text
        pairs.append(Pair(name, method, path, body, _even(answer.json())))
        return answer.json()

    for name in PEOPLE[: terms.get("seats", 2)]:
        made = await client.post("/v1/players", json={"display_name": name})
        people.append((name, {"Authorization": f"Bearer {made.json()['token']}"}))
    opened = await call(0, "POST", "/v1/matches", terms)
    match = f"/v1/matches/{opened['match_id']}"
    for seat in range(1, len(people)):
        await call(seat, "POST", f"{match}/seats", {"invite": opened["invite"]} if opened["invite"] else {})
    told = False
    for _ in range(STEPS_MAX):
        view = (await client.get(match, headers=people[0][1])).json()
        if view["status"] == "ended":
            break
        seat = view["waiting_for"][0]
        [decision] = (await client.get(match, headers=people[seat][1])).json()["decisions"]
        choice = {"command": luck.choice(decision["choices"]), "decision": decision["decision"]}
        said = await call(seat, "POST", f"{match}/commands", choice)
        if not told and said["events"][0]["seal"] is not None and len(people) > 1:
            told = True
            await call((seat + 1) % len(people), "GET", f"{match}/events?after={said['events'][0]['version'] - 1}&limit=1")
    await call(0, "GET", f"{match}/record")
    return pairs


def _even(content: Any) -> Any:
    """The same content, without what differs from run to run or says nothing to a reader."""
    match content:
        case str():
            return _HASH.sub(r"\1…", _MOMENT.sub(NOON, content))
        case list():
            return [_even(each) for each in content]
        case dict():
            return {name: _even(each) for name, each in content.items()}
    return content
