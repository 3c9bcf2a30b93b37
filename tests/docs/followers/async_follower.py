"""Does what `follower.py` does, where everything is async."""

import asyncio
import json
import sys

from follow import follow_async


def lost(why: str, seconds: float, detail: str) -> None:
    print(json.dumps(f"lost {why}"), flush=True)


def found() -> None:
    print('"found"', flush=True)


async def main() -> None:
    async for items, view in follow_async(sys.argv[1], sys.argv[2], lost, found):
        print(json.dumps([[item["version"] for item in items], view["version"]]), flush=True)
    print('"over"')


asyncio.run(main())
