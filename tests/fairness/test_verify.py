"""Anybody can check the dice and the secret choices of a match, whatever its game and its end, and not when something was changed."""

import asyncio
import functools
import itertools
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain.games import GAMES
from tests.fairness.ends import ENDS, ENTROPY, OPTIONS, changed, opened, played_out, resigned, seated
from tests.laws.matches import first_choice, played, secret
from tests.service.conftest import Join
from tests.table import Match, Table
from verify.verify import broken_promises, drawn, faults, mac

VERIFY = Path(__file__).resolve().parents[2] / "verify"

BOTH = """
const { argv, stdin } = process;
delete globalThis.process; // A browser has none.
const { faults, brokenPromises } = await import(argv[1]);
let text = "";
for await (const part of stdin) text += part;
const told = JSON.parse(text).map(async ([record, seen]) => [await faults(record), brokenPromises(record, seen)]);
console.log(JSON.stringify(await Promise.all(told)));
"""
"""Asks the JavaScript verifier about many records at once."""


def other_value(event: dict[str, Any]) -> dict[str, Any]:
    """The event with another value in its last field, of the same kind."""
    field = list(event)[-1]
    event[field] = event[field] + 1 if type(event[field]) is int else f"not {event[field]}"
    return event


def drawn_again(record: Any, kind: str, change: Callable[[Any], Any]) -> None:
    """The first draw of the record, if it is of this kind, as if something else had been asked for, with what the seed makes of that."""
    proof = record["proof"]
    key = mac(bytes.fromhex(proof["seed"]), "key", record["match_id"], proof["entropy"])
    for draw in [draw for draw in proof["draws"][:1] if draw["request"]["kind"] == kind]:
        change(draw["request"])
        draw.update(outcome=drawn(key, draw["number"], draw["request"]))


def shown_otherwise(record: Any, *types: str) -> None:
    """The first event of such a type shows something else than was drawn."""
    for item in [item for item in record["events"] if item["event"]["type"] in types][:1]:
        for field in item["event"].keys() & {"faces", "cards", "card", "leader"}:
            shown = item["event"][field]
            item["event"][field] = [*shown[1:], "tender" if shown[0] == "loco" else "loco"] if isinstance(shown, list) else shown + 1


FORGERIES: dict[str, Callable[[Any], object]] = {
    "the seed": lambda forged: forged["proof"].update(seed="00" * 32),
    "the commitment": lambda forged: forged["events"][0]["event"].update(commitment="00" * 32),
    "both commitments": lambda forged: [part.update(commitment="00" * 32) for part in (forged["events"][0]["event"], forged["proof"])],
    "the scheme": lambda forged: forged["proof"].update(scheme="ludi-fair-v0"),
    "the match": lambda forged: forged.update(match_id="mat_" + "0" * 32),
    "the entropy": lambda forged: [forged["proof"].update(entropy=["cd" * 16, *forged["proof"]["entropy"][1:]])],
    "an outcome": lambda forged: [draw["outcome"].append(draw["outcome"].pop(0)) for draw in forged["proof"]["draws"][:1]],
    "what was asked for": lambda forged: [
        draw["request"].update(sides=7) if draw["request"]["kind"] == "roll" else draw["request"]["items"].reverse()
        for draw in forged["proof"]["draws"][:1]
    ],
    "the order of the deck": lambda forged: drawn_again(forged, "shuffle", lambda request: request["items"].reverse()),
    "the number of dice": lambda forged: drawn_again(forged, "roll", lambda request: request.update(dice=4)),
    "the faces shown": lambda forged: shown_otherwise(forged, "little-train.dice_rolled"),
    "a hand dealt": lambda forged: shown_otherwise(forged, "pico.hand_dealt", "black-sheep.hand_dealt"),
    "what was not dealt": lambda forged: shown_otherwise(forged, "pico.face_up_card_placed", "black-sheep.cards_set_aside"),
    "who was drawn to lead": lambda forged: shown_otherwise(forged, "black-sheep.leader_chosen"),
    "a draw that there was not": lambda forged: [
        [item.update(draw=None) for item in forged["events"] if item["draw"] == draw["number"]] for draw in forged["proof"]["draws"][-1:]
    ],
    "a draw left out": lambda forged: forged["proof"].update(draws=forged["proof"]["draws"][:-1]),
    "a draw left out everywhere": lambda forged: [
        [item.update(draw=None) for item in forged["events"] if item["draw"] == 1 < len(forged["proof"]["draws"])],
        forged["proof"].update(draws=forged["proof"]["draws"][1:] or forged["proof"]["draws"]),
    ],
    "a choice": lambda forged: [seal.update(command='{"type":"other"}') for seal in forged["proof"]["seals"][:1]],
    "a choice left out": lambda forged: forged["proof"].update(seals=forged["proof"]["seals"][:-1]),
    "the seat of a choice": lambda forged: [seal.update(seat=seal["seat"] + 1) for seal in forged["proof"]["seals"][:1]],
    "the event of a choice": lambda forged: [
        other_value(forged["events"][seal["version"] - 1]["event"])
        for seal in [seal for seal in forged["proof"]["seals"] if len(json.loads(seal["command"])) > 1][:1]
    ],
    "a test": lambda forged: forged["events"][1]["event"].update(type="match.draws_fixed"),
    "an event left out": lambda forged: forged["events"].pop(1),
    "the end left out": lambda forged: forged["events"].pop(),
}
"""What a server might change afterwards; where a match has no draws or no secrets, some of them change nothing."""


