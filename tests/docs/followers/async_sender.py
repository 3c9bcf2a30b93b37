"""Does what `sender.py` does, where everything is async."""

import asyncio
import json
import sys

import httpx
from follow import Refused
from send import send_async


def lost(why: str, seconds: float, detail: str) -> None:
    print(json.dumps([why, seconds, detail.startswith("HTTP 5")]), flush=True)


async def main() -> None:
    async with httpx.AsyncClient(timeout=float(sys.argv[2])) as client:
        answer = await send_async(lambda key: client.post(f"{sys.argv[1]}/commands", json={}, headers={"Idempotency-Key": key}), lost)
        print(json.dumps(answer.json()))


try:
    asyncio.run(main())
except Refused as no:
    print(json.dumps([no.status, str(no)]))
except httpx.TransportError:
    print('"no answer"')
