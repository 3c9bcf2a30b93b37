"""What the host of a match does before the start: bots, invitations, removing, starting, closing."""

from datetime import timedelta
from typing import Annotated, TypeAlias

import msgspec
from litestar import Response, delete, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, PathParameter
from msgspec import Meta

from domain.match import lobby
from domain.match.events import Level
from domain.match.game import AnyGame
from domain.match.play import Entry
from domain.match.state import AnyMatch
from domain.match.table import NotAllowed, World
from service.accounts.players import Player
from service.held import stream_of
from service.http.acting import Acting
from service.http.auth import signed_in
from service.http.problems import Trouble
from service.http.views import Views
from service.invites import Invites
from service.matches import Changed, Matches
from service.projector import MatchView

SeatNumber: TypeAlias = Annotated[int, PathParameter(schema_extra={"format": "seat"})]
"""A seat by its number, in the path; whether the match has it, the match says."""

HOSTING = ["match_not_found", "not_host", "match_started", "match_over", "match_busy", "key_reused", "precondition_failed"]


class StartMatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How to start."""

    fill_with_bots: Annotated[str | None, Meta(description="Level of the bots that take the open seats; null: none may be open.")] = None


class SeatBot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The bot."""

    level: Level


class RenewInvite(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long the new code is to last."""

    lasts_seconds: Annotated[
        Annotated[int, Meta(ge=60, le=86_400)] | None, Meta(description="How long it is valid; null: as long as the match is open.")
    ] = None


@post(
    "/v1/matches/{match_id:str}/start",
    operation_id="start_match",
    summary="Begin play",
    tags=["hosting"],
    guards=[signed_in],
    status_code=200,
    opt={"problems": [*HOSTING, "outcome_does_not_fit", "seats_open", "no_such_level"]},
)
async def start_match(
    match_id: FromPath[str], acting: NamedDependency[Acting], data: JSONBody[StartMatch | None] = None
) -> Response[MatchView]:
    """Begins play at the host's word, with every seat taken: 409 `seats_open` otherwise. With `fill_with_bots` bots take the open ones.

    Everybody else sees it in `list_events` or on the stream, as `match.started`. A match that starts `when_full` needs no word.
    """
    level = None if data is None else data.fill_with_bots

    def decide(game: AnyGame, match: AnyMatch, world: World) -> tuple[Entry, ...]:
        return lobby.start_match(game, match, acting.player_id, level, world)

    return await acting.answered(await acting.change("start_match", match_id, decide, data))


@post(
    "/v1/matches/{match_id:str}/seats/{seat:int}/bot",
    operation_id="seat_bot",
    summary="Seat a bot",
    tags=["hosting"],
    guards=[signed_in],
    status_code=200,
    opt={"problems": [*HOSTING, "outcome_does_not_fit", "seat_taken", "no_such_seat", "no_such_level"]},
)
async def seat_bot(
    match_id: FromPath[str], seat: SeatNumber, data: JSONBody[SeatBot], acting: NamedDependency[Acting]
) -> Response[MatchView]:
    """Gives an open seat to a bot. With the last open one the match begins, unless its host is to start it.

    `get_game` names the game's levels, the easiest first. A bot chooses at once; over an open choice the
    server may let it think for a moment.
    """

    def decide(game: AnyGame, match: AnyMatch, world: World) -> tuple[Entry, ...]:
        return lobby.seat_bot(game, match, acting.player_id, seat, data.level, world)

    return await acting.answered(await acting.change("seat_bot", match_id, decide, seat, data))


@delete(
    "/v1/matches/{match_id:str}/seats/{seat:int}/bot",
    operation_id="remove_bot",
    summary="Take a bot away",
    tags=["hosting"],
    guards=[signed_in],
    status_code=200,
    opt={"problems": [*HOSTING, "no_bot_there", "no_such_seat"]},
)
async def remove_bot(match_id: FromPath[str], seat: SeatNumber, acting: NamedDependency[Acting]) -> Response[MatchView]:
    """Takes a bot away before the start; its seat is open again."""
    return await acting.answered(
        await acting.change("remove_bot", match_id, lambda game, match, world: lobby.remove_bot(match, acting.player_id, seat), seat)
    )


@delete(
    "/v1/matches/{match_id:str}/seats/{seat:int}/player",
    operation_id="remove_player",
    summary="Remove a player",
    tags=["hosting"],
    guards=[signed_in],
    status_code=200,
    opt={"problems": [*HOSTING, "seat_open", "own_seat", "no_such_seat"]},
)
async def remove_player(match_id: FromPath[str], seat: SeatNumber, acting: NamedDependency[Acting]) -> Response[MatchView]:
    """Frees another player's seat before the start, or one that a rematch keeps for them. They may sit down again; of a private match,
    `renew_invite` first.

    Your own seat is left by `leave_seat`, and a bot's freed by `remove_bot`.
    """
    return await acting.answered(
        await acting.change("remove_player", match_id, lambda game, match, world: lobby.remove_player(match, acting.player_id, seat), seat)
    )


@delete(
    "/v1/matches/{match_id:str}",
    operation_id="close_match",
    summary="Close a match",
    tags=["hosting"],
    guards=[signed_in],
    status_code=200,
    opt={"problems": HOSTING},
)
async def close_match(match_id: FromPath[str], acting: NamedDependency[Acting]) -> Response[MatchView]:
    """Ends a match before the start, for everybody who waits at it. Its status is `ended` then, with the reason `closed`.

    Once play has begun there is nothing to close: 409 `match_started`. `resign` is the way out then.
    """
    return await acting.answered(
        await acting.change("close_match", match_id, lambda game, match, world: lobby.close_match(match, acting.player_id))
    )


@post(
    "/v1/matches/{match_id:str}/invite",
    operation_id="renew_invite",
    summary="Make a new invitation code",
    tags=["hosting"],
    guards=[signed_in],
    status_code=200,
    opt={"problems": ["match_not_found", "not_host", "not_private", "key_reused", "precondition_failed"]},
)
async def renew_invite(
    match_id: FromPath[str],
    data: JSONBody[RenewInvite],
    acting: NamedDependency[Acting],
    views: NamedDependency[Views],
    matches: NamedDependency[Matches],
    player: NamedDependency[Player],
    invites: NamedDependency[Invites],
) -> Response[MatchView]:
    """Makes a new code for a private match; the old one is void at once. The host finds it in the view as `invite`.

    Hand it to those who are to join, in a link or by word of mouth: `look_up_invite` finds the match by it, and `take_seat` takes
    it as `invite`. Who sits there already stays, whatever the code is.
    """
    match, call = await views.known(match_id, player), acting.call("renew_invite", match_id, data)
    if (version := await invites.renewed(stream_of(match_id), call)) is not None:
        return await acting.answered(Changed(await matches.at(match, version), (), repeated=True))
    if match.host != player.player_id:
        raise NotAllowed("not_host")
    if match.agreed.visibility != "private":
        raise Trouble("not_private")
    acting.require_version(match)
    lasts = None if data.lasts_seconds is None else timedelta(seconds=data.lasts_seconds)
    await invites.renew(stream_of(match_id), call, match.version, lasts)
    return await acting.answered(Changed(match, ()))


ROUTES = (start_match, seat_bot, remove_bot, remove_player, close_match, renew_invite)
