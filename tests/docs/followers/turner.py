"""Tells what waits for the player of the token that it is given, a line of JSON each time, until a rematch does, and each line lost."""

import json
import sys

from turns import follow_turns


def lost(why: str, seconds: float, detail: str) -> None:
    print(json.dumps(f"lost {why}"), flush=True)


for waiting in follow_turns(sys.argv[1], sys.argv[2], lost, lambda: print('"found"', flush=True)):
    print(json.dumps([each["kind"] for each in waiting]), flush=True)
    if [each for each in waiting if each["kind"] == "invitation"]:
        break
