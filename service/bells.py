"""Waiting for a bell, which is an event of asyncio that somebody sets: for news, or for the end of the process."""

import asyncio
from contextlib import suppress


async def rings(bell: asyncio.Event, seconds: float) -> bool:
    """Whether the bell rings within so many seconds. It has not where there are none left, even if it is ringing."""
    if seconds <= 0:
        return False
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):  # Not wait_for, which takes a task of its own for everybody who waits.
            await bell.wait()
    return bell.is_set()
