"""What waits for a player: the choices they owe, at whichever match, read off the matches' own rows."""

from datetime import UTC, datetime
from typing import Annotated, NamedTuple
from uuid import UUID

import msgspec
from msgspec import Meta

from domain.match.game import Seat
from domain.match.state import AnyMatch, decision_id
from service.held import Shown, match_id_of
from service.live.watch import Watch
from service.matches import Matches
from service.players import Timestamp
from service.projector import whole_seconds
from service.store import EventStore, Waiting


class Turn(msgspec.Struct, frozen=True):
    """A choice that you owe, and at which match. `get_match` tells what you can choose."""

    match_id: Annotated[str, Meta(description="The match that waits.")]
    game: Annotated[str, Meta(description="Key of the game.")]
    seat: Annotated[Seat, Meta(description="Your seat at this match.")]
    decision: Annotated[str, Meta(description="Id of the question, as the view has it under `decisions`.")]
    since: Annotated[int, Meta(description="The version of the match at which the question came up.")]
    deadline_at: Annotated[Timestamp | None, Meta(description="When the clock answers for you; null without a clock.")]


class Place(NamedTuple):
    """A place in a player's list: until when the match there waits, and which it is. The first page comes after the place `TOP`."""

    due: datetime
    stream: UUID


TOP = Place(datetime(1, 1, 2, tzinfo=UTC), UUID(int=0))


class Turns:
    """What waits for each player. `watch` tells those who wait for it that it may have changed, in whichever process it did."""

    def __init__(self, store: EventStore, matches: Matches, watch: Watch) -> None:
        self._store, self.watch = store, watch
        matches.when_moved(self._moved)

    async def of(self, player_id: str, after: Place, limit: int) -> list[tuple[Turn, Place]]:
        """Up to `limit` turns of this player after a place in their list, the most urgent first. Raises `StoreAway`."""
        return [(_turn(row, player_id), Place(row.due, row.stream)) for row in await self._store.turns(player_id, after, limit)]

    def _moved(self, match: AnyMatch) -> None:
        for player_id in match.seated:
            self.watch.moved(player_id)


def _turn(row: Waiting, player_id: str) -> Turn:
    shown = msgspec.json.decode(row.shown, type=Shown)
    seat = next(seat for seat, chair in enumerate(shown.chairs) if chair.player_id == player_id)
    owed = next(owed for owed in shown.owed if owed.seat == seat)
    return Turn(
        match_id=match_id_of(row.stream),
        game=row.game,
        seat=seat,
        decision=decision_id(owed),
        since=owed.since,
        deadline_at=None if shown.due is None else whole_seconds(shown.due),
    )
