"""A match as it happens: server-sent events."""

import asyncio
import time
from collections import Counter as Tally
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from functools import partial
from typing import Annotated, Any, Literal, TypeAlias, cast

import msgspec
from cachetools import LRUCache
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath, HeaderParameter, QueryParameter
from msgspec import Meta
from prometheus_client import Counter, Gauge

from domain.match.game import Viewer
from domain.match.table import NotAllowed
from service import chance
from service.accounts.listeners import Listener, Listeners
from service.accounts.players import Player
from service.accounts.tickets import Tickets
from service.accounts.tokens import HeldToken
from service.bells import rings
from service.held import UnknownMatch, stream_of
from service.http.body import StrictRequest
from service.http.frames import Frames
from service.http.heartbeat import STILL_HERE, next_beat
from service.http.limits import address
from service.http.problems import Trouble
from service.http.routes.tickets import redeemed
from service.http.views import Sight, Views
from service.live.watch import Watch
from service.matches import PAGE_MAX, Matches
from service.projector import EventItem, MatchView, feed
from service.store.away import is_away
from service.store.codec import Record
from service.store.upcasters import UnknownEvent

ROTATE_SECONDS = 600.0
"""A stream ends after so long, and its client comes back with a token that is still good."""

STREAMS_MAX = 20
"""Open streams of one player in one process."""

ADDRESS_STREAMS_MAX = 100
"""Open streams without a token of one address, behind which there may be a whole school, in one process."""

FRAMES_KEPT = 10_000
"""Of all matches together, so that a frame is written once for all who see the same of it."""

Reason: TypeAlias = Literal["ended", "rotate", "shutdown", "slow", "gone", "unavailable"]

ByeReason: TypeAlias = Annotated[
    Reason,
    Meta(
        description="`ended`: the match is over and told; `rotate`: ten minutes are up, or the token has ended that opened it, which "
        "you hear when you come back; `shutdown`: the server goes; `slow`: you took too long; `gone`: the match is not yours to see "
        "any more; `unavailable`: this process cannot go on, as when the database is away."
    ),
]


class SnapshotFrame(msgspec.Struct, frozen=True, tag_field="frame", tag="snapshot"):
    """The match as it stands, at the beginning of a stream."""

    view: Annotated[MatchView, Meta(description="The match through your eyes.")]


class ResumedFrame(msgspec.Struct, frozen=True, tag_field="frame", tag="resumed"):
    """The stream goes on right after the version that you have."""

    version: Annotated[int, Meta(description="The version that you said you have; events follow from the next on.")]


class EventFrame(msgspec.Struct, frozen=True, tag_field="frame", tag="event"):
    """One event, as `list_events` tells it."""

    item: Annotated[EventItem, Meta(description="The event, its version and its moment.")]


class ResetFrame(msgspec.Struct, frozen=True, tag_field="frame", tag="reset"):
    """What you have is not of this match, or too old: forget it and start from this view."""

    view: Annotated[MatchView, Meta(description="The match through your eyes.")]


class ByeFrame(msgspec.Struct, frozen=True, tag_field="frame", tag="bye"):
    """The last frame. Come back with the last id that you got, and nothing is lost or told twice."""

    reason: ByeReason


StreamFrame: TypeAlias = SnapshotFrame | ResumedFrame | EventFrame | ResetFrame | ByeFrame


STREAMS = Gauge("ludicitude_streams", "Open streams of events.", multiprocess_mode="livesum")
ENDED = Counter("ludicitude_streams_ended_total", "Streams that ended, by the reason in their last frame; `left` had none.", ["reason"])


