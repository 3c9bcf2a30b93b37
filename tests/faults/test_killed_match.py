"""A server that is killed in the middle of many matches has everything that it acknowledged, and plays on."""

import signal
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from tests.faults.served import served

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
            assert enough.acquire(timeout=30)
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
