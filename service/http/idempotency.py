"""Repeated requests: the `Idempotency-Key` of a call, and what makes two calls the same one.

A call is known again by its caller, its operation and its key. The fingerprint says whether it also asks for the same thing;
if not, the key was reused by mistake, and the call is refused.
"""

from hashlib import blake2b
from typing import Annotated, Any, TypeAlias
from uuid import UUID

import msgspec
from litestar.params import HeaderParameter

from service import chance
from service.store import derived_id

KEY_MAX = 255
KEY_PATTERN = r"^[\x21-\x7e]+$"

IdempotencyKey: TypeAlias = Annotated[
    str | None,
    HeaderParameter(
        name="Idempotency-Key",
        description="Anything unique to this request, such as a new UUID. Sent again with the same key, the request is carried out once "
        "and answered again. Strongly advised: without it, a repeated request is a second one.",
        min_length=1,
        max_length=KEY_MAX,
        pattern=KEY_PATTERN,
    ),
]

COMMANDS = UUID("6a7c1d7e-6c2f-5a7b-9a4e-0f3f8f4f5c11")
"""The namespace of command ids."""


def command_id(caller: str, operation: str, key: str | None) -> UUID:
    """The id of a call: the same for the same caller, operation and key, and a new one without a key."""
    if key is None:
        return chance.new_uuid()
    return derived_id(COMMANDS, _encode([caller, operation, key]))


def fingerprint(*asked: Any) -> bytes:
    """A hash of everything that a call asks for: its decoded body, its path parameters, its actor."""
    return blake2b(_encode_in_order(asked), digest_size=16).digest()


_encode = msgspec.json.Encoder().encode
_encode_in_order = msgspec.json.Encoder(order="deterministic").encode
