"""A server that is killed in the middle of many matches has everything that it acknowledged, and plays on."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from tests.faults.served import Served, served

PLAYERS = 4
ACKNOWLEDGED = 60
"""So many commands are acknowledged before the server is killed."""


class Person(threading.Thread):
    """Somebody who plays one match of Pico after another against a bot, and remembers each answer."""

    def __init__(self, address: str, enough: threading.Semaphore) -> None:
        super().__init__(daemon=True)
        token = httpx.post(f"{address}/v1/players", json={"display_name": "Ada"}).json()["token"]
        self.address, self.headers = address, {"Authorization": f"Bearer {token}"}
        self.enough, self.acknowledged = enough, list[tuple[str, dict[str, Any]]]()

    def run(self) -> None:
        with suppress(httpx.TransportError):
            while True:
                for match_id, answer in self.play(self.address):
                    self.acknowledged.append((match_id, answer))
                    self.enough.release()

    def play(self, address: str) -> Iterator[tuple[str, dict[str, Any]]]:
        with httpx.Client(base_url=address, headers=self.headers) as client:
            view = client.post("/v1/matches", json={"options": {"game": "pico"}, "bots": ["easy"]}).json()
            path = f"/v1/matches/{view['match_id']}"
            while view["status"] != "ended":
                for decision in view["decisions"]:
                    choice = {"command": decision["choices"][0], "decision": decision["decision"]}
                    answer = client.post(f"{path}/commands", json=choice)
                    assert answer.status_code == 200, answer.text
                    yield view["match_id"], answer.json()
                view = client.get(path).json()


def test_a_server_killed_in_mid_match_has_lost_nothing_and_plays_on(used_server_folder: Path) -> None:
    enough = threading.Semaphore(0)
    with served(used_server_folder) as service:
        people = [Person(service.address, enough) for _ in range(PLAYERS)]
        for person in people:
            person.start()
        for _ in range(ACKNOWLEDGED):
            assert enough.acquire(timeout=120)
        service.end(signal.SIGKILL)
    for person in people:
        person.join(30)
    acknowledged = [each for person in people for each in person.acknowledged]
    assert len(acknowledged) >= ACKNOWLEDGED
    with served(used_server_folder) as service, httpx.Client(base_url=service.address) as nobody:
        for match_id, answer in acknowledged:
            page = nobody.get(f"/v1/matches/{match_id}/events", params={"limit": 500}).json()
            assert [item["version"] for item in page["items"]] == list(range(1, page["version"] + 1))
            stored = {item["version"]: item["event"]["type"] for item in page["items"]}
            assert {item["version"]: item["event"]["type"] for item in answer["events"]}.items() <= stored.items()
        for person in people:
            assert sum(1 for _ in person.play(service.address)) >= 8, "a match of Pico has eight tricks at least"


def test_a_deadline_outlives_the_process_and_fires_once(used_server_folder: Path) -> None:
    """Killed and started before it: nothing has changed, the same time is left. Killed before it and started after it: it fires, once."""

    def deadline(view: dict[str, Any]) -> datetime:
        return datetime.fromisoformat(view["decisions"][0]["deadline_at"])

    def fired(service: Served) -> list[dict[str, Any]]:
        log = httpx.get(f"{service.address}{path}/events", params={"limit": 500}, timeout=30).json()
        return [item for item in log["items"] if item["event"]["type"] == "match.timed_out"]

    with served(used_server_folder, LUDICITUDE_TEST_MODE="on") as service:
        both = [{"Authorization": f"Bearer {service.new_player()}"} for _ in range(2)]
        opened = httpx.post(f"{service.address}/v1/matches", json={"options": {"game": "pico"}}, headers=both[0])
        path = f"/v1/matches/{opened.json()['match_id']}"
        began = httpx.post(f"{service.address}{path}/seats", json={}, headers=both[1]).json()
        service.end(signal.SIGKILL)
    with served(used_server_folder, LUDICITUDE_TEST_MODE="on") as service:
        asked = time.monotonic()
        view = httpx.get(service.address + path, headers=both[0]).json()
        took = time.monotonic() - asked
        assert (view["deadline_at"], view["version"]) == (began["deadline_at"], began["version"])
        assert deadline(view) == deadline(began)
        left = int((deadline(view) - datetime.now(UTC)).total_seconds() - 3 - 30 * took)  # A busy machine has more to do until then.
        httpx.post(f"{service.address}{path}/clock", json={"forward_seconds": left}, headers=both[0])
        due = deadline(httpx.get(service.address + path, headers=both[0]).json())
        service.end(signal.SIGKILL)
    assert due > datetime.now(UTC), "it was killed too late for the test to mean anything"
    time.sleep((due - datetime.now(UTC)).total_seconds())
    with served(used_server_folder, LUDICITUDE_TEST_MODE="on") as service:
        gives_up = time.monotonic() + 60
        while not fired(service):
            assert time.monotonic() < gives_up, "nobody keeps the deadline"
            time.sleep(0.1)
        time.sleep(1)
        [only] = fired(service)
    assert datetime.fromisoformat(only["at"]) >= due
