"""The library `eventsourcing`, in one process without HTTP: `python eventsourcing_writes.py HOST DATABASE USER THREADS SECONDS`."""

import os
import sys
import threading
import time

host, database, user, threads, seconds = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), float(sys.argv[5])
os.environ |= {
    "PERSISTENCE_MODULE": "eventsourcing.postgres",
    "POSTGRES_DBNAME": database,
    "POSTGRES_HOST": host,
    "POSTGRES_PORT": "5432",
    "POSTGRES_USER": user,
    "POSTGRES_PASSWORD": "none",
    "POSTGRES_POOL_SIZE": str(threads),
    "AGGREGATE_CACHE_MAXSIZE": "10000",
    "AGGREGATE_CACHE_FASTFORWARD": "n",
}

from eventsourcing.application import Application  # noqa: E402 - it reads the environment when it is imported.
from eventsourcing.domain import Aggregate, event  # noqa: E402


class Game(Aggregate):
    """A game to which cards are committed."""

    @event("Opened")
    def __init__(self) -> None:
        self.cards: list[int] = []

    @event("CardCommitted")
    def commit(self, seat: int, card: int) -> None:
        self.cards = [*self.cards, card]


app = Application()
counts = [0] * threads


def write(number: int) -> None:
    games = []
    for _ in range(10):
        game = Game()
        app.save(game)
        games.append(game.id)
    started.wait()
    ends = time.perf_counter() + seconds
    n = 0
    while time.perf_counter() < ends:
        game = app.repository.get(games[n % len(games)])
        game.commit(n % 2, n % 11)
        app.save(game)
        n += 1
    counts[number] = n


started = threading.Barrier(threads)
workers = [threading.Thread(target=write, args=(number,)) for number in range(threads)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
print(sum(counts) / seconds)
