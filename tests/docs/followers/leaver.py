"""Follows the match at the address that it is given, tells each step, and leaves when it is told what somebody has chosen."""

import json
import sys
import threading

from follow import follow

stop = threading.Event()


def choose() -> None:
    """Somebody thinks, beside the loop."""
    print(json.dumps(f"chosen {sys.stdin.readline().strip()}"), flush=True)
    stop.set()


def lost(why: str, seconds: float, detail: str) -> None:
    print(json.dumps(f"lost {why}"), flush=True)


threading.Thread(target=choose).start()
for _, view in follow(sys.argv[1], "lud_token", lost, stop=stop):
    print(json.dumps(view["version"]), flush=True)
print('"left"')
