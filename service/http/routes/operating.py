"""What those who run the service may do: see what is public of any match, stop one, sign a player out, erase one, and read who did what.

An operator sees no hidden card and sits at no match. Whatever one changes is noted with a reason before it is done.
"""

from typing import Annotated

import msgspec
from litestar import get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody
from msgspec import Meta

from domain.match import table
from domain.match.play import NotNow
from service.accounts.operators import Actions, Operator, OperatorAction
from service.accounts.players import Players
from service.calls import house_call
from service.erasure import Erasure
from service.http.auth import operating
from service.http.paging import PAGE_MAX, CursorParameter, LimitParameter, next_cursor, place_of
from service.http.problems import Trouble
from service.http.views import Views
from service.matches import Matches
from service.projector import MatchView

NOTE_MAX = 500


class OperatorNote(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why it is done."""

    note: Annotated[str, Meta(min_length=1, max_length=NOTE_MAX, description="Kept with your name for other operators to read.")]


class OperatorActionPage(msgspec.Struct, frozen=True):
    """What operators did, the newest first."""

    items: Annotated[tuple[OperatorAction, ...], Meta(description="The newest first.")]
    next_cursor: Annotated[str | None, Meta(description="Asks for the next page; null on the last one.")]


@get(
    "/v1/operator/matches/{match_id:str}",
    operation_id="inspect_match",
    summary="See any match",
    tags=["operators"],
    guards=[operating],
    opt={"problems": ["not_operator", "match_not_found"]},
)
async def inspect_match(match_id: FromPath[str], matches: NamedDependency[Matches], views: NamedDependency[Views]) -> MatchView:
    """What is public of a match, also of a private one, of one without spectators and of one that is shown with a delay.

    Hidden cards and dice are hidden from operators too, until the end opens them to everybody.
    """
    return await views.public(await matches.get(match_id))


@post(
    "/v1/operator/matches/{match_id:str}/stop",
    operation_id="stop_match",
    summary="Stop a match",
    tags=["operators"],
    guards=[operating],
    status_code=200,
    opt={"problems": ["not_operator", "match_not_found", "match_over", "match_busy"]},
)
async def stop_match(
    match_id: FromPath[str],
    data: JSONBody[OperatorNote],
    operator: NamedDependency[Operator],
    matches: NamedDependency[Matches],
    actions: NamedDependency[Actions],
) -> OperatorAction:
    """Ends a match that is stuck or must not go on. It counts for nobody; its record and its proof open as after any end.

    An `Idempotency-Key` is not looked at here: a match is stopped once, and then it is over.
    """
    if (await matches.get(match_id)).status == "ended":
        raise NotNow("match_over")
    async with actions.noted(operator, "stop_match", match_id, data.note) as action_id:
        await matches.change(match_id, house_call(f"operator {operator.name}"), lambda game, match, world: table.stop(match))
    return await actions.get(action_id)


@post(
    "/v1/operator/players/{player_id:str}/sign-out",
    operation_id="sign_out_player",
    summary="Sign a player out",
    tags=["operators"],
    guards=[operating],
    status_code=200,
    opt={"problems": ["not_operator", "player_not_found"]},
)
async def sign_out_player(
    player_id: FromPath[str],
    data: JSONBody[OperatorNote],
    operator: NamedDependency[Operator],
    players: NamedDependency[Players],
    actions: NamedDependency[Actions],
) -> OperatorAction:
    """Ends every token of a player, whose tokens somebody else has got hold of. A guest who has no other way in
    is lost by it.

    An `Idempotency-Key` is not looked at here: tokens end once.
    """
    await _require_player(players, player_id)
    async with actions.noted(operator, "sign_out_player", player_id, data.note) as action_id:
        await players.revoke_all(player_id)
    return await actions.get(action_id)


@post(
    "/v1/operator/players/{player_id:str}/erase",
    operation_id="erase_player",
    summary="Erase a player",
    tags=["operators"],
    guards=[operating],
    status_code=200,
    opt={"problems": ["not_operator", "player_not_found", "match_busy"]},
)
async def erase_player(
    player_id: FromPath[str],
    data: JSONBody[OperatorNote],
    operator: NamedDependency[Operator],
    players: NamedDependency[Players],
    erasure: NamedDependency[Erasure],
    actions: NamedDependency[Actions],
) -> OperatorAction:
    """Erases a player for good, as `erase_me` does: for who asks for it and has no token any more.

    An `Idempotency-Key` is not looked at here: a player is erased once, and unknown after that.
    """
    await _require_player(players, player_id)
    async with actions.noted(operator, "erase_player", player_id, data.note) as action_id:
        await erasure.erase(player_id)
    return await actions.get(action_id)


@get(
    "/v1/operator/actions",
    operation_id="list_actions",
    summary="What operators did",
    tags=["operators"],
    guards=[operating],
    opt={"problems": ["not_operator"]},
)
async def list_actions(actions: NamedDependency[Actions], cursor: CursorParameter = None, limit: LimitParameter = 50) -> OperatorActionPage:
    """Everything that operators changed, and why, the newest first. Nobody can take anything out of this list."""
    limit = min(limit, PAGE_MAX)
    found = await actions.page(place_of(cursor, "list_actions", 2**62), limit + 1)
    more = next_cursor("list_actions", found[limit - 1][0]) if len(found) > limit else None
    return OperatorActionPage(tuple(action for _, action in found[:limit]), more)


async def _require_player(players: Players, player_id: str) -> None:
    if await players.get(player_id) is None:
        raise Trouble("player_not_found")


ROUTES = (inspect_match, stop_match, sign_out_player, erase_player, list_actions)
