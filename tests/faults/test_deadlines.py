"""A deadline outlives the process: it neither begins anew nor is forgotten, and fires once."""

import signal
import time
from pathlib import Path
from typing import Any

import httpx

from tests.faults.served import Served, served


def events(service: Served, path: str) -> list[str]:
    page: dict[str, Any] = httpx.get(f"{service.address}{path}/events", params={"limit": 500}, timeout=30).json()
    return [item["event"]["type"] for item in page["items"]]


def test_a_killed_process_leaves_a_deadline_as_it_was_and_the_next_one_keeps_it(used_server_folder: Path) -> None:
    """Killed before it, the time that is left is the same; killed and back after it, it fires, and once."""
    with served(used_server_folder, LUDICITUDE_TEST_MODE="on") as service:
        headers = [{"Authorization": f"Bearer {service.new_player()}"} for _ in range(2)]
        asked = {"options": {"game": "pico"}, "clock": {"turn_seconds": 600}}
        opened = httpx.post(f"{service.address}/v1/matches", json=asked, headers=headers[0], timeout=30).json()
        path = f"/v1/matches/{opened['match_id']}"
        began = httpx.post(f"{service.address}{path}/seats", json={}, headers=headers[1], timeout=30).json()
        service.end(signal.SIGKILL)
    with served(used_server_folder, LUDICITUDE_TEST_MODE="on") as service:
        view = httpx.get(f"{service.address}{path}", headers=headers[0], timeout=30).json()
        assert (view["deadline_at"], view["version"]) == (began["deadline_at"], began["version"])
        moved = {"forward_seconds": 628}
        assert httpx.post(f"{service.address}{path}/clock", json=moved, headers=headers[0], timeout=30).status_code == 200
        service.end(signal.SIGKILL)
    time.sleep(2.5)  # The deadline passes while nobody is there.
    with served(used_server_folder, LUDICITUDE_TEST_MODE="on") as service:
        gives_up = time.monotonic() + 20
        while "match.timed_out" not in events(service, path):
            assert time.monotonic() < gives_up, "nobody keeps the deadline"
            time.sleep(0.1)
        time.sleep(1)
        assert events(service, path).count("match.timed_out") == 1
