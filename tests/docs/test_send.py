"""What the guide gives out to send: a command is carried out once, and nobody waits for longer than they have patience."""

import json
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import pytest

from tests.docs.scripted import MATCH, Answer, Script, playing
from tests.docs.started import Commands, started, steps

SENDERS = ("sender.py", "async_sender.py", "sender.ts")


def sent(programs: Commands, commands: Sequence[Answer], *how: str) -> list[tuple[list[Any], list[str]]]:
    """What each sender tells that sends one command to this script, and the keys that came, all at the same time.

    `how` are its timeout, its patience, and the key if it has one.
    """
    with ExitStack() as all_of_them:
        scripts = [all_of_them.enter_context(playing(Script(commands=commands))) for _ in SENDERS]
        given = how or ("30", "60")
        sending = [started(programs[name], script.address + MATCH, *given) for name, script in zip(SENDERS, scripts, strict=True)]
        return [(steps(each), script.keys) for each, script in zip(sending, scripts, strict=True)]


def test_a_command_is_sent_until_it_is_answered_with_one_key(programs: Commands) -> None:
    commands = [
        Answer(503, "unavailable", retry_after="7"),
        Answer(409, "key_in_flight"),
        Answer(text="{", end="cut"),
        Answer(502, text="<html>"),
        Answer(200, text="<html>Entrez votre mot de passe</html>"),
        Answer(404, text="<html>\xe9"),
        Answer(200, text="{half of it"),
        Answer(403, text='{"error": "no route"}'),
        Answer(429, "rate_limited", retry_after="Wed, 21 Oct 2026 07:28:00 GMT"),
        Answer(504),
        Answer(408, "request_timeout"),
        Answer(text='{"version": 5}'),
    ]
    for (*pauses, found, end), keys in sent(programs, commands, "30", "150"):
        assert [why for why, _, _ in pauses] == [*["unavailable"] * 8, "rate_limited", *["unavailable"] * 2]
        assert [seconds for _, seconds, _ in pauses] == [7, *(pytest.approx(each, rel=0.21) for each in (2, 4, *[10] * 8))]
        assert [number for number, (_, _, of_the_server) in enumerate(pauses) if of_the_server] == [0, 3, 9]
        assert (found, end) == ("found", [{"version": 5}, '"v5"'])
        assert (len(keys), len(set(keys))) == (12, 1)


@pytest.mark.parametrize(
    ("status", "code"), [(409, "decision_closed"), (422, "invalid_body"), (401, "not_authenticated"), (500, "internal_error")]
)
def test_a_no_to_a_command_is_passed_on_and_not_asked_for_again(status: int, code: str, programs: Commands) -> None:
    for told_steps, keys in sent(programs, [Answer(status, code)]):
        assert told_steps == [[status, code]]
        assert len(keys) == 1


def test_a_no_after_no_answer_tells_that_the_line_is_there(programs: Commands) -> None:
    for (_, found, end), keys in sent(programs, [Answer(503, "unavailable"), Answer(409, "decision_closed")]):
        assert (found, end) == ("found", [409, "decision_closed"])
        assert len(set(keys)) == 1


def test_who_sends_gives_up_in_the_end_and_can_send_it_again_with_the_same_key(programs: Commands) -> None:
    for (*pauses, end), keys in sent(programs, [Answer(503, "unavailable")] * 20, "30", "8", "my-key"):
        assert 1 <= len(pauses) <= 3  # The next one would come after ten seconds.
        assert end == ["unanswered", "my-key"]
        assert keys == ["my-key"] * (len(pauses) + 1)
    for (*_, end), keys in sent(programs, [Answer(503, "unavailable")] * 20, "30", "3"):
        assert end == ["unanswered", keys[0]]
    assert [end for end, _ in sent(programs, [Answer(429, "rate_limited", retry_after="3600")])] == [[[429, "rate_limited"]]] * len(SENDERS)


def test_a_line_that_hangs_is_tried_again_and_takes_no_more_patience_than_there_is(programs: Commands) -> None:
    """Though the client would wait for ever."""
    for (*_, end), keys in sent(programs, [Answer(text="{", end="never"), *[Answer(text='{"version": 5}')] * 7], "none", "60"):
        assert end == [{"version": 5}, '"v5"']
        assert len(set(keys)) == 1
    for end, _ in sent(programs, [Answer(text="{", end="never")] * 7, "none", "1", "my-key"):
        assert end == [["unanswered", "my-key"]]


def test_a_mistake_of_the_program_that_sends_is_no_lost_line(programs: Commands) -> None:
    assert [told for told, _ in sent(programs, [], "30", "60", "mistake")] == [[["mistake"]]] * len(SENDERS)


@pytest.mark.parametrize("name", ["sender.py", "sender.ts"])
def test_who_leaves_sends_no_more(name: str, patient: Commands) -> None:
    """While nothing comes, and in a pause. Where all is async, the task is cancelled."""
    for answer, lines in (Answer(text="{", end="never"), 0), (Answer(503, "unavailable", retry_after="30"), 1):
        with (
            playing(Script(commands=[answer])) as script,
            started(patient[name], script.address + MATCH, "none", "60", "my-key") as sending,
        ):
            try:
                assert sending.stdout
                [sending.stdout.readline() for _ in range(lines)]
                said, errors = sending.communicate("leave\n", timeout=20)
            finally:
                sending.kill()
            assert (json.loads(said), errors) == (["unanswered", "my-key"], "")


def test_a_server_that_is_not_there_or_says_nothing_is_asked_again(programs: Commands) -> None:
    for (*_, end), keys in sent(programs, [Answer(text="{", end="never"), *[Answer(text='{"version": 5}')] * 7], "1", "60"):
        assert end == [{"version": 5}, '"v5"']
        assert len(set(keys)) == 1
    with playing(Script()) as script:
        gone = script.address  # Nobody is there any more when it is asked.
    for sending in [started(programs[name], gone + MATCH, "30", "8", "my-key") for name in SENDERS]:
        *pauses, end = steps(sending)
        assert (1 <= len(pauses) <= 3, end) == (True, ["unanswered", "my-key"])
