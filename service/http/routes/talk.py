"""Talk at a match: say something, and read what was said."""

import re
import time
from typing import Annotated, NamedTuple, TypeAlias

import msgspec
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter
from msgspec import Meta

from domain.games import GAMES
from domain.match.game import Seat
from domain.match.state import AnyMatch
from service.accounts.listeners import Listeners
from service.accounts.players import Player
from service.accounts.tokens import HeldToken
from service.held import stream_of
from service.http.auth import signed_in
from service.http.conditions import VIEW_HEADERS
from service.http.deadline import WAIT_MAX_SECONDS
from service.http.idempotency import IdempotencyKey, command_id
from service.http.problems import Fault, Trouble
from service.http.views import Views
from service.http.work import Work
from service.live.watch import Watch
from service.matches import PAGE_MAX
from service.talk.messages import Message, Talk
from service.talk.pledges import Pledge, PledgeOffer, PledgeTally, offers
from service.talk.sayable import TEXT_MAX, WRITTEN_MAX, Words, said_text

_NOTHING = "start"
"""Stands in a cursor for the last message where there is none yet."""

_CURSOR = re.compile(rf"(?P<message>{_NOTHING}|msg_\w+)(?:\.(?P<version>\d{{1,18}}))?", re.ASCII)


class SendMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What you say: either a `text` or a `pledge`."""

    text: Annotated[
        # Not msgspec's own limits: whatever is wrong with a text is answered by its own code.
        Annotated[str, Meta(extra_json_schema={"minLength": 1, "maxLength": WRITTEN_MAX})] | None,
        Meta(description=f"1 to {TEXT_MAX} characters, not counting spaces around it; line breaks, but no other control characters."),
    ] = None
    pledge: Annotated[Pledge | None, Meta(description="In games that have something to pledge, one that `may_pledge` offers.")] = None
    to_seat: Annotated[
        Seat | None, Meta(description="Whisper it to the player on this seat, where the match's options allow that; null: say it to all.")
    ] = None


class TalkPage(msgspec.Struct, frozen=True):
    """What was said at a match, as far as you may read it."""

    items: Annotated[tuple[Message, ...], Meta(description="The oldest first.")]
    settled: Annotated[
        tuple[Message, ...],
        Meta(
            description="Pledges that you have, as they stand now: those whose face has been shown since you were given what you"
            " sent as `after`."
        ),
    ]
    next_cursor: Annotated[
        str | None, Meta(description="Send it as `after` to read on, now or later; null while there is nothing to go on from.")
    ]
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


After: TypeAlias = Annotated[
    str | None,
    QueryParameter(
        max_length=64,
        description="The `next_cursor` that you have; absent for the beginning.",
        schema_extra={"examples": ["msg_9d5vx2b5386786s6s019mhtdcm.7"]},
    ),
]


@get(
    "/v1/matches/{match_id:str}/messages",
    operation_id="list_messages",
    summary="What was said",
    tags=["talk"],
    opt={"problems": ["match_not_found", "no_spectators", "too_many_long_polls"]},
)
async def list_messages(
    match_id: FromPath[str],
    caller: NamedDependency[Player | None],
    views: NamedDependency[Views],
    talk: NamedDependency[Talk],
    watch: NamedDependency[Watch],
    listeners: NamedDependency[Listeners],
    held: NamedDependency[HeldToken],
    work: NamedDependency[Work],
    after: After = None,
    limit: Annotated[int, QueryParameter(ge=1, description=f"How many at most; never more than {PAGE_MAX}.")] = 100,
    wait: Annotated[int, QueryParameter(ge=0, le=WAIT_MAX_SECONDS, description="Seconds to wait for news when you have everything.")] = 0,
) -> Response[TalkPage]:
    """What was said at a match after what you have, with your own whispers, and without players whom you have muted.

    With `wait` the answer comes as soon as there is something: somebody speaks, the face of a pledge that you have is shown, or your
    seat can pledge something else. Where there are pledges, the first answer, without `after`, does not wait. Those who see the
    play with a delay read the talk with the same delay.
    """
    gives_up = time.monotonic() + wait
    await views.seen(match_id, caller)
    had = await _had(talk, match_id, after)
    stream = stream_of(match_id)
    # The match rings too: what may be pledged follows the play, and who has lost a seat hears less.
    async with talk.watch.on(stream) as bell, watch.on(stream, bell), listeners.listener(caller, held, bell) as listener:
        match, viewer = await views.seen(match_id, caller)
        since = match.version if had.version is None else max(1, min(had.version, match.version))
        known = None if after is None and _has_pledges(match) else await talk.offered(match, viewer, since)
        while True:
            may_pledge = offers(match, viewer)
            items = await talk.heard(match, viewer, caller, had.place, limit)
            settled = await talk.settled(match, viewer, caller, had.place, since)
            listener.require()
            news = items or settled or may_pledge != known
            if news or talk.watch.closed or time.monotonic() >= gives_up:
                break
            before, stirred = (match.version, viewer), False
            while not stirred and await work.rings(bell, gives_up - time.monotonic()):
                bell.clear()
                listener.require()
                match, viewer = await views.seen(match_id, caller)
                moved = (match.version, viewer) != before
                stirred = moved or talk.watch.closed or await talk.said(match, viewer, caller, had.place)
            if not stirred:  # There is nothing to look at again.
                break
    cursor = _cursor(match, items[-1].message_id if items else had.message_id)
    return Response(TalkPage(items, settled, cursor, await talk.tally(match), may_pledge), headers=VIEW_HEADERS)


class _Had(NamedTuple):
    """What a reader has: the messages up to this one, and of pledges what was known at this version of the match."""

    place: int
    message_id: str | None
    version: int | None


async def _had(talk: Talk, match_id: str, after: str | None) -> _Had:
    """What this cursor says. Raises `Trouble` where it is none of this match."""
    if after is None:
        return _Had(0, None, None)
    if found := _CURSOR.fullmatch(after):
        message_id = None if found["message"] == _NOTHING else found["message"]
        place = await talk.place(match_id, message_id)
        if place is not None:
            return _Had(place, message_id, None if found["version"] is None else int(found["version"]))
    raise Trouble("invalid_parameter", errors=[Fault("query", "/after", "This is no cursor of this match.")])


def _cursor(match: AnyMatch, message_id: str | None) -> str | None:
    """Where to read on: after this message and, in games with pledges, from this version of the match."""
    return f"{message_id or _NOTHING}.{match.version}" if _has_pledges(match) else message_id


def _has_pledges(match: AnyMatch) -> bool:
    return GAMES[match.agreed.game].pledges is not None


ROUTES = (send_message, list_messages)
