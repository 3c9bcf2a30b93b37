"""Follows the match at the address that it is given until something comes or the line is lost, and tells the versions that it saw."""

import sys
import threading

import httpx
from follow import follow

address, _, match_id = sys.argv[1].rpartition("/v1/matches/")
stop = threading.Event()
client = httpx.Client(base_url=address)
for _, view in follow(client, match_id, lost=lambda why, seconds, detail: stop.set(), stop=stop):
    print(view["version"])
    stop.set()
