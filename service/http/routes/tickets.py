"""Tickets to streams, which let a browser's EventSource open them."""

from typing import Annotated
from uuid import UUID

import msgspec
from litestar import post
from litestar.di import NamedDependency
from litestar.params import JSONBody
from msgspec import Meta

from service.accounts.players import Player
from service.accounts.tickets import Tickets
from service.accounts.tokens import HeldToken
from service.held import stream_of
from service.http.auth import signed_in
from service.http.problems import Trouble
from service.http.views import Views
from service.moments import Timestamp


class CreateStreamTicket(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the ticket is for."""

    match_id: Annotated[str | None, Meta(description="The match to follow; null for the stream of what waits for you.")] = None


class StreamTicket(msgspec.Struct, frozen=True):
    """A ticket to one stream."""

    ticket: Annotated[str, Meta(description="Send it as `?ticket=` within a minute. It is good once.")]
    expires_at: Annotated[Timestamp, Meta(description="Until when it opens a stream.")]


@post(
    "/v1/stream-tickets",
    operation_id="create_stream_ticket",
    summary="Get a ticket to a stream",
    tags=["live"],
    guards=[signed_in],
    opt={"problems": ["match_not_found", "no_spectators"]},
)
async def create_stream_ticket(
    data: JSONBody[CreateStreamTicket],
    player: NamedDependency[Player],
    held: NamedDependency[HeldToken],
    views: NamedDependency[Views],
    tickets: NamedDependency[Tickets],
) -> StreamTicket:
    """Hands out a ticket for a browser's EventSource, which cannot send a token. It is good once, for a minute, for you and this match,
    or for the stream of your turns.

    The ticket is shown once, so a repeated call hands out another one; an `Idempotency-Key` is not looked at here.
    """
    if data.match_id is not None:
        await views.sight(data.match_id, player)
    ticket, expires_at = await tickets.issue(player.player_id, held, None if data.match_id is None else stream_of(data.match_id))
    return StreamTicket(ticket, expires_at)


async def redeemed(tickets: Tickets, ticket: str, stream: UUID | None) -> tuple[Player, HeldToken]:
    """Whose ticket it is, and the token that it was had by. Raises `Trouble` for one that is not good."""
    found = await tickets.redeem(ticket, stream)
    if found is None:
        raise Trouble("ticket_not_valid")
    return found


ROUTES = (create_stream_ticket,)
