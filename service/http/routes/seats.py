"""Seats: sit down, leave before the start, give up in play."""

from typing import Annotated, TypeAlias

import msgspec
from litestar import Response, delete, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody
from msgspec import Meta

from domain.match import lobby, table
from domain.match.game import AnyGame, Seat
from domain.match.play import Entry
from domain.match.state import AnyMatch
from domain.match.table import World
from service.held import stream_of
from service.http.acting import Acting
from service.http.auth import signed_in
from service.invites import Invites
from service.projector import MatchView

Entropy: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^([0-9a-f]{2}){16,64}\Z",
        description="16 to 64 random bytes of your own in hex, mixed into the dice and shuffles of the match. Hidden until the start.",
    ),
]


InviteCode: TypeAlias = Annotated[
    str,
    Meta(
        max_length=64,
        description="The invitation code of a private match, as it was told: capitals, blanks and hyphens do not matter.",
    ),
]


class TakeSeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where to sit."""

    seat: Annotated[Seat | None, Meta(description="The seat you want; null for the first open one.")] = None
    invite: InviteCode | None = None
    entropy: Entropy | None = None


@post(
    "/v1/matches/{match_id:str}/seats",
    operation_id="take_seat",
    summary="Sit down",
    tags=["seats"],
    guards=[signed_in],
    status_code=200,
    opt={
        "problems": [
            *("match_not_found", "already_seated", "match_full", "seat_taken", "seat_kept", "match_started", "match_over", "match_busy"),
            *("no_such_seat", "outcome_does_not_fit", "key_reused", "precondition_failed"),
        ]
    },
)
async def take_seat(
    match_id: FromPath[str], data: JSONBody[TakeSeat], acting: NamedDependency[Acting], invites: NamedDependency[Invites]
) -> Response[MatchView]:
    """Takes a seat. With the last open one the match begins, unless its host is to start it.

    When others were faster to the last seat the match is full, also when it has begun with that. The seats of a rematch are kept
    for the players of the match before. In play, this is how a player who resigned comes back to their own seat. A private match
    wants its invitation code, but for a seat that is kept for you; with a wrong one, or none, it is unknown to you.
    """

    def decide(game: AnyGame, match: AnyMatch, world: World) -> tuple[Entry, ...]:
        return lobby.take_seat(game, match, acting.player_id, data.seat, data.entropy or "", world)

    invited = await invites.admits(stream_of(match_id), data.invite)
    return await acting.answered(await acting.change("take_seat", match_id, decide, data, invited=invited))


@delete(
    "/v1/matches/{match_id:str}/seats/me",
    operation_id="leave_seat",
    summary="Leave your seat",
    tags=["seats"],
    guards=[signed_in],
    opt={
        "problems": ["match_not_found", "not_seated", "match_started", "match_over", "match_busy", "key_reused", "precondition_failed"],
    },
)
async def leave_seat(match_id: FromPath[str], acting: NamedDependency[Acting]) -> None:
    """Frees your seat before the start, or declines a rematch that keeps one for you. A host who leaves passes the match on; when nobody
    is left, it is closed. A rematch is void, for the reason `declined`, when all have left but the one who asked for it.

    Once play has begun a seat is not left but given up: 409 `match_started`, and `resign` is the way.
    """
    await acting.change("leave_seat", match_id, lambda game, match, world: lobby.leave_seat(match, acting.player_id))


@post(
    "/v1/matches/{match_id:str}/resign",
    operation_id="resign",
    summary="Give up",
    tags=["seats"],
    guards=[signed_in],
    status_code=200,
    opt={
        "problems": [
            *("match_not_found", "not_seated", "match_not_started", "match_over", "resigned", "match_busy"),
            *("key_reused", "precondition_failed"),
        ]
    },
)
async def resign(match_id: FromPath[str], acting: NamedDependency[Acting]) -> Response[MatchView]:
    """Gives up in play. A match of two ends; with more seats a bot stands in for you and the others play on.

    The seat stays yours, and `take_seat` brings you back to it. Until then you see what the seat sees and choose nothing for it. If
    you do not come back, you rank after the others.
    """
    changed = await acting.change("resign", match_id, lambda game, match, world: table.resign(game, match, acting.player_id))
    return await acting.answered(changed)


ROUTES = (take_seat, leave_seat, resign)
