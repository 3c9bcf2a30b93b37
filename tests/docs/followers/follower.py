"""Follows the match at the address that it is given, and tells each step and each line lost and found, a line of JSON each."""

import json
import sys

from follow import Refused, follow


def lost(why: str, seconds: float, detail: str) -> None:
    print(json.dumps(f"lost {why}"), flush=True)


def found() -> None:
    print('"found"', flush=True)


address, token, *version = sys.argv[1:]
try:
    for items, view in follow(address, token, lost, found, *map(int, version)):
        print(json.dumps([[item["version"] for item in items], view["version"]]), flush=True)
    print('"over"')
except Refused as no:
    print(json.dumps(str(no)))
