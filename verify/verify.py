"""Checks the dice and the secret choices of a match, scheme ludi-fair-v1. Needs Python 3.9 or newer and nothing else.

Usage: curl -s https://.../v1/matches/<match_id>/record | python verify.py
"""

import hashlib
import hmac
import json
import sys

SCHEME = "ludi-fair-v1"


def canonical(value):
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=True).encode()


def sha(*value):
    return hashlib.sha256(canonical([SCHEME, *value])).hexdigest()


def mac(key, *value):
    return hmac.new(key, canonical([SCHEME, *value]), hashlib.sha256).digest()


def words(key, number):
    block = 0
    while True:
        digest = mac(key, "draw", number, block)
        yield from (int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4))
        block += 1


def below(stream, limit):
    fair = 2**32 - 2**32 % limit
    return next(word for word in stream if word < fair) % limit


def drawn(key, number, request):
    stream = words(key, number)
    if request["kind"] == "roll":
        return [1 + below(stream, request["sides"]) for _ in range(request["dice"])]
    items = list(request["items"])
    for last in range(len(items) - 1, 0, -1):
        other = below(stream, last + 1)
        items[last], items[other] = items[other], items[last]
    return items


def faults(record):
    """Everything in the record of a match that does not bear checking."""
    proof, events = record["proof"], {item["version"]: item for item in record["events"]}
    opened = events[1]["event"]
    if proof["scheme"] != SCHEME or opened["scheme"] != SCHEME:
        return ["the scheme is another one"]
    match, seed = record["match_id"], bytes.fromhex(proof["seed"])
    key = mac(seed, "key", match, proof["entropy"])
    found = []
    if not opened["commitment"] == proof["commitment"] == sha("commit", match, proof["seed"]):
        found.append("the seed is not the one committed to")
    started = [item["event"] for item in record["events"] if item["event"]["type"] == "match.started"]
    if proof["entropy"] != [seat["entropy"] for event in started for seat in event["seats"]]:
        found.append("the entropy is not the one published at the start")
    if [(draw["version"], draw["number"]) for draw in proof["draws"]] != [(n, item["draw"]) for n, item in events.items() if item["draw"]]:
        found.append("the draws are not those of the events")
    if [draw["number"] for draw in proof["draws"]] != list(range(1, len(proof["draws"]) + 1)):
        found.append("the draws are not numbered from 1")
    other = [draw["number"] for draw in proof["draws"] if drawn(key, draw["number"], draw["request"]) != draw["outcome"]]
    found += [f"draw {number} came out otherwise" for number in other]
    if {seal["version"] for seal in proof["seals"]} != {item["version"] for item in record["events"] if item["seal"]}:
        found.append("the seals are not those of the events")
    for seal in proof["seals"]:
        salt = mac(key, "salt", seal["version"]).hex()
        right = sha("seal", match, seal["version"], seal["seat"], json.loads(seal["command"]), salt)
        if not right == seal["seal"] == events[seal["version"]]["seal"] or seal["seat"] != events[seal["version"]]["seat"]:
            found.append(f"the choice of event {seal['version']} was changed after it was made")
    return found


if __name__ == "__main__":
    wrong = faults(json.load(sys.stdin))
    print("\n".join(wrong) or "Everything bears checking: the seed, every draw, every secret choice.")
    sys.exit(bool(wrong))
