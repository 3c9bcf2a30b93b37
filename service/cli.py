"""The command `ludicitude`."""

import argparse
import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Iterator, Sequence

from service.cant_run import CantRun


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code of the process: 0, or 1 when the error output says what stands in the way."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)
    parser = argparse.ArgumentParser(prog="ludicitude", description="The backend that any front end can play five small tabletop games on.")
    commands = parser.add_subparsers(required=True, metavar="command")
    for run, help_text in (
        (_serve, "serve the games until Ctrl-C, on a PostgreSQL of its own unless DATABASE_URL names another"),
        (_migrate, "bring the database's schema up to date, and end"),
        (_rebuild, "make results and standings anew from the log, while the service goes on, and end"),
    ):
        commands.add_parser(run.__name__.removeprefix("_"), help=help_text).set_defaults(run=run)
    try:
        parser.parse_args(arguments).run()
    except CantRun as reason:
        print(f"ludicitude: {reason}", file=sys.stderr)
        return 1
    return 0


def _leave(*_: object) -> None:
    """End at once but in order, and not as a failure, when the person or the system asks for it."""
    raise SystemExit(0)


# Each command imports what it needs when it runs: help is shown at once, and Ctrl-C is in order from the first moment.


def _serve() -> None:
    from service import settings
    from service.serve import serve

    serve(settings.read(os.environ))


def _migrate() -> None:
    from service.migrate import migrate

    with _database() as url:
        asyncio.run(migrate(url))


def _rebuild() -> None:
    from service.rebuild import rebuild

    with _database() as url:
        asyncio.run(rebuild(url))


@contextlib.contextmanager
def _database() -> Iterator[str]:
    """The address of the database that the settings name; of the embedded one, started if it does not run, where they name none."""
    from service import settings
    from service.embedded import EmbeddedPostgres

    chosen = settings.read(os.environ)
    if chosen.database_url:
        yield chosen.database_url
    else:
        with EmbeddedPostgres(chosen.data / "postgres", user=chosen.postgres_user) as postgres:
            yield postgres.url()
