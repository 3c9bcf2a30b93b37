"""That a stream is still there: a comment whenever it has told nothing for a while.

When it comes rests on what the reader was told alone. If what they may not know of moved it, they would know when that happened.
"""

import asyncio
import time
from contextlib import suppress

HEARTBEAT_SECONDS = 15.0
STILL_HERE = b": still here\n\n"


def next_beat() -> float:
    """The moment of the monotonic clock at which a stream that has just told something says that it is still there."""
    return time.monotonic() + HEARTBEAT_SECONDS


async def rings(bell: asyncio.Event, until: float) -> bool:
    """Whether the bell rings before that moment of the monotonic clock."""
    left = until - time.monotonic()
    if left <= 0:
        return False
    with suppress(TimeoutError):
        async with asyncio.timeout(left):  # Not wait_for, which takes a task of its own for every stream.
            await bell.wait()
    return bell.is_set()
