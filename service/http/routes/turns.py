"""A player's own page: which matches wait for them, as a list and as it happens, so that one connection serves a whole app."""

import time
from collections.abc import AsyncGenerator
from typing import Annotated, TypeAlias

import msgspec
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import QueryParameter
from msgspec import Meta

from service import chance
from service.accounts.listeners import Listener, Listeners
from service.accounts.players import Player
from service.accounts.tickets import Tickets
from service.accounts.tokens import HeldToken
from service.bells import rings
from service.http.auth import signed_in
from service.http.conditions import VIEW_HEADERS, IfNoneMatch, etag, is_known, tagged
from service.http.deadline import WAIT_MAX_SECONDS
from service.http.heartbeat import STILL_HERE, next_beat
from service.http.paging import PAGE_MAX, CursorParameter, LimitParameter, next_cursor, place_of
from service.http.problems import Trouble
from service.http.routes import stream
from service.http.routes.stream import ByeFrame, Reason, Streams
from service.http.routes.tickets import redeemed
from service.http.work import Work
from service.store.away import is_away
from service.turns import TOP, Invitation, Turn, TurnOrInvitation, Turns

TURNS_MAX = 500
"""Of so much does a stream tell: the most urgent."""


class TurnPage(msgspec.Struct, frozen=True):
    """Matches that wait for you, the most urgent first."""

    items: Annotated[tuple[TurnOrInvitation, ...], Meta(description="The choices that you owe, and the rematches that you are asked for.")]
    next_cursor: Annotated[str | None, Meta(description="Asks for the next page; null on the last one.")]


class TurnsFrame(msgspec.Struct, frozen=True, tag_field="frame", tag="turns"):
    """Everything that waits for you, at the beginning of a stream."""

    items: Annotated[tuple[TurnOrInvitation, ...], Meta(description=f"The most urgent first; of more than {TURNS_MAX} only those.")]


class TurnFrame(msgspec.Struct, frozen=True, tag_field="frame", tag="turn"):
    """A match waits for a choice of yours now, or for another one than before."""

    turn: Annotated[Turn, Meta(description="What it waits for.")]


class InvitationFrame(msgspec.Struct, frozen=True, tag_field="frame", tag="invitation"):
    """You are asked for a rematch, or there is news of who asks."""

    invitation: Annotated[Invitation, Meta(description="The match that waits, and who asks.")]


class DoneFrame(msgspec.Struct, frozen=True, tag_field="frame", tag="done"):
    """A match does not wait for you any more, whoever saw to it."""

    match_id: Annotated[str, Meta(description="The match that waits no more.")]


TurnStreamFrame: TypeAlias = TurnsFrame | TurnFrame | InvitationFrame | DoneFrame | ByeFrame


@get(
    "/v1/players/me/turns",
    operation_id="list_turns",
    summary="What waits for me?",
    tags=["live"],
    guards=[signed_in],
    opt={"problems": ["too_many_long_polls"]},
)
async def list_turns(
    player: NamedDependency[Player],
    turns: NamedDependency[Turns],
    listeners: NamedDependency[Listeners],
    held: NamedDependency[HeldToken],
    work: NamedDependency[Work],
    if_none_match: IfNoneMatch = None,
    wait: Annotated[
        int, QueryParameter(ge=0, le=WAIT_MAX_SECONDS, description="Seconds to wait for a list other than the one you have.")
    ] = 0,
    cursor: CursorParameter = None,
    limit: LimitParameter = PAGE_MAX,
) -> Response[TurnPage]:
    """The matches that wait for you, the most urgent first: for a choice of yours, or, at a rematch, for you to take the seat that is
    kept for you. `kind` tells which.

    With `wait` and the `ETag` of the list that you have as `If-None-Match`, the answer comes as soon as the list is another
    one; with `wait` alone, as soon as anything waits for you.
    """
    gives_up = time.monotonic() + wait
    limit = min(limit, PAGE_MAX)
    async with turns.watch.on(player.player_id) as bell, listeners.listener(player, held, bell) as listener:
        while True:
            page = await _page(turns, player.player_id, cursor, limit)
            listener.require()
            content = msgspec.json.encode(page)
            tag = etag(content)
            news = not is_known(tag, if_none_match) if if_none_match is not None else bool(page.items)
            if news or turns.watch.closed or not await work.rings(bell, gives_up - time.monotonic()):
                break
            bell.clear()
    return tagged(content, tag, if_none_match, VIEW_HEADERS)


