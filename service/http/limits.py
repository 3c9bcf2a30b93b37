"""How many requests one caller may send, and have at work: a player on all their devices, or an address for those who are nobody.

Each process counts for itself, in memory that is bounded. The bucket of a caller is one moment (GCRA): when it will be full
again. Every request moves it on by its share of the window, and none may move it further than a whole window from now.
"""

import math
import time
from functools import lru_cache
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import TypeAlias

from litestar.types import Scope

from service.accounts.operators import Operator
from service.accounts.players import Player
from service.http.problems import Trouble
from service.http.work import ADDRESS_LONG_POLLS_MAX, AT_ONCE, LONG_POLLS_MAX, AtWork, Work

WINDOW_SECONDS = 60
PER_MINUTE = 12_000
"""Far more than a person or a front end needs, so that only those who do harm ever meet it."""

CALLERS_MAX = 50_000
"""Of one kind, before the earliest are forgotten early."""

Field: TypeAlias = tuple[bytes, bytes]


class Rate:
    """A quota of requests for each caller of one kind within `WINDOW_SECONDS`, all of which may come at once."""

    def __init__(self, name: str, quota: int) -> None:
        self._name, self._share = name.encode(), WINDOW_SECONDS / quota
        self._policy = (b"ratelimit-policy", b'"%s";q=%d;w=%d' % (self._name, quota, WINDOW_SECONDS))
        self._full_at: dict[str, float] = {}
        self._before: dict[str, float] = {}
        """Of those who have not called since the last turn. After two turns every bucket is full, so there is nothing to keep."""
        self._turns_at = 0.0

    def take(self, caller: str) -> tuple[tuple[Field, Field], float]:
        """Count one request. Answers the RateLimit fields and how many seconds are to wait: 0 if the request may be served."""
        now = time.monotonic()
        if now >= self._turns_at or len(self._full_at) >= CALLERS_MAX:
            self._before, self._full_at, self._turns_at = self._full_at, {}, now + WINDOW_SECONDS
        full_at = max(self._full_at.get(caller) or self._before.get(caller, now), now) + self._share
        wait = full_at - now - WINDOW_SECONDS
        if wait > 0:
            return self._told(0, wait), wait
        self._full_at[caller] = full_at
        return self._told(int(-wait / self._share), self._share), 0.0

    def _told(self, remaining: int, seconds: float) -> tuple[Field, Field]:
        return self._policy, (b"ratelimit", b'"%s";r=%d;t=%d' % (self._name, remaining, math.ceil(seconds)))


class Limits:
    """The limits of this process. `per_player` and `per_address` are requests a minute; so many of a caller are at work `at_once`."""

    def __init__(self, per_player: int = PER_MINUTE, per_address: int = PER_MINUTE, at_once: int = AT_ONCE) -> None:
        self._players, self._addresses, self._at_work = Rate("player", per_player), Rate("address", per_address), AtWork(at_once)

    def charge(self, scope: Scope, caller: Player | None, operator: Operator | None = None) -> None:
        """Count this request against who sent it. Raises `Trouble` when they have sent too many.

        What the client is to be told of it is left in the scope, for the headers of the answer.
        """
        fields, wait = self._addresses.take(_nobody(scope, operator)) if caller is None else self._players.take(caller.player_id)
        scope["rate_limit"] = fields  # type: ignore[typeddict-unknown-key]
        if wait:
            seconds = math.ceil(wait)
            raise Trouble("rate_limited", f"The next request may come in {seconds} s.", headers={"Retry-After": str(seconds)})

    def work(self, scope: Scope, caller: Player | None, operator: Operator | None = None) -> Work:
        """This request among those of its caller. It has yet to begin, and has to be ended."""
        if caller is None:
            return self._at_work.work(_nobody(scope, operator), ADDRESS_LONG_POLLS_MAX)
        return self._at_work.work(caller.player_id, LONG_POLLS_MAX)


def _nobody(scope: Scope, operator: Operator | None) -> str:
    """As whom somebody counts who is no player. Operators do not by their address, whose quota may be what somebody uses up."""
    return address(scope) if operator is None else f"operator {operator.name}"


def address(scope: Scope) -> str:
    """Where a request comes from, as it counts: an IPv4 address, or the /64 of an IPv6 one, which is what a household is given."""
    client = scope["client"]
    return "" if client is None else _as_it_counts(client[0])


@lru_cache(CALLERS_MAX)
def _as_it_counts(host: str) -> str:
    try:
        found = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if not isinstance(found, IPv6Address):
        return str(found)
    return str(found.ipv4_mapped or IPv6Network((found.packed, 64), strict=False))
