"""A match in the terminal, for a person: what happens, what is said, what one can choose and what one types, all at the same time.

python terminal.py pico http://localhost:8000            a new match against bots
python terminal.py mat_... http://localhost:8000         back at a match, or the same in another window

A number chooses, q leaves, anything else is said to all at the match. The account is kept in the file `token.txt`. It needs
`follow.py`, `send.py`, `talk.py` and `words.py`, and knows the rules of no game.
"""

import asyncio
import json
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import httpx
from follow import Record, Refused, follow_async
from send import Unanswered, send_async
from talk import follow_talk_async
from words import Words

ACCOUNT = Path("token.txt")

Post = Callable[[str, Record, str | None], Awaitable[httpx.Response]]
"""Sends this to this address, with the key of an earlier try if there was one."""


class Terminal:
    """One match on the screen. All of it runs in one thread, so that nothing is asked and answered at the same time."""

    def __init__(self, match: str, token: str, view: Record, post: Post, words: Words) -> None:
        self.match, self.token, self.view, self.post, self.words = match, token, view, post, words
        words.sees(view)  # Talk may be here before the first step.
        self.asked: Record | None = None
        """What the person is asked now."""
        self.sent: set[str] = set()
        """Decisions that are made, as far as we know."""
        self.sending: set[asyncio.Task[None]] = set()
        self.unanswered: dict[str, str] = {}
        """The keys of what was sent and not answered: who tries the same again is told that it was done, and it is not done twice."""

    async def run(self) -> None:
        """Until the match is over, or the person leaves."""
        running = [asyncio.create_task(each) for each in (self.watch(), self.listen(), self.read())]
        done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        for task in (*running, *self.sending):
            task.cancel()
        await asyncio.wait(running)
        for task in done:
            task.result()  # Raises what it has failed with.

    async def watch(self) -> None:
        async for items, view in follow_async(self.match, self.token, self.lost, self.found, after=0):
            self.view = view
            self.words.sees(view)
            for item in items:
                if line := self.words.sentence(item["event"]):
                    print(line, flush=True)
            self.offer()
        print(*self.words.picture(self.view["table"]), sep="\n")
        print(self.words.say(f"end.{self.view['result']['reason']}"))
        for place in self.view["result"]["ranking"]:
            print(f"{place['rank']}. {self.words.names[place['seat']]}: {place['score']}")

    async def listen(self) -> None:
        async for page in follow_talk_async(self.match, self.token):  # Of the line `watch` tells.
            for message in page["items"] + page["settled"]:  # A pledge that was settled is told again, with what became of it.
                print(self.words.message(message), flush=True)

    async def read(self) -> None:
        lines, loop = asyncio.Queue[str](), asyncio.get_running_loop()

        def reading() -> None:
            for line in sys.stdin:
                loop.call_soon_threadsafe(lines.put_nowait, line.strip())
            loop.call_soon_threadsafe(lines.put_nowait, "q")

        threading.Thread(target=reading, daemon=True).start()  # A thread that is no daemon would wait for one more line at the end.
        while (line := await lines.get()) != "q":
            if line.isdecimal():
                self.choose(int(line))
            elif line:
                self.begin(self.attempt("messages", {"text": line}))

    def offer(self) -> None:
        """Asks for what is open and is not made yet; and takes back what is open no more, since the clock or another window was faster."""
        if self.asked and self.asked["decision"] not in [each["decision"] for each in self.view["decisions"]]:
            if not self.view["result"]:
                print(self.words.say("problem.decision_closed"), flush=True)
            self.asked = None
        waiting = [each for each in self.view["decisions"] if each["decision"] not in self.sent]
        if waiting and not self.asked:
            self.asked = waiting[0]
            print(*self.words.picture(self.view["table"]), sep="\n")
            for number, choice in enumerate(self.asked["choices"], 1):
                print(f"  {number}  {self.words.choice(choice)}", flush=True)

    def choose(self, number: int) -> None:
        if self.view["result"]:
            return
        if not self.asked:
            print(self.words.say("problem.decision_closed" if self.view["decisions"] else "problem.not_your_turn"), flush=True)
        elif 1 <= number <= len(self.asked["choices"]):
            decision, self.asked = self.asked, None
            self.sent.add(decision["decision"])
            self.begin(self.make(decision["decision"], decision["choices"][number - 1]))
        else:
            print(self.words.say("screen.number"), flush=True)

    async def make(self, decision: str, command: Record) -> None:
        if not await self.attempt("commands", {"command": command, "decision": decision}):
            self.sent.discard(decision)  # It is asked again, if it is still open as far as we know.
            self.offer()

    async def attempt(self, what: str, body: Record) -> bool:
        """Whether it is done; if not, the person is told."""
        said = json.dumps(body)
        try:
            await self.post(f"{self.match}/{what}", body, self.unanswered.pop(said, None))
        except Refused as no:
            print(self.words.problem(no.problem), flush=True)
            return no.problem.get("code") == "decision_closed"
        except Unanswered as nothing:
            self.unanswered[said] = nothing.key
            print(self.words.problem({}), flush=True)
            return False
        return True

    def begin(self, attempt: Coroutine[Any, Any, object]) -> None:
        """Sends beside all the rest, which goes on meanwhile."""
        task: asyncio.Task[Any] = asyncio.create_task(attempt)
        self.sending.add(task)
        task.add_done_callback(self.sending.discard)

    def lost(self, why: str, seconds: float, detail: str) -> None:
        print(self.words.say(f"reason.{why}"), flush=True)

    def found(self) -> None:
        print(self.words.say("screen.reconnected"), flush=True)


