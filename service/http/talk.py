"""Talk at a match: say something, and read what was said."""

import asyncio
import time
from contextlib import suppress
from typing import Annotated

import msgspec
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter
from msgspec import Meta

from domain.match.game import Seat
from service.held import stream_of
from service.http.auth import signed_in
from service.http.conditions import VIEW_HEADERS
from service.http.idempotency import IdempotencyKey, command_id
from service.http.log import WAIT_MAX_SECONDS
from service.http.problems import Fault, Trouble
from service.http.views import Views
from service.live.watch import Watch
from service.matches import PAGE_MAX
from service.players import Player
from service.pledges import Pledge, PledgeOffer, PledgeTally, offers
from service.talk import TEXT_MAX, Message, Talk, Words, said_text


class SendMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What you say: either a `text` or a `pledge`."""

    text: Annotated[
        # Not msgspec's own limits: whatever is wrong with a text is answered by its own code.
        Annotated[str, Meta(extra_json_schema={"minLength": 1, "maxLength": 4 * TEXT_MAX})] | None,
        Meta(description=f"1 to {TEXT_MAX} characters, not counting spaces around it; line breaks, but no other control characters."),
    ] = None
    pledge: Annotated[Pledge | None, Meta(description="In games that have something to pledge, one that `may_pledge` offers.")] = None
    to_seat: Annotated[
        Seat | None, Meta(description="Whisper it to the player on this seat, where the match's options allow that; null: say it to all.")
    ] = None


class TalkPage(msgspec.Struct, frozen=True):
    """What was said at a match, as far as you may read it."""

    items: Annotated[tuple[Message, ...], Meta(description="The oldest first.")]
    next_cursor: Annotated[str | None, Meta(description="Send it as `after` to read on, now or later; null while there is nothing.")]
    tally: Annotated[tuple[PledgeTally, ...], Meta(description="How each seat has kept its pledges; empty in a game without any.")]
    may_pledge: Annotated[tuple[PledgeOffer, ...], Meta(description="What your seat can pledge now, by phase of the game.")]


@post(
    "/v1/matches/{match_id:str}/messages",
    operation_id="send_message",
    summary="Say something",
    tags=["talk"],
    guards=[signed_in],
    opt={
        "problems": [
            *(
                "match_not_found",
                "not_seated",
                "match_busy",
                "talk_over",
                "too_many_messages",
                "invalid_text",
                "rate_limited",
                "key_reused",
            ),
            *("whispers_not_allowed", "whisper_to_yourself", "no_such_seat", "no_player_there"),
            *("no_pledges", "pledge_closed", "no_such_face"),
        ]
    },
)
async def send_message(
    match_id: FromPath[str],
    data: JSONBody[SendMessage],
    player: NamedDependency[Player],
    talk: NamedDependency[Talk],
    idempotency_key: IdempotencyKey = None,
) -> Message:
    """Says something at a match where you sit: in the lobby, in play, also when you are out of the game, and for a day after its end.

    A whisper is read by its two players alone; nobody else can tell that there was one. A pledge says which face you will show
    next, and is compared with it when you do. A player may send ten messages in ten seconds to a match, and 2,000 in all.
    """
    if (data.text is None) == (data.pledge is None):
        raise Trouble("invalid_body", errors=[Fault("body", "", "Send either a text or a pledge.")])
    words = Words(None if data.text is None else said_text(data.text), data.pledge, data.to_seat)
    return await talk.say(match_id, player, command_id(player.player_id, "send_message", idempotency_key), words)


@get(
    "/v1/matches/{match_id:str}/messages",
    operation_id="list_messages",
    summary="What was said",
    tags=["talk"],
    opt={"problems": ["match_not_found", "no_spectators"]},
)
async def list_messages(
    match_id: FromPath[str],
    caller: NamedDependency[Player | None],
    views: NamedDependency[Views],
    talk: NamedDependency[Talk],
    watch: NamedDependency[Watch],
    after: Annotated[
        str | None, QueryParameter(max_length=64, description="The `next_cursor` that you have; absent for the beginning.")
    ] = None,
    limit: Annotated[int, QueryParameter(ge=1, description=f"How many at most; never more than {PAGE_MAX}.")] = 100,
    wait: Annotated[
        int, QueryParameter(ge=0, le=WAIT_MAX_SECONDS, description="Seconds to wait for somebody to speak when you have everything.")
    ] = 0,
) -> Response[TalkPage]:
    """What was said at a match after what you have, with your own whispers, and without players whom you have muted.

    With `wait` the answer comes as soon as there is something. Those who see the play with a delay read the talk with the same
    delay. Whether a pledge was kept is as of the answer: read the talk again when faces have been shown.
    """
    gives_up = time.monotonic() + wait
    await views.seen(match_id, caller)
    place = await talk.place(match_id, after)
    if place is None:
        raise Trouble("invalid_parameter", errors=[Fault("query", "/after", "This is no cursor of this match.")])
    stream = stream_of(match_id)
    # The match rings too: who hears the talk with a delay hears more of it as the play goes on, and who has lost a seat hears less.
    async with talk.watch.on(stream) as bell, watch.on(stream, bell):
        match, viewer = await views.seen(match_id, caller)
        items = await talk.heard(match, viewer, caller, place, limit)
        while not items and not talk.watch.closed and time.monotonic() < gives_up:
            with suppress(TimeoutError):
                await asyncio.wait_for(bell.wait(), gives_up - time.monotonic())
            bell.clear()
            match, viewer = await views.seen(match_id, caller)
            items = await talk.heard(match, viewer, caller, place, limit)
    page = TalkPage(items, items[-1].message_id if items else after, await talk.tally(match), offers(match, viewer))
    return Response(page, headers=VIEW_HEADERS)


ROUTES = (send_message, list_messages)
