"""The log of a match: its events as they come, and the whole record once it is over."""

import time
from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any, cast

import msgspec
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter
from litestar.response import Stream
from msgspec import Meta

from domain.games import AnyOptions
from domain.match.game import IN_SEAT_ORDER, Result
from domain.match.state import AnyMatch
from service.accounts.listeners import Listeners
from service.accounts.players import Player, Players
from service.accounts.tokens import HeldToken
from service.held import stream_of
from service.http.conditions import VIEW_HEADERS
from service.http.deadline import WAIT_MAX_SECONDS
from service.http.problems import Trouble
from service.http.views import Views
from service.http.work import Work
from service.live.watch import Watch
from service.matches import PAGE_MAX, Matches
from service.projector import EventItem, SeatView, feed, seats, unveiled
from service.proofs import Proof, Transcript
from service.talk.messages import Talk
from service.talk.pledges import PledgeTally

VERSION_MAX = 2**53 - 1
"""Beyond this, JSON numbers are not the same number for every reader, and no match gets there."""


class EventPage(msgspec.Struct, frozen=True):
    """Events of a match through your eyes, oldest first."""

    items: Annotated[tuple[EventItem, ...], Meta(description="What followed the version that you have; empty where nothing did.")]
    version: Annotated[int, Meta(description="The version of the match now. Ask again with `after` set to the last one you have.")]
    ended: Annotated[bool, Meta(description="Whether the match has ended; no event follows its version then.")]


class MatchRecord(msgspec.Struct, frozen=True):
    """A match that has ended, with nothing hidden."""

    match_id: Annotated[str, Meta(description="The match's id.")]
    game: Annotated[str, Meta(description="Key of the game.")]
    ruleset: Annotated[int, Meta(description="Version of the game's rules that it began by.")]
    options: Annotated[AnyOptions, Meta(description="What the players had agreed on, every option with its value.")]
    seats: Annotated[tuple[SeatView, ...], IN_SEAT_ORDER, Meta(description="Who sat where at the end, in seat order.")]
    events: Annotated[tuple[EventItem, ...], Meta(description="Every event as it happened, the secret ones too.")]
    result: Annotated[Result, Meta(description="How it ended.")]
    tally: Annotated[tuple[PledgeTally, ...], Meta(description="How each seat kept its pledges; empty in a game without any.")]
    proof: Annotated[Proof, Meta(description="What the dice and the secret choices rest on.")]


class MatchProof(msgspec.Struct, frozen=True):
    """What the dice and the secrets of a match rest on."""

    match_id: Annotated[str, Meta(description="The match's id.")]
    scheme: Annotated[str, Meta(description="How dice and shuffles are drawn and secret choices sealed.")]
    commitment: Annotated[str, Meta(description="SHA-256 that binds the server to the seed of this match before anyone sits.")]
    proof: Annotated[Proof | None, Meta(description="Null until the match has ended, however it ends.")]


@get(
    "/v1/matches/{match_id:str}/events",
    operation_id="list_events",
    summary="What has happened",
    tags=["play"],
    opt={"problems": ["match_not_found", "no_spectators", "too_many_long_polls"]},
)
async def list_events(
    match_id: FromPath[str],
    caller: NamedDependency[Player | None],
    matches: NamedDependency[Matches],
    views: NamedDependency[Views],
    watch: NamedDependency[Watch],
    listeners: NamedDependency[Listeners],
    held: NamedDependency[HeldToken],
    work: NamedDependency[Work],
    after: Annotated[int, QueryParameter(ge=0, le=VERSION_MAX, description="The last version that you have; 0 for the beginning.")] = 0,
    limit: Annotated[int, QueryParameter(ge=1, description=f"How many at most; never more than {PAGE_MAX}.")] = 100,
    wait: Annotated[
        int, QueryParameter(ge=0, le=WAIT_MAX_SECONDS, description="Seconds to wait for something to happen when you have everything.")
    ] = 0,
) -> Response[EventPage]:
    """The events of a match after the ones you have, through your eyes. With `wait` the answer comes as soon as there is one.

    Begin with the `version` of a view, and ask again with the version of the last event that you got. While there is nothing
    new the list is empty; once `ended` is true nothing follows. Draw from `get_match` and play the events as animation, or
    follow the same by `stream_events`.
    """
    gives_up = time.monotonic() + wait
    async with watch.on(stream_of(match_id)) as bell, listeners.listener(caller, held, bell) as listener:
        sight = await views.sight(match_id, caller)
        while after >= sight.version and sight.match.status != "ended" and not watch.closed:
            if not await work.rings(bell, gives_up - time.monotonic()):
                break
            bell.clear()
            sight = await views.news(match_id, caller)
            listener.require()
    match, viewer, version = sight
    items = feed(match, await matches.records(match, after, limit, version), viewer)
    return Response(EventPage(items, version, match.status == "ended"), headers=VIEW_HEADERS)


