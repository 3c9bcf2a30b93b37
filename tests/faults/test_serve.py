"""The service as people start and stop it, and as machines kill it."""

import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import httpx
import pytest

from service import serve, settings
from service.embedded import EmbeddedPostgres
from tests.faults.served import Served, command, served, until
from tests.faults.statements import execute


def postgres_pid(data: Path) -> int:
    return int((data / "postgres" / "cluster" / "postmaster.pid").read_text().split()[0])


def wait_until_it_knows(service: Served, token: str) -> None:
    """Wait until the service answers again; it may say meanwhile that its database is away, and nothing else."""
    deadline = time.monotonic() + 60
    while True:
        answer = httpx.get(f"{service.address}/v1/players/me", headers={"Authorization": f"Bearer {token}"}, timeout=30)
        if answer.status_code == 200:
            return
        assert answer.status_code == 503, answer.text
        assert time.monotonic() < deadline, "The service does not come back."
        time.sleep(0.1)


def test_it_ends_in_order_when_asked_and_keeps_what_it_stored(used_server_folder: Path) -> None:
    with served(used_server_folder) as service:
        token = service.new_player()
        assert service.end(signal.SIGINT) == 0
    assert not (used_server_folder / "postgres" / "cluster" / "postmaster.pid").exists()
    with served(used_server_folder) as service:
        assert service.knows(token)
        assert service.end(signal.SIGTERM) == 0
    assert "Traceback" not in (used_server_folder / "errors").read_text()


def test_somebody_who_waits_for_a_match_is_answered_when_it_ends(used_server_folder: Path) -> None:
    with (
        served(used_server_folder, LUDICITUDE_METRICS_READERS="*") as service,
        httpx.Client(base_url=service.address, timeout=30) as client,
    ):
        client.headers["Authorization"] = f"Bearer {service.new_player()}"
        opened = client.post("/v1/matches", json={"options": {"game": "pico"}}).json()
        answers: list[httpx.Response] = []
        path = f"/v1/matches/{opened['match_id']}"
        questions = [f"{path}/events?after={opened['version']}&wait=25", f"{path}/messages?wait=25"]
        waiting = [threading.Thread(target=lambda asked=asked: answers.append(client.get(asked)), daemon=True) for asked in questions]
        for each in waiting:
            each.start()
        until(lambda: service.waiting == 3)  # Who waits for messages waits for the match to move, too.
        assert service.end(signal.SIGTERM) == 0
        for each in waiting:
            each.join(30)
        assert not service.forced
    assert [answer.status_code for answer in answers] == [200, 200]
    assert [answer.json()["items"] for answer in answers] == [[], []]


def test_what_is_no_request_is_refused_by_the_server_as_it_runs(used_server_folder: Path) -> None:
    """The edge over the loop that the service really runs on; its own tests have another one."""
    with served(used_server_folder) as service:
        port = int(service.address.rpartition(":")[2])
        too_much = (
            b"POST /v1/players HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 5000000\r\n\r\n" + b" " * 5_000_000
        )
        for sent, status in ((b"BREW / HTTP/1.1\r\n\r\n", b"400"), (b"GET /" + b"x" * 500_000, b"431"), (too_much, b"413")):
            with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
                connection.sendall(sent)
                answer = b"".join(iter(lambda: connection.recv(65_536), b""))
            assert answer.startswith(b"HTTP/1.1 " + status)
            assert b"application/problem+json" in answer
            assert b"access-control-allow-origin: *" in answer
        assert service.end(signal.SIGTERM) == 0


def test_asked_to_end_while_it_starts_it_ends_in_order(server_folder: Path) -> None:
    with command("serve", server_folder) as process:
        while not (server_folder / "postgres" / "lock").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    assert (server_folder / "errors").read_text() == ""


def test_killed_it_has_lost_nothing_that_it_acknowledged(used_server_folder: Path) -> None:
    with served(used_server_folder) as service:
        tokens = [service.new_player() for _ in range(5)]
        service.end(signal.SIGKILL)
    with served(used_server_folder) as service:
        assert all(service.knows(token) for token in tokens)


def test_two_services_on_the_same_data_outlive_their_postgres_and_each_other(used_server_folder: Path) -> None:
    with served(used_server_folder) as first, served(used_server_folder) as second:
        token = first.new_player()
        assert second.knows(token)
        os.kill(postgres_pid(used_server_folder), signal.SIGKILL)
        wait_until_it_knows(first, token)
        wait_until_it_knows(second, token)
        assert first.end(signal.SIGTERM) == 0
        wait_until_it_knows(second, token)


@pytest.mark.parametrize(("workers", "most"), [(1, 100), (4, 120), (64, 1_620)])
def test_postgres_takes_all_the_connections_that_the_processes_open_and_not_one_for_each_client(workers: int, most: int) -> None:
    assert serve._database_room(settings.read({"LUDICITUDE_WORKERS": str(workers)})) == most


def test_a_taken_port_is_told_in_one_line_before_anything_is_touched(server_folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with command("serve", server_folder, PORT=str(port)) as process:
            assert process.wait(30) == 1
    assert (server_folder / "errors").read_text().startswith(f"ludicitude: Port {port} is taken.")
    assert (server_folder / "errors").read_text().count("\n") == 1
    assert not (server_folder / "postgres").exists()


def test_what_it_says_when_it_is_ready_can_be_pasted_into_a_shell(used_server_folder: Path) -> None:
    if shutil.which("curl") is None:
        pytest.skip("The lines are for curl.")
    with served(used_server_folder) as service:
        assert httpx.get(f"{service.address}/docs", follow_redirects=True).status_code == 200
        lines = [line for line in service.welcome.splitlines() if line.startswith(("JSON=", "TOKEN=", "curl "))]
        said = subprocess.run(["sh", "-ec", "\n".join(lines)], capture_output=True, text=True, check=True).stdout
    assert '"match_id"' in said


def test_migrate_alone_makes_the_schema_and_ends(server_folder: Path) -> None:
    with command("migrate", server_folder) as process:
        assert process.wait(60) == 0
    assert not (server_folder / "postgres" / "cluster" / "postmaster.pid").exists()
    assert (server_folder / "errors").read_text() == ""


def test_a_database_that_would_lose_events_is_refused_in_one_line(postgres: EmbeddedPostgres, server_folder: Path) -> None:
    with command("migrate", server_folder, DATABASE_URL=postgres.url()) as process:
        assert process.wait(60) == 0
    execute(postgres.url(), "ALTER SEQUENCE es.event_position CACHE 10")
    with command("serve", server_folder, DATABASE_URL=postgres.url()) as process:
        assert process.wait(60) == 1
    [told] = (server_folder / "errors").read_text().splitlines()
    assert "ALTER SEQUENCE es.event_position CACHE 1" in told
    assert "ludicitude doctor" in told


def test_wrong_variables_are_all_told(server_folder: Path) -> None:
    with command("serve", server_folder, PORT="eighty", LUDICITUDE_LOG_LEVEL="loud", DATABASE_URL="mysql://u:secret@h/d") as process:
        assert process.wait(30) == 1
    told = (server_folder / "errors").read_text()
    assert "PORT" in told
    assert "LUDICITUDE_LOG_LEVEL" in told
    assert "DATABASE_URL" in told
    assert "secret" not in told
