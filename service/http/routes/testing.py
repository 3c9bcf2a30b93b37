"""For the tests of front ends: time that passes at once. Off unless the server is in test mode."""

from typing import Annotated

import msgspec
from litestar import Response, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody
from msgspec import Meta

from domain.match import table
from domain.match.game import AnyGame
from domain.match.play import Entry
from domain.match.state import AnyMatch
from domain.match.table import World
from service.http.acting import Acting
from service.http.auth import signed_in
from service.http.problems import Trouble
from service.projector import MatchView


class TestMode:
    """Whether this server is in test mode."""

    __test__ = False  # For pytest, which takes the name for its own.

    def __init__(self, on: bool) -> None:
        self._on = on

    def require(self) -> None:
        """Raises `Trouble` on a server that is not in test mode."""
        if not self._on:
            raise Trouble("test_mode_off")


class MoveClock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far."""

    forward_seconds: Annotated[int, Meta(ge=1, le=2_592_000, description="By so much the match's deadline comes nearer.")]


@post(
    "/v1/matches/{match_id:str}/clock",
    operation_id="move_clock",
    summary="Put the clock forward",
    tags=["testing"],
    guards=[signed_in],
    status_code=200,
    opt={"problems": ["match_not_found", "test_mode_off", "match_over", "match_busy", "key_reused", "precondition_failed"]},
)
async def move_clock(
    match_id: FromPath[str], data: JSONBody[MoveClock], acting: NamedDependency[Acting], test_mode: NamedDependency[TestMode]
) -> Response[MatchView]:
    """Brings the deadline of a match nearer, so that a test sees what the clock does without waiting for it.

    Only on a server in test mode (`LUDICITUDE_TEST_MODE=on`); everywhere else 403 `test_mode_off`.
    """
    test_mode.require()

    def decide(game: AnyGame, match: AnyMatch, world: World) -> tuple[Entry, ...]:
        return table.move_clock(match, data.forward_seconds)

    return await acting.answered(await acting.change("move_clock", match_id, decide, data))


ROUTES = (move_clock,)
