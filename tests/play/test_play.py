"""Every game in the terminal, from the first choice to the result, by a client that knows none of them."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from domain.match.game import AnyGame
from service.cant_run import CantRun
from tests.docs.gate import gated
from tests.faults.served import lasting_port
from tests.games.test_bots import shortest
from tests.play.conftest import Played
from tests.rooms import every_game, labels

LANGUAGES = ("en", "fr")


def shortest_options(game: AnyGame) -> list[str]:
    """The options that make for the shortest match, as they are typed."""
    agreed: dict[str, Any] = msgspec.to_builtins(shortest(game).options)
    return [f"{name}={'none' if value is None else str(value).lower()}" for name, value in agreed.items() if name != "game"]


@every_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_match_is_played_to_its_end_in_words(game: AnyGame, language: str, played: Played) -> None:
    seats = max(2, game.seats[0])
    screen = played(game.key, repeat("1"), lang=language, seats=seats, option=shortest_options(game))
    words = {key: label[language] for key, label in labels(game).items()}
    assert screen.startswith(f"{words['title']}\n")
    *_, end = screen.split("\n\n")
    reason, *places = end.splitlines()
    assert reason in {text for key, text in words.items() if key.startswith("end.")}
    assert [re.sub(r"^[▸ ] \d\. (.*?)\s+-?\d+$", r"\1", place) for place in places].count("Ada") == 1
    assert len(places) == seats
    assert any(line.startswith("▸") and " Ada " in line for line in places)
    assert words["phase.over"] in screen
    named = re.findall(r"[{}]|\b[a-z]+_[a-z_]+\b|\b(?:None|True|False|null)\b", screen)
    assert named == [], "words of programs on the screen of a person"


def test_the_first_table_of_pico_looks_so(played: Played) -> None:
    screen = played("pico", ["?", "0", "7", "r"])
    opening, table, *_ = screen.split("\n\n")
    assert opening.splitlines()[:3] == [
        "Pico",
        "Eleven cards, two players: the higher card takes the trick, unless it is more than twice the lower one.",
        "Edition: Pico 2 (1997)",
    ]
    assert "  Ada receives five cards." in opening.splitlines()
    phase, facts, captions, own, bots, *rest = table.splitlines()
    assert phase == "Choose a card"
    assert re.fullmatch(r"Round 1 · Trick 1 · Face up \d+", facts)
    assert captions.split() == ["Hand", *(["Laid"] if "✓" in bots else []), "Points", "Total"]
    hand = re.findall(r"\d+", own.removeprefix("▸ Ada"))[:5]
    assert own.startswith("▸ Ada   ")
    assert bots.startswith("  Bot 2   ")
    choices = " ".join(rest[:2])
    assert re.findall(r"\[(\d)\] Lay the (\d+) face down", choices) == [(str(number), card) for number, card in enumerate(hand, start=1)]
    again = "A number from 1 to 5, r, or q."
    assert rest[2:8] == ["> ?", again, "> 0", again, "> 7", again]
    assert rest[8:10] == ["> r", "# Pico"]
    assert screen.endswith("You have left the table.\n")


def test_who_gives_up_has_lost(played: Played) -> None:
    screen = played("pico", ["1", "q"], lang="fr")
    assert "  Ada abandonne." in screen
    reason, first, last = screen.split("\n\n")[-1].splitlines()
    assert reason == "Un joueur a abandonné."
    assert first.startswith("  1. Robot ")
    assert last.startswith("▸ 2. Ada ")
    assert played("schemers", ["q"], option=["rounds_max=5"]).count("Nobody plays on: the match has been given up.") == 1


def test_several_bots_have_names_of_their_own(played: Played) -> None:
    screen = played("schemers", ["1", "q"], seats=4, level="easy", option=["stakes=50-100"])
    assert "Stakes: Start with 50, pass 100" in screen
    assert {name for name in ("Bot 2", "Bot 3", "Bot 4") if f"  {name} is ready." in screen} == {"Bot 2", "Bot 3", "Bot 4"}


@pytest.fixture
def bob(address: str) -> Iterator[httpx.Client]:
    """Somebody who invites."""
    with httpx.Client(base_url=f"{address}/v1", timeout=30) as client:
        token = client.post("/players", json={"display_name": "Bob"}).json()["token"]
        client.headers["Authorization"] = f"Bearer {token}"
        yield client


def hosted(bob: httpx.Client, **terms: Any) -> tuple[str, str]:
    """The address of a private match, and its code."""
    view = bob.post("/matches", json={"options": {"game": "pico"}, "visibility": "private", **terms}).json()
    return f"/matches/{view['match_id']}", view["invite"]


def test_a_code_that_was_told_leads_to_the_table_of_a_person(bob: httpx.Client, played: Played) -> None:
    match, invite = hosted(bob, options={"game": "pico", "edition": "pico1"})
    screen = played(None, [], invite=f" {invite[:5].upper()}-{invite[5:]} ")
    assert screen.startswith("Pico\n")
    assert "Edition: Pico (1996)" in screen
    assert "  Bob receives five cards." in screen
    assert "▸ Ada" in screen
    assert screen.endswith("You have left the table.\n")
    assert bob.get(match).json()["result"]["reason"] == "resigned", "Bob would wait for somebody who cannot come back"


def test_a_table_that_is_closed_before_the_start_is_left_in_words(bob: httpx.Client, played: Played) -> None:
    match, invite = hosted(bob, start="by_host")

    def close() -> None:
        while bob.get(f"{match}/events", params={"after": 2, "wait": 25}).json()["version"] < 3:
            pass
        bob.delete(match)

    with ThreadPoolExecutor(1) as beside:
        closing = beside.submit(close)
        screen = played(None, [], invite=invite)
        closing.result()
    assert screen.endswith("Bob, Ada\nWaiting for the host to begin\n\nThe match was closed before it began.\n")


def test_a_server_that_is_away_for_a_while_is_waited_for(
    address: str, bob: httpx.Client, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.play.api._PAUSES_SECONDS", (0.01, 0.01, 0.01, 0.01, 1, 10, 10))
    match, invite = hosted(bob, start="by_host")
    with gated(address) as gate, ThreadPoolExecutor(1) as beside:
        playing = beside.submit(played, None, [], invite=invite, url=gate.address)
        while bob.get(f"{match}/events", params={"after": 2, "wait": 25}).json()["version"] < 3:
            pass
        gate.close()
        for _ in range(4):
            assert gate.turned_away.acquire(timeout=30)
        gate.open()
        bob.delete(match)
        assert playing.result(60).endswith("\nThe match was closed before it began.\n")


def test_who_leaves_before_the_start_frees_the_seat(bob: httpx.Client, address: str) -> None:
    match, invite = hosted(bob, options={"game": "wolves"}, seats=3)
    command = [sys.executable, "-u", "-m", "service", "play", "--invite", invite, "--url", address]
    paths = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(Path(__file__).parents[2]), "USER": "Ada"}
    with subprocess.Popen(command, env=paths, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as playing:
        assert playing.stdout is not None
        while playing.stdout.readline() != "Bob, Ada\n":
            pass
        assert playing.stdout.readline() == "Waiting for players\n"
        playing.send_signal(signal.SIGINT)
        assert playing.communicate(timeout=60) == ("\nYou have left the table.\n", "")
    assert [seat["kind"] for seat in bob.get(match).json()["seats"]] == ["player", "open", "open"]


@pytest.mark.parametrize(
    ("wanted", "complaint"),
    [
        ({"game": "chess"}, "There is no game 'chess'. There are: black-sheep"),
        ({"game": "../players"}, "There is no game"),
        ({"seats": 3}, "pico is played by 2"),
        ({"level": "cruel"}, "no bots 'cruel' in pico, but easy and normal"),
        ({"option": ["edition"]}, "'edition' is no option of pico: write NAME=VALUE, with a name of these: edition."),
        ({"option": ["cards=12"]}, "'cards=12' is no option of pico"),
        ({"option": ["edition=pico9"]}, "pico9"),
        ({"game": None, "invite": "0" * 16}, "There is no such invitation, or not any more"),
        ({"url": "localhost"}, "no address"),
        ({"url": "http://127.0.0.1:1"}, "can't be reached"),
    ],
)
def test_what_cannot_be_played_is_said_in_a_line(wanted: dict[str, Any], complaint: str, played: Played) -> None:
    with pytest.raises(CantRun, match=re.escape(complaint)) as said:
        played(**{"game": "pico", "typed": ["1"]} | wanted)
    assert "\n" not in str(said.value)


def test_without_a_server_it_starts_one_and_ends_it_when_interrupted(server_folder: Path) -> None:
    given = {
        "PATH": "/usr/bin:/bin",
        "LUDICITUDE_DATA": str(server_folder),
        "PORT": lasting_port(),
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    command = [sys.executable, "-u", "-m", "service", "play", "pico"]
    with subprocess.Popen(command, env=given, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as playing:
        assert playing.stdout is not None
        screen = ""
        while "> " not in screen:
            screen += playing.stdout.read(1)
        playing.send_signal(signal.SIGINT)
        rest, errors = playing.communicate(timeout=60)
    assert playing.returncode == 0
    assert rest == "\nYou have left the table.\n"
    assert errors == "Starting a server to play on...\n"
    assert not (server_folder / "postgres" / "cluster" / "postmaster.pid").exists()


@pytest.mark.parametrize(
    ("typed", "reads", "last"),
    [(b"", -1, "You have left the table."), (b"\xff\n1\n", -1, "You have left the table."), (b"1\n" * 100, 80, "")],
    ids=["nothing to read", "no text", "nobody reads on"],
)
def test_it_ends_without_a_word_of_python(address: str, typed: bytes, reads: int, last: str) -> None:
    """At the end of what is typed, with bytes that are no text, and when whoever reads the screen has gone."""
    command = [sys.executable, "-u", "-m", "service", "play", "pico", "--level", "easy", "--url", address]
    paths = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONIOENCODING": "utf-8:strict"}
    with subprocess.Popen(command, env=paths, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as playing:
        assert playing.stdin is not None
        assert playing.stdout is not None
        assert playing.stderr is not None
        screen = b""
        if reads > 0:
            screen = playing.stdout.read(reads)
            playing.stdout.close()
        playing.stdin.write(typed)
        playing.stdin.close()
        if reads < 0:
            screen = playing.stdout.read()
        errors = playing.stderr.read().decode()
        assert (playing.wait(60), errors) == (0, "")
    assert screen.decode().strip().endswith(last) if last else screen