class Streams:
    """The open streams of this process."""

    def __init__(self, matches: Matches, views: Views, watch: Watch, listeners: Listeners) -> None:
        self._matches, self._views, self._watch, self._listeners = matches, views, watch, listeners
        self._open: Tally[str] = Tally()
        self._written: LRUCache[tuple[str, int, Viewer], bytes] = LRUCache(FRAMES_KEPT)

    def require_room(self, name: str, caller: Player | None) -> None:
        """Raises `Trouble` when whoever counts under this name has as many streams as one can have."""
        if self._open[name] >= (ADDRESS_STREAMS_MAX if caller is None else STREAMS_MAX):
            raise Trouble("too_many_streams", headers={"Retry-After": "60"})

    async def counted(self, name: str, frames: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
        """These frames; as long as they come, they are an open stream of this caller."""
        self._open[name] += 1
        STREAMS.inc()
        told = False
        try:
            async with aclosing(frames):
                async for frame in frames:
                    yield frame
            told = True
        finally:
            if not told:
                ENDED.labels("left").inc()
            STREAMS.dec()
            self._open[name] -= 1
            self._open += Tally()  # Drops those who have none left.

    def frames(self, match_id: str, caller: Player | None, token: HeldToken, name: str, cursor: str | None) -> AsyncGenerator[bytes]:
        """The frames of one stream as text, until its last. `token` is what they came by (see `Listeners`), `name` whom it
        counts for, `cursor` the last id they have.
        """
        return self.counted(name, self._frames(match_id, caller, token, cursor))

    async def _frames(self, match_id: str, caller: Player | None, token: HeldToken, cursor: str | None) -> AsyncGenerator[bytes]:
        try:
            async with self._watch.on(stream_of(match_id)) as bell, self._listeners.listener(caller, token, bell) as listener:
                async for frame in self._told(match_id, caller, cursor, bell, listener):
                    yield frame
        except (UnknownMatch, NotAllowed):
            yield goodbye("gone")
        except Exception as error:
            if not isinstance(error, UnknownEvent) and not is_away(error):
                raise
            yield goodbye("unavailable")

    async def _told(
        self, match_id: str, caller: Player | None, cursor: str | None, bell: asyncio.Event, listener: Listener
    ) -> AsyncIterator[bytes]:
        rotates_at = time.monotonic() + chance.jitter(ROTATE_SECONDS)
        sight = await self._views.sight(match_id, caller)
        told, first = await self._opening(sight, caller, cursor)
        yield first
        beats_at = next_beat()
        while True:
            while told < sight.version and not self._watch.closed and not listener.ended:
                for record in await self._matches.records(sight.match, told, PAGE_MAX, sight.version):
                    yield self._event(sight, record)
                    told, beats_at = record.version, next_beat()
            if reason := self._ending(told == sight.version and sight.match.status == "ended", listener, rotates_at):
                yield goodbye(reason)
                return
            if not await rings(bell, min(beats_at, rotates_at) - time.monotonic()):
                yield STILL_HERE
                beats_at = next_beat()
                continue
            bell.clear()
            sight = await self._views.news(match_id, caller)

    async def _opening(self, sight: Sight, caller: Player | None, cursor: str | None) -> tuple[int, bytes]:
        """The version that the first frame brings the reader to, and that frame."""
        known = int(cursor) if cursor is not None and cursor.isascii() and cursor.isdigit() and len(cursor) < 18 else -1
        if 0 <= known <= sight.version and sight.version - known <= PAGE_MAX:
            return known, _message(ResumedFrame(known), known)
        view = await self._views.shown(await self._matches.at(sight.match, sight.version), caller)
        return sight.version, _message(SnapshotFrame(view) if cursor is None else ResetFrame(view), sight.version)

    def _event(self, sight: Sight, record: Record) -> bytes:
        """The frame of one event through these eyes."""
        seen = (sight.match.match_id, record.version, sight.viewer)
        frame = self._written.get(seen)
        if frame is None:
            [item] = feed(sight.match, (record,), sight.viewer)
            frame = self._written[seen] = _message(EventFrame(item), item.version)
        return frame

    def _ending(self, over: bool, listener: Listener, rotates_at: float) -> Reason | None:
        if over:
            return "ended"
        if self._watch.closed:
            return "shutdown"
        return "rotate" if listener.ended or time.monotonic() > rotates_at else None


def goodbye(reason: Reason) -> bytes:
    """The last message of a stream."""
    ENDED.labels(reason).inc()
    return _message(ByeFrame(reason))


def streamed(frames: AsyncGenerator[bytes]) -> Response[Any]:
    """The answer that is a stream of these frames."""
    return Frames(frames, partial(goodbye, "slow"))


def _message(frame: StreamFrame, version: int | None = None) -> bytes:
    identified = b"" if version is None else b"id: %d\n" % version
    return identified + b"data: " + msgspec.json.encode(frame) + b"\n\n"


@get(
    "/v1/matches/{match_id:str}/stream",
    operation_id="stream_events",
    summary="Follow a match",
    tags=["live"],
    opt={
        "problems": ["match_not_found", "no_spectators", "ticket_not_valid", "too_many_streams"],
        "streams": True,
        "read": "The match is over and you have all of it: there is nothing to stream.",
    },
)
async def stream_events(
    match_id: FromPath[str],
    request: StrictRequest,
    caller: NamedDependency[Player | None],
    views: NamedDependency[Views],
    streams: NamedDependency[Streams],
    tickets: NamedDependency[Tickets],
    held: NamedDependency[HeldToken],
    last_event_id: Annotated[
        str | None, HeaderParameter(name="Last-Event-ID", description="The last id you got; a browser's EventSource sends it by itself.")
    ] = None,
    after: Annotated[
        int | None, QueryParameter(ge=0, description="The same, where the header cannot be set; with both the header counts.")
    ] = None,
    ticket: Annotated[str | None, QueryParameter(description="From `create_stream_ticket`, instead of a token.")] = None,
) -> Response[StreamFrame]:
    """The events of a match as they happen, through your eyes, as server-sent events without names.

    The `data` of each message is one frame as JSON, and its `id` the version of the match that the frame brings you to; comments
    in between only keep the connection open. The first frame is a `snapshot`, or `resumed` when you say what you have; `reset`
    when that is not of this match or too old. Reconnect with the last id, and nothing is lost or told twice. When the
    match is over and you have all of it, the answer is 204 and an EventSource stops by itself. `list_events` with `wait`
    tells the same to clients without streams.
    """
    if ticket is not None:
        caller, held = await redeemed(tickets, ticket, stream_of(match_id))
    match, _, _ = await views.sight(match_id, caller)
    # Who comes back by the address they came by first says in the header how far they have got since.
    cursor = last_event_id if last_event_id is not None or after is None else str(after)
    if match.status == "ended" and cursor == str(match.version):
        return Response(cast("StreamFrame", None), status_code=204)
    name = caller.player_id if caller is not None else address(request.scope)
    streams.require_room(name, caller)
    request.work.pause()  # From now on it is one of so many streams.
    frames = streams.frames(match_id, caller, held, name, cursor)
    # The document tells of a stream by its frames; what is returned is their text.
    return streamed(frames)


ROUTES = (stream_events,)
