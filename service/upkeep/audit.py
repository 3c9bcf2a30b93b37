"""Whether a match that is stored is whole: its events, the rows written with them, its chance, its secrets and its rules."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby, pairwise
from typing import Any
from uuid import uuid5

import msgspec
from msgspec.structs import replace

from domain.games import GAMES
from domain.match import fate
from domain.match.events import Ended, Opened, Started
from domain.match.game import AnyGame
from domain.match.state import AnyMatch, Match, fold, match_type
from service.held import Shown, line, match_id_of
from service.store.codec import Record, decode, origin
from service.store.contract import Line
from service.store.upcasters import UnknownEvent
from service.store.whole import Current, Whole
from service.upkeep.replay import Departed, replay

RESTORE = "Stored events are never changed, so this is damage: take this match from a backup."
RELEASE = "Use the release that wrote it, or a later one."
ROW = "Nobody loses anything in play; the next event of the match writes the row anew. For an ended match, take the row from a backup."


class Fault(msgspec.Struct, frozen=True):
    """One thing that is wrong with a match, and what to do about it."""

    match_id: str
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.match_id}: {self.what}. {self.remedy}"


class Audited(msgspec.Struct, frozen=True):
    """What came of the audit of one match. `replayed` is whether it could be played again by the rules of this release."""

    match_id: str
    status: str
    events: int
    replayed: bool
    faults: tuple[Fault, ...]


def audit(whole: Whole, now: datetime) -> Audited:
    """Check one match as it stood at the moment `now`. It never raises for what is stored: whatever is wrong becomes a fault."""
    case = _Case(whole, now)
    case.examine()
    status = "unknown" if case.match is None else case.match.status
    return Audited(case.match_id, status, len(whole.events), case.replayed, tuple(case.faults))


class _Case:
    """The audit of one match: `faults` found so far, and the match that its events lead to as soon as that is known."""

    def __init__(self, whole: Whole, now: datetime) -> None:
        self.whole, self.now = whole, now
        self.match_id = match_id_of(whole.stream)
        self.faults = list[Fault]()
        self.match: AnyMatch | None = None
        self.replayed = False

    def examine(self) -> None:
        self._stream()
        if [placed.event.version for placed in self.whole.events] != list(range(1, len(self.whole.events) + 1)):
            return  # What follows a gap cannot be followed.
        game = self._game()
        records = None if game is None else self._records(game)
        if game is None or not records:
            return
        try:
            self.match = fold(game, Match[Any, Any](self.match_id), (record.entry for record in records))
        except Exception as error:  # Rules never fail on events that they made, so whatever it is, the events are wrong.
            self._fault(f"its events cannot be followed: {error!r}", RESTORE)
            return
        self._current(self.match)
        self._kept_states(game, self.match, records)
        self._chance(self.match, records)
        if self.match.agreed.ruleset == game.ruleset:
            self._rules(game, records)

    def _fault(self, what: str, remedy: str) -> None:
        self.faults.append(Fault(self.match_id, what, remedy))

    def _stream(self) -> None:
        """The versions, their order among all events, and the commands that they came of."""
        whole = self.whole
        versions = [placed.event.version for placed in whole.events]
        if whole.head is None:
            self._fault("it has rows but no stream", RESTORE)
        elif versions != list(range(1, whole.head.version + 1)):
            expected = set(range(1, whole.head.version + 1))
            gone, more = sorted(expected - set(versions)), sorted(set(versions) - expected)
            self._fault(f"it stands at version {whole.head.version}, but events {gone[:5]} are missing and {more[:5]} too many", RESTORE)
        for before, after in pairwise(whole.events):
            if after.cursor <= before.cursor:
                self._fault(f"event {after.event.version} comes before the one it follows in the order of all events", RESTORE)
        if whole.head is not None and whole.events and whole.head.last != whole.events[-1].cursor[:2]:
            self._fault("its stream does not name the transaction of its last event, which guards the order", RESTORE)
        self._commands()

    def _commands(self) -> None:
        try:
            commands = [origin(placed.event).command for placed in self.whole.events]
        except msgspec.DecodeError as error:
            self._fault(f"what stands beside an event cannot be read: {error}", RESTORE)
            return
        runs = {}
        for command, run in groupby(zip(commands, self.whole.events, strict=True), key=lambda pair: pair[0]):
            placed = [one for _, one in run]
            if command in runs:
                self._fault(f"the command of event {placed[0].event.version} has taken effect twice", RESTORE)
            runs[command] = (placed[0].event.version, placed[-1].event.version)
            if [one.event_id for one in placed] != [uuid5(command, str(ordinal)) for ordinal in range(len(placed))]:
                self._fault(f"the ids from event {placed[0].event.version} on do not come of their command", RESTORE)
        for done in self.whole.commands:
            if runs.get(done.command) != (done.first, done.last):
                self._fault(f"a command is remembered for events {done.first} to {done.last}, which are not its own", RESTORE)

    def _game(self) -> AnyGame | None:
        """The game that the first event names."""
        if not self.whole.events:
            return None  # That they are missing has been said.
        opened = self.whole.events[0].event
        try:
            key = msgspec.json.decode(opened.data, type=_Named).game
        except msgspec.DecodeError as error:
            self._fault(f"its first event cannot be read: {error}", RESTORE)
            return None
        if opened.type != Opened.__struct_config__.tag or key not in GAMES:
            self._fault(f"it begins with {opened.type} of a game {key!r} that this release does not have", RELEASE)
            return None
        return GAMES[key]

    def _records(self, game: AnyGame) -> list[Record] | None:
        records = []
        for placed in self.whole.events:
            try:
                records.append(decode(game, placed.event))
            except UnknownEvent as unknown:
                self._fault(f"event {placed.event.version} cannot be read: {unknown}", RELEASE)
            except msgspec.MsgspecError as error:
                self._fault(f"event {placed.event.version} ({placed.event.type}) cannot be read: {error}", RESTORE)
        return records if len(records) == len(self.whole.events) else None

    def _current(self, match: AnyMatch) -> None:
        """The row of lists, deadlines and bots."""
        current = self.whole.current
        if current is None:
            self._fault("it has no row in match_current, so nobody finds it", ROW)
            return
        if current.version != match.version:
            self._fault(f"its row says version {current.version}, and its events say {match.version}", ROW)
        due, held = match.due, current.line.due_at
        # Whoever sees to a match that is due puts its row off for a moment.
        put_off = due is not None and held is not None and due <= held and due <= self.now
        said, right = _comparable(current.line), _comparable(replace(line(match), due_at=held if put_off else due))
        for field, value in right.items():
            if said[field] != value:
                self._fault(f"its row says {field} {said[field]!r}, and its events say {value!r}", ROW)
        self._times(current)

    def _times(self, current: Current) -> None:
        events = [placed.event for placed in self.whole.events]
        ended = next((event.at for event in events if event.type == Ended.__struct_config__.tag), None)
        for field, right in (("opened_at", events[0].at), ("updated_at", events[-1].at), ("ended_at", ended)):
            if getattr(current, field) != right:
                self._fault(f"its row says {field} {getattr(current, field)}, and its events say {right}", ROW)

    def _kept_states(self, game: AnyGame, match: AnyMatch, records: Sequence[Record]) -> None:
        """What is kept of the states on the way, for whoever need not follow all events."""
        kept = [(each, "milestone") for each in self.whole.milestones]
        if self.whole.snapshot is not None:
            kept.append((self.whole.snapshot, "snapshot"))
        right: AnyMatch = Match[Any, Any](self.match_id)
        for saved, what in sorted(kept, key=lambda each: each[0].version):
            remedy = f"Delete its row in es.{what}s; that costs nothing but time."
            if saved.version > match.version:
                self._fault(f"its {what} is of version {saved.version}, which it has not reached", remedy)
                continue
            right = fold(game, right, (record.entry for record in records[right.version : saved.version]))
            try:
                same = msgspec.json.decode(saved.state, type=match_type(game)) == right
            except msgspec.MsgspecError:
                same = False
            if not same:
                self._fault(f"its {what} of version {saved.version} is not what its events lead to", remedy)

    def _chance(self, match: AnyMatch, records: Sequence[Record]) -> None:
        """The seed, and every draw and every seal that came of it."""
        held = self.whole.seed
        if held is None:
            self._fault("its seed is missing, so it can neither go on nor be proved", RESTORE)
            return
        if fate.commitment(self.match_id, held.seed) != match.agreed.commitment:
            self._fault("its seed is not the one that it committed to", RESTORE)
            return
        if (held.opened_at is not None) != (match.status == "ended"):
            self._fault(f"its seed is {'open' if held.opened_at else 'not open'}, and it is {match.status}", RESTORE)
        entropy = next((tuple(one.entropy for one in r.entry.event.seats) for r in records if isinstance(r.entry.event, Started)), ())
        for what in _unfair(match, fate.match_key(self.match_id, held.seed, entropy), records):
            self._fault(what, RESTORE)

    def _rules(self, game: AnyGame, records: list[Record]) -> None:
        """The whole match, played again."""
        commands = [origin(placed.event).command for placed in self.whole.events]
        runs = groupby(zip(commands, records, strict=True), key=lambda pair: pair[0])
        appends = [[record for _, record in run] for _, run in runs]
        self.replayed = True
        try:
            replay(game, Match[Any, Any](self.match_id), appends)
        except Departed as departed:
            self._fault(str(departed), f"Either it is damaged ({RESTORE}) or a release changed the rules without a new ruleset.")
        except Exception as error:
            self._fault(f"the rules break on its events: {error!r}", RESTORE)


class _Named(msgspec.Struct):
    game: str


def _comparable(said: Line) -> dict[str, Any]:
    fields = {field: getattr(said, field) for field in Line.__struct_fields__}
    return {**fields, "shown": _shown(said.shown), "players": sorted(said.players)}


def _shown(said: bytes) -> Any:
    """What lists show of a match; an earlier release may have left out what it did not know."""
    try:
        return msgspec.json.decode(said, type=Shown)
    except msgspec.ValidationError:
        return msgspec.json.decode(said)


def _unfair(match: AnyMatch, key: bytes, records: Sequence[Record]) -> Iterator[str]:
    draws = key if match.test_seed is None else fate.key_of_a_test(bytes.fromhex(match.test_seed))
    number = 0
    for record in records:
        drawn, sealed = record.entry.draw, record.entry.sealed
        if drawn is not None:
            number += 1
            fixed = match.fixed[drawn.number - 1] if drawn.number <= len(match.fixed) else None
            if drawn.number != number:
                yield f"event {record.version} shows draw {drawn.number}, and it is the match's {number}"
            elif drawn.outcome != (fixed or fate.draw(draws, number, drawn.request)):
                yield f"draw {number} (event {record.version}) is not what its seed gives"
        if sealed is not None:
            right = fate.seal(match.match_id, key, record.version, record.entry.seat or 0, sealed.command)
            if record.entry.seat is None or sealed.seal != right:
                yield f"the secret choice of event {record.version} is not the one that was sealed"
