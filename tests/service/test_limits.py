"""Limits on requests: who has sent too many is told when to come back, and nobody else is kept from anything."""

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
import pytest_asyncio
from litestar import Litestar

from service import settings
from service.accounts.operators import Operator
from service.accounts.players import Player
from service.app import create_app
from service.cant_run import CantRun
from service.http import limits
from service.http.limits import Limits, Rate, address
from service.http.problems import Trouble
from tests.service.conftest import running
from tests.service.documented import Documented
from tests.service.routes import app_of_routes


class Clock:
    """Stands for `time` in the module of the limits."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(limits, "time", made)
    return made


def told(answer: httpx.Response) -> tuple[str, int, int]:
    """What RateLimit says: of which limit, how many requests are left, and in how many seconds there are more."""
    name, remaining, seconds = answer.headers["RateLimit"].split(";")
    return name.strip('"'), int(remaining.removeprefix("r=")), int(seconds.removeprefix("t="))


def test_a_quota_may_be_used_at_once_and_comes_back_bit_by_bit(clock: Clock) -> None:
    rate = Rate("player", 6)  # One every ten seconds.
    taken = [rate.take("ada") for _ in range(6)]
    assert [fields[1][1] for fields, _ in taken] == [b'"player";r=%d;t=10' % left for left in (5, 4, 3, 2, 1, 0)]
    assert {fields[0] for fields, _ in taken} == {(b"ratelimit-policy", b'"player";q=6;w=60')}
    assert [wait for _, wait in taken] == [0] * 6
    clock.now += 4
    fields, wait = rate.take("ada")
    assert (fields[1], wait) == ((b"ratelimit", b'"player";r=0;t=6'), 6)
    assert rate.take("bob")[1] == 0, "another one has a quota of their own"
    clock.now += 6
    assert [rate.take("ada")[1] > 0 for _ in range(2)] == [False, True]
    clock.now += 60
    assert [rate.take("ada")[1] > 0 for _ in range(7)] == [False] * 6 + [True]


def test_who_is_refused_and_tries_on_is_let_in_no_later(clock: Clock) -> None:
    rate = Rate("player", 6)
    for _ in range(6):
        rate.take("ada")
    served = 0
    for _ in range(600):
        clock.now += 1
        served += rate.take("ada")[1] == 0
    assert served == 60, "a quota is neither lost nor gained at the turns of the memory"


def test_those_who_called_long_ago_take_no_memory(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CALLERS_MAX", 100)
    rate = Rate("address", 10)
    for number in range(10_000):
        rate.take(str(number))
        assert len(rate._full_at) + len(rate._before) <= 200
    clock.now += 61
    rate.take("one")
    clock.now += 61
    rate.take("another")
    assert len(rate._full_at) + len(rate._before) == 2


def test_a_household_is_one_address() -> None:
    def of(host: str) -> str:
        return address({"client": (host, 1)})  # type: ignore[arg-type]

    assert of("192.0.2.7") == of("::ffff:192.0.2.7") == "192.0.2.7"
    assert of("2001:db8:1:2:3:4:5:6") == of("2001:db8:1:2:ffff::1") != of("2001:db8:1:3::1")
    assert of("fe80::1%eth0") == "fe80::/64"
    assert of("a name, as tests have one") == "a name, as tests have one"
    assert address({"client": None}) == ""  # type: ignore[arg-type]


def test_a_request_is_counted_in_no_time() -> None:
    """Measured at two microseconds; the bound is for machines that have other things to do."""
    counted = Limits()
    scope: Any = {"client": ("192.0.2.7", 1)}
    best = min(_seconds_of(lambda: counted.charge(scope, None)) for _ in range(20))
    assert best < 20e-6


def _seconds_of(call: Any, times: int = 200) -> float:
    began = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - began) / times


@pytest_asyncio.fixture
async def limited(database_url: str, clock: Clock) -> AsyncIterator[Litestar]:
    """The whole app with limits that are soon reached, and for which no time passes."""
    environment = {"LUDICITUDE_PLAYER_REQUESTS": "4", "LUDICITUDE_ADDRESS_REQUESTS": "6", "LUDICITUDE_ADDRESS_ACCOUNTS": "5"}
    async with running(create_app(settings.read({"DATABASE_URL": database_url, **environment}))) as made:
        yield made


def asking(app: Litestar, host: str = "192.0.2.1", **headers: str) -> httpx.AsyncClient:
    """A client that calls from this address."""
    transport = Documented(httpx.ASGITransport(app, raise_app_exceptions=False, client=(host, 1)))  # type: ignore[arg-type]
    return httpx.AsyncClient(transport=transport, base_url="http://ludicitude.test", headers=headers)


async def test_a_player_has_one_limit_on_all_their_devices_and_an_address_another(limited: Litestar) -> None:
    nobody = asking(limited)
    secrets = [(await nobody.post("/v1/players", json={"display_name": name})).json()["token"] for name in ("Ada", "Bob")]
    ada, bob = (asking(limited, Authorization=f"Bearer {secret}") for secret in secrets)
    further = (await ada.post("/v1/players/me/tokens")).json()["token"]
    ada_on_the_road = asking(limited, "198.51.100.9", Authorization=f"Bearer {further}")
    assert [told(await client.get("/v1/players/me"))[:2] for client in (ada, ada_on_the_road, ada)] == [
        ("player", 2),
        ("player", 1),
        ("player", 0),
    ]
    refused = await ada_on_the_road.get("/v1/players/me")
    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    assert 1 <= int(refused.headers["Retry-After"]) == told(refused)[2] <= 15
    assert refused.json()["message_params"] == {"seconds": refused.headers["Retry-After"]}
    assert (await bob.get("/v1/players/me")).status_code == 200
    assert told(await nobody.get("/v1/games"))[:2] == ("address", 3), "what players send is not held against their address"


async def test_wrong_tokens_count_against_their_address(limited: Litestar) -> None:
    guessing = asking(limited, Authorization="Bearer lud_" + "0" * 49)
    answers = [(await guessing.get("/v1/players/me")).status_code for _ in range(8)]
    assert answers == [401] * 6 + [429] * 2
    assert (await asking(limited, "198.51.100.9").get("/v1/games")).status_code == 200


async def test_what_machines_and_readers_of_the_docs_ask_is_not_counted(limited: Litestar) -> None:
    nobody = asking(limited)
    for path in ("/v1/live", "/v1/ready", "/openapi.json", "/docs"):
        answers = [await nobody.get(path) for _ in range(10)]
        assert {answer.status_code for answer in answers} == {200}
        assert "RateLimit" not in answers[0].headers


async def test_accounts_from_one_address_are_counted_by_all_processes_together(limited: Litestar, database_url: str) -> None:
    body = {"display_name": "Ada"}
    environment = {"DATABASE_URL": database_url, "LUDICITUDE_ADDRESS_ACCOUNTS": "5"}
    async with running(create_app(settings.read(environment))) as other:
        made = [(await asking(app).post("/v1/players", json=body)).status_code for app in (limited, other, other, limited, other)]
        refused = await asking(other).post("/v1/players", json=body)
        elsewhere = await asking(other, "2001:db8::1").post("/v1/players", json=body)
    assert made == [201] * 5
    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    assert 1 <= int(refused.headers["Retry-After"]) <= 3600
    assert elsewhere.status_code == 201


async def test_a_name_that_will_not_do_costs_no_account(limited: Litestar) -> None:
    nobody = asking(limited)
    for _ in range(3):
        assert (await nobody.post("/v1/players", json={"display_name": "\u202e"})).status_code == 422
    assert [(await asking(limited, "192.0.2.1").post("/v1/players", json={"display_name": "A"})).status_code for _ in range(3)] == [201] * 3


async def test_who_runs_the_service_is_let_in_whatever_comes_from_their_address() -> None:
    limits, scope, olga = Limits(per_address=1, at_once=1), {"client": ("192.0.2.1", 1)}, Operator("olga", "operator")
    for operator in (None, olga):
        limits.charge(scope, None, operator)  # type: ignore[arg-type]
        with pytest.raises(Trouble):
            limits.charge(scope, None, operator)  # type: ignore[arg-type]
        await asyncio.wait_for(limits.work(scope, None, operator).begin(), 20)  # type: ignore[arg-type]


def test_the_defaults_let_a_busy_front_end_play() -> None:
    """Ten requests a second for a quarter of an hour, all at once."""
    counted, player = Limits(), Player("ply_1", "Ada", datetime.now(UTC))
    for _ in range(9_000):
        counted.charge({"client": ("192.0.2.1", 1)}, player)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("trusted", "peer", "forwarded", "counted"),
    [
        ("", "10.0.0.2", "203.0.113.5", "10.0.0.2"),
        ("10.0.0.0/8", "10.0.0.2", "203.0.113.5", "203.0.113.5"),
        ("10.0.0.0/8", "10.0.0.2", "6.6.6.6, 203.0.113.5", "203.0.113.5"),
        ("10.0.0.0/8", "10.0.0.2", "6.6.6.6, 203.0.113.5, 10.0.0.9", "203.0.113.5"),
        ("10.0.0.0/8", "192.0.2.9", "203.0.113.5", "192.0.2.9"),
        ("10.0.0.2,2001:db8::/32", "2001:db8::7", "203.0.113.5", "203.0.113.5"),
        ("10.0.0.0/8", "10.0.0.2", "203.0.113.5 | 10.0.0.9", "203.0.113.5"),
        ("10.0.0.0/8", "10.0.0.2", "6.6.6.6 | 203.0.113.5", "203.0.113.5"),
        ("", "10.0.0.2", "203.0.113.5 | 10.0.0.9", "10.0.0.2"),
    ],
)
@pytest.mark.usefixtures("clock")
async def test_only_a_trusted_proxy_is_believed(trusted: str, peer: str, forwarded: str, counted: str) -> None:
    """A client can write anything into X-Forwarded-For, so what counts is what the last proxy of ours has seen; `|` begins a new line."""
    app = app_of_routes(
        limits=Limits(per_address=3), trusted_proxies=settings.read({"LUDICITUDE_TRUSTED_PROXIES": trusted}).trusted_proxies
    )

    async def ask(host: str, *lines: str) -> httpx.Response:
        transport = httpx.ASGITransport(app, client=(host, 1))  # type: ignore[arg-type]
        async with httpx.AsyncClient(transport=transport, base_url="http://ludicitude.test") as client:
            return await client.get("/page?need=x", headers=[("X-Forwarded-For", line) for line in lines])

    first = told(await ask(peer, *forwarded.split(" | ")))
    assert (first, told(await ask(counted))) == (("address", 2, 20), ("address", 1, 20))


def test_a_proxy_that_is_no_address_is_told_at_the_start() -> None:
    for wrong in ("proxy.example.org", "10.0.0.0/33", "10.0.0.1/8", "*"):
        with pytest.raises(CantRun, match="LUDICITUDE_TRUSTED_PROXIES is wrong"):
            settings.read({"LUDICITUDE_TRUSTED_PROXIES": wrong})
