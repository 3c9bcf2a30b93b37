"""Real matches of Pico through the public API, and the requests that play them."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from bench.wire import ask_all, request
from domain.games.pico.rules import taker

PLAYERS = 200
AT_ONCE = 300
"""So many tables are played at least, each in its turn."""
LOOKS = 4
MOVES_A_TABLE = 20
"""As a rule."""


class Player(msgspec.Struct, frozen=True):
    """An account."""

    player_id: str
    token: str


class Table(msgspec.Struct):
    """A match that has begun, and the requests that play it to its end at random; `played` of them have been."""

    match_id: str
    players: tuple[Player, Player]
    moves: list[bytes]
    keys: list[tuple[int, str]]
    """Of each move: the seat, and the Idempotency-Key."""
    played: int = 0
    events: int = 0
    """How many the match had when it was last looked at."""


async def new_players(host: str, port: int, number: int = PLAYERS) -> list[Player]:
    """So many new accounts."""
    asked = (request("POST", "/v1/players", body={"display_name": f"Player {n}"}) for n in range(number))
    return [Player(said["player_id"], said["token"]) for said in (answer.json() for answer in await ask_all(host, port, asked))]


async def new_tables(host: str, port: int, players: Sequence[Player], number: int, luck: random.Random) -> list[Table]:
    """So many matches of two of these players each, all begun."""
    pairs = [(players[n], players[m]) for n, m in (luck.sample(range(len(players)), 2) for _ in range(number))]
    asked = [request("POST", "/v1/matches", token=first.token, body={"options": {"game": "pico"}}) for first, _ in pairs]
    opened = [answer.json()["match_id"] for answer in await ask_all(host, port, asked)]
    asked = [request("POST", f"/v1/matches/{name}/seats", token=pair[1].token, body={}) for name, pair in zip(opened, pairs, strict=True)]
    begun = [answer.json() for answer in await ask_all(host, port, asked)]
    tables = []
    for view, pair in zip(begun, pairs, strict=True):
        seats, keys, requests = zip(*moves(view, pair, luck), strict=True)
        tables.append(Table(view["match_id"], pair, list(requests), list(zip(seats, keys, strict=True)), events=view["version"]))
    return tables


def moves(view: Any, players: Sequence[Player], luck: random.Random) -> Iterator[tuple[int, str, bytes]]:
    """The moves that play this match to its end: who makes each, its key, and the request."""
    since = int(view["decisions"][0]["decision"].split("_")[1])
    dealt = [list(cards) for cards in view["table"]["hands"]]
    for hands in (dealt, dealt[::-1]):
        hands = [list(hand) for hand in hands]
        while min(map(len, hands)) > 1:
            laid = [luck.choice(hand) for hand in hands]
            for seat in luck.sample(range(2), 2):
                body = {"command": {"type": "pico.commit_card", "card": laid[seat]}, "decision": f"dec_{since}_{seat}"}
                key = f"{view['match_id']}-{since}-{seat}"
                yield seat, key, request("POST", f"/v1/matches/{view['match_id']}/commands", token=players[seat].token, body=body, key=key)
            winner = taker((laid[0], laid[1]))
            hands[winner].remove(laid[winner])
            since += 4 if min(map(len, hands)) > 1 else 6


def interleaved(tables: Sequence[Table], at_least: int = AT_ONCE) -> Iterator[bytes]:
    """The moves that are left at these tables, one of each table in turn for as long as so many tables have any.

    Those of one table are that far apart, so each is answered long before the next one is sent.
    """
    for n in range(max(len(table.moves) for table in tables)):
        left = [table.moves[table.played + n] for table in tables if table.played + n < len(table.moves)]
        if len(left) < at_least:
            return
        yield from left


class Hall:
    """All tables at a server, and enough of them for the next slice of load."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self._luck = random.Random(7)
        self.players: list[Player] = []
        self.tables: list[Table] = []

    async def ready(self, moves: int) -> None:
        """Begin new matches until about so many moves can be made, by many tables in turn."""
        if not self.players:
            self.players = await new_players(self._host, self._port)
        self.tables = [table for table in self.tables if table.played < len(table.moves)]
        left = sum(len(table.moves) - table.played for table in self.tables)
        missing = max(2 * AT_ONCE - len(self.tables), (moves - left) // MOVES_A_TABLE + 1)
        if missing > 0:
            self.tables += await new_tables(self._host, self._port, self.players, missing, self._luck)

    async def seen(self) -> None:
        """Look at every table a few times, over connections that any process may take: none of them meets a match for the first time."""
        views = [request("GET", f"/v1/matches/{table.match_id}", token=table.players[0].token) for table in self.tables]
        await ask_all(self._host, self._port, views * LOOKS)

    def moves(self) -> Iterator[bytes]:
        """What is to be sent."""
        return interleaved(self.tables)
