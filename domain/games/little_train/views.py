"""What is seen of a match of Little Train: everything, by everyone."""

from typing import Annotated, Literal, TypeAlias, assert_never

import msgspec

from domain.games.little_train import events as e
from domain.games.little_train.options import Sheet
from domain.games.little_train.rules import RolledDice, State, Train, Turn, Way, advance, to_mark, totals, train, ways
from domain.match.game import IN_SEAT_ORDER, OF_THE_TURN, Chance, Facts, Over, Seat, Viewer, Waiting

Phase: TypeAlias = Literal["roll", "rolling", "mark", "decide", "settle", "over"]


class View(msgspec.Struct, frozen=True, tag_field="game", tag="little-train"):
    """The table of Little Train. What belongs to a seat stands in seat order."""

    phase: Annotated[
        Phase,
        msgspec.Meta(
            description="`roll`: the first roll of a turn; `rolling`: the dice are in the air; `mark`: mark the roll;"
            " `decide`: roll again or stop; `settle`: a turn or a game begins or ends; `over`."
        ),
    ]
    game_number: Annotated[int, msgspec.Meta(description="The game being played, from 1; the last one when the match is over.")]
    games: Annotated[int, msgspec.Meta(description="How many games the match has.")]
    turn: Annotated[
        Seat | None, OF_THE_TURN, msgspec.Meta(description="Whose turn it is; null between two turns and when the match is over.")
    ]
    dice: Annotated[int, msgspec.Meta(description="How many dice the next roll has.")]
    roll: Annotated[RolledDice | None, msgspec.Meta(description="The latest roll of the turn; null before its first.")]
    ways: Annotated[
        tuple[Way, ...],
        msgspec.Meta(
            description="The ways to mark the roll, with the dice that each is of; empty when there is nothing to mark."
            " Two of the same column and count are one choice."
        ),
    ]
    sheets: Annotated[tuple[Sheet, ...], IN_SEAT_ORDER, msgspec.Meta(description="The sheets of this game.")]
    train: Annotated[
        Train | None,
        OF_THE_TURN,
        msgspec.Meta(description="What the train of this turn would score if the turn ended now; null between two turns."),
    ]
    points: Annotated[
        tuple[int | None, ...], IN_SEAT_ORDER, msgspec.Meta(description="Points of this game; null for a train that is not built yet.")
    ]
    game_points: Annotated[
        tuple[Annotated[tuple[int | None, ...], IN_SEAT_ORDER], ...], msgspec.Meta(description="Points by game, this one included.")
    ]
    totals: Annotated[tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="Points of all games together.")]
    last_turn: Annotated[Turn | None, msgspec.Meta(description="The latest turn that is over; null before the first.")]


def view(state: State, viewer: Viewer) -> View:
    return View(
        phase=phase(state),
        game_number=len(state.points),
        games=state.games,
        turn=state.turn,
        dice=state.dice,
        roll=state.roll,
        ways=ways(state.roll.faces) if state.roll and to_mark(state) else (),
        sheets=state.sheets,
        train=None if state.turn is None else train(state.sheets[state.turn]),
        points=state.points[-1],
        game_points=state.points,
        totals=totals(state),
        last_turn=state.last_turn,
    )


def veil(event: e.Event, viewer: Viewer) -> e.Event:
    match event:
        case e.GameStarted() | e.TurnStarted() | e.DiceTaken() | e.DiceRolled() | e.SheetMarked() | e.TurnScored() | e.GameEnded():
            return event  # 1.4
        case _:
            assert_never(event)


def phase(state: State) -> Phase:
    match advance(state):
        case Chance():
            return "rolling"
        case Waiting():
            return "roll" if state.roll is None else "mark" if to_mark(state) else "decide"
        case Facts():
            return "settle"
        case Over():
            return "over"
