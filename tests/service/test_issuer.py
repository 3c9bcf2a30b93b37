"""Tokens of an outside issuer: whom they speak for, which are none, and that nobody can make the service ask for keys too often."""

import asyncio
import hmac
import json
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import jwt
import pytest
import pytest_asyncio
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from litestar import Litestar

from service import settings
from service.accounts import issuer as issuers
from service.accounts.issuer import Issuer, Trust
from service.app import create_app
from service.cant_run import CantRun
from tests.service.conftest import bearing, inside, running
from tests.service.documented import Documented

TRUST = Trust("https://id.example.org/", "ludicitude", "https://id.example.org/keys")
ACCOUNTS = 5  # From one address in an hour.
PRIVATE: dict[str, Any] = {
    "RS256": rsa.generate_private_key(public_exponent=65537, key_size=2048),
    "ES256": ec.generate_private_key(ec.SECP256R1()),
    "EdDSA": ed25519.Ed25519PrivateKey.generate(),
}
STRANGER = rsa.generate_private_key(public_exponent=65537, key_size=2048)
WEAK = rsa.generate_private_key(public_exponent=65537, key_size=1024)
SECRET = "s" * 64


def public(algorithm: str, key: Any, **more: Any) -> dict[str, Any]:
    described: dict[str, Any] = json.loads(jwt.get_algorithm_by_name(algorithm).to_jwk(key.public_key()))
    described.pop("key_ops", None)
    return {**described, "kid": algorithm, **more}


def keys() -> list[dict[str, Any]]:
    """The issuer's keys: one of each kind that is accepted, and some that are of no use here."""
    oct_key = {"kty": "oct", "kid": "HS256", "k": "c3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3M", "alg": "HS256"}
    useless = [
        oct_key,
        {"kty": "new", "kid": "new"},
        {"kid": "bare"},
        public("RS256", WEAK, kid="weak"),
        public("RS256", STRANGER, kid="enc", use="enc"),
    ]
    return [*(public(algorithm, key) for algorithm, key in PRIVATE.items()), *useless]


class Address:
    """Stands for the issuer's address: what lies there now, and how often it was asked for."""

    def __init__(self) -> None:
        self.content: bytes | Exception = json.dumps({"keys": keys()}).encode()
        self.asked = 0

    async def __call__(self, url: str) -> bytes:
        assert url == TRUST.keys_url
        self.asked += 1
        if isinstance(self.content, Exception):
            raise self.content
        return self.content


def token(algorithm: str = "RS256", *, key: Any = None, kid: str | None = None, header: dict[str, Any] | None = None, **claims: Any) -> str:
    now = int(time.time())
    said = {"iss": TRUST.issuer, "aud": TRUST.audience, "sub": "ada", "iat": now, "exp": now + 300, "name": "Ada", **claims}
    named = {"kid": kid or algorithm, **(header or {})}
    return jwt.encode({name: value for name, value in said.items() if value is not None}, key or PRIVATE[algorithm], algorithm, named)


@pytest.fixture
def address() -> Address:
    return Address()


@pytest_asyncio.fixture
async def trusting(database_url: str, address: Address, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Documented]:
    """The way to an app that trusts the issuer."""
    monkeypatch.setattr(issuers, "fetched", address)
    issuer = {"LUDICITUDE_JWT_ISSUER": TRUST.issuer, "LUDICITUDE_JWT_AUDIENCE": TRUST.audience, "LUDICITUDE_JWT_KEYS": TRUST.keys_url}
    variables = {"DATABASE_URL": database_url, "LUDICITUDE_ADDRESS_ACCOUNTS": str(ACCOUNTS), **issuer}
    async with running(create_app(settings.read(variables))) as app:
        yield Documented(inside(app))


async def me(way: Documented, sent: str) -> httpx.Response:
    return await bearing(way, sent).get("/v1/players/me")


@pytest.mark.parametrize("algorithm", PRIVATE)
async def test_a_new_subject_is_made_a_player_and_stays_that_player(trusting: Documented, algorithm: str) -> None:
    first = (await me(trusting, token(algorithm))).json()
    assert first["display_name"] == "Ada"
    other_key = next(other for other in PRIVATE if other != algorithm)
    assert (await me(trusting, token(other_key, name="Another Name"))).json() == first
    bob = (await me(trusting, token(algorithm, sub="bob", name=None, preferred_username="Bobby"))).json()
    assert (bob["player_id"] != first["player_id"], bob["display_name"]) == (True, "Bobby")


async def test_players_from_outside_play_with_guests_and_may_have_tokens_of_ours(trusting: Documented) -> None:
    ada = bearing(trusting, token())
    opened = (await ada.post("/v1/matches", json={"options": {"game": "pico"}})).json()
    guest = bearing(trusting, (await ada.post("/v1/players", json={"display_name": "Guest"})).json()["token"])
    assert (await guest.post(f"/v1/matches/{opened['match_id']}/seats", json={})).json()["status"] == "playing"
    ours = bearing(trusting, (await ada.post("/v1/players/me/tokens")).json()["token"])
    assert (await ours.get("/v1/players/me")).json() == (await ada.get("/v1/players/me")).json()


