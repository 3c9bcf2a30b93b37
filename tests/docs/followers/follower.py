"""Follows the match at the address that it is given, and tells each step and each line lost and found, a line of JSON each."""

import json
import sys

import httpx
from follow import Refused, follow


def lost(why: str, seconds: float, detail: str) -> None:
    print(json.dumps(f"lost {why}"), flush=True)


def found() -> None:
    print('"found"', flush=True)


address, _, match_id = sys.argv[1].rpartition("/v1/matches/")
after = int(sys.argv[3]) if len(sys.argv) > 3 else None
client = httpx.Client(base_url=address, headers={"Authorization": f"Bearer {sys.argv[2]}"})
try:
    for items, view in follow(client, match_id, lost, found, after):
        print(json.dumps([[item["version"] for item in items], view["version"]]), flush=True)
    print('"over"')
except Refused as no:
    print(json.dumps(str(no)))
