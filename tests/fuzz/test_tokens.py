"""Tokens from outside whose every part says something odd, rightly signed or not: nobody is let in by them, and nothing fails."""

import json
import time
from typing import Any

import jwt

from tests.service.documented import Documented
from tests.service.test_issuer import PRIVATE, TRUST, address, me, trusting

__all__ = ["address", "trusting"]


async def test_whatever_a_token_says_of_itself_the_service_does_not_fail(trusting: Documented) -> None:
    claims = {"iss": TRUST.issuer, "aud": TRUST.audience, "sub": "ada", "iat": int(time.time()), "exp": int(time.time()) + 300}
    odd: tuple[Any, ...] = (None, True, -1, 1.5, 10**30, "", "\0", [], ["RS256"], {}, {"RS256": 1}, "x" * 300)
    headers = [
        {"alg": "RS256", "kid": "RS256", name: value} for name in ("alg", "kid", "typ", "crit", "b64", "jwk", "jku") for value in odd
    ]
    for header, said in [(header, claims) for header in headers] + [({}, {**claims, name: value}) for name in claims for value in odd]:
        parts = ({"alg": "RS256", "kid": "RS256", **header}, said)
        written = b".".join(jwt.utils.base64url_encode(json.dumps(part).encode()) for part in parts)
        signature = jwt.get_algorithm_by_name("RS256").sign(written, PRIVATE["RS256"])
        answer = await me(trusting, f"{written.decode()}.{jwt.utils.base64url_encode(signature).decode()}")
        assert answer.status_code in (200, 401), f"{header} {said}: {answer.text}"
