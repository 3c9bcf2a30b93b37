"""Matches: open one, see it, play the same again."""

from typing import Annotated

import msgspec
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter
from msgspec import Meta

from domain.games import GAMES, AnyOptions
from domain.match import lobby
from domain.match.events import Clock, DrawsFixed, Opened, Spectators, Start, Visibility
from domain.match.fate import SCHEME
from domain.match.game import AnyGame
from domain.match.play import Entry, NotNow
from domain.match.state import AnyMatch
from domain.match.table import NotAllowed, World
from service.accounts.players import Player, Players
from service.hosts import Hosts, TooManyMatches
from service.http.acting import Acting
from service.http.auth import signed_in
from service.http.conditions import IfNoneMatch
from service.http.problems import Fault, Trouble
from service.http.routes.seats import Entropy
from service.http.routes.testing import TestMode
from service.http.views import Views
from service.matches import Changed, Decide, Matches
from service.projector import MatchView, require_known
from service.rematches import Rematches
from service.store import RematchTaken


class MatchTesting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Takes chance out of a match, so that a front end's test knows what comes. Only on a server in test mode."""

    seed: Annotated[
        Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")] | None,
        Meta(
            description="256 bits in hex, and all that the draws and the bots' luck come from: they are the same in every"
            " match with this seed. Null: drawn as always."
        ),
    ] = None
    outcomes: Annotated[
        tuple[tuple[int | str, ...], ...],
        Meta(
            max_length=100, description="Outcomes of the first draws, in their order: faces of dice, or shuffled items as they come to lie."
        ),
    ] = ()


class OpenMatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The terms of a new match. All but `options` have a default."""

    options: Annotated[AnyOptions, Meta(description="The game, and what its players agree on.")]
    seats: Annotated[
        int | None, Meta(description="How many seats. Null: the fewest that the game is played by, but two where it can be.")
    ] = None
    visibility: Annotated[
        Visibility, Meta(description="`public`, or `private`: only those who hold its invitation code may sit down or know of it.")
    ] = "public"
    spectators: Spectators = "public"
    clock: Annotated[
        Clock | None,
        Meta(description="How long a seat may take; three days a choice unless you say so. Only a private match can do without: null."),
    ] = Clock()
    start: Start = "when_full"
    bots: Annotated[tuple[str, ...], Meta(max_length=8, description="Levels of bots that take the next seats after yours.")] = ()
    testing: Annotated[MatchTesting | None, Meta(description="Only for a server in test mode.")] = None
    sit: Annotated[bool, Meta(description="Whether you take seat 0 yourself.")] = True
    entropy: Entropy | None = None


@post(
    "/v1/matches",
    operation_id="open_match",
    summary="Open a match",
    tags=["matches"],
    guards=[signed_in],
    opt={
        "problems": [
            "seats_not_allowed",
            "too_many_bots",
            "no_such_level",
            "clock_needed",
            "too_many_matches",
            "match_busy",
            "key_reused",
            "match_not_found",
            "test_mode_off",
            "outcome_does_not_fit",
        ],
        "headers": ["Location"],
    },
)
async def open_match(
    data: JSONBody[OpenMatch], opening: NamedDependency[Acting], hosts: NamedDependency[Hosts], test_mode: NamedDependency[TestMode]
) -> Response[MatchView]:
    """Opens a match by your terms. You are its host, and sit at seat 0 unless you say otherwise.

    The terms never change. A match that is full begins at once unless the host is to start it; one that has not begun after
    a day expires. 404 answers a repeated call alone, where the first one opened a private match that is not
    yours to know of any more.
    """
    if data.testing is not None:
        test_mode.require()
    testing = data.testing or MatchTesting()
    game = GAMES[data.options.__struct_config__.tag]
    fixed = DrawsFixed(testing.outcomes, testing.seed) if testing.outcomes or testing.seed else None
    seats = data.seats if data.seats is not None else min(game.seats, key=lambda seats: (seats < 2, seats))

    def decide(match_id: str, commitment: str, world: World) -> tuple[Entry, ...]:
        terms = Opened(
            game=game.key,
            ruleset=game.ruleset,
            options=data.options,
            seats=seats,
            visibility=data.visibility,
            spectators=data.spectators,
            clock=data.clock,
            start=data.start,
            host=opening.player_id,
            rematch_of=None,
            kept_for=(),
            scheme=SCHEME,
            commitment=commitment,
        )
        return lobby.open_match(game, match_id, terms, data.sit, data.entropy or "", data.bots, world, fixed)

    try:
        async with hosts.room(opening.player_id, sits=data.sit):
            opened = await opening.open("open_match", game, decide, data)
    except TooManyMatches:
        if (before := await opening.opened("open_match", data)) is None:
            raise
        opened = before
    return await _created(opening, opened)


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
    views: NamedDependency[Views],
    if_none_match: IfNoneMatch = None,
    at_version: Annotated[int | None, QueryParameter(ge=1, description="See the match as it stood at this version.")] = None,
) -> Response[MatchView]:
    """The match through your eyes: everything a screen needs, with the choices you have now.

    Without a token you see what a spectator sees. Sent with `If-None-Match`, the answer is 304 while nothing has changed.
    """
    now, _ = await views.seen(match_id, caller)
    match = now
    if at_version is not None:
        if at_version > now.version:
            fault = Fault("query", "/at_version", f"The match stands at version {now.version}.")
            raise Trouble("invalid_parameter", errors=[fault])
        match = await matches.at(now, at_version)
    return await views.answered(match, caller, if_none_match, now)


@post(
    "/v1/matches/{match_id:str}/rematch",
    operation_id="rematch",
    summary="Play the same again",
    tags=["matches"],
    guards=[signed_in],
    opt={
        "problems": [
            *("match_not_found", "match_not_over", "not_seated", "match_full", "match_started", "seat_kept"),
            *("too_many_matches", "match_busy", "key_reused"),
        ],
        "headers": ["Location"],
    },
)
async def rematch(
    match_id: FromPath[str],
    acting: NamedDependency[Acting],
    matches: NamedDependency[Matches],
    rematches: NamedDependency[Rematches],
    hosts: NamedDependency[Hosts],
    views: NamedDependency[Views],
    player: NamedDependency[Player],
    players: NamedDependency[Players],
) -> Response[MatchView]:
    """Opens the match that follows this one, or sits you down at it where another player has asked before.

    There is one, however many ask at once: the same game, terms and players, everybody one seat further on, each seat kept
    for its player. The others find it among their turns, as an invitation. It begins when all have come. Who does not want to leaves
    it by `leave_seat`: anybody may have the seat then. The offer is void when the one who asked first leaves, or all others do.
    Whom its host has removed from a private one needs its invitation code, and else hears 404.
    """
    match = await views.known(match_id, player)
    if match.seat_of(player.player_id) is None:
        raise NotAllowed("not_seated")
    acting.require_version(match)
    if (opened := await acting.opened("rematch", match_id)) is not None:
        return await _created(acting, opened)
    call = acting.call("rematch", match_id)
    successor = await rematches.led_to(match, call) or await matches.successor(match)
    if successor is None:
        game = GAMES[match.agreed.game]
        gone = set(match.seated).difference(await players.names(match.seated))

        def decide(new_id: str, commitment: str, world: World) -> tuple[Entry, ...]:
            return lobby.rematch(game, match, new_id, acting.player_id, commitment, world, gone)

        try:
            async with hosts.room(acting.player_id):
                return await _created(acting, await acting.open("rematch", game, decide, match_id))
        except RematchTaken:
            successor = await matches.successor(match)
    if successor is None:  # The offer was made and taken back in this very moment.
        raise Trouble("match_busy")
    successor = await rematches.lead_to(match, call, successor)

    try:
        joined = await acting.change("rematch", successor, _coming(player), invited=True, conditional=False)
    except NotNow:
        joined = Changed(await matches.get(successor), ())
        if joined.match.seat_of(acting.player_id) is None:
            raise
    return await _created(acting, joined)


def _coming(player: Player) -> Decide:
    """This player's coming to a rematch, for which they need no invitation code, unless its host has removed them."""

    def come(game: AnyGame, offered: AnyMatch, world: World) -> tuple[Entry, ...]:
        if player.player_id in offered.removed:
            require_known(offered, player)
        return lobby.take_seat(game, offered, player.player_id, None, "", world)

    return come


async def _created(acting: Acting, changed: Changed) -> Response[MatchView]:
    answer = await acting.answered(changed)
    answer.status_code = 201
    answer.headers["Location"] = f"/v1/matches/{changed.match.match_id}"
    return answer


ROUTES = (open_match, get_match, rematch)
