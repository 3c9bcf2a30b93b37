"""Follows the match at the address that it is given, and tells each step, a line of JSON a step."""

import json
import sys

import httpx
from follow import Refused, follow

address, _, match_id = sys.argv[1].rpartition("/v1/matches/")
try:
    for items, view in follow(httpx.Client(base_url=address, headers={"Authorization": f"Bearer {sys.argv[2]}"}), match_id):
        print(json.dumps([[item["version"] for item in items], view["version"]]), flush=True)
    print('"over"')
except Refused as no:
    print(json.dumps(str(no)))