def kept_token() -> str | None:
    return ACCOUNT.read_text("utf-8") if ACCOUNT.exists() else None


def keep(token: str) -> str:
    ACCOUNT.touch(mode=0o600)
    ACCOUNT.write_text(token, "utf-8")
    return token


async def main(what: str, address: str) -> None:
    def lost(why: str, seconds: float, detail: str) -> None:
        if not begun:  # Then `follow` tells of the line.
            print(f"{address} does not answer ({detail}), trying again in {seconds:.0f} s.", flush=True)

    begun = False
    async with httpx.AsyncClient(base_url=f"{address}/v1", timeout=30) as http:

        async def post(path: str, body: Record, key: str | None = None) -> httpx.Response:
            return await send_async(lambda key: http.post(path, json=body, headers={"Idempotency-Key": key}), lost, key=key)

        async def get(path: str) -> Any:
            return (await send_async(lambda _: http.get(path, follow_redirects=True), lost)).json()

        async def is_good(token: str) -> bool:
            http.headers["Authorization"] = f"Bearer {token}"
            try:
                await get("/players/me")
            except Refused as no:
                del http.headers["Authorization"]
                if no.status == 401:  # It is another server's, or has been revoked.
                    return False
                raise
            return True

        token = kept_token()
        if token is None or not await is_good(token):
            token = keep((await post("/players", {"display_name": os.environ.get("USER", "Ada")})).json()["token"])
        http.headers["Authorization"] = f"Bearer {token}"
        if what.startswith("mat_"):
            view = await get(f"/matches/{what}")
        else:
            seats = min(seats for seats in (await get(f"/games/{what}"))["seats"] if seats > 1)
            terms = {"options": {"game": what}, "seats": seats, "bots": ["normal"] * (seats - 1)}
            view = (await post("/matches", terms)).json()
        print(view["match_id"], flush=True)
        document = await get("/openapi.json")
        words = Words(await get(f"/games/{view['options']['game']}"), await get("/labels"), document["components"]["schemas"], "en")
        begun = True
        await Terminal(f"{address}/v1/matches/{view['match_id']}", token, view, post, words).run()


if __name__ == "__main__":
    game_or_match = sys.argv[1] if len(sys.argv) > 1 else "pico"
    server = sys.argv[2] if len(sys.argv) > 2 else "http://localhost:8000"
    try:
        asyncio.run(main(game_or_match, server))
    except Refused as no:
        sys.exit(str(no.problem["detail"]))
    except Unanswered:
        sys.exit(f"No answer from {server}.")
