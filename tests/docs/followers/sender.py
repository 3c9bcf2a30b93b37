"""Sends one command to the match at the address that it is given, and tells each pause and what comes of it, a line of JSON each."""

import json
import sys

import httpx
from follow import Refused
from send import send


def lost(why: str, seconds: float, detail: str) -> None:
    print(json.dumps([why, seconds, detail.startswith("HTTP 5")]), flush=True)


client = httpx.Client(timeout=float(sys.argv[2]))
try:
    print(json.dumps(send(lambda key: client.post(f"{sys.argv[1]}/commands", json={}, headers={"Idempotency-Key": key}), lost).json()))
except Refused as no:
    print(json.dumps([no.status, str(no)]))
except httpx.TransportError:
    print('"no answer"')