async def _page(turns: Turns, player_id: str, cursor: str | None, limit: int) -> TurnPage:
    listed = ("list_turns", player_id)
    found = await turns.of(player_id, place_of(cursor, listed, TOP), limit + 1)
    more = next_cursor(listed, found[limit - 1][1]) if len(found) > limit else None
    return TurnPage(tuple(waiting for waiting, _ in found[:limit]), more)


@get(
    "/v1/players/me/turns/stream",
    operation_id="stream_turns",
    summary="Follow what waits for me",
    tags=["live"],
    opt={"problems": ["ticket_not_valid", "too_many_streams"], "streams": True},
)
async def stream_turns(
    caller: NamedDependency[Player | None],
    turns: NamedDependency[Turns],
    streams: NamedDependency[Streams],
    tickets: NamedDependency[Tickets],
    listeners: NamedDependency[Listeners],
    held: NamedDependency[HeldToken],
    work: NamedDependency[Work],
    ticket: Annotated[str | None, QueryParameter(description="From `create_stream_ticket`, instead of a token.")] = None,
) -> Response[TurnStreamFrame]:
    """The matches that wait for you, as it happens, as server-sent events without names.

    The `data` of each message is one frame as JSON; ids there are none, since a stream that is opened again begins with
    everything that waits. The first frame is `turns`, with all that. Then comes a `turn` for each match that begins to wait for
    a choice of yours or for another one, an `invitation` for each rematch that you are asked for, and a `done` for each match that
    waits for nothing more. `list_turns` with `wait` tells the same to clients
    without streams.
    """
    if ticket is not None:
        caller, held = await redeemed(tickets, ticket, None)
    if caller is None:
        raise Trouble("not_authenticated", "Send a player's token as `Authorization: Bearer <token>`, or a ticket.")
    streams.require_room(caller.player_id, caller)
    work.pause()  # From now on it is one of so many streams.
    frames = streams.counted(caller.player_id, turn_frames(turns, listeners, caller, held))
    return stream.streamed(frames)


async def turn_frames(turns: Turns, listeners: Listeners, player: Player, token: HeldToken) -> AsyncGenerator[bytes]:
    """The frames of one player's stream as text, until its last. `token` is what they came by (see `Listeners`)."""
    rotates_at = time.monotonic() + chance.jitter(stream.ROTATE_SECONDS)
    told: dict[str, TurnOrInvitation] | None = None
    beats_at = next_beat()
    try:
        async with turns.watch.on(player.player_id) as bell, listeners.listener(player, token, bell) as listener:
            while True:
                now = {waiting.match_id: waiting for waiting, _ in await turns.of(player.player_id, TOP, TURNS_MAX)}
                for frame in _changes(told, now):
                    yield _message(frame)
                    beats_at = next_beat()
                told = now
                while True:
                    if reason := _ending(turns, listener, rotates_at):
                        yield stream.goodbye(reason)
                        return
                    if await rings(bell, min(beats_at, rotates_at) - time.monotonic()):
                        break
                    yield STILL_HERE
                    beats_at = next_beat()
                bell.clear()
    except Exception as error:
        if not is_away(error):
            raise
        yield stream.goodbye("unavailable")


def _changes(told: dict[str, TurnOrInvitation] | None, now: dict[str, TurnOrInvitation]) -> list[TurnStreamFrame]:
    if told is None:
        return [TurnsFrame(tuple(now.values()))]
    done: list[TurnStreamFrame] = [DoneFrame(match_id) for match_id in told if match_id not in now]
    return done + [_news(waiting) for match_id, waiting in now.items() if told.get(match_id) != waiting]


def _news(waiting: TurnOrInvitation) -> TurnStreamFrame:
    return TurnFrame(waiting) if isinstance(waiting, Turn) else InvitationFrame(waiting)


def _ending(turns: Turns, listener: Listener, rotates_at: float) -> Reason | None:
    if turns.watch.closed:
        return "shutdown"
    return "rotate" if listener.ended or time.monotonic() > rotates_at else None


def _message(frame: TurnStreamFrame) -> bytes:
    return b"data: " + msgspec.json.encode(frame) + b"\n\n"


ROUTES = (list_turns, stream_turns)
