"""Commands: the choices that players make."""

from typing import Annotated

import msgspec
from litestar import Response, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody
from msgspec import Meta

from domain.games import AnyCommand
from domain.match import table
from domain.match.game import AnyGame
from domain.match.play import Entry
from domain.match.state import AnyMatch
from domain.match.table import World
from service.http.acting import Acting
from service.http.auth import signed_in
from service.http.conditions import VIEW_HEADERS
from service.projector import EventItem, MatchView, feed


class SendCommand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Your choice."""

    command: Annotated[AnyCommand, Meta(description="One of the `choices` of your decision, as it stands there.")]
    decision: (
        Annotated[
            str, Meta(max_length=64, description="The decision it answers. Send it: then it is never taken for the answer to another.")
        ]
        | None
    ) = None


class CommandAnswer(msgspec.Struct, frozen=True):
    """What your command did."""

    view: Annotated[MatchView, Meta(description="The match right after it: the truth to show.")]
    events: Annotated[tuple[EventItem, ...], Meta(description="What happened, in order: for animation.")]
    version: Annotated[int, Meta(description="The version of the match right after it.")]


@post(
    "/v1/matches/{match_id:str}/commands",
    operation_id="send_command",
    summary="Make a choice",
    tags=["play"],
    guards=[signed_in],
    status_code=200,
    opt={
        "problems": [
            *("match_not_found", "not_seated", "match_not_started", "match_over", "not_your_turn", "decision_closed", "resigned"),
            *("command_of_another_game", "outcome_does_not_fit", "refused", "match_busy", "key_reused", "precondition_failed"),
        ]
    },
)
async def send_command(match_id: FromPath[str], data: JSONBody[SendCommand], acting: NamedDependency[Acting]) -> Response[CommandAnswer]:
    """Plays one of the choices that your seat has. It is on disk when you get the answer.

    The answer holds the match right after it, and the events from your choice on. Seats that choose at the same time never
    collide; their choices stay hidden until the last one is in. Repeated with the same `Idempotency-Key`, the command is
    played once and answered again.
    """

    def decide(game: AnyGame, match: AnyMatch, world: World) -> tuple[Entry, ...]:
        return table.choose(game, match, acting.player_id, data.command, data.decision, world)

    changed = await acting.change("send_command", match_id, decide, data)
    seen = await acting.shown(changed)
    return Response(CommandAnswer(seen, feed(changed.match, changed.records, seen.you), seen.version), headers=VIEW_HEADERS)


ROUTES = (send_command,)
