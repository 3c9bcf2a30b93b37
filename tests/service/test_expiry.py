"""What was opened by a token of an outside issuer ends when that token expires, as the door would not let it in any more."""

import math
import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest

from service.accounts import issuer as issuers
from tests.service.conftest import bearing
from tests.service.documented import Documented
from tests.service.test_issuer import address, me, token, trusting
from tests.service.test_listeners import SOON, go_on, leave, opened, polls, refused, streams, told_to_come_back

__all__ = ("address", "trusting")


@pytest.fixture(autouse=True)
def _exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clocks of issuer and service are the same one."""
    monkeypatch.setattr(issuers, "LEEWAY_SECONDS", 0)


async def test_streams_and_long_polls_end_with_the_token_that_opened_them(trusting: Documented) -> None:
    ada, bob = bearing(trusting, token()), bearing(trusting, token(sub="bob"))
    match_id = (await ada.post("/v1/matches", json={"options": {"game": "pico"}})).json()["match_id"]
    path = f"/v1/matches/{match_id}"
    assert (await bob.post(f"{path}/seats", json={})).status_code == 200
    kept = [*await streams(ada, trusting, match_id), *await polls(ada, path)]
    for lives_seconds in (1, 4, 30):  # It is no fault of anybody's if a busy machine needs longer to open all of them.
        ends_at = math.ceil(time.time()) + lives_seconds
        briefly = bearing(trusting, token(sub="bob", exp=ends_at))
        with suppress(KeyError):  # The door is shut already.
            followed, asked = await streams(briefly, trusting, match_id), await polls(briefly, path)
            if time.time() < ends_at:
                break
    await told_to_come_back(*followed)
    await refused(*asked)
    assert ends_at <= time.time() < ends_at + SOON
    assert (await briefly.get(path)).status_code == 401
    await go_on(*kept)
    await leave(*kept)


async def test_a_ticket_is_good_for_no_longer_than_the_token_it_was_had_by(trusting: Documented) -> None:
    ends_at = int(time.time()) + 30
    ticket = (await bearing(trusting, token(exp=ends_at)).post("/v1/stream-tickets", json={})).json()
    assert datetime.fromisoformat(ticket["expires_at"]) == datetime.fromtimestamp(ends_at, UTC)


@pytest.mark.parametrize("exp", [253_402_300_799, 10**15, 10**30])
async def test_a_token_may_be_good_for_ever(trusting: Documented, exp: Any) -> None:
    sent = token(exp=exp)
    assert (await me(trusting, sent)).status_code == 200
    listening = opened(bearing(trusting, sent), "/v1/players/me/turns/stream")
    assert (await bearing(trusting, sent).post("/v1/stream-tickets", json={})).status_code == 201
    await go_on(listening)
    await leave(listening)


def test_the_door_and_the_end_have_the_same_leeway() -> None:
    claims = {"iss": "i", "sub": "ada", "iat": 0, "exp": 1_000}
    assert issuers._vouched("i", claims).ends_at == datetime.fromtimestamp(1_000 + issuers.LEEWAY_SECONDS, UTC)
