"""The verifiable draw, scheme `ludi-fair-v1`: pure functions that anyone can run again once the seed is open.

The seed of a match is committed to before anyone sits, mixed with the players' own entropy at the start, and answers every
roll and shuffle of the match by the draw's running number. Every secret choice is sealed when it is made. "Fair dice" in
ARCHITECTURE.md says what this proves and what not; `verify/` holds verifiers of whole matches that use none of this.
"""

import hashlib
import hmac
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from domain.match.game import Outcome, Request, Roll

SCHEME = "ludi-fair-v1"
_WORDS = 1 << 32


def commitment(match_id: str, seed: bytes) -> str:
    """What the first event of the match publishes: it binds the server to `seed` without telling anything of it."""
    return hashlib.sha256(_canonical([SCHEME, "commit", match_id, seed.hex()])).hexdigest()


def match_key(match_id: str, seed: bytes, entropy: Sequence[str]) -> bytes:
    """The key of all draws of a match, from the seed and the seats' entropy (hex, seat order, "" where none was sent)."""
    return hmac.digest(seed, _canonical([SCHEME, "key", match_id, list(entropy)]), "sha256")


def key_of_a_test(seed: bytes) -> bytes:
    """The key of all draws of a match made for a test, from the seed that the test gave and nothing else. No fair match has it."""
    return hmac.digest(seed, _canonical([SCHEME, "test"]), "sha256")


def seal(match_id: str, key: bytes, version: int, seat: int, command: Any) -> str:
    """What is published at once of a secret choice: it binds to `command` (its JSON) without telling anything of it."""
    salt = hmac.digest(key, _canonical([SCHEME, "salt", version]), "sha256").hex()
    return hashlib.sha256(_canonical([SCHEME, "seal", match_id, version, seat, command, salt])).hexdigest()


def fate(key: bytes) -> Callable[[int, Request], Outcome]:
    """The outcomes of a match whose key is `key`: a function of the draw's number and of what is asked for."""
    return lambda number, request: draw(key, number, request)


def draw(key: bytes, number: int, request: Request) -> Outcome:
    """The outcome of draw `number`: dice faces from 1, or the items shuffled (Fisher-Yates from the end)."""
    words = _words(key, number)
    match request:
        case Roll(dice, sides):
            return tuple(1 + _below(words, sides) for _ in range(dice))
        case _:
            items = list(request.items)
            for last in range(len(items) - 1, 0, -1):
                other = _below(words, last + 1)
                items[last], items[other] = items[other], items[last]
            return tuple(items)


def _words(key: bytes, number: int) -> Iterator[int]:
    """An endless stream of 32-bit words for one draw; block i is HMAC(key, [scheme, "draw", number, i])."""
    block = 0
    while True:
        digest = hmac.digest(key, _canonical([SCHEME, "draw", number, block]), "sha256")
        for at in range(0, len(digest), 4):
            yield int.from_bytes(digest[at : at + 4], "big")
        block += 1


def _below(words: Iterator[int], limit: int) -> int:
    """A uniform number in 0..limit-1; words that would favour the small ones are thrown away."""
    fair = _WORDS - _WORDS % limit
    return next(word for word in words if word < fair) % limit


_written = json.JSONEncoder(separators=(",", ":"), sort_keys=True, ensure_ascii=True).encode
_quickly = msgspec.json.Encoder(order="deterministic").encode


def _canonical(value: Any) -> bytes:
    """The JSON text with sorted keys, without spaces, and in ASCII: where there is nothing to escape, any writer's is the same."""
    text = _quickly(value)
    return text if text.isascii() and b"\\" not in text and b"\x7f" not in text else _written(value).encode()
