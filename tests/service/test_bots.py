"""Bots at the table as people meet them: prompt, on any seat, and never the end of a match."""

import asyncio
import dataclasses
import gc
import statistics
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace
from structlog.testing import capture_logs

from domain.games import GAMES
from domain.match import lobby, table
from domain.match.events import DrawsFixed
from domain.match.game import Luck
from domain.match.state import Match, fold
from domain.match.table import Unfit
from service import bots
from service.clocks import time_out
from service.held import stream_of
from service.matches import Matches
from service.serve import _settle
from tests.matches.conftest import TERMS, Process, process, start_process
from tests.matches.made import WORLD, opened
from tests.service.conftest import Join

PICO = GAMES["pico"]
__all__ = ("process", "start_process")

MATCH_ID = "mat_" + "0" * 32


async def test_a_table_of_bots_answers_each_choice_of_a_person_in_well_under_a_second(join: Join) -> None:
    """Of what this process computes, since others may compute much beside it; and they sleep for no longer than that either."""
    ada = await join("Ada")
    asked = {"options": {"game": "black-sheep"}, "seats": 4, "bots": ["normal"] * 3}
    view = (await ada.post("/v1/matches", json=asked)).json()
    path, waits, computed = f"/v1/matches/{view['match_id']}", list[float](), list[float]()
    while view["status"] != "ended" and len(waits) < 12:
        began, used, waited = time.monotonic(), time.process_time(), not view["decisions"]
        while not view["decisions"] and view["status"] != "ended":
            await ada.get(f"{path}/events", params={"after": view["version"], "wait": 20})
            view = (await ada.get(path)).json()
        if waited:
            waits.append(time.monotonic() - began)
            computed.append(time.process_time() - used)
        if view["decisions"]:
            view = (await ada.post(f"{path}/commands", json={"command": view["decisions"][0]["choices"][0]})).json()["view"]
    assert len(waits) > 5
    assert (statistics.median(computed) < 1, min(waits) < 1) == (True, True), (computed, waits)


def test_a_bot_that_fails_or_cheats_plays_the_first_of_its_choices_and_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    match = opened(bots=["normal"])

    def fails(view: Any, seat: int, choices: Sequence[Any], luck: Luck) -> Any:
        raise RuntimeError("no idea")

    def cheats(view: Any, seat: int, choices: Sequence[Any], luck: Luck) -> Any:
        return PICO.command(99)

    for bot, told in ((fails, "bot_failed"), (cheats, "bot_refused")):
        game = replace_bot(bot)
        with capture_logs() as lines:
            assert bots.bot_choice(game, match, 1, WORLD) == PICO.choices(match.table, 1)[0]
        assert [line["event"] for line in lines] == [told]


def replace_bot(bot: Any) -> Any:
    return dataclasses.replace(PICO, bots={"normal": bot})


async def test_how_long_a_bot_takes_has_nothing_to_do_with_what_it_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pause is one and the same for every open choice, and there is none before a secret one."""
    paused = list[float]()

    class Later:
        def call_later(self, seconds: float, *_: object) -> None:
            paused.append(seconds)

    monkeypatch.setattr(asyncio, "get_running_loop", Later)

    class Unmoved:
        def when_moved(self, tell: object) -> None:
            return None

    playing = bots.Bots(Unmoved(), 0.7)  # type: ignore[arg-type]
    playing._moved(replace(opened(bots=["normal"]), match_id=MATCH_ID))
    train = GAMES["little-train"]
    for outcome in ((1, 2, 3, 4, 5), (5, 5, 5, 5, 5)):
        playing._moved(rolled(train, outcome))
    assert paused == [0, 0.7, 0.7]


def rolled(train: Any, outcome: tuple[int, ...]) -> Any:
    """A match of Little Train of bots in which these faces lie."""
    terms: Any = replace(TERMS, game="little-train", options=train.options(games=1), seats=2)
    opened = lobby.open_match(train, MATCH_ID, terms, False, "", ("easy", "easy"), WORLD, DrawsFixed((outcome,)))
    match: Any = fold(train, Match(MATCH_ID), opened)
    choice = train.choices(match.table, match.owed[0].seat)[0]
    return fold(train, match, table.choose_as_bot(train, match, match.owed[0].seat, choice, str(match.decision(match.owed[0].seat)), WORLD))


async def test_a_draw_that_was_set_and_does_not_fit_is_told_of_once_however_often_the_house_tries(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await process.open(bots=["easy"])
    match = made.match.match_id

    async def unfit(*_: object) -> None:
        raise Unfit("outcome_does_not_fit", None)

    monkeypatch.setattr(Matches, "change", unfit)
    with capture_logs() as lines:
        for _ in range(3):
            await bots.Bots(process.matches, 0).play(stream_of(match))
            await time_out(process.matches, stream_of(match))
    assert [(line["event"], line["match_id"]) for line in lines] == [("draws_unfit", match)]

    async def wrong(*_: object) -> None:
        raise Unfit("no_such_seat", "seat")

    monkeypatch.setattr(Matches, "change", wrong)
    for trying in (bots.Bots(process.matches, 0).play(stream_of(match)), time_out(process.matches, stream_of(match))):
        with pytest.raises(Unfit):
            await trying


def test_who_serves_people_is_soon_let_go_on_while_a_bot_computes() -> None:
    """Python's own pause, five thousandths of a second, would be in every step of every request."""
    before, thresholds, over = sys.getswitchinterval(), gc.get_threshold(), threading.Event()

    def computes() -> None:
        while not over.is_set():
            sum(range(100))

    _settle()
    computing = threading.Thread(target=computes)
    computing.start()
    try:
        waits = []
        for _ in range(50):
            began = time.perf_counter()
            time.sleep(0)
            waits.append(time.perf_counter() - began)
    finally:
        over.set()
        computing.join()
        sys.setswitchinterval(before)
        gc.set_threshold(*thresholds)
        gc.unfreeze()
    assert sorted(waits)[10] < 0.003, waits
