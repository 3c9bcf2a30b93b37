"""Several workers of one service on one port: any may die, another takes its place, and they all end together."""

import os
import re
import signal
import socket
import threading
from pathlib import Path

import httpx
import pytest

from service.cant_run import CantRun
from service.workers import DEATHS_MAX, Workers
from tests.faults.served import Served, served, until


def workers_of(service: Served) -> set[int]:
    children = Path(f"/proc/{service.process.pid}/task/{service.process.pid}/children").read_text().split()
    return {int(pid) for pid in children if b"worker" in Path(f"/proc/{pid}/cmdline").read_bytes()}


def alive(pid: int) -> bool:
    """Whether there is such a process, dead ones that nobody has buried yet not counted."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def count_of_calls(service: Served) -> float:
    """How often `/v1/live` has been answered, as the numbers of all workers tell it."""
    numbers = httpx.get(f"{service.address}/metrics").text
    found = re.search(r'^ludicitude_http_requests_total\{method="GET",route="/v1/live",status="200"\} (\S+)$', numbers, re.M)
    return float(found[1]) if found else 0.0


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="It is told by /proc which processes are whose.")
def test_a_worker_that_dies_is_replaced_and_its_numbers_stay(used_server_folder: Path) -> None:
    with served(used_server_folder, LUDICITUDE_WORKERS="2", LUDICITUDE_METRICS_READERS="*") as service:
        before = workers_of(service)
        assert len(before) == 2
        token = service.new_player()
        for _ in range(10):
            httpx.get(f"{service.address}/v1/live")
        assert count_of_calls(service) == 10
        killed = before.pop()
        os.kill(killed, signal.SIGKILL)
        until(lambda: len(workers_of(service) - {killed}) == 2)
        assert service.knows(token)
        for _ in range(10):
            httpx.get(f"{service.address}/v1/live")
        assert count_of_calls(service) == 20
        left = workers_of(service)
        assert service.end(signal.SIGTERM) == 0
    assert not any(alive(pid) for pid in left)
    assert "worker_died" in (used_server_folder / "errors").read_text()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="It is told by /proc which processes are whose.")
def test_workers_do_not_outlive_the_one_that_started_them(used_server_folder: Path) -> None:
    with served(used_server_folder, LUDICITUDE_WORKERS="2", LUDICITUDE_METRICS_READERS="*") as service:
        left = workers_of(service)
        service.end(signal.SIGKILL)
        until(lambda: not any(alive(pid) for pid in left))


def test_all_workers_end_their_streams_at_once_when_asked_to_stop(used_server_folder: Path) -> None:
    """Six streams on two workers: each gets its last frame, and the whole is gone long before anybody would have to be forced."""
    texts: list[str] = []
    opened = threading.Semaphore(0)

    def follow(url: str) -> None:
        with httpx.stream("GET", url, timeout=30) as answer:
            text = ""
            for piece in answer.iter_text():
                text += piece
                opened.release()
        texts.append(text)

    with served(used_server_folder, LUDICITUDE_WORKERS="2", LUDICITUDE_METRICS_READERS="*") as service:
        headers = {"Authorization": f"Bearer {service.new_player()}"}
        match = httpx.post(f"{service.address}/v1/matches", json={"options": {"game": "pico"}}, headers=headers).json()
        url = f"{service.address}/v1/matches/{match['match_id']}/stream"
        followers = [threading.Thread(target=follow, args=(url,), daemon=True) for _ in range(6)]
        for follower in followers:
            follower.start()
            assert opened.acquire(timeout=30)
        service.process.send_signal(signal.SIGTERM)
        for follower in followers:
            follower.join(30)
        assert service.process.wait(30) == 0
    assert len(texts) == 6
    assert all('"reason":"shutdown"' in text for text in texts)
    assert not service.forced
    assert "worker_killed" not in (used_server_folder / "errors").read_text()


def test_workers_that_keep_dying_are_given_up() -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    looks = []
    try:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            workers = Workers(2, listening, {**os.environ, "PORT": "eighty"})
            with pytest.raises(CantRun, match=f"{DEATHS_MAX} workers died"), workers:
                workers.run(ready=lambda: pytest.fail("none of them can serve"), look=lambda: looks.append(1))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert looks