@get(
    "/v1/matches/{match_id:str}/record",
    operation_id="get_record",
    summary="The whole match, once it is over",
    tags=["play"],
    opt={"problems": ["match_not_found", "no_spectators", "match_not_over"]},
)
async def get_record(
    match_id: FromPath[str],
    caller: NamedDependency[Player | None],
    matches: NamedDependency[Matches],
    views: NamedDependency[Views],
    players: NamedDependency[Players],
    talk: NamedDependency[Talk],
) -> Response[MatchRecord]:
    """Everything that happened, with nothing hidden: for replays, for statistics, and to check the dice.

    There is none before the end: 409 `match_not_over`; `list_events` tells what may be known until then.
    """
    match, _ = await views.seen(match_id, caller)
    if match.result is None:
        raise Trouble("match_not_over")
    terms, names = match.agreed, await players.names(match.seated)
    told = {
        "match_id": match.match_id,
        "game": terms.game,
        "ruleset": terms.ruleset,
        "options": terms.options,
        "seats": seats(match.chairs, names, match.status, match.version),
        "result": match.result,
        "tally": await talk.tally(match),
    }
    # The document tells of the record as a whole; what is returned is its text.
    return cast("Response[MatchRecord]", Stream(_record(matches, match, told), media_type="application/json", headers=VIEW_HEADERS))


async def _record(matches: Matches, match: AnyMatch, told: Mapping[str, Any]) -> AsyncIterator[bytes]:
    """The text of a record, which never stands in memory as a whole: a match may have a hundred thousand events."""
    transcript, between = Transcript(), b""
    yield msgspec.json.encode(told)[:-1] + b',"events":['
    async for page in matches.pages(match):
        transcript.add(page)
        yield between + msgspec.json.encode(unveiled(page))[1:-1]
        between = b","
    yield b'],"proof":' + msgspec.json.encode(await matches.proved(match, transcript)) + b"}"


@get(
    "/v1/matches/{match_id:str}/proof",
    operation_id="get_proof",
    summary="Check the dice",
    tags=["play"],
    opt={"problems": ["match_not_found", "no_spectators"]},
)
async def get_proof(
    match_id: FromPath[str],
    caller: NamedDependency[Player | None],
    matches: NamedDependency[Matches],
    views: NamedDependency[Views],
) -> Response[MatchProof]:
    """What anyone needs to check every roll, shuffle and secret choice, once the match has ended: the seed is opened then.

    The seed is mixed with the players' own entropy, was committed to before anyone sat down, and is used for this match
    alone. `/docs/verify/verify.py` and `/docs/verify/verify.mjs` are programs that check a record.
    """
    match, _ = await views.seen(match_id, caller)
    told = MatchProof(match.match_id, match.agreed.scheme, match.agreed.commitment, None)
    if match.result is None:
        return Response(told, headers=VIEW_HEADERS)
    return cast("Response[MatchProof]", Stream(_proof(matches, match, told), media_type="application/json", headers=VIEW_HEADERS))


async def _proof(matches: Matches, match: AnyMatch, told: MatchProof) -> AsyncIterator[bytes]:
    """The text of a proof, which begins before the whole log has been read: a match may have a hundred thousand events."""
    yield msgspec.json.encode(told).removesuffix(b"null}")
    yield msgspec.json.encode(await matches.proof(match)) + b"}"


ROUTES = (list_events, get_record, get_proof)
