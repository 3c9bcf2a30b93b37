"""What the guide gives out to follow a match, and the examples use, loses nothing, tells nothing twice, and knows when to stop."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests import node
from tests.docs.scripted import MATCH, Answer, Script, bye, event, playing, shown, told
from tests.docs.snippets import blocks
from tests.faults.served import served

ROOT = Path(__file__).resolve().parents[2]
FOLLOWERS = Path(__file__).parent / "followers"
SOURCES = {"python": ROOT / "examples" / "python" / "follow.py", "ts": ROOT / "examples" / "typescript" / "follow.ts"}
HASTE = {"SILENCE_SECONDS = 45": "SILENCE_SECONDS = 5", "PAUSE_SECONDS = 1.0": "PAUSE_SECONDS = 0.02"}
HASTE |= {"SILENCE_MS = 45_000": "SILENCE_MS = 5000", "PAUSE_MS = 1_000": "PAUSE_MS = 20"}
"""What a test does not wait for; a line is still silent for longer than a busy machine is."""

Commands = Mapping[str, Sequence[str]]


@pytest.fixture(scope="module")
def followers(tmp_path_factory: pytest.TempPathFactory) -> Commands:
    """How each follower is started, by its language; in a hurry."""
    folder = tmp_path_factory.mktemp("followers")
    node.program("tsc")
    for source in (*SOURCES.values(), *FOLLOWERS.glob("*.*")):
        text = source.read_text("utf-8")
        for slow, quick in HASTE.items():
            text = text.replace(slow, quick)
        (folder / source.name).write_text(text, "utf-8")
    shutil.copy(ROOT / "tools" / "tsconfig.json", folder)
    (folder / "package.json").write_text('{"type": "module"}', "utf-8")
    (folder / "node_modules").symlink_to(ROOT / "tools" / "node_modules")
    done = node.run("tsc", "--noCheck", "--outDir", "out", folder=folder)  # Its types are checked with the examples.
    assert done.returncode == 0, done.stdout
    return {"python": (sys.executable, str(folder / "follower.py")), "ts": ("node", str(folder / "out" / "follower.js"))}


def started(follower: Sequence[str], address: str, token: str) -> "subprocess.Popen[str]":
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    return subprocess.Popen([*follower, address, token], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def steps(following: "subprocess.Popen[str]") -> list[Any]:
    """What a follower tells until it ends."""
    try:
        said, errors = following.communicate(timeout=60)
    finally:
        following.kill()
    assert (following.returncode, errors) == (0, "")
    return [json.loads(line) for line in said.splitlines()]


def followed(followers: Commands, streams: Sequence[Answer], views: Sequence[Answer | int]) -> list[tuple[list[Any], list[str | None]]]:
    """What each follower tells of this script, and the ids that it brought, all at the same time."""
    with ExitStack() as all_of_them:
        scripts = [all_of_them.enter_context(playing(Script(streams, views))) for _ in followers]
        every = zip(followers.values(), scripts, strict=True)
        following = [started(follower, script.address + MATCH, "lud_token") for follower, script in every]
        return [(steps(each), script.ids) for each, script in zip(following, scripts, strict=True)]


@pytest.mark.parametrize(("page", "language"), [("live.md", "python"), ("live.md", "ts")])
def test_the_guide_shows_what_the_examples_use(page: str, language: str) -> None:
    shown = [block.text for block in blocks((ROOT / "docs" / page).read_text("utf-8")) if block.language == language]
    assert SOURCES[language].read_text("utf-8") in shown


def test_whatever_becomes_of_the_line_each_event_comes_once_and_the_view_after_the_last_of_its_batch(followers: Commands) -> None:
    streams = [
        Answer(503, "unavailable"),
        Answer(text=told(shown("snapshot", 3), cut='data: {"frame": "ev'), end="cut"),
        Answer(text=told({"frame": "resumed", "version": 3}, event(4)), end="never"),
        Answer(429, "rate_limited"),
        Answer(text=told({"frame": "resumed", "version": 4}, event(5), {"frame": "of_a_newer_server"}, bye("rotate"))),
        Answer(text=told(shown("reset", 7), event(8)), end="never"),
        Answer(text=told({"frame": "resumed", "version": 8}, event(9), bye("shutdown"))),
        Answer(204),
    ]
    views: list[Answer | int] = [5, Answer(500, "internal_error"), 8, 9]
    for told_steps, ids in followed(followers, streams, views):
        assert told_steps == [[[], 3], [[4, 5], 5], [[], 7], [[8], 8], [[9], 9], "over"]
        assert ids == [None, None, "3", "4", "4", "5", "8", "9"]


def test_it_ends_with_the_match(followers: Commands) -> None:
    streams = [Answer(text=told(shown("snapshot", 3), event(4), bye("ended")), end="never")]
    assert followed(followers, streams, [4]) == [([[[], 3], [[4], 4], "over"], [None])] * 2


@pytest.mark.parametrize("status", [401, 404])
def test_a_no_is_passed_on_and_not_asked_for_again(status: int, followers: Commands) -> None:
    streams = [Answer(text=told(shown("snapshot", 3), bye("gone"))), Answer(status, "some_problem")]
    assert followed(followers, streams, []) == [([[[], 3], "some_problem"], [None, "3"])] * 2


@pytest.mark.timeout(200)
def test_a_server_that_is_stopped_and_started_is_no_gap(followers: Commands, used_server_folder: Path) -> None:
    with served(used_server_folder) as service:
        tokens = [service.new_player() for _ in range(2)]
        ada, bob = ({"Authorization": f"Bearer {token}"} for token in tokens)
        opened = httpx.post(f"{service.address}/v1/matches", json={"options": {"game": "pico"}}, headers=ada).json()
        address = f"{service.address}/v1/matches/{opened['match_id']}"
        following = [started(follower, address, tokens[0]) for follower in followers.values()]
        firsts = [each.stdout.readline() for each in following if each.stdout is not None]  # All follow before anything happens.
        httpx.post(f"{address}/seats", json={}, headers=bob)
        move(address, ada)
        service.end(signal.SIGTERM)
    with served(used_server_folder, PORT=str(httpx.URL(service.address).port)):
        move(address, bob)
        httpx.post(f"{address}/resign", headers=bob)
        last = httpx.get(address, headers=ada).json()["version"]
        for first, each in zip(firsts, following, strict=True):
            *told_steps, end = [json.loads(first), *steps(each)]
            assert end == "over"
            assert [version for items, _ in told_steps for version in items] == list(range(opened["version"] + 1, last + 1))
            assert all(items[-1] == view for items, view in told_steps[1:])


def move(address: str, headers: Mapping[str, str]) -> None:
    """The first choice of a seat."""
    [decision] = httpx.get(address, headers=headers, timeout=30).json()["decisions"]
    choice = {"command": decision["choices"][0], "decision": decision["decision"]}
    assert httpx.post(f"{address}/commands", json=choice, headers=headers, timeout=30).status_code == 200
