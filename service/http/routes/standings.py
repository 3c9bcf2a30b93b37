"""Where players stand in a game."""

from typing import Annotated, NamedTuple

import msgspec
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath
from msgspec import Meta

from domain.games import GAMES
from service.http.paging import PAGE_MAX, CursorParameter, LimitParameter, next_cursor, place_of
from service.http.problems import Trouble
from service.readmodels.standings import TOP, Place, Standings

CACHE = {"Cache-Control": "public, max-age=1"}
"""The same for everybody, and a moment behind anyway."""


class PlayerStanding(msgspec.Struct, frozen=True):
    """What a player has reached in a game."""

    rank: Annotated[
        int, Meta(ge=1, description="The place in this list. Equals (in rating, then in `best`) share one, and the next is skipped.")
    ]
    player_id: Annotated[str, Meta(description="The player's id.")]
    display_name: Annotated[str, Meta(description="The name at present; empty when they have erased their account.")]
    matches: Annotated[int, Meta(ge=0, description="Matches played to an end. One that was abandoned or stopped counts for nobody.")]
    wins: Annotated[int, Meta(ge=0, description="Matches won: first, and nobody else with them.")]
    draws: Annotated[int, Meta(ge=0, description="Matches in which they shared the first place.")]
    mean_rank: Annotated[
        float | None, Meta(description="The mean of their ranks, in matches with other seats; null when they have only played alone.")
    ]
    best: Annotated[
        int | None,
        Meta(
            description="The best of the matches that they played alone, which nobody can win: where the game measures what is built"
            " in one of its games, such as a train, the best single one; else the best score of a match. Null without one."
        ),
    ]
    rating: Annotated[
        int | None,
        Meta(
            description="How strong they are, at least, as far as their matches against other players tell. It begins at 1500 and moves"
            " most at first; bots do not move it. Null before the first such match."
        ),
    ]


class StandingPage(msgspec.Struct, frozen=True):
    """Players of a game, the best first."""

    items: Annotated[tuple[PlayerStanding, ...], Meta(description="The players of this page.")]
    next_cursor: Annotated[str | None, Meta(description="Asks for the next page; null on the last one.")]


class _Reached(NamedTuple):
    """How far a list has been read: the place of the last one shown, their rank, and how many were shown."""

    place: Place
    rank: Annotated[int, Meta(ge=1)]
    shown: Annotated[int, Meta(ge=1)]


@get(
    "/v1/games/{game:str}/standings",
    operation_id="list_standings",
    summary="Who plays it best?",
    tags=["games"],
    opt={"problems": ["game_not_found"]},
)
async def list_standings(
    game: FromPath[str], standings: NamedDependency[Standings], cursor: CursorParameter = None, limit: LimitParameter = 50
) -> Response[StandingPage]:
    """Everybody who has played this game to an end, by rating; those without one come last, by their `best`.

    A match counts a moment after its end. Bots are not listed. A player whose place changes while you turn the pages may be
    on two of them, or on none.
    """
    if game not in GAMES:
        raise Trouble("game_not_found")
    listed = ("list_standings", game)
    before = place_of(cursor, listed, _Reached(TOP, 0, 0))
    limit = min(limit, PAGE_MAX)
    found = await standings.page(game, before.place, limit + 1)
    items = list[PlayerStanding]()
    for row in found[:limit]:
        shown = before.shown + 1
        rank = before.rank if row.place[:2] == before.place[:2] else shown
        before = _Reached(row.place, rank, shown)
        items.append(PlayerStanding(rank, **msgspec.structs.asdict(row)))
    more = next_cursor(listed, before) if len(found) > limit else None
    return Response(StandingPage(tuple(items), more), headers=CACHE)


ROUTES = (list_standings,)
