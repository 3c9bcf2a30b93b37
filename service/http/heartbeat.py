"""That a stream is still there: a comment whenever it has told nothing for a while.

When it comes rests on what the reader was told alone. If what they may not know of moved it, they would know when that happened.
"""

import time

HEARTBEAT_SECONDS = 15.0
STILL_HERE = b": still here\n\n"


def next_beat() -> float:
    """The moment of the monotonic clock at which a stream that has just told something says that it is still there."""
    return time.monotonic() + HEARTBEAT_SECONDS
