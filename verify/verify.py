"""Checks the dice and the secret choices of a match, scheme ludi-fair-v1. Needs Python 3.10 or newer and nothing else.

Usage: curl -s https://.../v1/matches/<match_id>/record | python verify.py [events.json ...]

The files are answers of list_events, or lists of their items, that you kept while the match went on; the record is then held
against them as well. What the rules make of a roll, a shuffle or a choice is not checked here: for that a program has to know the
game. The exit code is 0 when everything bears checking, 1 when something does not, and 2 when there is nothing to check.

In a client: faults(record) + broken_promises(record, seen), both lists of sentences, where `record` is what get_record answers and `seen`
are all the items that you were told.
"""

import hashlib
import hmac
import json
import pathlib
import sys
from collections.abc import Iterator
from typing import Any

SCHEME = "ludi-fair-v1"


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


def drawn(key: bytes, number: int, request: dict[str, Any]) -> list[Any]:
    stream = words(key, number)
    if request["kind"] == "roll":
        return [1 + below(stream, request["sides"]) for _ in range(request["dice"])]
    items = list(request["items"])
    for last in range(len(items) - 1, 0, -1):
        other = below(stream, last + 1)
        items[last], items[other] = items[other], items[last]
    return items


def faults(record: dict[str, Any]) -> list[str]:
    """Everything in the record of a match that does not bear checking."""
    proof, events = record["proof"], {item["version"]: item for item in record["events"]}
    if list(events) != list(range(1, len(record["events"]) + 1)) or not events or events[len(events)]["event"]["type"] != "match.ended":
        return ["the record is not whole"]
    opened = events[1]["event"]
    if proof["scheme"] != SCHEME or opened["scheme"] != SCHEME:
        return ["the scheme is another one"]
    match, seed = record["match_id"], bytes.fromhex(proof["seed"])
    key = mac(seed, "key", match, proof["entropy"])
    found = []
    if not opened["commitment"] == proof["commitment"] == sha("commit", match, proof["seed"]):
        found.append("the seed is not the one committed to")
    for_a_test = any(item["event"]["type"] == "match.draws_fixed" for item in record["events"])
    if for_a_test:
        found.append("the draws were set beforehand, for a test")
    started = [item["event"] for item in record["events"] if item["event"]["type"] == "match.started"]
    if proof["entropy"] != [seat["entropy"] for event in started for seat in event["seats"]]:
        found.append("the entropy is not the one published at the start")
    if [(draw["version"], draw["number"]) for draw in proof["draws"]] != [(n, item["draw"]) for n, item in events.items() if item["draw"]]:
        found.append("the draws are not those of the events")
    if [draw["number"] for draw in proof["draws"]] != list(range(1, len(proof["draws"]) + 1)):
        found.append("the draws are not numbered from 1")
    other = [draw["number"] for draw in proof["draws"] if drawn(key, draw["number"], draw["request"]) != draw["outcome"]]
    found += [f"draw {number} came out otherwise" for number in other if not for_a_test]
    if {seal["version"] for seal in proof["seals"]} != {item["version"] for item in record["events"] if item["seal"]}:
        found.append("the seals are not those of the events")
    for seal in proof["seals"]:
        item, command = events.get(seal["version"]), json.loads(seal["command"])
        right = sha("seal", match, seal["version"], seal["seat"], command, mac(key, "salt", seal["version"]).hex())
        if item is None or not right == seal["seal"] == item["seal"] or seal["seat"] != item["seat"]:
            found.append(f"the choice of event {seal['version']} was changed after it was made")
        elif any(item["event"].get(field) != value for field, value in command.items() if field != "type"):
            found.append(f"event {seal['version']} is not of the choice that was sealed")
    return found


def broken_promises(record: dict[str, Any], seen: list[dict[str, Any]]) -> list[str]:
    """Everything in these events, as they were told during the match, that the record tells otherwise now."""
    events = {item["version"]: item for item in record["events"]}
    return [f"event {item['version']} was another one when you saw it" for item in seen if not kept(item, events.get(item["version"]))]


def kept(item: dict[str, Any], now: dict[str, Any] | None) -> bool:
    told = {field: value for field, value in item["event"].items() if value is not None}
    return now is not None and {**item, "event": None} == {**now, "event": None} and {**now["event"], **told} == now["event"]


def given(text: str, fields: set[str], what: str) -> dict[str, Any]:
    """The JSON of this text, which holds these fields. Raises ValueError, in words for whoever handed us something else."""
    try:
        value = json.loads(text)
    except ValueError:
        raise ValueError(f"This is not {what}: it is no JSON.") from None
    if isinstance(value, list):
        value = {"items": value}
    if not isinstance(value, dict) or not fields <= value.keys():
        problem = value.get("detail") if isinstance(value, dict) else None
        raise ValueError(f"This is not {what}." + (f" The server said: {problem}" if problem else ""))
    return value


def main() -> int:
    try:
        record = given(sys.stdin.read(), {"match_id", "events", "proof"}, "the record of a match")
        seen = [given(pathlib.Path(name).read_text("utf-8"), {"items"}, f"a list of events ({name})")["items"] for name in sys.argv[1:]]
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
