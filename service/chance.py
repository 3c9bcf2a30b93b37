"""Where everything unpredictable comes from: seeds, tokens, ids and jitter. No other module draws randomness.

A token is a prefix, `lud_` for players and `ludop_` for who runs the service, 43 characters that carry 256 random bits, and 6 that
check those, all in base 62. The check tells a token that was mistyped or cut off without a question to the database, and lets scanners for
leaked secrets recognise one.
"""

import binascii
import random
import re
import secrets
from uuid import UUID

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ID_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Lower case without the letters that look like digits, so that an id can be read aloud."""

ID_PATTERN = rf"[a-z]+_[{ID_ALPHABET}]{{26}}"
PREFIX, OPERATOR_PREFIX = "lud_", "ludop_"

_SECRET_LENGTH, _CHECK_LENGTH, _INVITE_LENGTH = 43, 6, 16
_PAIRS = [first + second for first in ID_ALPHABET for second in ID_ALPHABET]
_system = random.SystemRandom()


def new_seed() -> bytes:
    """The secret 256 bits that all draws of one match come from."""
    return secrets.token_bytes(32)


def new_token(prefix: str = PREFIX) -> str:
    """A secret that lets its bearer act as a player, or with another prefix as somebody else."""
    secret = _written(secrets.randbits(256), ALPHABET, _SECRET_LENGTH)
    return prefix + secret + _check(secret)


def is_token(text: str, prefix: str = PREFIX) -> bool:
    """Whether this has the form of a token and its check is right. It says nothing of whether anybody holds it."""
    secret = text[len(prefix) : -_CHECK_LENGTH]
    return re.fullmatch(rf"{prefix}[0-9A-Za-z]{{49}}", text) is not None and text[-_CHECK_LENGTH:] == _check(secret)


def new_id(prefix: str) -> str:
    """A new opaque id, such as `ply_` and 26 characters that carry 128 random bits. Knowing one gives no right to anything."""
    number = int.from_bytes(secrets.token_bytes(16), "big") << 2
    return f"{prefix}_{''.join([_PAIRS[number >> bits & 1023] for bits in range(120, -1, -10)])}"


def is_id(prefix: str, text: str) -> bool:
    """Whether this has the form of an id with this prefix; what has not needs no look into the database."""
    return text.startswith(f"{prefix}_") and re.fullmatch(ID_PATTERN, text) is not None


def new_invite() -> str:
    """A code that admits to a private match: 16 characters that carry 80 random bits."""
    return _written(secrets.randbits(80), ID_ALPHABET, _INVITE_LENGTH)


def new_uuid() -> UUID:
    """A random id for something that no client names, such as a command without a key."""
    return UUID(bytes=secrets.token_bytes(16), version=4)


def jitter(seconds: float) -> float:
    """Anything from half of `seconds` to the whole, so that those who wait together do not come back together."""
    return seconds * (0.5 + _system.random() / 2)


def luck(seed: bytes) -> random.Random:
    """A bot's own luck, repeatable from `seed`. It never touches the draws of a match."""
    return random.Random(seed)  # noqa: S311 - a bot's guess needs no secrecy, and its tests need repetition


def _check(secret: str) -> str:
    return _written(binascii.crc32(secret.encode()), ALPHABET, _CHECK_LENGTH)


def _written(number: int, alphabet: str, length: int) -> str:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, len(alphabet))
        digits.append(alphabet[digit])
    assert number == 0, "the number does not fit"
    return "".join(reversed(digits))
