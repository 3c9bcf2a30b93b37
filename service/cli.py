"""The command `ludicitude`."""

import argparse
import asyncio
import contextlib
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from service.cant_run import CantRun


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code of the process: 0, or 1 when the error output says what stands in the way."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)
    try:
        given = vars(_parser().parse_args(arguments))
        given.pop("run")(**given)
    except CantRun as reason:
        print(f"ludicitude: {reason}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # Whoever read the output, such as `head`, has had enough of it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ludicitude", description="The backend that any front end can play five small tabletop games on.")
    commands = parser.add_subparsers(required=True, metavar="command")

    def command(run: Callable[..., None], what: str) -> argparse.ArgumentParser:
        made = commands.add_parser(run.__name__.removeprefix("_").replace("_", "-"), help=what, description=what)
        made.set_defaults(run=run)
        return made

    serve = command(_serve, "serve the games until Ctrl-C, on a PostgreSQL of its own unless DATABASE_URL names another")
    serve.add_argument(
        "--workers", metavar="N", help="processes that serve, all on one port; LUDICITUDE_WORKERS or 1 unless you say otherwise"
    )
    worker = commands.add_parser("worker")  # For `serve` alone, so that the help does not list it.
    worker.set_defaults(run=_worker)
    worker.add_argument("listening", type=int)
    worker.add_argument("says", type=int)
    command(_migrate, "bring the database's schema up to date, and end")
    command(_rebuild, "make results and standings anew from the log, while the service goes on, and end")
    command(_verify, "check every match of the database, event by event, while the service goes on; exit code 1 if anything is wrong")
    command(_doctor, "look at the database and the way to it, and say what is wrong and what to do; exit code 1 if anything is")
    bump = command(_epoch_bump, "begin a new epoch of the event log, once after a restore from a dump or a move to another server")
    bump.add_argument("--service-is-stopped", action="store_true", help="that no process of the service runs on this database")
    export = command(_export, "write matches to the output as lines of JSON; those that have not ended only with their secrets")
    export.add_argument("--match", action="append", default=[], metavar="ID", help="only this match; may be given several times")
    export.add_argument(
        "--with-secrets", action="store_true", help="matches that go on too, with their seeds and all that is hidden in them"
    )
    command(_import, "store the matches of an export, read from the input, that this database does not have")
    token = command(_operator_token, "make a token for somebody who runs the service, and what the settings hold of it")
    token.add_argument("name", help="who it is for, as the list of what operators did will name them")
    play = command(
        _play,
        "play a game in the terminal, against bots or where you are invited, on the server at PORT or else on one that is started for it",
    )
    what = play.add_mutually_exclusive_group(required=True)
    what.add_argument("game", nargs="?", help="the game's key, such as pico, for a match against bots")
    what.add_argument("--invite", metavar="CODE", help="the invitation code of a private match: sit down at that one")
    play.add_argument("--seats", type=int, help="how many play, you included; as few as can unless you say otherwise")
    play.add_argument("--level", default="normal", help="how well the bots play: easy or normal")
    play.add_argument("--lang", choices=("en", "fr"), default="en", help="English or French")
    play.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="what is agreed on; may be given several times")
    play.add_argument("--url", help="the address of another server, such as https://play.example.org")
    new_game = command(_new_game, "make the room of a new game in this checkout: the smallest whole game, to be changed into yours")
    new_game.add_argument("name", help="the game's key: small letters, words joined by a hyphen")
    new_game.add_argument("--title", help="what it is called on a screen; the words of its key unless you say otherwise")
    return parser


def _leave(*_: object) -> None:
    """End at once but in order, and not as a failure, when the person or the system asks for it."""
    raise SystemExit(0)


# Each command imports what it needs when it runs: help is shown at once, and Ctrl-C is in order from the first moment. Wrong
# settings are told at once too: they are read before the service is loaded.


def _serve(workers: str | None) -> None:
    from service import settings

    given = settings.read(os.environ if workers is None else {**os.environ, "LUDICITUDE_WORKERS": workers})
    from service.serve import serve

    serve(given)


def _worker(listening: int, says: int) -> None:
    from service import settings

    given = settings.read(os.environ)
    from service.serve import work

    work(given, listening, says)


def _migrate() -> None:
    from service.migrate import migrate

    with _database() as url:
        asyncio.run(migrate(url))


def _rebuild() -> None:
    from service.upkeep.rebuild import rebuild

    with _database() as url:
        asyncio.run(rebuild(url))


def _verify() -> None:
    from service.upkeep.verify import verify

    with _database() as url:
        faults = asyncio.run(verify(url, print))
    if faults:
        raise CantRun(f"Faults found: {faults}.")


def _doctor() -> None:
    from service.upkeep.doctor import examine

    with _database() as url:
        wrong = asyncio.run(examine(url, print))
    if wrong:
        raise CantRun("Not all is well: see what says WRONG.")


def _epoch_bump(service_is_stopped: bool) -> None:
    from service.upkeep.doctor import bump_epoch

    with _database() as url:
        print(f"Epoch {asyncio.run(bump_epoch(url, service_is_stopped))} has begun.")


def _export(match: Sequence[str], with_secrets: bool) -> None:
    from service.upkeep.carry import export

    with _database() as url:
        asyncio.run(export(url, sys.stdout.buffer.write, _aside, match, with_secrets))


def _import() -> None:
    from service.upkeep.carry import import_matches

    with _database() as url:
        refused = asyncio.run(import_matches(url, sys.stdin.buffer, _aside))
    if refused:
        raise CantRun(f"Matches refused: {refused}.")


def _operator_token(name: str) -> None:
    from service import chance
    from service.accounts.operators import token_hash

    token = chance.new_token(chance.OPERATOR_PREFIX)
    _aside(f"The token, shown this once; send it as `Authorization: Bearer <token>`:\n{token}\n")
    _aside("Add this to LUDICITUDE_OPERATORS, or to LUDICITUDE_METRICS_READERS for a program that only reads /metrics:")
    print(f"{name}={token_hash(token)}")


def _aside(text: str) -> None:
    """Say something to the person, where the output is for a file or another program."""
    print(text, file=sys.stderr)


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


def _play(**wanted: Any) -> None:
    from service.play import Wanted, play

    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # What is no text is no choice either.
    play(os.environ, Wanted(**wanted))


def _new_game(name: str, title: str | None) -> None:
    from service.new_game import new_game

    print(new_game(name, title), end="")
