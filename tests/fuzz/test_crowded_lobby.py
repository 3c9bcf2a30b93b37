"""People who open, sit, leave, send away, start, resign, return and play all at once: a machine of rules, which hypothesis drives.

Each step sends several calls in the same moment over connections of their own. After it every view is held against the match's events,
from which a model of twenty lines tells who sits where, and against what was seen before.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, ClassVar

import httpx
import pytest
from hypothesis import HealthCheck, Phase
from hypothesis import settings as how
from hypothesis import strategies as some
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

PEOPLE = 4
ORDER = ("open", "playing", "ended")

CALLS = ("sit", "leave", "start", "resign", "return", "play", "seat_bot", "remove_bot", "send_away", "close", "rematch")

FEW = how(
    max_examples=12,
    stateful_step_count=12,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
MANY = how(FEW, max_examples=300, stateful_step_count=40, derandomize=False, phases=list(Phase))


class Lobby(RuleBasedStateMachine):
    """A few people and the matches that they open. `people` are set by the test that runs it."""

    people: ClassVar[list[httpx.Client]]
    matches = Bundle("matches")

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[str, dict[str, Any]] = {}
        """The latest view of each match that was opened, by its id."""

    @rule(
        target=matches,
        host=some.integers(0, PEOPLE - 1),
        game=some.sampled_from(["pico", "wolves", "little-train"]),
        bots=some.integers(0, 1),
        start=some.sampled_from(["when_full", "by_host"]),
    )
    def open(self, host: int, game: str, bots: int, start: str) -> str:
        terms = {"options": {"game": game}, "seats": 2, "bots": ["easy"] * bots, "start": start}
        answer = self.people[host].post("/v1/matches", json=terms)
        assert answer.status_code == 201, answer.text
        self.seen[answer.json()["match_id"]] = answer.json()
        return str(answer.json()["match_id"])

    @rule(
        match=matches,
        calls=some.lists(some.tuples(some.integers(0, PEOPLE - 1), some.sampled_from(CALLS), some.integers(0, 1)), min_size=1, max_size=6),
    )
    def all_at_once(self, match: str, calls: list[tuple[int, str, int]]) -> None:
        with ThreadPoolExecutor(len(calls)) as crowd:
            answers = list(crowd.map(lambda call: self._call(match, *call), calls))
        for call, answer in zip(calls, answers, strict=True):
            assert answer is None or answer.status_code < 500, f"{call}: {answer.text}"

    def _call(self, match: str, who: int, what: str, seat: int) -> httpx.Response | None:
        me, path = self.people[who], f"/v1/matches/{match}"
        match what:
            case "sit":
                return me.post(f"{path}/seats", json={"seat": seat})
            case "leave":
                return me.delete(f"{path}/seats/me")
            case "return":
                return me.post(f"{path}/seats", json={})
            case "seat_bot":
                return me.post(f"{path}/seats/{seat}/bot", json={"level": "easy"})
            case "remove_bot":
                return me.delete(f"{path}/seats/{seat}/bot")
            case "send_away":
                return me.delete(f"{path}/seats/{seat}/player")
            case "close":
                return me.delete(path)
            case "play":
                decisions = me.get(path).json()["decisions"]
                if not decisions:
                    return None
                decision = decisions[0]
                return me.post(f"{path}/commands", json={"decision": decision["decision"], "command": decision["choices"][0]})
            case _:
                return me.post(f"{path}/{what}")

    @invariant()
    def every_view_is_what_the_events_lead_to(self) -> None:
        for match, before in self.seen.items():
            view = self.people[0].get(f"/v1/matches/{match}").json()
            assert view["version"] >= before["version"], "a match went back"
            assert ORDER.index(view["status"]) >= ORDER.index(before["status"])
            self.seen[match] = view
            events = self.people[0].get(f"/v1/matches/{match}/events", params={"after": 0, "limit": 500}).json()["items"]
            assert [item["version"] for item in events[: view["version"]]] == list(range(1, min(view["version"], len(events)) + 1))
            if len(events) >= view["version"]:
                self._require_seats(view, [item["event"] for item in events[: view["version"]]])

    @staticmethod
    def _require_seats(view: dict[str, Any], events: list[dict[str, Any]]) -> None:
        seats: dict[int, str | None] = dict.fromkeys(range(len(view["seats"])))
        for event in events:
            match event["type"]:
                case "match.seat_taken":
                    assert seats[event["seat"]] is None, "a seat is taken twice"
                    assert event["player_id"] not in seats.values(), "somebody sits twice"
                    seats[event["seat"]] = event["player_id"]
                case "match.bot_seated":
                    assert seats[event["seat"]] is None, "a bot is put on somebody's seat"
                    seats[event["seat"]] = "bot"
                case "match.seat_left" | "match.bot_removed":
                    assert seats[event["seat"]] is not None
                    seats[event["seat"]] = None
                case "match.ended":
                    assert event is events[-1], "a match goes on after its end"
        if view["status"] != "open" and view["table"] is not None:
            assert None not in seats.values(), "a match is played with an empty seat"
        shown = {seat["seat"]: "bot" if seat["kind"] == "bot" else seat["player_id"] for seat in view["seats"]}
        assert shown == seats


@pytest.fixture(scope="module")
def people(address: str) -> Iterator[list[httpx.Client]]:
    with ExitStack() as held:
        clients = []
        for number in range(PEOPLE):
            token = httpx.post(f"{address}/v1/players", json={"display_name": f"Ada {number}"}).json()["token"]
            headers = {"Authorization": f"Bearer {token}"}
            clients.append(held.enter_context(httpx.Client(base_url=address, headers=headers, timeout=60)))
        yield clients


def test_a_crowd_at_the_lobby(people: list[httpx.Client], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lobby, "people", people, raising=False)
    run_state_machine_as_test(Lobby, settings=FEW)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_crowd_at_the_lobby_for_long(people: list[httpx.Client], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lobby, "people", people, raising=False)
    run_state_machine_as_test(Lobby, settings=MANY)
