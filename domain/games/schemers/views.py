"""What is seen of a match of Schemers: everything but the dice that are still hidden behind a hand."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypeAlias, assert_never

import msgspec
from msgspec.structs import replace

from domain.games.schemers import events as e
from domain.games.schemers.options import FACES, Face, Stakes
from domain.games.schemers.rules import Dice, Round, Shown, State, advance, die, still_in
from domain.match.game import IN_SEAT_ORDER, Chance, Facts, Over, Seat, Showing, Viewer, Waiting, hidden_in

Phase: TypeAlias = Literal["talk1", "set1", "talk2", "set2", "reveal", "over"]


class View(msgspec.Struct, frozen=True, tag_field="game", tag="schemers"):
    """The table of Schemers as one viewer sees it. What belongs to a seat stands in seat order."""

    phase: Annotated[
        Phase,
        msgspec.Meta(
            description="`talk1`: talk, until all are ready; `set1`: set a first die; `talk2` and `set2`: the same for the second dice; "
            "`reveal`: dice are being shown or a round is being settled; `over`."
        ),
    ]
    stakes: Annotated[Stakes, msgspec.Meta(description="The points to start with and the goal.")]
    goal: Annotated[int, msgspec.Meta(description="Whoever passes this score wins.")]
    rounds_max: Annotated[int | None, msgspec.Meta(description="The last round that is played; null for no limit.")]
    whispers: Annotated[bool, msgspec.Meta(description="Whether two players may talk in private.")]
    round: Annotated[int, msgspec.Meta(description="The round being played, from 1; the last one when the match is over.")]
    scores: Annotated[tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="Points; an eliminated seat keeps its last score.")]
    still_in: Annotated[tuple[Seat, ...], msgspec.Meta(description="The seats that have not been eliminated.")]
    eliminated: Annotated[
        tuple[int | None, ...],
        IN_SEAT_ORDER,
        msgspec.Meta(description="The round in which each seat went out; null while it is in the game."),
    ]
    ready: Annotated[tuple[Seat, ...], msgspec.Meta(description="The seats that are ready, during a talk; else empty.")]
    committed: Annotated[tuple[Seat, ...], msgspec.Meta(description="The seats whose die is set and not yet shown.")]
    your_die: Annotated[Face | None, msgspec.Meta(description="The face of your own set die, not yet shown; null when there is none.")]
    first: Annotated[
        Dice,
        IN_SEAT_ORDER,
        hidden_in("set1"),
        msgspec.Meta(description="This round's first dice; null until they are shown, and for a seat that is out."),
    ]
    target: Annotated[int | None, msgspec.Meta(description="The minimum total of this round; null before the first dice are shown.")]
    second: Annotated[
        Dice,
        IN_SEAT_ORDER,
        hidden_in("set2"),
        msgspec.Meta(description="This round's second dice; null until they are shown, and for a seat that is out."),
    ]
    shown: Annotated[tuple[Shown, ...], IN_SEAT_ORDER, msgspec.Meta(description="How often each seat has shown each face in this match.")]
    last_round: Annotated[Round | None, msgspec.Meta(description="The latest round that was settled; null before the first.")]


def view(state: State, viewer: Viewer) -> View:
    return View(
        phase=phase(state),
        stakes=state.stakes,
        goal=state.goal,
        rounds_max=state.rounds_max,
        whispers=state.whispers,
        round=state.round,
        scores=state.scores,
        still_in=still_in(state),
        eliminated=state.eliminated,
        ready=tuple(seat for seat, ready in enumerate(state.ready) if ready),
        committed=tuple(seat for seat, face in enumerate(state.committed) if face is not None),
        your_die=None if viewer is None or not state.committed else state.committed[viewer],
        first=state.first,
        target=state.target,
        second=state.second,
        shown=state.shown,
        last_round=state.last_round,
    )


def veil(event: e.Event, viewer: Viewer) -> e.Event:
    match event:
        case e.DieCommitted(seat):
            return event if seat == viewer else replace(event, face=None)  # 3.4
        case (
            e.StakesChosen()
            | e.RoundStarted()
            | e.ReadyDeclared()
            | e.TalkEnded()
            | e.DieRevealed()
            | e.TargetSet()
            | e.TargetMet()
            | e.TargetMissed()
            | e.RoundEnded()
        ):
            return event
        case _:
            assert_never(event)


def pledges_open(state: State, seat: int) -> Mapping[str, Sequence[int]]:
    """The dice of this round that the seat has yet to show, by the phase in which they are set (rule 2.3)."""
    if state.eliminated[seat] is not None:
        return {}
    return {"set1": FACES, "set2": FACES} if die(state) == "first" else {"set2": FACES}


def shown(event: e.Event) -> Showing | None:
    """Which die an event shows, and of whom."""
    match event:
        case e.DieRevealed(seat, which, face):
            return Showing(seat, "set1" if which == "first" else "set2", face)
        case _:
            return None


def phase(state: State) -> Phase:
    match advance(state):
        case Waiting(secret=False):
            return "talk1" if die(state) == "first" else "talk2"
        case Waiting():
            return "set1" if die(state) == "first" else "set2"
        case Facts() | Chance():
            return "reveal"
        case Over():
            return "over"
