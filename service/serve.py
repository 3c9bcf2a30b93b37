"""`ludicitude serve`: the database, its schema and the HTTP server, in one process or in several, and a clean end of all of them."""

import asyncio
import contextlib
import errno
import gc
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from types import FrameType

import msgspec
import structlog
import uvicorn

from service import logs
from service.app import create_app
from service.cant_run import CantRun
from service.embedded import EmbeddedPostgres
from service.http.edge import Edge
from service.migrate import migrate
from service.settings import Settings
from service.store import EventStore, StoreAway, UnfitDatabase
from service.workers import Workers

log = structlog.get_logger()

_GRACE_SECONDS = 5  # Streams end at once when they are asked to; this is for the one that does not.
_WATCH_SECONDS = 1
_ASK_AGAIN_SECONDS = 0.5
"""How often a process that stops asks its connections to end."""

_KEEP_ALIVE_SECONDS = 75
"""Longer than proxies keep a connection that rests, so that none of them sends a request into one that we are closing."""

_SWITCH_SECONDS = 0.0005
"""For so long a thread that computes, such as a bot's, may keep from its next step whoever serves people: a request takes several."""

_GARBAGE = (5_000, 10, 100)
"""After how many new objects the garbage collector looks at these, and after how many such looks at those of the last ones too, or all."""

_OTHER_FILES = 200
"""What a process has open beside the connections of its clients."""


def serve(settings: Settings) -> None:
    """Serve until SIGINT or SIGTERM, and leave nothing running.

    Raises `CantRun` when the port is taken, before anything is touched, or when the database can't be had.
    """
    logs.configure(settings.log_level, settings.log_format)
    with contextlib.ExitStack() as running:
        listening = running.enter_context(_listen(settings.host, settings.port))
        postgres = None
        if not settings.database_url:
            place, room = settings.data / "postgres", {"max_connections": str(_database_room(settings))}
            postgres = running.enter_context(EmbeddedPostgres(place, user=settings.postgres_user, settings=room))
            settings = msgspec.structs.replace(settings, database_url=postgres.url())
        asyncio.run(_prepare(settings.database_url))

        def ready() -> None:
            print(_welcome(settings.host, listening, postgres), flush=True)
            if settings.test_mode:
                log.warning("test_mode", meaning="anybody who signs in can set the clocks and the dice of matches")

        def look() -> None:
            # PostgreSQL must be started from the main thread. Meanwhile no request waits for anything but the database anyway.
            if postgres is not None and postgres.keep_up():
                log.warning("postgres_restarted", pid=postgres.pid)

        if settings.workers == 1:
            _run(_Server(settings, ready, look), listening)
        else:
            environment = dict(os.environ) | {"DATABASE_URL": settings.database_url}
            running.enter_context(Workers(settings.workers, listening, environment)).run(ready, look)


def work(settings: Settings, listening: int, says: int) -> None:
    """Be one of the workers of `serve`: answer at the socket of this number, and say through the other file that it is ready.

    It ends like `serve`, and when the process that started it is gone.
    """
    logs.configure(settings.log_level, settings.log_format)
    parent = os.getppid()

    def ready() -> None:
        os.write(says, b"!")
        os.close(says)

    def look() -> None:
        if os.getppid() != parent:
            server.should_exit = True

    server = _Server(settings, ready, look)
    _run(server, socket.socket(fileno=listening))


def _run(server: "_Server", listening: socket.socket) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        # From here on the end is uvicorn's to arrange. When it is done it sends itself the signal that it was sent.
        signal.signal(number, server.ask_to_exit)
    server.run(sockets=[listening])


async def _prepare(database_url: str) -> None:
    """Bring the database up to date, and raise `CantRun` unless it is one that keeps the store's promises."""
    await migrate(database_url)
    try:
        await (await EventStore.connect(database_url, appending=1, reading=1)).close()
    except (UnfitDatabase, StoreAway) as reason:
        raise CantRun(f"This database will not do: {reason}. `ludicitude doctor` looks at everything.") from reason


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CantRun(f"Port {port} is taken. Stop the program that has it, or choose another: PORT={port + 1}") from error
        raise CantRun(f"Can't listen on {host} port {port}: {os.strerror(error.errno or 0)}") from error


