"""Accounts: guests made in one call, and the tokens that let a device act for them."""

from typing import Annotated

import msgspec
from litestar import Response, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody
from msgspec import Meta

from service.accounts.names import NAME_MAX, WRITTEN_MAX, display_name
from service.accounts.players import TOKENS_MAX, Player, Players, Token
from service.accounts.tokens import HeldToken
from service.erasure import Erasure
from service.http.auth import signed_in
from service.http.body import StrictRequest
from service.http.limits import address
from service.http.problems import Trouble
from service.moments import Timestamp

DisplayName = Annotated[
    str,
    Meta(
        # Not msgspec's own limits: whatever is wrong with a name is answered by its own code.
        extra_json_schema={"minLength": 1, "maxLength": WRITTEN_MAX},
        description=(
            f"1 to {NAME_MAX} visible characters, not counting spaces around it: letters and marks of any language, digits, signs, emoji."
            " They are kept as RFC 8266 keeps nicknames, so full-width letters become plain ones. Several players may have the same name."
        ),
    ),
]
Secret = Annotated[str, Meta(description="The secret to send as `Authorization: Bearer <token>`. It is shown this once only; keep it.")]


class CreatePlayer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A new guest."""

    display_name: DisplayName


class CreatedPlayer(msgspec.Struct, frozen=True):
    """A new player, and the first token to act as them."""

    player_id: Annotated[str, Meta(description="The player's id, which everybody may know.")]
    display_name: Annotated[str, Meta(description="The name as it is shown.")]
    created_at: Annotated[Timestamp, Meta(description="When the account was made.")]
    token_id: Annotated[str, Meta(description="Names the token in `list_tokens` and `revoke_token`; no secret.")]
    token: Secret


class UpdatePlayer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a player can change of themselves."""

    display_name: DisplayName


class CreatedToken(msgspec.Struct, frozen=True):
    """A further token."""

    token_id: Annotated[str, Meta(description="Names the token in `list_tokens` and `revoke_token`; no secret.")]
    token: Secret
    created_at: Annotated[Timestamp, Meta(description="When it was handed out.")]


class TokenPage(msgspec.Struct, frozen=True):
    """The tokens of a player."""

    items: Annotated[tuple[Token, ...], Meta(description="The oldest first.")]
    next_cursor: Annotated[str | None, Meta(description=f"Always null: a player has at most {TOKENS_MAX} tokens.")]


@post(
    "/v1/players",
    operation_id="create_player",
    summary="Become a player",
    tags=["players"],
    opt={"problems": ["invalid_display_name"], "headers": ["Location"]},
)
async def create_player(data: JSONBody[CreatePlayer], request: StrictRequest, players: NamedDependency[Players]) -> Response[CreatedPlayer]:
    """Makes a guest account in one call, and hands out its first token. Only so many accounts can be made from one address in an hour.

    The token is shown once, so a repeated call makes another player; an `Idempotency-Key` is not looked at here.
    """
    player, token, secret = await players.create(display_name(data.display_name), address(request.scope))
    created = CreatedPlayer(player.player_id, player.display_name, player.created_at, token.token_id, secret)
    return Response(created, status_code=201, headers={"Location": f"/v1/players/{player.player_id}"})


@get("/v1/players/me", operation_id="get_me", summary="Who am I?", tags=["players"], guards=[signed_in])
async def get_me(player: NamedDependency[Player]) -> Player:
    """The player whose token this is.

    A front end that finds an old token on its device asks this first: 401 `not_authenticated` means that the token is void,
    and that `create_player` is the way to a new player.
    """
    return player


@patch(
    "/v1/players/me",
    operation_id="update_me",
    summary="Change my name",
    tags=["players"],
    guards=[signed_in],
    opt={"problems": ["invalid_display_name"]},
)
async def update_me(data: JSONBody[UpdatePlayer], player: NamedDependency[Player], players: NamedDependency[Players]) -> Player:
    """Changes your display name, also as it is shown in matches that are under way or over.

    A name that nobody could read or that would break a page is refused: 422 `invalid_display_name` tells what is wrong with it.
    """
    return await players.rename(player.player_id, display_name(data.display_name))


@delete(
    "/v1/players/me", operation_id="erase_me", summary="Erase me", tags=["players"], guards=[signed_in], opt={"problems": ["match_busy"]}
)
async def erase_me(player: NamedDependency[Player], erasure: NamedDependency[Erasure]) -> None:
    """Erases your account for good: your name and all your tokens are gone at once, and nobody is found under your id any more.

    You leave every match: the seat is free again before the start, in play you resign, and a match that you host without
    sitting at it is closed before the start. What you have played stays in the matches of the others and in the standings,
    with an empty `display_name`.
    """
    await erasure.erase(player.player_id)


@get(
    "/v1/players/{player_id:str}",
    operation_id="get_player",
    summary="Who is that?",
    tags=["players"],
    opt={"problems": ["player_not_found"]},
)
async def get_player(player_id: FromPath[str], players: NamedDependency[Players]) -> Player:
    """What everybody may know of a player: their name and since when they are here.

    Views name the players at their seats already; ask this for ids that you find in events and messages.
    """
    found = await players.get(player_id)
    if found is None:
        raise Trouble("player_not_found")
    return found


@post(
    "/v1/players/me/tokens",
    operation_id="create_token",
    summary="Get a further token",
    tags=["players"],
    guards=[signed_in],
    opt={"problems": ["too_many_tokens"]},
)
async def create_token(
    player: NamedDependency[Player], held: NamedDependency[HeldToken], players: NamedDependency[Players]
) -> CreatedToken:
    """Hands out a further token, for another device or program of yours; each can be revoked by itself.

    The token is shown once, so a repeated call makes another one; an `Idempotency-Key` is not looked at here.
    """
    token, secret = await players.create_token(player.player_id, held)
    return CreatedToken(token.token_id, secret, token.created_at)


@get("/v1/players/me/tokens", operation_id="list_tokens", summary="List my tokens", tags=["players"], guards=[signed_in])
async def list_tokens(player: NamedDependency[Player], players: NamedDependency[Players]) -> TokenPage:
    """Your tokens that have not been revoked, without their secrets: enough for a page on which lost devices are signed out.

    `revoke_token` takes their `token_id`.
    """
    return TokenPage(await players.tokens(player.player_id), None)


@delete(
    "/v1/players/me/tokens/{token_id:str}",
    operation_id="revoke_token",
    summary="Revoke a token",
    tags=["players"],
    guards=[signed_in],
    opt={"problems": ["token_not_found"]},
)
async def revoke_token(token_id: FromPath[str], player: NamedDependency[Player], players: NamedDependency[Players]) -> None:
    """Ends a token for good, at once, and within a second the streams and long-polls that it has opened. Revoking the token you call with
    signs you out; revoking again changes nothing.
    """
    if not await players.revoke_token(player.player_id, token_id):
        raise Trouble("token_not_found")


ROUTES = (create_player, get_me, update_me, erase_me, get_player, create_token, list_tokens, revoke_token)
