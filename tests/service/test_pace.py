"""However many requests come from one address in one moment, the others' are begun in the same turn of the loop."""

import asyncio
from typing import Any

from service.http.pace import IN_A_TURN, Pace

FLOOD = 20 * IN_A_TURN


class Turns:
    """Counts the turns of the loop, and in which of them each request began."""

    def __init__(self) -> None:
        self.turns, self.begun = 0, list[tuple[str, int]]()
        self._counting = asyncio.create_task(self._count())

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.begun.append((scope["client"][0], self.turns))

    async def _count(self) -> None:
        while True:
            self.turns += 1
            await asyncio.sleep(0)

    def of(self, host: str) -> list[int]:
        return [turn for each, turn in self.begun if each == host]

    async def end(self) -> None:
        self._counting.cancel()
        await asyncio.gather(self._counting, return_exceptions=True)


def asked(app: Any, host: str) -> asyncio.Task[None]:
    return asyncio.create_task(app({"type": "http", "client": (host, 1)}, None, None))


async def test_so_many_begin_in_one_turn_and_nobody_else_waits_for_them() -> None:
    seen = Turns()
    app = Pace(seen)
    flood = [asked(app, "192.0.2.1") for _ in range(FLOOD)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    others = [asked(app, f"198.51.100.{number}") for number in range(10)]
    began = seen.turns
    await asyncio.gather(*flood, *others)
    turns = seen.of("192.0.2.1")
    assert len(turns) == FLOOD
    assert max(turns.count(each) for each in turns) == IN_A_TURN
    assert turns == sorted(turns)
    assert max(turn for number in range(10) for turn in seen.of(f"198.51.100.{number}")) <= began + 1
    assert turns[-1] > began + 10, "all have begun already"
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert (app._begun, app._waiting) == ({}, {}), "nothing is kept of those who have gone"
    await seen.end()


async def test_who_goes_away_while_they_wait_keeps_nobody_from_beginning() -> None:
    seen = Turns()
    app = Pace(seen)
    flood = [asked(app, "192.0.2.1") for _ in range(FLOOD)]
    await asyncio.sleep(0)
    for each in flood[::2]:
        each.cancel()
    await asyncio.gather(*flood, return_exceptions=True)
    assert len(seen.begun) >= FLOOD / 2
    await asyncio.wait_for(asked(app, "192.0.2.1"), 20)
    await seen.end()