def _connections(wanted: int) -> int:
    """How many connections this process can hold, of as many as are wanted; it may open more files for them than it could before."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + _OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return wanted if soft == resource.RLIM_INFINITY else max(1, min(wanted, soft - _OTHER_FILES))


class _Server(uvicorn.Server):
    """One process of uvicorn that says when it is `ready`, and calls `look` every second."""

    def __init__(self, settings: Settings, ready: Callable[[], None], look: Callable[[], None]) -> None:
        self._app, self._tell_ready, self._look = create_app(settings), ready, look
        super().__init__(
            uvicorn.Config(
                self._app,
                loop="uvloop",
                http=Edge.holding(_connections(settings.client_connections), settings.cors_origins),
                ws="none",
                workers=1,
                log_config=None,
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=False,  # The app sees to it, by our own setting.
                timeout_keep_alive=_KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=_GRACE_SECONDS,
                timeout_notify=_WATCH_SECONDS,
                callback_notify=self._watch,
            )
        )

    def ask_to_exit(self, _number: int, _frame: FrameType | None) -> None:
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            _settle()
            self._tell_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # uvicorn waits for every answer before it lets the app end, so whoever waits for a match has to be let go first.
        for watch in (self._app.state.watch, self._app.state.talk.watch, self._app.state.turns.watch):
            watch.close()
        asking = asyncio.create_task(self._ask_again())
        await super().shutdown(sockets)
        asking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asking

    async def _ask_again(self) -> None:
        """uvicorn asks each connection once to end. Some came too late to be asked, and some wait for a client who keeps us waiting."""
        while True:
            await asyncio.sleep(_ASK_AGAIN_SECONDS)
            for connection in list(self.server_state.connections):
                connection.shutdown()

    async def _watch(self) -> None:
        now = asyncio.get_running_loop().time()
        for connection in list(self.server_state.connections):
            assert isinstance(connection, Edge)
            connection.judge(now)
        self._look()


def _database_room(settings: Settings) -> int:
    """How many connections the embedded PostgreSQL takes: all of ours, and some of those who look into it meanwhile."""
    return max(100, 20 + settings.workers * settings.database_connections)


def _settle() -> None:
    """Let the garbage collector halt the process for a moment at most, and a bot that thinks make way soon.

    It is spared what is there to stay, and looks at little at a time. Of matches and their records it sees next to nothing either: they
    are told `gc=False`, since what is frozen holds what was there before it, and is part of no cycle.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_GARBAGE)
    sys.setswitchinterval(_SWITCH_SECONDS)


def _welcome(host: str, listening: socket.socket, postgres: EmbeddedPostgres | None) -> str:
    host = "localhost" if host in ("0.0.0.0", "::") else host  # noqa: S104 - it is compared, not bound.
    address = f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"
    data = "at DATABASE_URL"
    if postgres is not None:
        moved = f" (PostgreSQL's user can't enter {postgres.folder})" if postgres.home != postgres.folder else ""
        data = f"in {postgres.home}{moved}; it stays when you stop with Ctrl-C"
    return rf"""
Ludicitude is ready    {address}
API documentation      {address}/docs
Guide and tutorial     {address}/docs/guide
Data                   {data}

A first match, against a bot, from another terminal:

JSON='Content-Type: application/json'
TOKEN=$(curl -s -H "$JSON" {address}/v1/players -d '{{"display_name": "Ada"}}' | sed 's/.*"token": *"\([^"]*\)".*/\1/')
curl -s -H "$JSON" -H "Authorization: Bearer $TOKEN" {address}/v1/matches -d '{{"options": {{"game": "pico"}}, "bots": ["normal"]}}'

The answer lists your choices, each one a command to post to {address}/v1/matches/<match_id>/commands.
"""
