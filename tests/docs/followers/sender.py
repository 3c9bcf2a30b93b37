"""Sends one command to the match at the address that it is given, and tells each pause and what comes of it, a line of JSON each."""

import json
import sys
import threading

import httpx
from follow import Refused
from send import Unanswered, send


def lost(why: str, seconds: float, detail: str) -> None:
    print(json.dumps([why, seconds, detail.startswith("HTTP 5")]), flush=True)


def found() -> None:
    print('"found"', flush=True)


def post(key: str) -> httpx.Response:
    if key == "mistake":
        raise TypeError(key)
    answer = client.post(f"{address}/commands", json={}, headers={"Idempotency-Key": key})
    if answer.status_code in (200, 404):
        answer.json()  # As a generated client does, which reads an answer of every status that the document has.
    return answer


def leave() -> None:
    if sys.stdin.readline():
        stop.set()


address, timeout, patience, *key = sys.argv[1:]
client = httpx.Client(timeout=None if timeout == "none" else float(timeout))
stop = threading.Event()
threading.Thread(target=leave, daemon=True).start()
try:
    answer = send(post, lost, found, *key or [None], patience=float(patience), stop=stop)
    print(json.dumps([answer.json(), answer.headers.get("ETag")]))
except Refused as no:
    print(json.dumps([no.status, str(no)]))
except Unanswered as nothing:
    print(json.dumps(["unanswered", nothing.key]))
except TypeError as mistake:
    print(json.dumps([str(mistake)]))
