"""Mutes: not to read what some players say."""

from typing import Annotated

import msgspec
from litestar import delete, get, put
from litestar.di import NamedDependency
from litestar.params import FromPath
from msgspec import Meta

from service.accounts.players import Player, Players
from service.http.auth import signed_in
from service.http.problems import Trouble
from service.talk.mutes import MUTES_MAX, Mute, Mutes


class MutePage(msgspec.Struct, frozen=True):
    """The players you have muted."""

    items: Annotated[tuple[Mute, ...], Meta(description="The first one you muted first.")]
    next_cursor: Annotated[str | None, Meta(description=f"Always null: a player mutes at most {MUTES_MAX} others.")]


@put(
    "/v1/players/me/mutes/{player_id:str}",
    operation_id="mute_player",
    summary="Mute a player",
    tags=["talk"],
    guards=[signed_in],
    status_code=204,
    opt={"problems": ["player_not_found", "too_many_mutes", "mute_yourself"]},
)
async def mute_player(
    player_id: FromPath[str], player: NamedDependency[Player], players: NamedDependency[Players], mutes: NamedDependency[Mutes]
) -> None:
    """Leaves out what this player says, at every match, from the talk as you read it. Nobody but you can tell."""
    if player_id == player.player_id:
        raise Trouble("mute_yourself")
    if await players.get(player_id) is None:
        raise Trouble("player_not_found")
    await mutes.mute(player.player_id, player_id)


@delete(
    "/v1/players/me/mutes/{player_id:str}",
    operation_id="unmute_player",
    summary="Unmute a player",
    tags=["talk"],
    guards=[signed_in],
)
async def unmute_player(player_id: FromPath[str], player: NamedDependency[Player], mutes: NamedDependency[Mutes]) -> None:
    """Shows you again what this player says, and what they said meanwhile. Nothing happens if they were not muted."""
    await mutes.unmute(player.player_id, player_id)


@get("/v1/players/me/mutes", operation_id="list_mutes", summary="List the players I have muted", tags=["talk"], guards=[signed_in])
async def list_mutes(player: NamedDependency[Player], mutes: NamedDependency[Mutes]) -> MutePage:
    """The players you have muted."""
    return MutePage(await mutes.of(player.player_id), None)


ROUTES = (mute_player, unmute_player, list_mutes)
