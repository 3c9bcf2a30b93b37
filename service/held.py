"""A match as a process holds it in memory, and the row that is written with its events."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

import msgspec
from msgspec.structs import replace

from domain.games import GAMES, AnyOptions
from domain.match import fate
from domain.match.events import Clock, Spectators, Start
from domain.match.game import AnyGame, Luck
from domain.match.play import Fate, Owed
from domain.match.state import AnyMatch, Chair, Match, fold, match_type
from domain.match.table import World
from service import chance
from service.store import Line, Loaded, stream_id
from service.store.codec import decode


class UnknownMatch(Exception):
    """There is no such match, or none that this caller may know of."""


class Held(msgspec.Struct, frozen=True, gc=False):
    """A match as this process holds it. The seed stays beside the state and never in it."""

    game: AnyGame
    match: AnyMatch
    seed: bytes

    @property
    def world(self) -> World:
        """The time, the draws of this match, and its bots' luck."""
        return World(datetime.now(UTC), self._fate_of, self._seal_of, self._luck)

    def _fate_of(self, entropy: Sequence[str]) -> Fate:
        # Most choices draw nothing, so the key is made by the first draw.
        return lambda number, request: fate.draw(_match_key(self.match.match_id, self.seed, tuple(entropy)), number, request)

    def _seal_of(self, entropy: Sequence[str], version: int, seat: int, command: Any) -> str:
        key = _match_key(self.match.match_id, self.seed, tuple(entropy))
        return fate.seal(self.match.match_id, key, version, seat, command)

    def _luck(self, decision: str) -> Luck:
        """The same in every process, and unknown to all who do not know the seed; in a test of a given seed the same in every match."""
        if self.match.test_seed is not None:
            return chance.luck(hashlib.blake2b(decision.encode(), key=bytes.fromhex(self.match.test_seed)).digest())
        return chance.luck(hashlib.blake2b(f"{self.match.match_id} {decision}".encode(), key=self.seed).digest())


_match_key = lru_cache(10_000)(fate.match_key)
_encode = msgspec.json.Encoder().encode


class Shown(msgspec.Struct, frozen=True):
    """What lists show of a match besides the columns of its row."""

    options: AnyOptions
    spectators: Spectators
    clock: Clock | None
    host: str
    began: int
    chairs: tuple[Chair, ...]
    owed: tuple[Owed, ...] = ()
    due: datetime | None = None
    """When the clock answers for those who owe, or a rematch waits no longer; `due_at` of the row also moves while a process sees to it."""
    start: Start = "when_full"


def match_id_of(stream: UUID) -> str:
    """The id of the match whose stream this is."""
    return f"mat_{stream.hex}"


@lru_cache(10_000)
def stream_of(match_id: str) -> UUID:
    """The stream of a match by its id. Raises `UnknownMatch` for what cannot be an id."""
    prefix, _, text = match_id.partition("_")
    if prefix != "mat" or len(text) != 32 or text != text.lower():
        raise UnknownMatch
    try:
        return stream_id(text)
    except ValueError:
        raise UnknownMatch from None


def restored(loaded: Loaded, stream: UUID) -> Held:
    """A match from its snapshot, if there is one, and the events since."""
    game = GAMES[loaded.game]
    match = Match[Any, Any](match_id_of(stream))
    if loaded.snapshot is not None:
        match = msgspec.json.decode(loaded.snapshot.state, type=match_type(game))
    assert loaded.seed is not None, "a match without a seed"
    return Held(game, fold(game, match, (decode(game, stored).entry for stored in loaded.tail)), loaded.seed)


def deadline(match: AnyMatch) -> datetime | None:
    """When the clock answers for those who owe a choice; None where nobody is hurried."""
    return match.due if match.owed and match.agreed.clock is not None else None


def line(match: AnyMatch) -> Line:
    """What lists show of a match, written with its events."""
    terms, closed = match.agreed, match.status == "ended" and match.table is None
    # The entropy that players send is theirs alone before the start, and no list has a use for it.
    chairs = tuple([replace(chair, entropy="") if chair.entropy else chair for chair in match.chairs])
    invited = match.invited
    due = match.due if invited else deadline(match)
    shown = Shown(terms.options, terms.spectators, terms.clock, match.host, match.began, chairs, match.owed, due, terms.start)
    return Line(
        game=terms.game,
        status=match.status,
        visibility=terms.visibility,
        seats=terms.seats,
        seats_open=sum(chair.free for chair in match.chairs) if match.status == "open" else 0,
        players=tuple(sorted({*match.seated, *invited, match.host})),
        due_at=match.due,
        bots_owe=bool(match.bots_owing),
        waits_for=match.players_owing + invited,
        shown=_encode(shown),
        rematch_of=None if terms.rematch_of is None or closed else stream_of(terms.rematch_of),
    )
