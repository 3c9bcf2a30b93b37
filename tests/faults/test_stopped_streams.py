"""Streams and long-polls never keep a server from stopping, and go on where they stopped when it is back."""

import json
import signal
import socket
import threading
import time
from pathlib import Path
from typing import Any

import httpx

from tests.faults.served import Served, served, until
from tests.service.documented import messages


def new_match(service: Served, headers: dict[str, str]) -> str:
    asked = {"options": {"game": "black-sheep"}, "seats": 4}
    return str(httpx.post(f"{service.address}/v1/matches", json=asked, headers=headers).json()["match_id"])


def listened(address: str, match_id: str, cursor: str | None, into: list[dict[str, Any]], opened: threading.Event) -> None:
    headers = {} if cursor is None else {"Last-Event-ID": cursor}
    with httpx.stream("GET", f"{address}/v1/matches/{match_id}/stream", headers=headers, timeout=30) as answer:
        text = ""
        for piece in answer.iter_text():
            text += piece
            into[:] = [json.loads(str(message["data"])) for message in messages(text.rpartition("\n\n")[0])]
            opened.set()


def test_a_server_that_is_asked_to_stop_ends_its_streams_and_long_polls_at_once(used_server_folder: Path) -> None:
    with served(used_server_folder, LUDICITUDE_METRICS_READERS="*") as service:
        headers = {"Authorization": f"Bearer {service.new_player()}"}
        match_id = new_match(service, headers)
        frames: list[dict[str, Any]] = []
        opened = threading.Event()
        listener = threading.Thread(target=listened, args=(service.address, match_id, None, frames, opened))
        answers: list[httpx.Response] = []

        def poll() -> None:
            query = {"after": 2, "wait": 25}
            answers.append(httpx.get(f"{service.address}/v1/matches/{match_id}/events", params=query, timeout=30))

        poller = threading.Thread(target=poll)
        listener.start()
        poller.start()
        assert opened.wait(30)
        until(lambda: service.waiting == 2)
        assert service.end(signal.SIGTERM) == 0
        listener.join(30)
        poller.join(30)
    assert [frame["frame"] for frame in frames] == ["snapshot", "bye"]
    assert frames[-1]["reason"] == "shutdown"
    assert answers[0].json()["items"] == []
    assert not service.forced


def test_clients_that_take_or_send_nothing_keep_no_server_from_stopping(used_server_folder: Path) -> None:
    """One asks for a few megabytes and reads none of them, so that neither the kernel nor the server gets rid of what it is sent.

    Another one has begun a request and does not go on.
    """
    with served(used_server_folder) as service:
        host, port = service.address.removeprefix("http://").split(":")
        with socket.socket() as stuck, socket.create_connection((host, int(port))) as half:
            half.sendall(b"POST /v1/players HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{")
            stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            stuck.connect((host, int(port)))
            stuck.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: ludicitude.test\r\n\r\n" * 30)
            httpx.get(f"{service.address}/v1/live")
            time.sleep(1)
            assert service.end(signal.SIGTERM) == 0
    assert not service.forced, "five seconds are for those who take something"
    assert "Traceback" not in (used_server_folder / "errors").read_text()


def test_a_stream_goes_on_after_a_restart_where_it_stopped(used_server_folder: Path) -> None:
    with served(used_server_folder) as service:
        headers = {"Authorization": f"Bearer {service.new_player()}"}
        match_id = new_match(service, headers)
        service.end(signal.SIGKILL)
    with served(used_server_folder) as service:
        for _ in range(3):
            joined = {"Authorization": f"Bearer {service.new_player()}"}
            httpx.post(f"{service.address}/v1/matches/{match_id}/seats", json={}, headers=joined)
        httpx.post(f"{service.address}/v1/matches/{match_id}/resign", headers=headers)
        frames: list[dict[str, Any]] = []
        listener = threading.Thread(target=listened, args=(service.address, match_id, "2", frames, threading.Event()))
        listener.start()
        until(lambda: len(frames) > 9)
        service.end(signal.SIGTERM)
        listener.join(30)
    assert frames[0] == {"frame": "resumed", "version": 2}
    versions = [frame["item"]["version"] for frame in frames[1:-1]]
    assert versions == list(range(3, 3 + len(versions)))
    assert len(versions) >= 8