async def told_by_node(records: list[tuple[Any, Any]]) -> list[list[list[str]]]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("There is no Node.js here.")
    program = [node, "--input-type=module", "-e", BOTH, (VERIFY / "verify.mjs").as_uri()]
    asking = await asyncio.create_subprocess_exec(*program, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    told, _ = await asking.communicate(json.dumps(records).encode())
    assert asking.returncode == 0
    answers: list[list[list[str]]] = json.loads(told)
    return answers


def played_alike(game: str) -> Match:
    """A match on the same terms, played by the rules alone, which tells whether such a one has secret choices and draws."""
    options = msgspec.convert({"game": game, **OPTIONS.get(game, {})}, GAMES[game].options)
    return played(Table(GAMES[game], options, max(2, min(GAMES[game].seats))), seed=0, pick=first_choice)


@pytest.mark.parametrize("end", ENDS)
async def test_a_match_of_every_game_bears_checking_however_it_ends(join: Join, end: str) -> None:
    for game, record in zip(GAMES, await asyncio.gather(*(ENDS[end](join, game) for game in GAMES)), strict=True):
        assert faults(record) == [], game
        assert [draw["number"] for draw in record["proof"]["draws"]] == [item["draw"] for item in record["events"] if item["draw"]]
        begun = any(item["event"]["type"] == "match.started" for item in record["events"])
        assert record["proof"]["entropy"] == ([ENTROPY] + [""] * (len(record["seats"]) - 1) if begun else []), game


@pytest.mark.parametrize("testing", [{"seed": "ab" * 32}, {"outcomes": [[1, 2, 3, 4, 5]]}])
async def test_a_match_made_for_a_test_is_told_to_be_one_and_nothing_else(join: Join, testing: dict[str, Any]) -> None:
    record = await played_out(join, "little-train", testing=testing)
    told = ["the draws were set beforehand, for a test"]
    assert faults(record) == told
    assert await told_by_node([(record, [])]) == [[told, []]]


async def test_what_was_changed_is_found_by_both_verifiers(join: Join) -> None:
    records = await asyncio.gather(*(played_out(join, game) for game in GAMES))
    idle, every = set(FORGERIES), list[Any](records)
    for game, record in zip(GAMES, records, strict=True):
        match = played_alike(game)
        assert bool(record["proof"]["seals"]) == any(secret(match.game, moment) for moment in match.moments)
        assert bool(record["proof"]["draws"]) == any(entry.draw is not None for entry in match.entries)
        for what, change in FORGERIES.items():
            forged = changed(record, change)
            if forged != record:
                assert faults(forged), f"{what} was changed in {game} and nobody noticed"
                idle.discard(what)
                every.append(forged)
    assert not idle, "these forge nothing in any game"
    assert [found for found, _ in await told_by_node([(each, []) for each in every])] == [faults(each) for each in every]


def places(value: Any) -> Iterator[tuple[str | int, ...]]:
    """The way to everything in this JSON."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (key,)
        yield from ((key, *rest) for rest in places(inner))


def put(value: Any, place: tuple[str | int, ...], other: Any) -> None:
    """Put something else there, or nothing."""
    for key in place[:-1]:
        value = value[key]
    if other is NOTHING:
        del value[place[-1]]
    else:
        value[place[-1]] = other


NOTHING = object()
NESTED = json.loads("[" * 200 + "]" * 200)
ODD = [
    *(NOTHING, None, True, -1, 0, 1, 1.0, 1.5, 10**400, 2**32, "", "ab" * 31 + "a", "zz" * 32, "ab" * 32 + "\n"),
    *("{", "[" * 5000, '{"type":5}', '{"type":"x","constructor":1}', '{"type":"x","card":1e999}', "\ud800\x7f", [], [None], [[]], {}),
    *(
        {"__proto__": 1, "constructor": "toString"},
        {"type": "match.started"},
        {"type": "match.draws_fixed", "scheme": "ludi-fair-v1"},
        NESTED,
    ),
]
"""What somebody might write into a record."""


async def test_whatever_is_written_into_a_record_both_verifiers_say_the_same_of_it(join: Join) -> None:
    """Each field anywhere gone, or another one: neither verifier breaks or hangs, and what is no record is told to be none."""
    asked: list[tuple[Any, Any]] = [(odd, odd) for odd in ODD if odd is not NOTHING]
    for game, part in (("pico", ()), ("little-train", ("proof", "draws"))):
        record = {name: value for name, value in (await resigned(join, game)).items() if name in ("match_id", "events", "proof")}
        kinds = {tuple(0 if isinstance(key, int) else key for key in place): place for place in places(record)}  # The last of each list.
        for place, odd in itertools.product([("events", 0, "event", "type"), ("events", 0), *kinds.values()], ODD):
            if place[: len(part)] == part:
                forged = changed(record, functools.partial(put, place=place, other=odd))
                asked.append((forged, record["events"][-3:]))
                if place[:2] == ("events", len(record["events"]) - 1):
                    asked.append((record, forged["events"][-3:]))
    asked.append((record, [*record["events"], None]))
    told = await told_by_node(asked)
    for (record, seen), (found, broken) in zip(asked, told, strict=True):
        assert (faults(record), broken_promises(record, seen)) == (found, broken), record
        assert all("undefined" not in sentence and "None" not in sentence for sentence in (*found, *broken))
    sentences = {re.sub(r"\d+", "#", sentence) for found, broken in told for sentence in (*found, *broken)}
    assert {
        "this is no record: proof.seed is not # hexadecimal digits",
        "this is no record: proof.seals[#].command is not the JSON of a command",
        "this is no record: proof.draws is missing",
        "this is no record: it is nested too deeply",
        "this is no record: it has a number that is not whole, or is too large",
        "this is no record: the record is not an object",
        "this cannot be compared: seen[#].event is missing",
        "this is no record: events[#].event.seats is missing",
        "this is no record: proof.draws[#].request.sides is not a number of sides up to #",
    } <= sentences


@pytest.mark.parametrize("game", ["black-sheep", "schemers"])
async def test_the_record_is_held_against_what_a_player_was_told_during_the_match(join: Join, game: str) -> None:
    """A server that makes up a whole match afterwards, with a seed and seals that fit, is found out by who kept what they saw."""
    players, path = await seated(join, game)
    seen = (await players[-1].get(f"{path}/events")).json()["items"]
    for player in players:
        await player.post(f"{path}/resign")
    record = (await players[-1].get(f"{path}/record")).json()
    elsewhere = await played_out(join, game)
    later = changed(record, lambda forged: other_value(forged["events"][0]["event"]))
    resealed = changed(record, lambda forged: [item.update(seal="00" * 32) for item in forged["events"] if item["seal"]])
    for told, good in ((record, True), (elsewhere, False), (later, False), (resealed, resealed == record)):
        assert (broken_promises(told, seen) == []) == good
    told = await told_by_node([(each, seen) for each in (record, elsewhere, later)])
    assert [broken for _, broken in told] == [broken_promises(each, seen) for each in (record, elsewhere, later)]


@pytest.mark.parametrize("program", [["python3", "verify.py"], ["node", "verify.mjs"]], ids=["python", "javascript"])
async def test_the_programs_say_so_and_end_with_a_code(join: Join, program: list[str], tmp_path: Path) -> None:
    command = shutil.which(program[0])
    if command is None:
        pytest.skip(f"There is no {program[0]} here.")
    record = await played_out(join, "pico")
    other = changed(record, FORGERIES["both commitments"])["events"]
    page, items, none = tmp_path / "page.json", tmp_path / "items.json", tmp_path / "none.json"
    page.write_text(json.dumps({"items": other}))
    items.write_text(json.dumps(other))
    early = (await (await join("Ada")).get(f"{await opened(await join('Ada'), 'pico')}/record")).text
    for given, files, code, words in (
        (json.dumps(record), [], 0, "Everything bears checking"),
        (json.dumps(changed(record, FORGERIES["an outcome"])), [], 1, "draw 1 came out otherwise"),
        (json.dumps(record), [page], 1, "event 1 was another one when you saw it"),
        (json.dumps(record), [items], 1, "event 1 was another one when you saw it"),
        (json.dumps(changed(record, lambda forged: forged["proof"].update(seed=""))), [], 1, "proof.seed is not 64 hexadecimal digits"),
        ("", [], 2, "Nothing was checked. This is not the record of a match: it is no JSON."),
        ("[" * 5000 + "]" * 5000, [], 2, "Nothing was checked. This is not the record of a match: it is nested too deeply."),
        ("17", [], 2, "Nothing was checked. This is not the record of a match."),
        (early, [], 2, "Nothing was checked. This is not the record of a match. The server said: The match is not over yet."),
        (json.dumps(record), [none], 2, "none.json"),
    ):
        asked = [command, str(VERIFY / program[1]), *map(str, files)]
        checking = await asyncio.create_subprocess_exec(*asked, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        told, _ = await checking.communicate(given.encode())
        assert checking.returncode == code, told.decode()
        assert words in told.decode()
        assert "Traceback" not in told.decode()


def test_a_page_that_did_not_come_by_https_is_told_why_it_cannot_check() -> None:
    if shutil.which("node") is None:
        pytest.skip("There is no Node.js here.")
    program = "Reflect.deleteProperty(globalThis, 'crypto'); const { faults } = await import(process.argv[1]); await faults({});"
    asked = ["node", "--input-type=module", "-e", program, (VERIFY / "verify.mjs").as_uri()]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=60, check=False)
    assert "Error: a browser has the hashes only on a page that came by https, or from localhost" in done.stderr


def test_as_part_of_a_bundle_it_is_no_program(tmp_path: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("There is no Node.js here.")
    bundle = tmp_path / "bundle.mjs"
    bundle.write_text((VERIFY / "verify.mjs").read_text("utf-8") + 'console.log("a program of somebody else");\n', "utf-8")
    done = subprocess.run(["node", bundle], input="", capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "a program of somebody else\n", "")


async def test_nothing_is_opened_before_the_end(join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    path = await opened(ada, "pico")
    promised = (await ada.get(f"{path}/proof")).json()
    await bob.post(f"{path}/seats", json={})
    for reader in (ada, bob):
        assert (await reader.get(f"{path}/proof")).json() == promised
        assert (await reader.get(f"{path}/record")).json()["code"] == "match_not_over"
    assert promised["proof"] is None
    assert (await ada.get(f"{path}/events")).json()["items"][0]["event"]["commitment"] == promised["commitment"]
    await bob.post(f"{path}/resign")
    record, proof = (await ada.get(f"{path}/record")).json(), (await bob.get(f"{path}/proof")).json()
    assert proof["proof"] == record["proof"]
    assert proof["commitment"] == promised["commitment"]
