"""What the guide gives out to follow a match and its talk, and to send, and the examples use: nothing is lost or done twice, and all
of it ends."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.docs.conftest import COPIED, EXAMPLES, FOLLOWERS
from tests.docs.scripted import MATCH, Answer, Script, bye, event, playing, shown, told
from tests.faults.served import served

ROOT = Path(__file__).resolve().parents[2]
HASTE = {
    "read=45": "read=5",
    "SILENCE_MS = 45_000": "SILENCE_MS = 5000",
    "sleep(wait)": "sleep(wait / 50)",
    "sleep(tries.pause(failure))": "sleep(tries.pause(failure) / 50)",
    "setTimeout(over, wait)": "setTimeout(over, wait / 50)",
    "setTimeout(done, wait)": "setTimeout(done, wait / 50)",
}
"""What a test does not wait for; a line is still silent for longer than a busy machine is."""

SENDERS = ("sender.py", "async_sender.py", "sender.ts")

Commands = Mapping[str, Sequence[str]]


@pytest.fixture(scope="module")
def patient(javascript: Path, tmp_path_factory: pytest.TempPathFactory) -> Commands:
    """How each program that follows or sends is started, by its name, which is in its language."""
    folder = tmp_path_factory.mktemp("python")
    for source in (*(EXAMPLES / "python" / f"{name}.py" for name in COPIED), *FOLLOWERS.glob("*.py")):
        shutil.copy(source, folder)
    return _programs(folder, javascript)


@pytest.fixture(scope="module")
def programs(patient: Commands, javascript: Path, tmp_path_factory: pytest.TempPathFactory) -> Commands:
    """The same, in a hurry."""
    folder = tmp_path_factory.mktemp("hasty")
    (folder / "package.json").write_text('{"type": "module"}', "utf-8")
    kept = set(HASTE)
    for source in (*(EXAMPLES / "python").glob("*.py"), *FOLLOWERS.glob("*.py"), *javascript.glob("*.js")):
        text = source.read_text("utf-8")
        kept -= {slow for slow in kept if slow in text}
        for slow, quick in HASTE.items():
            text = text.replace(slow, quick)
        (folder / source.name).write_text(text, "utf-8")
    assert not kept
    return _programs(folder, folder)


def _programs(python: Path, javascript: Path) -> Commands:
    found = {source.name: (sys.executable, "-W", "error", str(python / source.name)) for source in FOLLOWERS.glob("*.py")}
    return found | {source.name: ("node", str(javascript / source.with_suffix(".js").name)) for source in FOLLOWERS.glob("*.ts")}


def started(program: Sequence[str], *arguments: str, **given: str) -> "subprocess.Popen[str]":
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()} | given
    return subprocess.Popen(
        [*program, *arguments], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def steps(following: "subprocess.Popen[str]") -> list[Any]:
    """What a program tells until it ends."""
    try:
        said, errors = following.communicate(timeout=60)
    finally:
        following.kill()
    assert (following.returncode, errors) == (0, "")
    return [json.loads(line) for line in said.splitlines()]


def followed(
    programs: Commands, streams: Sequence[Answer], views: Sequence[Answer | int], *after: str
) -> list[tuple[list[Any], list[str | None]]]:
    """What each follower tells of this script, and the ids that it brought, all at the same time."""
    with ExitStack() as all_of_them:
        names = ("follower.py", "follower.ts")
        scripts = [all_of_them.enter_context(playing(Script(streams, views))) for _ in names]
        following = [
            started(programs[name], script.address + MATCH, "lud_token", *after) for name, script in zip(names, scripts, strict=True)
        ]
        return [(steps(each), script.ids) for each, script in zip(following, scripts, strict=True)]


def sent(programs: Commands, commands: Sequence[Answer], patience: str = "30") -> list[tuple[list[Any], list[str]]]:
    """What each sender tells that sends one command to this script, and the keys that came, all at the same time."""
    with ExitStack() as all_of_them:
        scripts = [all_of_them.enter_context(playing(Script(commands=commands))) for _ in SENDERS]
        sending = [started(programs[name], script.address + MATCH, patience) for name, script in zip(SENDERS, scripts, strict=True)]
        return [(steps(each), script.keys) for each, script in zip(sending, scripts, strict=True)]


def test_whatever_becomes_of_the_line_each_event_comes_once_and_the_view_after_the_last_of_its_batch(programs: Commands) -> None:
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
    for told_steps, ids in followed(programs, streams, views):
        assert [step for step in told_steps if not isinstance(step, str)] == [[[], 3], [[4, 5], 5], [[], 7], [[8], 8], [[9], 9]]
        down, stopped = ["lost unavailable", "found"], ["lost shutdown", "found"]
        assert [step for step in told_steps if isinstance(step, str)] == [*down * 2, down[0], *down * 2, *stopped, "over"]
        assert ids == [None, None, "3", "4", "4", "5", "8", "9"]


def test_it_ends_with_the_match(programs: Commands) -> None:
    streams = [Answer(text=told(shown("snapshot", 3), event(4), bye("ended")), end="never")]
    assert followed(programs, streams, [4]) == [([[[], 3], [[4], 4], "over"], [None])] * 2


@pytest.mark.parametrize("status", [401, 404])
def test_a_no_is_passed_on_and_not_asked_for_again(status: int, programs: Commands) -> None:
    streams = [Answer(text=told(shown("snapshot", 3), bye("gone"))), Answer(status, "some_problem")]
    assert followed(programs, streams, []) == [([[[], 3], "lost gone", "some_problem"], [None, "3"])] * 2


def test_it_begins_at_the_version_that_it_is_told(programs: Commands) -> None:
    begun = {"frame": "resumed", "version": 0}
    streams = [Answer(text=told(begun, event(1), event(2)), end="cut"), Answer(text=told(begun, event(3), bye("ended")))]
    every = [[[1, 2, 3], 3], "over"]
    for told_steps, ids in followed(programs, streams, [3], "0"):
        assert [step for step in told_steps if step not in ("lost unavailable", "found")] == every
        assert ids == ["0", "2"]
    quiet = [Answer(text=told({"frame": "resumed", "version": 3}, bye("ended")))]
    assert followed(programs, quiet, [3], "3") == [([[[], 3], "over"], ["3"])] * 2


def test_the_view_after_the_last_events_is_shown_though_it_could_not_be_had_at_once(programs: Commands) -> None:
    streams = [Answer(text=told(shown("snapshot", 3), event(4), bye("ended"))), Answer(204)]
    for told_steps, _ in followed(programs, streams, [Answer(503, "unavailable"), 4]):
        assert told_steps == [[[], 3], "lost unavailable", "found", [[4], 4], "over"]


@contextmanager
def leaving(program: Sequence[str], answer: Answer) -> Iterator["subprocess.Popen[str]"]:
    with playing(Script([answer], [4])) as script, started(program, script.address + MATCH) as following:
        try:
            yield following
        finally:
            following.kill()


@pytest.mark.parametrize("name", ["leaver.py", "async_leaver.py", "leaver.ts"])
def test_who_thinks_holds_up_nothing_and_who_leaves_is_let_go_at_once(name: str, patient: Commands) -> None:
    """While the stream is quiet, which is dead only after 45 seconds, and in a pause that would last for an hour."""
    quiet, pause = Answer(text=told(shown("snapshot", 3), event(4)), end="never"), Answer(503, "unavailable", retry_after="3600")
    for answer, before in (quiet, [3, 4]), (pause, ["lost unavailable"]):
        with leaving(patient[name], answer) as following:
            assert following.stdout
            assert [json.loads(following.stdout.readline()) for _ in before] == before
            said, errors = following.communicate("this\n", timeout=20)
            assert ([json.loads(line) for line in said.splitlines()], errors) == (["chosen this", "left"], "")


def test_a_command_is_sent_until_it_is_answered_with_one_key(programs: Commands) -> None:
    commands = [
        Answer(503, "unavailable", retry_after="7"),
        Answer(409, "key_in_flight"),
        Answer(text="{", end="cut"),
        Answer(502, text="<html>"),
        Answer(429, "rate_limited", retry_after="Wed, 21 Oct 2026 07:28:00 GMT"),
        Answer(504),
        Answer(text='{"version": 5}'),
    ]
    for (*pauses, end), keys in sent(programs, commands):
        assert [why for why, _, _ in pauses] == ["unavailable"] * 6
        assert [seconds for _, seconds, _ in pauses] == [7, *(pytest.approx(each, rel=0.21) for each in (2, 4, 10, 10, 10))]
        assert [of_the_server for _, _, of_the_server in pauses] == [True, False, False, True, False, True]
        assert end == {"version": 5}
        assert (len(keys), len(set(keys))) == (7, 1)


@pytest.mark.parametrize(
    ("status", "code"), [(409, "decision_closed"), (422, "invalid_body"), (401, "not_authenticated"), (500, "internal_error")]
)
def test_a_no_to_a_command_is_passed_on_and_not_asked_for_again(status: int, code: str, programs: Commands) -> None:
    for told_steps, keys in sent(programs, [Answer(status, code)]):
        assert told_steps == [[status, code]]
        assert len(keys) == 1


def test_who_sends_gives_up_in_the_end(programs: Commands) -> None:
    for (*pauses, end), keys in sent(programs, [Answer(503, "unavailable")] * 20):
        assert (len(pauses), end) == (7, [503, "unavailable"])
        assert (len(keys), len(set(keys))) == (8, 1)
    assert [end for end, _ in sent(programs, [Answer(429, "rate_limited", retry_after="3600")])] == [[[429, "rate_limited"]]] * len(SENDERS)


def test_a_server_that_is_not_there_or_says_nothing_is_asked_again(programs: Commands) -> None:
    for (*_, end), keys in sent(programs, [Answer(text="{", end="never"), *[Answer(text='{"version": 5}')] * 7], patience="1"):
        assert end == {"version": 5}
        assert len(set(keys)) == 1
    with playing(Script()) as script:
        gone = script.address  # Nobody is there any more when it is asked.
    for sending in [started(programs[name], gone + MATCH, "30") for name in SENDERS]:
        *pauses, end = steps(sending)
        assert (len(pauses), end) == (7, "no answer")


@pytest.mark.timeout(200)
def test_a_server_that_is_stopped_and_started_is_no_gap(programs: Commands, used_server_folder: Path) -> None:
    with ExitStack() as all_of_them:
        with served(used_server_folder) as service:
            tokens = [service.new_player() for _ in range(2)]
            ada, bob = ({"Authorization": f"Bearer {token}"} for token in tokens)
            opened = httpx.post(f"{service.address}/v1/matches", json={"options": {"game": "pico"}}, headers=ada).json()
            address = f"{service.address}/v1/matches/{opened['match_id']}"
            say(address, ada, "hello")
            following = [started(programs[name], address, tokens[0]) for name in ("follower.py", "async_follower.py", "follower.ts")]
            following.append(started(programs["follower.ts"], address, tokens[0], NO_STREAMS="yes"))
            talking = [started(programs[name], address, tokens[0]) for name in ("talker.py", "talker.ts")]
            for each in following + talking:
                all_of_them.enter_context(each)
                all_of_them.callback(each.kill)
            firsts = [json.loads(each.stdout.readline()) for each in following if each.stdout]  # All follow before anything happens.
            assert [json.loads(each.stdout.readline()) for each in talking if each.stdout] == [["hello"]] * 2
            httpx.post(f"{address}/seats", json={}, headers=bob)
            move(address, ada)
            service.end(signal.SIGTERM)
        with served(used_server_folder, PORT=str(httpx.URL(service.address).port)):
            move(address, bob)
            say(address, bob, "bye")
            httpx.post(f"{address}/resign", headers=bob)
            last = httpx.get(address, headers=ada).json()["version"]
            for first, each in zip(firsts, following, strict=True):
                check_steps([first, *steps(each)], range(opened["version"] + 1, last + 1))
            for each in talking:
                lost, *between, found, text = steps(each)
                assert (lost, found, text) == ("lost unavailable", "found", ["bye"])
                assert set(between) <= {"lost unavailable"}


def check_steps(told: list[Any], versions: range) -> None:
    """These versions each came once, the view that they lead to with them, and it was told that the line was lost and found."""
    told_steps = [step for step in told if not isinstance(step, str)]
    said = [step for step in told if isinstance(step, str)]
    assert said[0].startswith("lost ")
    assert said[-2:] == ["found", "over"]
    assert [version for items, _ in told_steps for version in items] == list(versions)
    assert all(items[-1] == view for items, view in told_steps[1:])


def say(address: str, headers: Mapping[str, str], text: str) -> None:
    assert httpx.post(f"{address}/messages", json={"text": text}, headers=headers, timeout=30).is_success


def move(address: str, headers: Mapping[str, str]) -> None:
    """The first choice of a seat."""
    [decision] = httpx.get(address, headers=headers, timeout=30).json()["decisions"]
    choice = {"command": decision["choices"][0], "decision": decision["decision"]}
    assert httpx.post(f"{address}/commands", json=choice, headers=headers, timeout=30).status_code == 200
