"""`ludicitude export` and `import`: matches out of one database and into another, as lines of JSON.

The first line says what the file is; each further line is one match, whole. Events, commands, versions, ids and times stay as
they are. The place among the events of all matches is the new database's own, and rows and lists are made from the events.

The log of a match that has not ended holds its secrets: hands, sealed choices, entropy. Without `with_secrets` such a match stays
where it is. With it, the match takes its seed along: it committed to that seed before anybody sat down, so no other one would be
honest, and going on with it in both places would use one seed twice.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec

from domain.games import GAMES
from domain.match.events import Ended
from domain.match.state import Match, fold
from service.cant_run import CantRun
from service.held import UnknownMatch, line, match_id_of, stream_of
from service.store.codec import decode
from service.store.contract import Cursor, Stored
from service.store.snapshots import state_schema
from service.store.upcasters import UnknownEvent
from service.store.whole import Current, Done, Head, NotPut, Placed, Seed, Whole, put, wholes
from service.upkeep.audit import audit
from service.upkeep.database import database

FORMAT, FORMAT_VERSION = "ludicitude-matches", 1
ENDED = Ended.__struct_config__.tag


class Preamble(msgspec.Struct, frozen=True):
    """The first line."""

    format: str
    version: int
    with_secrets: bool


class CarriedEvent(msgspec.Struct, frozen=True):
    """One event, its `data` and `meta` as they are stored."""

    version: int
    event_id: UUID
    type: str
    schema_version: int
    at: datetime
    data: msgspec.Raw
    meta: msgspec.Raw


class Carried(msgspec.Struct, frozen=True):
    """One match. `seed` is hex."""

    match_id: str
    category: str
    archived_at: datetime | None
    seed: str | None
    seed_opened_at: datetime | None
    events: tuple[CarriedEvent, ...]
    commands: tuple[Done, ...]


async def export(
    database_url: str,
    write: Callable[[bytes], object],
    tell: Callable[[str], None],
    match_ids: Sequence[str] = (),
    with_secrets: bool = False,
) -> None:
    """Write the matches of these ids, or all, and tell what was left out. Raises `CantRun` for an id that cannot be exported."""
    wanted = tuple(_stream(match_id) for match_id in match_ids)
    if with_secrets:
        tell("WITH SECRETS: whoever has this file knows all hands, sealed choices and coming dice of the matches in it that go on.")
    carried = left_out = 0
    async with database(database_url) as engine, aclosing(wholes(engine, state_schema(), wanted or None)) as all_wanted:
        write(msgspec.json.encode(Preamble(FORMAT, FORMAT_VERSION, with_secrets)) + b"\n")
        async for whole in all_wanted:
            ended = bool(whole.events) and whole.events[-1].event.type == ENDED
            if wanted and whole.head is None:
                raise CantRun(f"There is no match {match_id_of(whole.stream)}.")
            if wanted and not ended and not with_secrets:
                raise CantRun(f"{match_id_of(whole.stream)} has not ended, and its log holds its secrets: --with-secrets takes them along.")
            if whole.head is None or not (ended or with_secrets):
                left_out += 1
                continue
            write(msgspec.json.encode(_packed(whole)) + b"\n")
            carried += 1
    tell(f"Matches exported: {carried}.")
    if left_out:
        tell(f"Left out: {left_out}, for they have not ended and their logs hold their secrets; --with-secrets takes them along.")


async def import_matches(database_url: str, lines: Iterable[bytes], tell: Callable[[str], None]) -> int:
    """Store the matches of an export, each one whole or not at all. Answers how many were refused, each told in a line with the reason."""
    numbered = enumerate(lines, start=1)
    _require_preamble(next(numbered, (1, b""))[1])
    imported = refused = running = 0
    async with database(database_url) as engine:
        for number, text in numbered:
            try:
                carried = msgspec.json.decode(text, type=Carried)
                whole = _unpacked(carried)
                await put(engine, whole)
            except (msgspec.MsgspecError, UnknownMatch, UnicodeError) as error:
                raise CantRun(f"Line {number} is no match: {error}. Matches imported before it: {imported}.") from error
            except NotPut as reason:
                refused += 1
                tell(f"{carried.match_id} refused: {reason}.")
                continue
            imported += 1
            running += whole.seed is not None and whole.seed.opened_at is None
    tell(f"Matches imported: {imported}, refused: {refused}.")
    if running:
        tell(f"To go on here from now on: {running}. Where they came from they must not: their dice would come of one seed twice.")
    return refused


def _stream(match_id: str) -> UUID:
    try:
        return stream_of(match_id)
    except UnknownMatch:
        raise CantRun(f"{match_id!r} is no id of a match.") from None


def _require_preamble(text: bytes) -> None:
    try:
        preamble = msgspec.json.decode(text, type=Preamble)
    except msgspec.MsgspecError:
        raise CantRun("This is no export of matches: its first line is another one.") from None
    if (preamble.format, preamble.version) != (FORMAT, FORMAT_VERSION):
        raise CantRun(f"This release reads {FORMAT} version {FORMAT_VERSION}, and this is {preamble.format} version {preamble.version}.")


def _packed(whole: Whole) -> Carried:
    assert whole.head is not None, "a match without a stream"
    events = tuple(
        CarriedEvent(one.version, placed.event_id, one.type, one.schema_version, one.at, msgspec.Raw(one.data), msgspec.Raw(one.meta))
        for placed in whole.events
        for one in (placed.event,)
    )
    seed = whole.seed
    return Carried(
        match_id_of(whole.stream),
        whole.head.category,
        whole.head.archived_at,
        None if seed is None else seed.seed.hex(),
        None if seed is None else seed.opened_at,
        events,
        whole.commands,
    )


def _unpacked(carried: Carried) -> Whole:
    """The match with its row made from its events. Raises `NotPut` for one that would not stand an audit here."""
    ended = bool(carried.events) and carried.events[-1].type == ENDED
    if carried.seed is None:
        goes_on = (
            "it cannot be proved" if ended else "it committed to that seed before anybody sat down, and another one would not be honest"
        )
        raise NotPut(f"its seed is missing: {goes_on}")
    placed = tuple(
        Placed(
            Stored(one.version, one.at, one.type, one.schema_version, bytes(one.data), bytes(one.meta)), one.event_id, Cursor(0, 0, place)
        )
        for place, one in enumerate(carried.events)
    )
    whole = Whole(
        stream=stream_of(carried.match_id),
        head=Head(carried.category, len(placed), (0, 0), carried.archived_at),
        events=placed,
        commands=carried.commands,
        current=_current(carried, placed),
        seed=Seed(_bytes(carried.seed), carried.seed_opened_at),
        snapshot=None,
        milestones=(),
    )
    faults = audit(whole, datetime.now(UTC)).faults
    if faults:
        raise NotPut(faults[0].what)
    return whole


def _bytes(seed: str) -> bytes:
    try:
        return bytes.fromhex(seed)
    except ValueError:
        raise NotPut("its seed is not hex") from None


class _Named(msgspec.Struct):
    game: str


def _current(carried: Carried, placed: tuple[Placed, ...]) -> Current:
    """The row that the events make. Whatever cannot be followed is refused."""
    try:
        game = GAMES[msgspec.json.decode(carried.events[0].data, type=_Named).game]
        match = fold(game, Match[Any, Any](carried.match_id), (decode(game, one.event).entry for one in placed))
        row = line(match)
    except UnknownEvent as unknown:
        raise NotPut(str(unknown)) from unknown
    except Exception as error:
        raise NotPut(f"its events cannot be followed: {error!r}") from error
    events = [one.event for one in placed]
    ended_at = next((event.at for event in events if event.type == ENDED), None)
    return Current(len(events), row, events[0].at, events[-1].at, ended_at)
