"""What the guide gives out to follow a match, its talk and what waits for a player: nothing is lost or told twice, and all of it ends."""

import json
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.docs.scripted import MATCH, Answer, Script, bye, event, playing, shown, told
from tests.docs.started import Commands, started, steps
from tests.faults.served import lasting_port, served

ROOT = Path(__file__).resolve().parents[2]


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
        down, fast, stopped = (["lost " + why, "found"] for why in ("unavailable", "rate_limited", "shutdown"))
        assert [step for step in told_steps if isinstance(step, str)] == [*down * 2, down[0], *fast, *down, *stopped, "over"]
        assert ids == [None, None, "3", "4", "4", "5", "8", "9"]


def test_it_ends_with_the_match(programs: Commands) -> None:
    streams = [Answer(text=told(shown("snapshot", 3), event(4), bye("ended")), end="never")]
    assert followed(programs, streams, [4]) == [([[[], 3], [[4], 4], "over"], [None])] * 2


@pytest.mark.parametrize("status", [401, 404])
def test_a_no_is_passed_on_and_not_asked_for_again(status: int, programs: Commands) -> None:
    streams = [Answer(text=told(shown("snapshot", 3), bye("gone"))), Answer(status, "some_problem")]
    assert followed(programs, streams, []) == [([[[], 3], "some_problem"], [None, "3"])] * 2


PAGES = [Answer(status, text="<html>Entrez votre mot de passe</html>") for status in (200, 401, 404, 503)]
"""What something in between says in the place of the server: a wifi that wants a password, an ingress with nobody behind it."""


def test_whoever_speaks_in_the_place_of_the_server_is_a_lost_line(programs: Commands) -> None:
    begun, back = Answer(text=told(shown("snapshot", 3), event(4))), Answer(text=told({"frame": "resumed", "version": 4}, bye("ended")))
    streams = [*PAGES, Answer(404, text='{"error": "no route"}'), begun, *[back] * 4]
    lost, found = "lost unavailable", "found"
    for told_steps, _ in followed(programs, streams, [*PAGES, 4]):
        assert told_steps == [*[lost] * 5, found, [[], 3], *[lost, found] * 4, [[4], 4], "over"]


def test_talk_and_turns_bear_whoever_speaks_in_the_place_of_the_server_too(programs: Commands) -> None:
    talk = Answer(text='{"items": [{"text": "bye"}], "next_cursor": "1"}')
    turns = Answer(text='{"items": [{"kind": "invitation"}]}')
    waiters = {"talker": (MATCH, talk, ["bye"]), "turner": ("/v1", turns, ["invitation"])}
    for name, (address, answer, last) in waiters.items():
        for language in ("py", "ts"):
            with playing(Script(news=[*PAGES, answer])) as script:
                following = started(programs[f"{name}.{language}"], script.address + address, "lud_token")
                assert steps(following) == [*["lost unavailable"] * 4, "found", last]


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


NO_TURNS = Answer(text='{"items": []}')
NO_TALK = Answer(text='{"items": [], "next_cursor": null}')
NO_EVENTS = Answer(text='{"items": [], "version": 3, "ended": false}')

WAITERS: dict[str, tuple[str, Answer, Answer]] = {
    "turner.py": ("/v1", NO_TURNS, Answer(304)),
    "turner.ts": ("/v1", NO_TURNS, NO_TURNS),  # By way of a proxy that knows no conditions.
    "talker.py": (MATCH, NO_TALK, NO_TALK),
    "talker.ts": (MATCH, NO_TALK, NO_TALK),
    "follower.ts": (MATCH, NO_EVENTS, NO_EVENTS),
}
"""Who waits for news, at which address, and what the server says that has none and does not wait for any."""


def test_a_server_that_does_not_wait_for_news_is_asked_with_patience(programs: Commands) -> None:
    """As one that stops does, or a proxy in its place."""
    with ExitStack() as all_of_them:
        scripts = []
        for name, (address, first, quiet) in WAITERS.items():
            script = all_of_them.enter_context(playing(Script(views=[3], news=[first, *[quiet] * 8])))
            each = all_of_them.enter_context(started(programs[name], script.address + address, "lud_token", NO_STREAMS="yes"))
            all_of_them.callback(each.kill)
            scripts.append((each, script))
        for each, script in scripts:
            each.wait(60)  # It is told at last that all of it is gone.
            moments = script.moments[1:]
            assert len(moments) == 9
            assert min(later - earlier for earlier, later in pairwise(moments)) > 0.8 / 50
            assert moments[-1] - moments[0] > 0.8 * (1 + 2 + 4 + 8 + 10 + 10 + 10) / 50


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


