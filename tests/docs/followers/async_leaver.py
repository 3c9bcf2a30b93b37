"""Does what `leaver.py` does, where everything is async."""

import asyncio
import json
import sys

from follow import follow_async


def lost(why: str, seconds: float, detail: str) -> None:
    print(json.dumps(f"lost {why}"), flush=True)


async def show() -> None:
    async for _, view in follow_async(sys.argv[1], "lud_token", lost):
        print(json.dumps(view["version"]), flush=True)


async def main() -> None:
    showing = asyncio.create_task(show())
    print(json.dumps(f"chosen {(await asyncio.to_thread(sys.stdin.readline)).strip()}"), flush=True)
    showing.cancel()
    await asyncio.wait([showing])
    print('"left"')


asyncio.run(main())
