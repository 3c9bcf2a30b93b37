"""Logs: one line for each thing that happened, to the error output, in the same form whoever wrote it."""

import asyncio
import atexit
import logging
import sys
from datetime import UTC, datetime
from typing import Any, TextIO

import msgspec
import structlog
from structlog.typing import EventDict, Processor

from service.settings import LogFormat, LogLevel

QUIET = ("asyncio", "alembic", "httpx", "sqlalchemy")
"""Libraries that are heard from warnings on."""


def configure(level: LogLevel, form: LogFormat) -> None:
    """Give every log line of this process, also those of libraries, one form: `json` for machines, `text` for people.

    Tracebacks come without the values of variables, which may be tokens, hands or seeds.
    """
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        _stamped,
    ]
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=[_without_record, *_ending(form)]))
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    for name in QUIET:
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLevelName(level.upper())))
    structlog.configure(
        processors=[*shared, *_ending(form)],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level.upper())),
        logger_factory=Lines(sys.stderr),
        cache_logger_on_first_use=True,
    )


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


def _ending(form: LogFormat) -> list[Processor]:
    if form == "json":
        return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(_json)]
    return [Text(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback)]


class Text(structlog.dev.ConsoleRenderer):
    """The renderer for people, in a tenth of the time for a line that needs neither colours, quotes nor a traceback."""

    def __call__(self, logger: Any, name: str, event_dict: EventDict) -> str:
        if self.colors or not _PLAIN.issuperset(map(type, event_dict.values())):
            return super().__call__(logger, name, event_dict)
        pairs = [f"{key}={value}" for key, value in sorted(event_dict.items()) if key not in _HEAD]
        told = " ".join(pairs)
        if not told.isprintable() or "'" in told or '"' in told or told.count(" ") + 1 > len(pairs) or told.count("=") > len(pairs):
            return super().__call__(logger, name, event_dict)
        at, level, event = event_dict["timestamp"], event_dict["level"], event_dict["event"]
        return f"{at} [{level:<9}] {event:<30} {told}" if told else f"{at} [{level:<9}] {event}"


_HEAD = frozenset({"timestamp", "level", "event"})
_PLAIN = frozenset({str, int, float, type(None)})


def _stamped(_logger: Any, _name: str, event_dict: EventDict) -> EventDict:
    event_dict["timestamp"] = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    return event_dict


_without_record = structlog.stdlib.ProcessorFormatter.remove_processors_meta


def _json(line: Any, **_: Any) -> str:
    return msgspec.json.encode(line, enc_hook=str).decode()