def test_a_server_that_is_stopped_and_started_is_no_gap(programs: Commands, used_server_folder: Path) -> None:
    with ExitStack() as all_of_them:
        port = lasting_port()
        with served(used_server_folder, PORT=port) as service:
            tokens = [service.new_player() for _ in range(2)]
            ada, bob = ({"Authorization": f"Bearer {token}"} for token in tokens)
            opened = httpx.post(f"{service.address}/v1/matches", json={"options": {"game": "pico"}}, headers=ada).json()
            address = f"{service.address}/v1/matches/{opened['match_id']}"
            say(address, ada, "hello")
            following = [started(programs[name], address, tokens[0]) for name in ("follower.py", "async_follower.py", "follower.ts")]
            following.append(started(programs["follower.ts"], address, tokens[0], NO_STREAMS="yes"))
            talking = [started(programs[name], address, tokens[0]) for name in ("talker.py", "talker.ts")]
            waiting = [started(programs[name], f"{service.address}/v1", tokens[0]) for name in ("turner.py", "turner.ts")]
            for each in following + talking + waiting:
                all_of_them.enter_context(each)
                all_of_them.callback(each.kill)
            firsts = [next_step(each) for each in following]  # All follow before anything happens.
            assert [next_step(each) for each in talking] == [["hello"]] * 2
            assert [next_step(each) for each in waiting] == [[]] * 2
            httpx.post(f"{address}/seats", json={}, headers=bob)
            assert [next_step(each) for each in waiting] == [["turn"]] * 2
            move(address, ada)
            service.end(signal.SIGTERM)
        with served(used_server_folder, PORT=port):
            move(address, bob)
            say(address, bob, "bye")
            httpx.post(f"{address}/resign", headers=bob)
            httpx.post(f"{address}/rematch", headers=bob)
            last = httpx.get(address, headers=ada).json()["version"]
            for first, each in zip(firsts, following, strict=True):
                check_steps([first, *steps(each)], range(opened["version"] + 1, last + 1))
            for each in talking:
                *lost_and_found, text = steps(each)
                check_line(lost_and_found)
                assert text == ["bye"]
            for each in waiting:
                check_turns(steps(each))


def next_step(program: "subprocess.Popen[str]") -> Any:
    """What it tells next, but for that the line was lost and found, which it may be at any time on a busy machine."""
    assert program.stdout
    while isinstance(step := json.loads(program.stdout.readline()), str):
        pass
    return step


def check_steps(told: list[Any], versions: range) -> None:
    """These versions each came once, the view that they lead to with them, and it was told that the line was lost and found."""
    told_steps = [step for step in told if not isinstance(step, str)]
    said = [step for step in told if isinstance(step, str)]
    assert said[0].startswith("lost ")
    assert said[-2:] == ["found", "over"]
    assert [version for items, _ in told_steps for version in items] == list(versions)
    assert all(items[-1] == view for items, view in told_steps[1:])


def check_line(told: list[Any]) -> None:
    """The line was lost, once or more often where the new server has much to do, and found at last."""
    assert (told[0], told[-1]) == ("lost unavailable", "found")
    assert set(told) == {"lost unavailable", "found"}


def check_turns(told: list[Any]) -> None:
    """The line was lost and found, no list came twice, and at last the match waited no more, and a rematch did."""
    lists = [each for each in told if not isinstance(each, str)]
    check_line([each for each in told if isinstance(each, str)])
    assert all(before != after for before, after in zip([["turn"], *lists], lists, strict=False))
    assert lists[-1] == ["invitation"]


def say(address: str, headers: Mapping[str, str], text: str) -> None:
    assert httpx.post(f"{address}/messages", json={"text": text}, headers=headers, timeout=30).is_success


def move(address: str, headers: Mapping[str, str]) -> None:
    """The first choice of a seat."""
    [decision] = httpx.get(address, headers=headers, timeout=30).json()["decisions"]
    choice = {"command": decision["choices"][0], "decision": decision["decision"]}
    assert httpx.post(f"{address}/commands", json=choice, headers=headers, timeout=30).status_code == 200
