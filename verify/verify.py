"""Checks the dice and the secret choices of a match, scheme ludi-fair-v1. Needs Python 3.10 or newer and nothing else.

Usage: curl -s https://.../v1/matches/<match_id>/record | python verify.py [events.json ...]

The files are answers of list_events, or lists of their items, that you kept while the match went on; the record is then held
against them as well. Of the games it knows what they draw, and what the players must be shown of it: faces, hands, who leads. What
the rules make of these and of a choice is not checked here. The exit code is 0 when everything bears checking, 1 when something does
not, and 2 when there is nothing to check.

In a client: faults(record) + broken_promises(record, seen), both lists of sentences, where `record` is what get_record answers and `seen`
are all the items that you were told.
"""

import hashlib
import hmac
import json
import pathlib
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

SCHEME = "ludi-fair-v1"

KINDS: dict[str, Callable[[Any], bool]] = {
    "an object": lambda value: isinstance(value, dict),
    "a list": lambda value: isinstance(value, list),
    "anything": lambda value: True,
    "a text": lambda value: isinstance(value, str),
    "a text or null": lambda value: value is None or isinstance(value, str),
    "a number": lambda value: number_up_to(LARGEST, value),
    "a number or null": lambda value: value is None or number_up_to(LARGEST, value),
    "a number of dice up to 1000": lambda value: number_up_to(1000, value),
    "a number of sides up to 4294967296": lambda value: number_up_to(2**32, value) and value > 0,
    "64 hexadecimal digits": lambda value: isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None,
    "roll or shuffle": lambda value: value in ("roll", "shuffle"),
    "the JSON of a command": lambda value: isinstance(value, str) and command_in(value) is not None,
}

ITEM = {
    "version": "a number",
    "seat": "a number or null",
    "seal": "a text or null",
    "draw": "a number or null",
    "event": {"type": "a text"},
}
PROOF = {
    "scheme": "a text",
    "commitment": "a text",
    "seed": "64 hexadecimal digits",
    "entropy": ["a text"],
    "draws": [{"version": "a number", "number": "a number", "request": {"kind": "roll or shuffle"}, "outcome": ["anything"]}],
    "seals": [{"version": "a number", "seat": "a number", "command": "the JSON of a command", "seal": "a text"}],
}
EVENTS = {"events": [ITEM]}
RECORD = {"match_id": "a text", **EVENTS, "proof": PROOF}
OPENED = {"scheme": "a text", "commitment": "a text"}
STARTED = {"seats": [{"entropy": "a text"}]}
REQUESTS: dict[str, dict[str, Any]] = {
    "roll": {"dice": "a number of dice up to 1000", "sides": "a number of sides up to 4294967296"},
    "shuffle": {"items": ["anything"]},
}

MOMENT = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]*?)0*)?(?:Z|[+-]00:00)")

FACES = ["loco", "tender", "wagon", "wagon", "choice", "cross"]
COLOURS = ["beige", "white", "ochre", "black"]
DECKS: dict[str, list[list[Any]]] = {
    "pico.hand_dealt": [[4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16], [2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 16]],
    "black-sheep.hand_dealt": [
        [*(f"{colour}-{least + more}" for colour in COLOURS for more in range(7)), *["super"] * 4] for least in (0, 1)
    ],
}
HANDS = {"pico.hand_dealt": 5, "black-sheep.hand_dealt": 8}

LARGEST = 2**53 - 1  # More than that is not the same number in every language.
DEEPEST = 30


