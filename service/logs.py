"""Logs: one line for each thing that happened, to the error output, in the same form whoever wrote it."""

import asyncio
import atexit
import logging
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, TextIO

import msgspec
import structlog
from structlog.typing import EventDict, Processor

from service.settings import LogFormat, LogLevel

QUIET = ("asyncio", "alembic", "httpx", "sqlalchemy")
"""Libraries that are heard from warnings on."""

REQUEST_ID: ContextVar[str | None] = ContextVar("request_id", default=None)
"""The id of the request that is being answered."""


def configure(level: LogLevel, form: LogFormat) -> None:
    """Give every log line of this process, also those of libraries, one form: `json` for machines, `text` for people.

    Tracebacks come without the values of variables, which may be tokens, hands or seeds.
    """
    shared: list[Processor] = [of_request, structlog.processors.add_log_level, _stamped]
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=[_without_record, *_ending(form)]))
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    for name in QUIET:
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLevelName(level.upper())))
    lines = Lines(sys.stderr)
    structlog.configure(
        processors=[*shared, *_ending(form)],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level.upper())),
        logger_factory=lines,
        cache_logger_on_first_use=True,
    )
    plain = logging.getLevelName(level.upper()) <= logging.INFO and (form == "json" or not sys.stderr.isatty())
    ANSWERED.go_quickly(lines if plain else None, form)


class Lines:
    """Makes loggers that write to one file. What is said in one turn of the loop is written in one piece, when the loop turns."""

    def __init__(self, file: TextIO) -> None:
        self._file, self._said = file, list[str]()
        atexit.register(self._write)

    def __call__(self, *_: object) -> "Lines":
        return self

    def msg(self, line: str) -> None:
        """Say this line."""
        self._said.append(line)
        if len(self._said) > 1:
            return
        try:
            asyncio.get_running_loop().call_soon(self._write)
        except RuntimeError:  # There is no loop to turn.
            self._write()

    debug = info = warning = error = critical = msg

    def _write(self) -> None:
        said, self._said = self._said, []
        if said:
            self._file.write("\n".join([*said, ""]))
            self._file.flush()


class Answered:
    """Logs requests that have been answered. There are so many that a line is put together at once, where that makes the same line."""

    def __init__(self) -> None:
        self._lines: Lines | None = None
        self._form: LogFormat = "text"

    def go_quickly(self, lines: Lines | None, form: LogFormat) -> None:
        """Write to these lines from now on, in this form and without colours; None: the way of all other lines."""
        self._lines, self._form = lines, form

    def __call__(self, method: str, route: str, status: int, duration_ms: float, player_id: str | None, operator: str | None) -> None:
        """Log one request. Nothing but the name of an `operator` may hold what has to be quoted."""
        told: dict[str, Any] = {"method": method, "route": route, "status": status, "duration_ms": duration_ms, "player_id": player_id}
        if operator is not None:
            log.info("request", **told, operator=operator)
        elif self._lines is None:
            log.info("request", **told)
        elif self._form == "json":
            told |= {"event": "request", "request_id": REQUEST_ID.get(), "level": "info", "timestamp": _now()}
            self._lines.msg(_json(told))
        else:
            pairs = f"duration_ms={duration_ms} method={method} player_id={player_id} request_id={REQUEST_ID.get()} route={route}"
            self._lines.msg(_line(_now(), "info", "request", f"{pairs} status={status}"))


ANSWERED = Answered()
log = structlog.get_logger("access")


def of_request(_logger: Any, _name: str, event_dict: EventDict) -> EventDict:
    """Tells on each line during which request it was said."""
    if (request_id := REQUEST_ID.get()) is not None:
        event_dict["request_id"] = request_id
    return event_dict


def _stamped(_logger: Any, _name: str, event_dict: EventDict) -> EventDict:
    event_dict["timestamp"] = _now()
    return event_dict


def _now() -> str:
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")


def _ending(form: LogFormat) -> list[Processor]:
    if form == "json":
        return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(_json)]
    return [Text(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback)]


class Text(structlog.dev.ConsoleRenderer):
    """The renderer for people, in a fraction of the time for a line that needs neither colours, quotes nor a traceback."""

    def __call__(self, logger: Any, name: str, event_dict: EventDict) -> str:
        at, level, event = event_dict.pop("timestamp"), event_dict.pop("level"), event_dict.pop("event")
        pairs = [f"{key}={event_dict[key]}" for key in sorted(event_dict)]
        told = " ".join(pairs)
        if self.colors or not _PLAIN.issuperset(map(type, event_dict.values())) or not _is_plain(told, len(pairs)):
            return super().__call__(logger, name, {**event_dict, "timestamp": at, "level": level, "event": event})
        return _line(at, level, event, told)


def _line(at: str, level: str, event: str, told: str) -> str:
    return f"{at} [{level:<9}] {event:<30} {told}" if told else f"{at} [{level:<9}] {event}"


_PLAIN = frozenset({str, int, float, type(None)})


def _is_plain(told: str, pairs: int) -> bool:
    """Whether none of these pairs of a name and a value, joined by spaces, holds anything that would stand in quotes."""
    return told.isprintable() and "'" not in told and '"' not in told and told.count(" ") < max(pairs, 1) and told.count("=") == pairs


_without_record = structlog.stdlib.ProcessorFormatter.remove_processors_meta


def _json(line: Any, **_: Any) -> str:
    return msgspec.json.encode(line, enc_hook=str).decode()
