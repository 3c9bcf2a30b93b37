"""`ludicitude rebuild`: every projection anew from the whole log, while the service goes on, with its progress on the terminal."""

import sys
import time
from typing import TextIO

from service.cant_run import CantRun
from service.readmodels import generations
from service.readmodels.checkpoints import Overtaken
from service.readmodels.generations import AlreadyRebuilding, NeverCaughtUp
from service.readmodels.results import RESULTS
from service.store import EventStore, UnfitDatabase
from service.upkeep.database import database

_BAR = 40
_NOTHING_CHANGED = "What is shown has not changed."


async def rebuild(database_url: str, out: TextIO = sys.stdout) -> None:
    """Build every projection anew, and tell `out` how far it is. Raises `CantRun` when that cannot be or another process is at it."""
    try:
        async with database(database_url) as engine:
            store = await EventStore.connect(database_url, appending=1, reading=1)
            try:
                progress = Progress(RESULTS.name, await generations.written(engine), out)
                await generations.rebuild(store, engine, RESULTS, progress.tell)
                progress.end()
            finally:
                await store.close()
    except AlreadyRebuilding:
        raise CantRun("Another process is rebuilding the read models of this database.") from None
    except Overtaken:
        raise CantRun(f"The connection was lost for a while, and another process has begun to rebuild. {_NOTHING_CHANGED}") from None
    except NeverCaughtUp:
        raise CantRun(f"The games went faster than the rebuilding. {_NOTHING_CHANGED} Try again when less goes on.") from None
    except UnfitDatabase as reason:
        raise CantRun(str(reason)) from reason
    except CantRun as reason:
        raise CantRun(f"{reason} {_NOTHING_CHANGED}") from reason


class Progress:
    """How far a rebuild is: a bar on a terminal, and elsewhere a line for each tenth."""

    def __init__(self, name: str, total: int, out: TextIO) -> None:
        self._name, self._total, self._out = name, total, out
        self._began, self._read, self._shown = time.monotonic(), 0, -1

    def tell(self, read: int) -> None:
        """So many events have been read. There may be more of them in the end than there were when it began."""
        self._read = read
        percent = 100 if read >= self._total else 100 * read // self._total
        if not self._out.isatty():
            percent -= percent % 10
        if percent == self._shown:
            return
        self._shown = percent
        if self._out.isatty():
            done = _BAR * percent // 100
            print(f"\r{self._name} [{'#' * done}{'.' * (_BAR - done)}] {percent:3}%", end="", file=self._out, flush=True)
        else:
            print(f"{self._name} {percent}%", file=self._out, flush=True)

    def end(self) -> None:
        """It is done."""
        seconds = time.monotonic() - self._began
        begin = "\n" if self._out.isatty() else ""
        print(f"{begin}{self._name} rebuilt from {self._read:,} events in {seconds:.1f} s, and shown now", file=self._out, flush=True)
