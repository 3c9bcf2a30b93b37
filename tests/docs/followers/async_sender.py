"""Does what `sender.py` does, where everything is async."""

import asyncio
import json
import sys

import httpx
from follow import Refused
from send import Unanswered, send_async


def lost(why: str, seconds: float, detail: str) -> None:
    print(json.dumps([why, seconds, detail.startswith("HTTP 5")]), flush=True)


def found() -> None:
    print('"found"', flush=True)


async def main(address: str, longest: str, patience: str, *key: str) -> None:
    async with httpx.AsyncClient(timeout=None if longest == "none" else float(longest)) as client:

        async def post(key: str) -> httpx.Response:
            if key == "mistake":
                raise TypeError(key)
            return await client.post(f"{address}/commands", json={}, headers={"Idempotency-Key": key})

        answer = await send_async(post, lost, found, *key or [None], patience=float(patience))
        print(json.dumps([answer.json(), answer.headers.get("ETag")]))


try:
    asyncio.run(main(*sys.argv[1:]))
except Refused as no:
    print(json.dumps([no.status, str(no)]))
except Unanswered as nothing:
    print(json.dumps(["unanswered", nothing.key]))
except TypeError as mistake:
    print(json.dumps([str(mistake)]))
