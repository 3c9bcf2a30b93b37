"""The one path that every command of every match takes: load, let the domain decide, append.

A command is acknowledged when its events are on disk. Decisions are made on a state that may be cached; what they rest on is
checked by the append itself (the expected version), and a refusal made from a cached state is confirmed against the store
before anybody hears of it.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection
from functools import partial
from uuid import UUID
from weakref import WeakValueDictionary

import msgspec
from msgspec.structs import replace
from prometheus_client import Counter

from domain.games import GAMES
from domain.match import fate
from domain.match.game import AnyGame, Refused
from domain.match.play import Entry, NotNow
from domain.match.state import AnyMatch, Match, fold
from domain.match.table import NotAllowed, Unfit, World
from service import chance
from service.cache import Cache
from service.calls import Call
from service.held import Held, UnknownMatch, line, match_id_of, stream_of
from service.live.watch import Watch
from service.proofs import Proof, Transcript
from service.store import Append, Appended, EventStore, KeyReused, StoreAway, WrongVersion, stream_id
from service.store.codec import Origin, Record, decode, encode
from service.store.upcasters import UnknownEvent

REFUSALS = Counter("ludicitude_refusals_total", "Commands that were refused, by the code of the refusal.", ["code"])

RACE_SECONDS = 2.0
"""How long a command that keeps losing races is tried again before the caller is told to come back."""

PAGE_MAX = 500

_STREAM_ID_LENGTH = 36
"""Other things that move on have shorter keys."""

Decide = Callable[[AnyGame, AnyMatch, World], tuple[Entry, ...]]
"""What the domain answers to a command, on a given state of the match."""

MayKnow = Callable[[AnyMatch], None]
"""Raises where the caller may not know of the match as it stands."""

Open = Callable[[str, str, World], tuple[Entry, ...]]
"""What the domain answers to an opening: (the new match's id, the commitment to its seed, the world)."""


class Busy(Exception):
    """The match was too busy to take this command within `RACE_SECONDS`; nothing happened."""


DELAYING = (StoreAway, Busy, UnknownEvent)
"""What keeps the house from seeing to a match, and may be gone at the next try, here or at a process of a later release."""


class Stale(Exception):
    """The caller asked for a version of the match that is not the present one, which is `version`; None if they may not know that."""

    def __init__(self, version: int | None) -> None:
        super().__init__(f"the match stands at version {version}")
        self.version = version


class Changed(msgspec.Struct, frozen=True):
    """What a command did: the match right after it, and the records it appended. `repeated`: it had done so before."""

    match: AnyMatch
    records: tuple[Record, ...]
    repeated: bool = False


class Matches:
    """All matches of the service, as one process sees them."""

    def __init__(self, store: EventStore, watch: Watch) -> None:
        self._store = store
        self._watch = watch
        self._cache = Cache(store)
        self._queues: WeakValueDictionary[UUID, asyncio.Lock] = WeakValueDictionary()
        self._moved: list[Callable[[AnyMatch], None]] = []
        self._ended: list[Callable[[AnyMatch], None]] = []

    def when_moved(self, tell: Callable[[AnyMatch], None]) -> None:
        """Call `tell` with each match that this process has moved on."""
        self._moved.append(tell)

    def when_ended(self, tell: Callable[[AnyMatch], None]) -> None:
        """Call `tell` with each match that has ended in this process."""
        self._ended.append(tell)

    async def open(self, call: Call, game: AnyGame, decide: Open) -> Changed:
        """Open a match of this game; the same keyed call opens one match. Raises `RematchTaken` besides what `change` raises."""
        seed = chance.new_seed()
        match_id = match_id_of(call.id)
        held = Held(game, Match(match_id), seed)
        entries = decide(match_id, fate.commitment(match_id, seed), held.world)
        try:
            return await self._commit(call, call.id, held, entries)
        except WrongVersion as lost:
            raise KeyReused from lost

    async def change(self, match_id: str, call: Call, decide: Decide, may_know: MayKnow = lambda match: None) -> Changed:
        """Let the domain decide on this match and append what it answers. `may_know` speaks before anything is told of it.

        Raises what the domain raises, `Stale` when the caller's expected version is not the present one, `KeyReused`,
        `Busy` and the store's `StoreAway`; nothing is stored then.
        """
        stream = stream_of(match_id)
        turn = await self._turn(stream)
        try:
            gives_up = time.monotonic() + RACE_SECONDS
            while True:
                held, fresh = await self._cache.hold(stream)
                try:
                    may_know(held.match)
                    if call.expected not in (None, held.match.version):
                        raise Stale(held.match.version)
                    entries = decide(held.game, held.match, held.world)
                    return await self._commit(call, stream, held, entries)
                except WrongVersion:
                    self._cache.pass_by(stream)
                    if time.monotonic() > gives_up:
                        raise Busy from None
                    await asyncio.sleep(chance.jitter(0.02))
                except (Refused, NotNow, NotAllowed, Unfit, Stale, UnknownMatch) as refused:
                    if (before := await self.before(call, stream)) is not None:
                        return before
                    if fresh or await self._store.version(stream) == held.match.version:
                        REFUSALS.labels(getattr(refused, "code", "stale" if isinstance(refused, Stale) else "unknown_match")).inc()
                        raise
                    self._cache.pass_by(stream)
        finally:
            turn.release()

    def heard(self, keys: Collection[str] | None) -> None:
        """Another process has moved these on, among which may be matches; None stands for anything."""
        if keys is None:
            return self._cache.pass_all_by()
        for key in keys:
            if len(key) == _STREAM_ID_LENGTH:
                self._cache.pass_by(stream_id(key))
        return None

    async def get(self, match_id: str) -> AnyMatch:
        """A match as it stands. Raises `UnknownMatch` and the store's `StoreAway`."""
        return (await self.held(stream_of(match_id))).match

    async def held(self, stream: UUID) -> Held:
        """A match as it stands, with what its own draws come from."""
        held, fresh = await self._cache.hold(stream)
        if not fresh and await self._store.version(stream) != held.match.version:
            self._cache.pass_by(stream)
            held, _ = await self._cache.hold(stream)
        return held

    async def news(self, match_id: str) -> AnyMatch:
        """A match for somebody who follows it, at least at the version that their `watch` has told of.

        What this process has done itself is at hand; for what others did, all who follow the match look at the log once.
        """
        stream = stream_of(match_id)
        held, told = self._cache.get(stream), self._watch.latest(stream)
        if held is None or told is None or held.match.version < told:
            held = await self._cache.advanced(stream)
        return held.match

    async def successor(self, match: AnyMatch) -> str | None:
        """The id of the match that follows this one, if there is one."""
        stream = await self._store.successor(stream_of(match.match_id))
        return None if stream is None else match_id_of(stream)

    async def at(self, match: AnyMatch, version: int) -> AnyMatch:
        """The match as it stood at `version`, from 1 to its present one."""
        if version == match.version:
            return match
        return (await self._cache.read(stream_of(match.match_id), version)).match

    async def records(self, match: AnyMatch, after: int, limit: int, upto: int | None = None) -> tuple[Record, ...]:
        """Up to `limit` records of a match that follow version `after`, oldest first, none later than `upto` or than the match."""
        game, stream = GAMES[match.agreed.game], stream_of(match.match_id)
        limit, upto = min(limit, PAGE_MAX), match.version if upto is None else upto
        kept = self._cache.recent.between(stream, after, min(upto, after + limit))
        if kept is not None:
            return kept
        return tuple(decode(game, one) for one in await self._store.events(stream, after, limit, upto))

    async def pages(self, match: AnyMatch) -> AsyncIterator[tuple[Record, ...]]:
        """All records of a match, oldest first, some at a time."""
        read = 0
        while read < match.version:
            page = await self.records(match, read, PAGE_MAX)
            read = page[-1].version
            yield page

    async def proof(self, match: AnyMatch) -> Proof:
        """The proof of a match that has ended."""
        transcript = Transcript()
        async for page in self.pages(match):
            transcript.add(page)
        return await self.proved(match, transcript)

    async def proved(self, match: AnyMatch, transcript: Transcript) -> Proof:
        """The proof of a match that has ended, from the transcript of all its records."""
        return transcript.proof(match, (await self.held(stream_of(match.match_id))).seed)

    async def _turn(self, stream: UUID) -> asyncio.Lock:
        """Wait until no other command of this match is under way here: better than to race at the database. To be released."""
        lock = self._queues.get(stream)
        if lock is None:  # Nobody is there, so there is nothing to wait for.
            lock = self._queues[stream] = asyncio.Lock()
            await lock.acquire()
            return lock
        try:
            # Not wait_for, which may swallow a cancellation that comes in the moment the lock is had.
            async with asyncio.timeout(RACE_SECONDS):
                await lock.acquire()
        except TimeoutError:
            raise Busy from None
        return lock

    async def _commit(self, call: Call, stream: UUID, held: Held, entries: tuple[Entry, ...]) -> Changed:
        """Append these entries and move the cached match on, whether or not the caller is still there."""
        before, origin = held.match, Origin(actor=call.actor, command=call.id)
        after = fold(held.game, before, entries)
        appended = await self._store.begin(
            Append(
                stream=stream,
                expected=before.version,
                command=call.id,
                fingerprint=call.fingerprint,
                events=tuple([encode(entry, origin) for entry in entries]),
                line=line(after),
                seed=held.seed if before.version == 0 else None,
            ),
            then=partial(self._appended, stream, replace(held, match=after), entries),
        )
        if appended.duplicate:
            return await self._again(stream, appended.first, appended.last)
        await self._cache.passed(stream, before.version, after)
        return Changed(after, _records(appended, entries))

    def _appended(self, stream: UUID, held: Held, entries: tuple[Entry, ...], appended: Appended) -> None:
        """Move the cached match on, and tell who wants to know."""
        if appended.duplicate:  # Whoever was to tell of it, when it was stored, may not have come to it.
            self._watch.moved(stream, appended.last)
            return
        self._cache.recent.add(stream, _records(appended, entries))
        self._cache.keep(stream, held)
        self._watch.moved(stream, held.match.version)
        for tell in (*self._moved, *(self._ended if held.match.status == "ended" else ())):
            tell(held.match)

    async def before(self, call: Call, stream: UUID) -> Changed | None:
        """What this call did to a match when it came before, if it did. Raises `KeyReused` when it asked for something else then."""
        before = await self._store.remembered(stream, call.id) if call.keyed else None
        if before is None:
            return None
        if before.fingerprint != call.fingerprint:
            raise KeyReused
        return await self._again(stream, before.first, before.last)

    async def _again(self, stream: UUID, first: int, last: int) -> Changed:
        """What a command that is already in the log did."""
        held = await self._cache.read(stream, last)
        return Changed(held.match, await self.records(held.match, first - 1, last - first + 1), repeated=True)


def _records(appended: Appended, entries: tuple[Entry, ...]) -> tuple[Record, ...]:
    return tuple([Record(version, appended.at, entry) for version, entry in enumerate(entries, start=appended.first)])
