"""Players whom somebody else vouches for: JSON Web Tokens of one outside issuer, such as the front end's own identity provider.

Only signatures of key pairs count: a token names its key, the key comes from the issuer's own address, and the key says by which algorithm
it signs. The issuer's keys are cached, within bounds in number, size and age, and how often they are asked for is bounded too,
whoever sends how many tokens with keys that nobody knows.
"""

import asyncio
import hashlib
import json
import math
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import httpx
import jwt
import msgspec
import structlog
from jwt.types import Options

ALGORITHMS = frozenset({"RS256", "ES256", "EdDSA"})
"""Each is bound to a kind of key pair. `none` and the ones of shared secrets are not among them, and never will be."""

TOKEN_MAX = 8_192
"""Characters of a token; a header line holds no more."""
KEYS_MAX = 32
KEYS_MAX_BYTES = 65_536
RSA_MIN_BITS = 2_048

FRESH_SECONDS = 600.0
"""After so long the keys are fetched again..."""
OLD_SECONDS = 86_400.0
"""...and keys that could not be fetched anew for so long are trusted no more."""
AGAIN_SECONDS = 30.0
"""The issuer is asked no more often than that, whether it answers or not."""
PATIENCE_SECONDS = 5.0
LEEWAY_SECONDS = 30
"""How far the clocks of the issuer and of this process may differ."""

_OPTIONS: Options = {"require": ["iss", "sub", "aud", "exp", "iat"]}
_LAST_SECOND = 253_402_300_799
"""Of the year 9999, after which there are no moments here. A token may be good for longer."""
_NAMES = ("name", "preferred_username", "nickname")

log = structlog.get_logger()

Fetch = Callable[[str], Awaitable[bytes]]
"""Gets what lies at an address: (the address) -> up to `KEYS_MAX_BYTES`. Raises `httpx.HTTPError` and `ValueError`."""


class NotVouchedFor(Exception):
    """The issuer does not vouch for this token; the message says why, and nothing of the token."""


class NoKeys(Exception):
    """The issuer's keys cannot be had just now, and none are known that are young enough."""


class Trust(msgspec.Struct, frozen=True):
    """Whose tokens are good here: who must have issued them, for whom, and where the issuer's keys lie (a JWKS)."""

    issuer: str
    audience: str
    keys_url: str


class Vouched(msgspec.Struct, frozen=True):
    """Somebody whom the issuer vouches for. `identity` is a hash of issuer and subject, `names` what they may be called; the token is good
    until `ends_at`, by our clock.
    """

    identity: bytes
    names: tuple[str, ...]
    issued_at: datetime
    ends_at: datetime


class Issuer:
    """Reads the tokens of one issuer."""

    def __init__(self, trust: Trust, fetch: Fetch | None = None, now: Callable[[], float] = time.monotonic) -> None:
        self._trust, self._fetch, self._now = trust, fetch or fetched, now
        self._keys: Mapping[str, jwt.PyJWK] = {}
        self._fetched_at = self._asked_at = -math.inf
        self._asking = asyncio.Lock()

    async def vouched(self, token: str) -> Vouched:
        """Whom this token speaks for. Raises `NotVouchedFor`, and `NoKeys` when that cannot be told now."""
        try:
            if len(token) > TOKEN_MAX:
                raise NotVouchedFor("It is too long.")
            header = jwt.get_unverified_header(token)
            if str(header.get("alg")) not in ALGORITHMS:
                raise NotVouchedFor("Its algorithm is none that is accepted.")
            key = await self._key(str(header.get("kid", "")))
            trust, algorithms = self._trust, [str(key.algorithm_name)]
            claims = jwt.decode(token, key, algorithms, _OPTIONS, audience=trust.audience, issuer=trust.issuer, leeway=LEEWAY_SECONDS)
            return _vouched(trust.issuer, claims)
        except (jwt.PyJWTError, ValueError, OverflowError, OSError, RecursionError) as error:
            raise NotVouchedFor(f"{type(error).__name__}.") from None

    async def _key(self, name: str) -> jwt.PyJWK:
        """The issuer's key of this name. One that is not known, or not fresh, is asked for; who has one that was good goes on meanwhile."""
        known, fresh = name in self._keys, self._now() - self._fetched_at <= FRESH_SECONDS
        if not known or (not fresh and not self._asking.locked()):
            await self._renew()
        if self._now() - self._fetched_at > OLD_SECONDS:
            raise NoKeys
        try:
            return self._keys[name]
        except KeyError:
            raise NotVouchedFor("Its key is none of the issuer's.") from None

    async def _renew(self) -> None:
        async with self._asking:
            if self._now() - self._asked_at < AGAIN_SECONDS:
                return
            self._asked_at = self._now()
            try:
                async with asyncio.timeout(PATIENCE_SECONDS):
                    self._keys = _read(await self._fetch(self._trust.keys_url))
            except (httpx.HTTPError, ValueError, TimeoutError) as error:
                log.warning("issuer_keys_not_read", reason=repr(error))
                return
            self._fetched_at = self._now()


def _vouched(issuer: str, claims: Mapping[str, Any]) -> Vouched:
    subject = claims["sub"]
    if not 1 <= len(subject) <= 255:
        raise NotVouchedFor("Its subject is empty or too long.")
    identity = hashlib.sha256(json.dumps([issuer, subject]).encode()).digest()
    names = tuple(claims[name] for name in _NAMES if isinstance(claims.get(name), str))
    ends_at = min(int(claims["exp"]) + LEEWAY_SECONDS, _LAST_SECOND)
    return Vouched(identity, names, datetime.fromtimestamp(int(claims["iat"]), UTC), datetime.fromtimestamp(ends_at, UTC))


def _read(text: bytes) -> Mapping[str, jwt.PyJWK]:
    """The keys of a JWKS that can be used here, by their names. Raises `ValueError` unless it is a JWKS."""
    document = json.loads(text)
    listed = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(listed, list) or len(listed) > KEYS_MAX:
        raise ValueError("it is no list of keys, or of too many")
    found = {str(each["kid"]): key for each in listed if isinstance(each, dict) and each.get("kid") and (key := _usable(each)) is not None}
    if not found:
        raise ValueError("it has no key that can be used")
    return found


def _usable(described: dict[str, Any]) -> jwt.PyJWK | None:
    """The key, if it verifies signatures by one of our algorithms; None for any other, which is no fault of the issuer's."""
    if described.get("use", "sig") != "sig" or "verify" not in described.get("key_ops", ["verify"]):
        return None
    try:
        key = jwt.PyJWK(described)
    except (jwt.PyJWTError, ValueError, TypeError, KeyError):
        return None
    strong = key.key_type != "RSA" or key.key.key_size >= RSA_MIN_BITS
    return key if key.algorithm_name in ALGORITHMS and strong else None


async def fetched(url: str) -> bytes:
    """What lies at this address; no redirects are followed. Raises `httpx.HTTPError`, and `ValueError` for too much."""
    async with httpx.AsyncClient(timeout=PATIENCE_SECONDS) as client, client.stream("GET", url) as answer:
        answer.raise_for_status()
        text = b""
        async for part in answer.aiter_bytes():
            text += part
            if len(text) > KEYS_MAX_BYTES:
                raise ValueError("it is too large")
        return text