async def test_newcomers_who_come_many_times_at_once_are_one_player(trusting: Documented) -> None:
    answers = await asyncio.gather(*(me(trusting, token()) for _ in range(8)))
    assert len({answer.json()["player_id"] for answer in answers}) == 1


async def test_newcomers_count_among_the_new_accounts_of_their_address(trusting: Documented) -> None:
    assert {answer.status_code for answer in await asyncio.gather(*(me(trusting, token()) for _ in range(8)))} == {200}
    assert {(await me(trusting, token(sub=f"newcomer {number}"))).status_code for number in range(ACCOUNTS - 1)} == {200}
    refused = await me(trusting, token(sub="bob"))
    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    assert (await bearing(trusting, token()).post("/v1/players", json={"display_name": "Guest"})).status_code == 429
    assert (await me(trusting, token())).status_code == 200


@pytest.mark.parametrize(
    ("names", "called"), [({"name": "‮"}, "Player"), ({"name": "x" * 90}, "x" * 40), ({"name": 7, "nickname": "Lu"}, "Lu")]
)
async def test_a_newcomer_is_called_by_a_name_that_will_do(trusting: Documented, names: dict[str, Any], called: str) -> None:
    assert (await me(trusting, token(**names))).json()["display_name"] == called


async def test_an_erased_player_does_not_come_back_by_a_token_from_before(trusting: Documented) -> None:
    old = token(iat=int(time.time()) - 60)
    before = (await me(trusting, old)).json()
    assert (await bearing(trusting, old).delete("/v1/players/me")).status_code == 204
    assert (await me(trusting, old)).status_code == 401
    after = (await me(trusting, token(iat=int(time.time()) + 20))).json()
    assert after["player_id"] != before["player_id"]


def unsigned() -> str:
    header = jwt.utils.base64url_encode(b'{"alg": "none", "typ": "JWT", "kid": "RS256"}').decode()
    return f"{header}.{token().split('.')[1]}."


def signed_with_the_public_key() -> str:
    """What a library takes that lets the token say by which algorithm it is to be checked."""
    pem = PRIVATE["RS256"].public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    header = jwt.utils.base64url_encode(b'{"alg": "HS256", "typ": "JWT", "kid": "RS256"}').decode()
    signed = f"{header}.{token().split('.')[1]}"
    return f"{signed}.{jwt.utils.base64url_encode(hmac.digest(pem, signed.encode(), 'sha256')).decode()}"


WRONG: dict[str, Callable[[], str]] = {
    "of another issuer": lambda: token(iss="https://evil.example.org/"),
    "for another audience": lambda: token(aud="another"),
    "for nobody": lambda: token(aud=None),
    "for ever": lambda: token(exp=None),
    "expired": lambda: token(exp=int(time.time()) - 60),
    "not yet good": lambda: token(nbf=int(time.time()) + 120),
    "issued in the future": lambda: token(iat=int(time.time()) + 120),
    "issued at no time": lambda: token(iat=None),
    "issued before all times": lambda: token(iat=-(10**15)),
    "without a subject": lambda: token(sub=None),
    "with an empty subject": lambda: token(sub=""),
    "with an endless subject": lambda: token(sub="s" * 256),
    "signed by a stranger": lambda: token(key=STRANGER),
    "with an unknown key": lambda: token(kid="another"),
    "without a key's name": lambda: jwt.encode(jwt.decode(token(), options={"verify_signature": False}), PRIVATE["RS256"], "RS256"),
    "signed by another kind of key": lambda: token("ES256", kid="RS256"),
    "signed with a shared secret": lambda: token("HS256", key=SECRET, kid="HS256"),
    "signed with the public key as a secret": signed_with_the_public_key,
    "not signed": lambda: unsigned(),
    "by an algorithm we do not take": lambda: token("RS512", key=PRIVATE["RS256"], kid="RS256"),
    "by a key that is too weak": lambda: token(key=WEAK, kid="weak"),
    "by a key for ciphers": lambda: token(key=STRANGER, kid="enc"),
    "with a critical header": lambda: token(header={"crit": ["x"], "x": 1}),
    "with a broken signature": lambda: token()[:-8] + "AAAAAAAA",
    "with another payload": lambda: ".".join([token().split(".")[0], token(sub="eve").split(".")[1], token().split(".")[2]]),
    "no token at all": lambda: "a.b.c",
    "nested too deep": lambda: jwt.utils.base64url_encode(b"[" * 5000).decode() + ".e30.e30",
    "too long": lambda: token(name="x" * 9000),
    "cut off": lambda: token().rsplit(".", 1)[0] + ".",
}


