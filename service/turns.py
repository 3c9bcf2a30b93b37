"""What waits for a player: the choices they owe and the rematches they are asked for, at whichever match, read off the matches' rows."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, NamedTuple, TypeAlias
from uuid import UUID

import msgspec
from msgspec import Meta

from domain.match.events import PlayerId
from domain.match.game import Seat
from domain.match.state import AnyMatch, decision_id
from service.accounts.players import Players
from service.held import Shown, match_id_of
from service.live.watch import Watch
from service.matches import Matches
from service.moments import Timestamp, whole_seconds
from service.store import EventStore, Waiting
from service.together import Asked


class Turn(msgspec.Struct, frozen=True, tag_field="kind", tag="turn"):
    """A choice that you owe, and at which match. `get_match` tells what you can choose."""

    match_id: Annotated[str, Meta(description="The match that waits.")]
    game: Annotated[str, Meta(description="Key of the game.")]
    seat: Annotated[Seat, Meta(description="Your seat at this match.")]
    decision: Annotated[str, Meta(description="Id of the question, as the view has it under `decisions`; unique within its match alone.")]
    since: Annotated[int, Meta(description="The version of the match at which the question came up.")]
    deadline_at: Annotated[Timestamp | None, Meta(description="When the clock answers for you; null without a clock.")]


class Invitation(msgspec.Struct, frozen=True, tag_field="kind", tag="invitation"):
    """A seat that a rematch keeps for you. `take_seat` takes it, and so does `rematch` at the match before; `leave_seat` declines."""

    match_id: Annotated[str, Meta(description="The match that waits.")]
    game: Annotated[str, Meta(description="Key of the game.")]
    seat: Annotated[Seat, Meta(description="The seat that is kept for you.")]
    rematch_of: Annotated[str, Meta(description="Id of the match that it follows.")]
    host: Annotated[PlayerId, Meta(description="Player id of who asks you.")]
    host_name: Annotated[str, Meta(description="Their name at present; empty when they have erased their account.")]
    deadline_at: Annotated[Timestamp, Meta(description="When the match expires, unless it has begun by then.")]


TurnOrInvitation: TypeAlias = Turn | Invitation


class Place(NamedTuple):
    """A place in a player's list: until when the match there waits, and which it is. The first page comes after the place `TOP`."""

    due: datetime
    stream: UUID


TOP = Place(datetime(1, 1, 2, tzinfo=UTC), UUID(int=0))


class Turns:
    """What waits for each player. `watch` tells those who wait for it that it may have changed, in whichever process it did."""

    def __init__(self, store: EventStore, matches: Matches, players: Players, watch: Watch) -> None:
        self._store, self._players, self.watch = store, players, watch
        self._listed = Asked(self._list)
        matches.when_moved(self._moved)

    async def of(self, player_id: str, after: Place, limit: int) -> list[tuple[TurnOrInvitation, Place]]:
        """Up to `limit` of what waits for this player after a place in their list, the most urgent first. Raises `StoreAway`.

        All who ask for the same at the same time, such as those whom one move has woken, share one look.
        """
        return await self._listed((player_id, after, limit))

    async def _list(self, asked: tuple[str, Place, int]) -> list[tuple[TurnOrInvitation, Place]]:
        player_id, after, limit = asked
        rows = await self._store.turns(player_id, after, limit)
        shown = [msgspec.json.decode(row.shown, type=Shown) for row in rows]
        hosts = await self._players.names({each.host for each in shown if not each.owed})
        return [(_waiting(row, each, player_id, hosts), Place(row.due, row.stream)) for row, each in zip(rows, shown, strict=True)]

    def _moved(self, match: AnyMatch) -> None:
        # Those for whom no seat is kept any more hear of that too.
        for player_id in {*match.seated, *match.agreed.kept_for}:
            if player_id is not None:
                self.watch.moved(player_id)


def _waiting(row: Waiting, shown: Shown, player_id: str, hosts: Mapping[str, str]) -> TurnOrInvitation:
    for seat, chair in enumerate(shown.chairs):
        if chair.player_id == player_id:
            return _turn(row, shown, seat)
        if chair.kept_for == player_id:
            return _invitation(row, shown, seat, hosts)
    raise AssertionError(f"{match_id_of(row.stream)} waits for somebody for whom it has no seat")


def _invitation(row: Waiting, shown: Shown, seat: int, hosts: Mapping[str, str]) -> Invitation:
    assert row.rematch_of is not None, "a seat is kept at a match that is no rematch"
    return Invitation(
        match_id=match_id_of(row.stream),
        game=row.game,
        seat=seat,
        rematch_of=match_id_of(row.rematch_of),
        host=shown.host,
        host_name=hosts.get(shown.host, ""),
        deadline_at=whole_seconds(row.due),
    )


def _turn(row: Waiting, shown: Shown, seat: int) -> Turn:
    owed = next(owed for owed in shown.owed if owed.seat == seat)
    return Turn(
        match_id=match_id_of(row.stream),
        game=row.game,
        seat=seat,
        decision=decision_id(owed),
        since=owed.since,
        deadline_at=None if shown.due is None else whole_seconds(shown.due),
    )