def plain(value: Any, depth: int = 0) -> Any:
    """The same JSON with 1 for 1.0, as other languages have it. Raises ValueError where they would not all read the same."""
    if depth > DEEPEST:
        raise ValueError("it is nested too deeply")
    if isinstance(value, dict):
        return {key: plain(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each, depth + 1) for each in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if not abs(value) <= LARGEST or value != int(value):
            raise ValueError("it has a number that is not whole, or is too large")
        return int(value)
    return value


def read(text: str) -> Any:
    """What this JSON says. Raises ValueError, which says why, where there is none, or not all languages would read the same."""

    def no_constant(name: str) -> float:
        raise ValueError(name)

    try:
        value = json.loads(text, parse_int=lambda digits: int(digits[:20]), parse_constant=no_constant)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError:
        raise ValueError("it is no JSON") from None
    return plain(value)


def number_up_to(most: int, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def command_in(text: str) -> dict[str, Any] | None:
    try:
        command = read(text)
    except ValueError:
        return None
    return command if isinstance(command, dict) and isinstance(command.get("type"), str) else None


def misfits(value: Any, shape: Any, where: str) -> Iterator[str]:
    """Where the value has another shape, in sentences."""
    kind = "an object" if isinstance(shape, dict) else "a list" if isinstance(shape, list) else shape
    if not KINDS[kind](value):
        yield f"{where} is not {kind}"
    elif isinstance(shape, list):
        for index, each in enumerate(value):
            yield from misfits(each, shape[0], f"{where}[{index}]")
    elif isinstance(shape, dict):
        for field, inner in shape.items():
            path = field if where == "the record" else f"{where}.{field}"
            if field in value:
                yield from misfits(value[field], inner, path)
            else:
                yield f"{path} is missing"


def misfits_of_kinds(record: dict[str, Any]) -> Iterator[str]:
    """The same, for what depends on the type of an event, and on the kind of a draw."""
    for item in record["events"][:1]:
        yield from misfits(item["event"], OPENED, "events[0].event")
    for index, item in enumerate(record["events"]):
        if item["event"]["type"] == "match.started":
            yield from misfits(item["event"], STARTED, f"events[{index}].event")
    for index, draw in enumerate(record["proof"]["draws"]):
        yield from misfits(draw["request"], REQUESTS[draw["request"]["kind"]], f"proof.draws[{index}].request")


def canonical(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=True).encode()


def sha(*value: Any) -> str:
    return hashlib.sha256(canonical([SCHEME, *value])).hexdigest()


def mac(key: bytes, *value: Any) -> bytes:
    return hmac.new(key, canonical([SCHEME, *value]), hashlib.sha256).digest()


def words(key: bytes, number: int) -> Iterator[int]:
    block = 0
    while True:
        digest = mac(key, "draw", number, block)
        yield from (int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4))
        block += 1


def below(stream: Iterator[int], limit: int) -> int:
    fair = 2**32 - 2**32 % limit
    return next(word for word in stream if word < fair) % limit


def same(one: Any, other: Any) -> bool:
    return canonical(one) == canonical(other)


def drawn(key: bytes, number: int, request: dict[str, Any]) -> list[Any]:
    stream = words(key, number)
    if request["kind"] == "roll":
        return [1 + below(stream, request["sides"]) for _ in range(request["dice"])]
    items = list(request["items"])
    for last in range(len(items) - 1, 0, -1):
        other = below(stream, last + 1)
        items[last], items[other] = items[other], items[last]
    return items


def faults(record: Any) -> list[str]:
    """Everything in the record of a match that does not bear checking. Of what is no record it is said what is wrong first."""
    try:
        record = plain(record)
    except ValueError as why:
        return [f"this is no record: {why}"]
    wrong = next(misfits(record, RECORD, "the record"), None) or next(misfits_of_kinds(record), None)
    return [f"this is no record: {wrong}"] if wrong else faults_of_a_record(record)


def faults_of_a_record(record: dict[str, Any]) -> list[str]:
    proof, events = record["proof"], record["events"]
    if (
        [item["version"] for item in events] != list(range(1, len(events) + 1))
        or not events
        or events[-1]["event"]["type"] != "match.ended"
    ):
        return ["the record is not whole"]
    opened = events[0]["event"]
    if proof["scheme"] != SCHEME or opened["scheme"] != SCHEME:
        return ["the scheme is another one"]
    match, seed = record["match_id"], bytes.fromhex(proof["seed"])
    key = mac(seed, "key", match, proof["entropy"])
    found = []
    if not opened["commitment"] == proof["commitment"] == sha("commit", match, proof["seed"]):
        found.append("the seed is not the one committed to")
    for_a_test = any(item["event"]["type"] == "match.draws_fixed" for item in events)
    if for_a_test:
        found.append("the draws were set beforehand, for a test")
    started = [item["event"] for item in events if item["event"]["type"] == "match.started"]
    if proof["entropy"] != [seat["entropy"] for event in started for seat in event["seats"]]:
        found.append("the entropy is not the one published at the start")
    if [(draw["version"], draw["number"]) for draw in proof["draws"]] != [
        (item["version"], item["draw"]) for item in events if item["draw"]
    ]:
        found.append("the draws are not those of the events")
    if [draw["number"] for draw in proof["draws"]] != list(range(1, len(proof["draws"]) + 1)):
        found.append("the draws are not numbered from 1")
    if not for_a_test:
        told = [item["event"] for item in events]
        for draw in proof["draws"]:
            found += faults_of_a_draw(draw, key, told, len(proof["entropy"]))
        undrawn = [item["version"] for item in events if asked(told[: item["version"]], 0) and not item["draw"]]
        found += [f"event {version} tells of a draw that there was not" for version in undrawn]
    if [seal["version"] for seal in proof["seals"]] != [item["version"] for item in events if item["seal"]]:
        found.append("the seals are not those of the events")
    for seal in proof["seals"]:
        found += faults_of_a_seal(seal, key, match, events)
    return found


def faults_of_a_draw(draw: dict[str, Any], key: bytes, events: list[dict[str, Any]], seats: int) -> list[str]:
    number, version, request, outcome = draw["number"], draw["version"], draw["request"], draw["outcome"]
    if not same(drawn(key, number, request), outcome):
        return [f"draw {number} came out otherwise"]
    right = asked(events[:version], seats)
    if not right or version > len(events):
        return []
    if not any(same(request, one) for one in right):
        return [f"draw {number} is not of what the rules ask for"]
    here = events[version - 1 :]
    due = shown(here[0]["type"], request.get("items", []), outcome, seats)
    told = [{field: event.get(field) for field in one} for event, one in zip(here, due, strict=False)]
    return [] if same(told, due) else [f"event {version} shows another thing than draw {number}"]


def asked(events: list[dict[str, Any]], seats: int) -> list[dict[str, Any]]:
    """The draws of which the last of these events may tell by the rules of its game; none where it does not tell of any."""
    nothing: dict[str, Any] = {}
    *_, before, event = nothing, nothing, *events
    match event.get("type"):
        case "little-train.dice_rolled":
            return [{"kind": "roll", "dice": before.get("dice"), "sides": len(FACES)}]
        case "black-sheep.leader_chosen" if same(event.get("game_number"), 1):
            return [{"kind": "roll", "dice": 1, "sides": seats}]
        case ("pico.hand_dealt" | "black-sheep.hand_dealt") as dealt if same(event.get("seat"), 0):
            return [{"kind": "shuffle", "items": deck} for deck in DECKS[dealt]]
    return []


def shown(first: str, deck: list[Any], outcome: list[Any], seats: int) -> list[dict[str, Any]]:
    """What the event that tells of a draw, and those after it, must show of what came out."""
    if first == "little-train.dice_rolled":
        return [{"faces": [FACES[number - 1] for number in outcome]}]
    if first == "black-sheep.leader_chosen":
        return [{"leader": outcome[0] - 1}]
    hand = HANDS[first]
    piles = [sorted(outcome[at : at + hand], key=deck.index) for at in range(0, hand * seats, hand)]
    rest = sorted(outcome[hand * seats :], key=deck.index)
    aside = (
        {"type": "black-sheep.cards_set_aside", "cards": rest} if len(rest) != 1 else {"type": "pico.face_up_card_placed", "card": rest[0]}
    )
    return [*({"type": first, "seat": seat, "cards": cards} for seat, cards in enumerate(piles)), *([aside] if rest else [])]


def faults_of_a_seal(seal: dict[str, Any], key: bytes, match: str, events: list[dict[str, Any]]) -> list[str]:
    version, command = seal["version"], read(seal["command"])
    item = events[version - 1] if 0 < version <= len(events) else None
    right = sha("seal", match, version, seal["seat"], command, mac(key, "salt", version).hex())
    if item is None or not right == seal["seal"] == item["seal"] or seal["seat"] != item["seat"]:
        return [f"the choice of event {version} was changed after it was made"]
    if any(not same(item["event"].get(field), value) for field, value in command.items() if field != "type"):
        return [f"event {version} is not of the choice that was sealed"]
    return []


def broken_promises(record: Any, seen: Any) -> list[str]:
    """Everything in these events, as they were told during the match, that the record tells otherwise now."""
    try:
        record, seen = plain(record), plain(seen)
    except ValueError as why:
        return [f"this cannot be compared: {why}"]
    wrong = next(misfits(record, EVENTS, "the record"), None) or next(misfits(seen, [ITEM], "seen"), None)
    if wrong:
        return [f"this cannot be compared: {wrong}"]
    events = {item["version"]: even(item) for item in record["events"]}
    other = [item["version"] for item in map(even, seen) if not kept(item, events.get(item["version"]))]
    return [f"event {version} was another one when you saw it" for version in other]


def even(value: Any) -> Any:
    """The same JSON with each moment, in UTC, written one way: a client that reads it, and writes it again, has another."""
    if isinstance(value, dict):
        return {key: even(each) for key, each in value.items()}
    if isinstance(value, list):
        return [even(each) for each in value]
    moment = MOMENT.fullmatch(value) if isinstance(value, str) else None
    return f"{moment[1]}.{moment[2] or ''}Z" if moment else value


def kept(item: dict[str, Any], now: dict[str, Any] | None) -> bool:
    if now is None or not same({**item, "event": None}, {**now, "event": None}):
        return False
    told = {field: value for field, value in item["event"].items() if value is not None}
    return all(field in now["event"] and same(now["event"][field], value) for field, value in told.items())


def given(content: bytes, fields: set[str], what: str) -> dict[str, Any]:
    """The JSON of this text, which holds these fields. Raises ValueError, in words for whoever handed us something else."""
    try:
        value = read(content.decode("utf-8", "replace"))
    except ValueError as why:
        raise ValueError(f"This is not {what}: {why}.") from None
    if isinstance(value, list):
        value = {"items": value}
    if not isinstance(value, dict) or not fields <= value.keys():
        problem = value.get("detail") if isinstance(value, dict) else None
        raise ValueError(f"This is not {what}." + (f" The server said: {problem}" if isinstance(problem, str) else ""))
    return value


def main() -> int:
    try:
        record = given(sys.stdin.buffer.read(), {"match_id", "events", "proof"}, "the record of a match")
        seen = [given(pathlib.Path(name).read_bytes(), {"items"}, f"a list of events ({name})")["items"] for name in sys.argv[1:]]
    except (OSError, ValueError) as why:
        print(f"Nothing was checked. {why}", file=sys.stderr)
        return 2
    wrong = faults(record)
    for items in seen:
        wrong += broken_promises(record, items)
    print("\n".join(wrong) or "Everything bears checking: the seed, every draw, every secret choice.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
