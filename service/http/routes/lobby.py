"""The lobby: which matches there are, and to which an invitation leads."""

from typing import Annotated

import msgspec
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody, QueryParameter
from msgspec import Meta

from domain.games import GAMES, AnyOptions
from domain.match.events import Clock, Spectators, Start, Visibility
from domain.match.game import IN_SEAT_ORDER
from domain.match.state import Status
from service.accounts.players import Player, Players
from service.held import match_id_of
from service.http.conditions import VIEW_HEADERS
from service.http.paging import PAGE_MAX, CursorParameter, LimitParameter, next_cursor, place_of
from service.http.problems import Fault, Trouble
from service.http.routes.seats import InviteCode
from service.invites import Invites
from service.moments import Timestamp, whole_seconds
from service.projector import SeatView, seats, shown_version
from service.readmodels.lobby import TOP, Listed, Lobby, Wanted

STATUSES: tuple[Status, ...] = ("open", "playing", "ended")


class MatchSummary(msgspec.Struct, frozen=True):
    """A match as a list shows it. `get_match` tells the rest."""

    match_id: Annotated[str, Meta(description="The match's id, for `get_match` and `take_seat`.")]
    game: Annotated[str, Meta(description="Key of the game.")]
    options: Annotated[AnyOptions, Meta(description="What its players agree on, every option with its value.")]
    status: Status
    visibility: Visibility
    spectators: Spectators
    clock: Annotated[Clock | None, Meta(description="Null: nobody is hurried.")]
    start: Start
    seats: Annotated[
        tuple[SeatView, ...],
        IN_SEAT_ORDER,
        Meta(
            description="Who sits where, in seat order. Where you are shown the play with a delay, or nothing of it, `stand_in` tells"
            " nothing: it is false."
        ),
    ]
    host: Annotated[str, Meta(description="Player id of the host, who may start the match.")]
    host_name: Annotated[str, Meta(description="Their name at present; empty when they have erased their account.")]
    seats_open: Annotated[
        int,
        Meta(
            description="How many seats anybody may take (with the invitation, where the match is private)."
            " Those that a rematch keeps for its players do not count."
        ),
    ]
    opened_at: Annotated[Timestamp, Meta(description="When it was opened.")]
    version: Annotated[int, Meta(description="How many events the match has, as far as you may see it.")]


class MatchPage(msgspec.Struct, frozen=True):
    """Matches, the newest first."""

    items: Annotated[tuple[MatchSummary, ...], Meta(description="The matches of this page.")]
    next_cursor: Annotated[str | None, Meta(description="Asks for the next page; null on the last one.")]


class LookUpInvite(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The code that somebody was told."""

    invite: InviteCode


@get("/v1/matches", operation_id="list_matches", summary="Find matches", tags=["matches"])
async def list_matches(
    caller: NamedDependency[Player | None],
    lobby: NamedDependency[Lobby],
    players: NamedDependency[Players],
    game: Annotated[str | None, QueryParameter(description="Only matches of this game, by its key.")] = None,
    status: Annotated[Status | None, QueryParameter(description="Only matches with this status.")] = None,
    open_seats: Annotated[bool, QueryParameter(description="Only matches with a seat that anybody may take.")] = False,
    mine: Annotated[bool, QueryParameter(description="Only matches at which you sit; this needs a token.")] = False,
    others: Annotated[bool, QueryParameter(description="Only matches at which you do not sit.")] = False,
    cursor: CursorParameter = None,
    limit: LimitParameter = 50,
) -> Response[MatchPage]:
    """The matches that there are, the newest first: all public ones, and of the private ones those at which you sit, or are the
    host, or where a seat is kept for you.

    A page stays where it is in the list while new matches are opened. Filters that nothing fits give an empty list.
    """
    if mine and caller is None:
        raise Trouble("not_authenticated", "Send a token to be told of your own matches.")
    if game is not None and game not in GAMES:
        raise Trouble("invalid_parameter", errors=[Fault("query", "/game", "There is no such game.")])
    listed = ("list_matches", game, status, open_seats, mine, others)
    wanted = Wanted(
        games=list(GAMES) if game is None else [game],
        statuses=[each for each in STATUSES if status in (None, each)],
        open_seats=open_seats,
        player_id=None if caller is None else caller.player_id,
        mine=mine,
        others=others,
    )
    limit = min(limit, PAGE_MAX)
    found = await lobby.page(wanted, place_of(cursor, listed, TOP), limit + 1)
    rows = found[:limit]
    names = await players.names(player_id for row in rows for player_id in _concerned(row))
    items = tuple(_summary(row, names, caller) for row in rows)
    more = next_cursor(listed, rows[-1].place) if len(found) > limit else None
    return Response(MatchPage(items, more), headers=VIEW_HEADERS)


@post(
    "/v1/invites/look-up",
    operation_id="look_up_invite",
    summary="See where an invitation leads",
    tags=["matches"],
    status_code=200,
    opt={"problems": ["invite_not_found"]},
)
async def look_up_invite(
    data: JSONBody[LookUpInvite],
    caller: NamedDependency[Player | None],
    invites: NamedDependency[Invites],
    lobby: NamedDependency[Lobby],
    players: NamedDependency[Players],
) -> Response[MatchSummary]:
    """The match that an invitation code is of, with what one needs to know before sitting down: the game and its terms, who invites,
    who sits there. Then `take_seat` wants the `match_id` and the code. No account is needed; and as nothing is changed, there is
    no `Idempotency-Key` to send.

    A code is good until the match begins; after that it leads only those who are of the match back to it. Else 404, and the same
    for a code that never was one as for one that was renewed or has expired.
    """
    stream = await invites.match_of(data.invite)
    row = None if stream is None else await lobby.one(stream)
    if row is None or (row.status != "open" and (caller is None or caller.player_id not in _concerned(row))):
        raise Trouble("invite_not_found")
    return Response(_summary(row, await players.names(_concerned(row)), caller), headers=VIEW_HEADERS)


def _concerned(row: Listed) -> set[str]:
    """Who is of the match: its host, who sits there, and for whom a seat is kept."""
    seated = (player_id for chair in row.shown.chairs for player_id in (chair.player_id, chair.kept_for))
    return {row.shown.host, *(player_id for player_id in seated if player_id is not None)}


def _summary(row: Listed, names: dict[str, str], caller: Player | None) -> MatchSummary:
    shown = row.shown
    seated = (chair.player_id for chair in shown.chairs)
    seat = None if caller is None else next((seat for seat, player_id in enumerate(seated) if player_id == caller.player_id), None)
    version = shown_version(shown.spectators, row.status, shown.began, row.version, seat)
    chairs = shown.chairs
    if version != row.version:  # The row knows who has resigned now, and not who had then.
        chairs = tuple(msgspec.structs.replace(chair, resigned=0) for chair in chairs)
    return MatchSummary(
        match_id=match_id_of(row.stream_id),
        game=row.game,
        options=shown.options,
        status=row.status,
        visibility=row.visibility,
        spectators=shown.spectators,
        clock=shown.clock,
        start=shown.start,
        seats=seats(chairs, names, row.status, row.version),
        host=shown.host,
        host_name=names.get(shown.host, ""),
        seats_open=row.seats_open,
        opened_at=whole_seconds(row.opened_at),
        version=version,
    )


ROUTES = (list_matches, look_up_invite)
