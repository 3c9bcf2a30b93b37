"""Anybody can check the dice and the secret choices of a match: in Python, in JavaScript, and not when something was changed."""

import asyncio
import copy
import json
import runpy
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from domain.games import GAMES
from domain.match import fate
from domain.match.game import Roll, Shuffle
from tests.laws.matches import first_choice, played, secret
from tests.service.conftest import Join
from tests.table import Match, Table

VERIFY = Path(__file__).resolve().parents[2] / "verify"
faults: Callable[[Any], list[str]] = runpy.run_path(str(VERIFY / "verify.py"))["faults"]

OPTIONS: dict[str, dict[str, Any]] = {"schemers": {"rounds_max": 5}, "black-sheep": {"bets": True}, "little-train": {"games": 1}}


FORGERIES: dict[str, Callable[[Any], object]] = {
    "the seed": lambda forged: forged["proof"].update(seed="00" * 32),
    "the commitment": lambda forged: forged["events"][0]["event"].update(commitment="00" * 32),
    "the entropy": lambda forged: forged["proof"]["entropy"].__setitem__(0, "cd" * 16),
    "an outcome": lambda forged: [draw["outcome"].reverse() for draw in forged["proof"]["draws"][:1]],
    "a draw left out": lambda forged: forged["proof"].update(draws=forged["proof"]["draws"][:-1]),
    "a choice": lambda forged: [seal.update(command='{"type":"other"}') for seal in forged["proof"]["seals"][:1]],
    "a choice left out": lambda forged: forged["proof"].update(seals=forged["proof"]["seals"][:-1]),
    "the seat of a choice": lambda forged: [seal.update(seat=seal["seat"] + 1) for seal in forged["proof"]["seals"][:1]],
}
"""What a server might change afterwards; where a game has no draws or no secrets, nothing is changed."""


async def ended(player: httpx.AsyncClient, game: str) -> dict[str, Any]:
    """The record of a match against bots, played to its end with the first choice every time."""
    seats = max(2, min(GAMES[game].seats))
    asked = {"options": {"game": game, **OPTIONS.get(game, {})}, "seats": seats, "bots": ["easy"] * (seats - 1), "entropy": "ab" * 16}
    view = (await player.post("/v1/matches", json=asked)).json()
    path = f"/v1/matches/{view['match_id']}"
    while view["status"] != "ended":
        for decision in view["decisions"]:
            await player.post(f"{path}/commands", json={"command": decision["choices"][0], "decision": decision["decision"]})
        await player.get(f"{path}/events", params={"after": view["version"], "wait": 5, "limit": 1})
        view = (await player.get(path)).json()
    record: dict[str, Any] = (await player.get(f"{path}/record")).json()
    return record


def played_alike(game: str) -> Match:
    """A match on the same terms, played by the rules alone, which tells whether such a one has secret choices and draws."""
    options = msgspec.convert({"game": game, **OPTIONS.get(game, {})}, GAMES[game].options)
    return played(Table(GAMES[game], options, max(2, min(GAMES[game].seats))), seed=0, pick=first_choice)


def changed(record: dict[str, Any], change: Callable[[Any], object]) -> dict[str, Any]:
    forged = copy.deepcopy(record)
    change(forged)
    return forged


@pytest.mark.parametrize("game", GAMES)
async def test_a_match_bears_checking_and_a_forged_one_does_not(join: Join, game: str) -> None:
    record = await ended(await join("Ada"), game)
    assert faults(record) == []
    assert record["proof"]["entropy"][0] == "ab" * 16
    match = played_alike(game)
    assert bool(record["proof"]["seals"]) == any(secret(match.game, moment) for moment in match.moments)
    assert bool(record["proof"]["draws"]) == any(entry.draw is not None for entry in match.entries)
    for what, change in FORGERIES.items():
        forged = changed(record, change)
        assert forged == record or faults(forged), f"{what} was changed and nobody noticed"


async def test_the_javascript_verifier_agrees(join: Join) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("There is no Node.js here.")
    record = await ended(await join("Ada"), "pico")
    forged = changed(record, FORGERIES["an outcome"])
    for each, code, words in ((record, 0, "Everything bears checking"), (forged, 1, "draw 1 came out otherwise")):
        checking = await asyncio.create_subprocess_exec(node, VERIFY / "verify.mjs", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        told, _ = await checking.communicate(json.dumps(each).encode())
        assert checking.returncode == code
        assert words in told.decode()


async def test_there_is_no_proof_before_the_end_and_one_after_any_end(join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    opened = (await ada.post("/v1/matches", json={"options": {"game": "pico"}})).json()
    path = f"/v1/matches/{opened['match_id']}"
    await bob.post(f"{path}/seats", json={})
    before = (await bob.get(f"{path}/proof")).json()
    assert before["proof"] is None
    assert (await ada.get(f"{path}/events")).json()["items"][0]["event"]["commitment"] == before["commitment"]
    await bob.post(f"{path}/resign")
    assert (await bob.get(f"{path}/proof")).json()["proof"]["seed"]
    closed = (await ada.post("/v1/matches", json={"options": {"game": "pico"}})).json()
    await ada.delete(f"/v1/matches/{closed['match_id']}")
    assert (await ada.get(f"/v1/matches/{closed['match_id']}/proof")).json()["proof"]["draws"] == []
    assert faults((await ada.get(f"/v1/matches/{closed['match_id']}/record")).json()) == []


def test_every_outcome_of_a_draw_is_as_likely_as_the_others() -> None:
    """Chi-square over 12,000 draws each; the limits are those that a fair source passes but once in a million times."""
    throws = [fate.draw(bytes(32), number, Roll(2, 6)) for number in range(1, 6_001)]
    for place in range(2):
        counts = [sum(throw[place] == face for throw in throws) for face in range(1, 7)]
        assert sum((count - 1_000) ** 2 / 1_000 for count in counts) < 35.9
    orders = [fate.draw(bytes(32), number, Shuffle(("a", "b", "c"))) for number in range(1, 6_001)]
    counts = [orders.count(order) for order in set(orders)]
    assert len(counts) == 6
    assert sum((count - 1_000) ** 2 / 1_000 for count in counts) < 35.9
