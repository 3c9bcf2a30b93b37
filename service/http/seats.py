"""Seats: sit down, and leave again before the start."""

from typing import Annotated

import msgspec
from litestar import Response, delete, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody
from msgspec import Meta

from domain.match import lobby
from domain.match.game import AnyGame, Seat
from domain.match.lobby import FateOf
from domain.match.play import Entry
from domain.match.state import AnyMatch
from service.http.auth import signed_in
from service.http.conditions import IfMatch, expected_version
from service.http.idempotency import IdempotencyKey, call
from service.http.matches import Entropy
from service.http.views import answered
from service.matches import Matches
from service.players import Player, Players
from service.projector import MatchView


class TakeSeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where to sit."""

    seat: Annotated[Seat | None, Meta(description="The seat you want; null for the first open one.")] = None
    entropy: Entropy | None = None


@post(
    "/v1/matches/{match_id:str}/seats",
    operation_id="take_seat",
    summary="Sit down",
    tags=["matches"],
    guards=[signed_in],
    status_code=200,
    opt={
        "problems": [
            "match_not_found",
            "match_started",
            "match_over",
            "key_reused",
            "match_busy",
            "already_seated",
            "match_full",
            "seat_taken",
            "no_such_seat",
            "precondition_failed",
        ]
    },
)
async def take_seat(
    match_id: FromPath[str],
    data: JSONBody[TakeSeat],
    player: NamedDependency[Player],
    matches: NamedDependency[Matches],
    players: NamedDependency[Players],
    idempotency_key: IdempotencyKey = None,
    if_match: IfMatch = None,
) -> Response[MatchView]:
    """Takes a seat. With the last open one the match begins, unless its host is to start it."""

    def decide(game: AnyGame, match: AnyMatch, fate_of: FateOf) -> tuple[Entry, ...]:
        return lobby.take_seat(game, match, player.player_id, data.seat, data.entropy or "", fate_of)

    once = call(player, "take_seat", idempotency_key, expected_version(if_match), match_id, data)
    changed = await matches.change(match_id, once, decide)
    return await answered(changed.match, player, players)


@delete(
    "/v1/matches/{match_id:str}/seats/me",
    operation_id="leave_seat",
    summary="Leave your seat",
    tags=["matches"],
    guards=[signed_in],
    status_code=200,
    opt={"problems": ["match_not_found", "match_started", "match_over", "key_reused", "match_busy", "not_seated", "precondition_failed"]},
)
async def leave_seat(
    match_id: FromPath[str],
    player: NamedDependency[Player],
    matches: NamedDependency[Matches],
    players: NamedDependency[Players],
    if_match: IfMatch = None,
) -> Response[MatchView]:
    """Frees your seat before the start. A host who leaves passes the match on; when nobody is left, it is closed."""
    once = call(player, "leave_seat", None, expected_version(if_match), match_id)
    changed = await matches.change(match_id, once, lambda game, match, fate_of: lobby.leave_seat(match, player.player_id))
    return await answered(changed.match, player, players)


ROUTES = (take_seat, leave_seat)
