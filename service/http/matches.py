"""Matches: open one, see it, and begin."""

from typing import Annotated, TypeAlias

import msgspec
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter
from msgspec import Meta

from domain.games import GAMES, AnyOptions
from domain.match import lobby
from domain.match.events import Opened, Spectators, Start, Visibility
from domain.match.fate import SCHEME
from domain.match.game import AnyGame
from domain.match.lobby import FateOf
from domain.match.play import Entry
from domain.match.state import AnyMatch
from service.http.auth import signed_in
from service.http.conditions import IfMatch, IfNoneMatch, expected_version
from service.http.idempotency import IdempotencyKey, call
from service.http.problems import Fault, Trouble
from service.http.views import answered
from service.matches import Matches
from service.players import Player, Players
from service.projector import MatchView

Entropy: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^([0-9a-f]{2}){16,64}$",
        description="16 to 64 random bytes of your own in hex, mixed into the dice and shuffles of the match. Hidden until the start.",
    ),
]


class OpenMatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The terms of a new match. All but `options` have a default."""

    options: Annotated[AnyOptions, Meta(description="The game, and what its players agree on.")]
    seats: Annotated[
        int | None, Meta(description="How many seats. Null: the fewest that the game is played by, but two where it can be.")
    ] = None
    visibility: Annotated[Visibility, Meta(description="Who may know of the match.")] = "public"
    spectators: Annotated[Spectators, Meta(description="What those see of the play who do not sit.")] = "public"
    start: Annotated[Start, Meta(description="Whether play begins when every seat is taken, or when the host says so.")] = "when_full"
    sit: Annotated[bool, Meta(description="Whether you take seat 0 yourself.")] = True
    entropy: Entropy | None = None


@post(
    "/v1/matches",
    operation_id="open_match",
    summary="Open a match",
    tags=["matches"],
    guards=[signed_in],
    opt={"problems": ["seats_not_allowed", "key_reused"]},
)
async def open_match(
    data: JSONBody[OpenMatch],
    player: NamedDependency[Player],
    matches: NamedDependency[Matches],
    players: NamedDependency[Players],
    idempotency_key: IdempotencyKey = None,
) -> Response[MatchView]:
    """Opens a match by your terms. You are its host, and sit at seat 0 unless you say otherwise.

    The terms never change. A match that is full begins at once unless the host is to start it.
    """
    once = call(player, "open_match", idempotency_key, None, data)
    changed = await matches.open(once, lambda commitment: _terms(data, player.player_id, commitment), data.sit, data.entropy or "")
    opened = await answered(changed.match, player, players)
    opened.status_code = 201
    opened.headers["Location"] = f"/v1/matches/{changed.match.match_id}"
    return opened


@get(
    "/v1/matches/{match_id:str}",
    operation_id="get_match",
    summary="See a match",
    tags=["matches"],
    opt={"problems": ["match_not_found", "no_spectators"]},
)
async def get_match(
    match_id: FromPath[str],
    caller: NamedDependency[Player | None],
    matches: NamedDependency[Matches],
    players: NamedDependency[Players],
    if_none_match: IfNoneMatch = None,
    at_version: Annotated[int | None, QueryParameter(ge=1, description="See the match as it stood at this version.")] = None,
) -> Response[MatchView]:
    """The match through your eyes: everything a screen needs, with the choices you have now.

    Without a token you see what a spectator sees. Sent with `If-None-Match`, the answer is 304 while nothing has changed.
    """
    match = await matches.get(match_id)
    if at_version is not None:
        if at_version > match.version:
            fault = Fault("query", "/at_version", f"The match stands at version {match.version}.")
            raise Trouble("invalid_parameter", errors=[fault])
        match = await matches.at(match, at_version)
    return await answered(match, caller, players, if_none_match)


@post(
    "/v1/matches/{match_id:str}/start",
    operation_id="start_match",
    summary="Begin play",
    tags=["matches"],
    guards=[signed_in],
    status_code=200,
    opt={
        "problems": [
            "match_not_found",
            "match_started",
            "match_over",
            "key_reused",
            "match_busy",
            "not_host",
            "seats_open",
            "precondition_failed",
        ]
    },
)
async def start_match(
    match_id: FromPath[str],
    player: NamedDependency[Player],
    matches: NamedDependency[Matches],
    players: NamedDependency[Players],
    idempotency_key: IdempotencyKey = None,
    if_match: IfMatch = None,
) -> Response[MatchView]:
    """Begins play at the host's word, once every seat is taken."""

    def decide(game: AnyGame, match: AnyMatch, fate_of: FateOf) -> tuple[Entry, ...]:
        return lobby.start_match(game, match, player.player_id, fate_of)

    changed = await matches.change(match_id, call(player, "start_match", idempotency_key, expected_version(if_match), match_id), decide)
    return await answered(changed.match, player, players)


def _terms(asked: OpenMatch, host: str, commitment: str) -> Opened[AnyOptions]:
    game = GAMES[asked.options.__struct_config__.tag]
    number = asked.seats if asked.seats is not None else min(game.seats, key=lambda seats: (seats < 2, seats))
    return Opened(game.key, game.ruleset, asked.options, number, asked.visibility, asked.spectators, asked.start, host, SCHEME, commitment)


ROUTES = (open_match, get_match, start_match)