@pytest.mark.filterwarnings("ignore::jwt.InsecureKeyLengthWarning")
async def test_what_the_issuer_does_not_vouch_for_is_nobody_s(trusting: Documented) -> None:
    assert (await me(trusting, token())).status_code == 200
    for what, make in WRONG.items():
        answer = await me(trusting, make())
        assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated"), what
        assert answer.headers["www-authenticate"]


async def test_a_server_that_trusts_nobody_takes_no_such_token(client: httpx.AsyncClient, transport: Documented) -> None:
    assert (await me(transport, token())).status_code == 401


async def test_keys_are_asked_for_seldom_whoever_sends_what(address: Address) -> None:
    now = [1_000_000.0]
    issuer = Issuer(TRUST, address, lambda: now[0])
    for number in range(50):
        with pytest.raises(issuers.NotVouchedFor):
            await issuer.vouched(token(kid=f"made up {number}"))
    assert address.asked == 1
    await issuer.vouched(token())
    now[0] += issuers.AGAIN_SECONDS + 1
    with pytest.raises(issuers.NotVouchedFor):
        await issuer.vouched(token(kid="made up"))
    assert address.asked == 2
    now[0] += issuers.FRESH_SECONDS + 1
    await issuer.vouched(token())
    assert address.asked == 3


async def test_a_key_that_the_issuer_takes_back_is_good_no_more(address: Address) -> None:
    now = [1_000_000.0]
    issuer = Issuer(TRUST, address, lambda: now[0])
    await issuer.vouched(token())
    address.content = json.dumps({"keys": [public("ES256", PRIVATE["ES256"])]}).encode()
    now[0] += issuers.FRESH_SECONDS + 1
    await issuer.vouched(token("ES256"))
    with pytest.raises(issuers.NotVouchedFor):
        await issuer.vouched(token())


@pytest.mark.parametrize(
    "content",
    [
        httpx.ConnectError("away"),
        TimeoutError(),
        b"<html>",
        b"[]",
        b'{"keys": {}}',
        b'{"keys": []}',
        b'{"keys": [1, {"kid": 3}]}',
        json.dumps({"keys": [{"kid": str(number)} for number in range(issuers.KEYS_MAX + 1)]}).encode(),
    ],
)
async def test_known_keys_serve_on_for_a_day_when_new_ones_cannot_be_read(address: Address, content: bytes | Exception) -> None:
    now = [1_000_000.0]
    issuer = Issuer(TRUST, address, lambda: now[0])
    good, address.content = address.content, content
    with pytest.raises(issuers.NoKeys):
        await issuer.vouched(token())
    address.content = good
    now[0] += issuers.AGAIN_SECONDS + 1
    await issuer.vouched(token())
    address.content = content
    now[0] += issuers.OLD_SECONDS - 1
    await issuer.vouched(token())
    now[0] += 2
    with pytest.raises(issuers.NoKeys):
        await issuer.vouched(token())


async def test_an_issuer_that_is_away_is_said_and_does_not_hang(trusting: Documented, address: Address) -> None:
    address.content = httpx.ConnectError("away")
    answer = await me(trusting, token())
    assert (answer.status_code, answer.json()["code"], answer.headers["retry-after"]) == (503, "unavailable", "2")


async def test_keys_are_fetched_without_redirects_and_not_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def at(request: httpx.Request) -> httpx.Response:
        match request.url.path:
            case "/keys":
                return httpx.Response(200, content=b"{}")
            case "/elsewhere":
                return httpx.Response(302, headers={"Location": "/keys"})
            case _:
                return httpx.Response(200, content=b" " * (issuers.KEYS_MAX_BYTES + 1))

    client = httpx.AsyncClient
    monkeypatch.setattr(httpx, "AsyncClient", lambda **given: client(transport=httpx.MockTransport(at), **given))
    assert await issuers.fetched("https://id.example.org/keys") == b"{}"
    with pytest.raises(httpx.HTTPStatusError):
        await issuers.fetched("https://id.example.org/elsewhere")
    with pytest.raises(ValueError, match="too large"):
        await issuers.fetched("https://id.example.org/large")


def test_the_settings_go_together_and_keys_come_over_tls() -> None:
    whole = {"LUDICITUDE_JWT_ISSUER": "i", "LUDICITUDE_JWT_AUDIENCE": "a", "LUDICITUDE_JWT_KEYS": "http://localhost:8080/keys"}
    assert settings.read(whole).jwt_keys == "http://localhost:8080/keys"
    for name in whole:
        with pytest.raises(CantRun, match="go together"):
            settings.read({**whole, name: ""})
    with pytest.raises(CantRun, match="https"):
        settings.read({**whole, "LUDICITUDE_JWT_KEYS": "http://id.example.org/keys"})


def test_nobody_is_trusted_unless_that_was_set(app: Litestar) -> None:
    assert settings.read({}).jwt_issuer == ""
