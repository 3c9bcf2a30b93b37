"""How Little Train is played. Numbers in comments are clauses of RULES.md."""

from collections.abc import Sequence
from typing import Annotated, assert_never

import msgspec
from msgspec.structs import replace

from domain.games.little_train import commands
from domain.games.little_train.commands import Command, Mark
from domain.games.little_train.events import (
    DiceRolled,
    DiceTaken,
    Event,
    GameEnded,
    GameStarted,
    SheetMarked,
    TurnScored,
    TurnStarted,
)
from domain.games.little_train.options import COLUMNS, DICE, EMPTY, FACES, Column, Faces, MarkedFace, Options, Sheet
from domain.match.game import Advance, Chance, Facts, Outcome, Over, Place, Refused, Result, Roll, Seat, Waiting, put, ranked

CHOICE: MarkedFace = "choice"
COUPLE_HAULS = 3
NO_COUPLE = -20


class RolledDice(msgspec.Struct, frozen=True):
    """A roll, and what was marked of it."""

    faces: Annotated[Faces, msgspec.Meta(description="The faces, in the order rolled.")]
    lost: Annotated[
        int | None,
        msgspec.Meta(
            description="Place in `faces`, from 0, of the Cross lost for the rest of the turn; null if there is none, or nothing else."
        ),
    ]
    column: Annotated[Column | None, msgspec.Meta(description="The column it was marked in; null when it is not marked.")]
    count: Annotated[int | None, msgspec.Meta(description="How many strokes were added; null when it is not marked.")]


class Way(msgspec.Struct, frozen=True):
    """A way to mark a roll: all the dice of one face, in one column."""

    face: Annotated[MarkedFace, msgspec.Meta(description="The face that is marked: that of the column, or `choice`.")]
    column: Annotated[Column, msgspec.Meta(description="The column that is added to.")]
    count: Annotated[int, msgspec.Meta(ge=1, le=DICE, description="How many strokes.")]
    dice: Annotated[tuple[int, ...], msgspec.Meta(description="The dice that show the face, by their places in `roll.faces`, from 0.")]


class Train(msgspec.Struct, frozen=True):
    """What a sheet scores as it stands."""

    couples: Annotated[int, msgspec.Meta(description="Couples of a locomotive and a tender.")]
    wagons: Annotated[int | None, msgspec.Meta(description="Wagons left once all is taken off; null for a train without a couple.")]
    points: Annotated[int, msgspec.Meta(description="What it scores.")]


class Turn(msgspec.Struct, frozen=True):
    """A turn that is over."""

    seat: Seat
    sheet: Annotated[Sheet, msgspec.Meta(description="The strokes of its train.")]
    train: Annotated[Train, msgspec.Meta(description="What it scored.")]
    forced: Annotated[bool, msgspec.Meta(description="Whether a roll of only Crosses ended it; else the player stopped.")]


class State(msgspec.Struct, frozen=True):
    """A match of Little Train. What belongs to a seat stands in seat order."""

    games: int = 1
    points: tuple[tuple[int | None, ...], ...] = ((),)
    """The points of the trains of every game begun; None for a train that is not built yet."""
    games_ended: int = 0
    sheets: tuple[Sheet, ...] = ()
    """The sheets of the latest game begun."""
    turn: Seat | None = None
    """Whose turn it is; None between two turns."""
    dice: int = DICE
    """How many dice the next roll has."""
    rolling: bool = False
    roll: RolledDice | None = None
    """The latest roll of the turn."""
    last_turn: Turn | None = None


def open(options: Options, seats: int) -> Sequence[Event]:
    return [GameStarted(1, options.games, (EMPTY,) * seats)]


def choices(state: State, seat: int) -> Sequence[Command]:
    match advance(state):
        case Waiting(seats) if seat in seats:
            if state.roll is None:
                return [commands.Roll()]  # 3.1
            if to_mark(state):
                return marks(state.roll.faces)  # 4.5
            return [commands.Stop(), commands.Roll()]  # 5.1, 5.2
    return []


def decide(state: State, seat: int, command: Command) -> Sequence[Event]:
    match command:
        case commands.Mark(column, count):
            if state.roll is None:
                raise Refused("roll_first", "3.1")
            if not to_mark(state):
                raise Refused("already_marked", "4.6")
            fitting = [mark for mark in marks(state.roll.faces) if mark.column == column]
            if not fitting:
                raise Refused("face_not_shown", "4.1")
            if command not in fitting:
                raise Refused("not_all_of_one_face", "4.2")
            return [SheetMarked(seat, column, count, marked(state.sheets[seat], command))]
        case commands.Roll():
            if to_mark(state):
                raise Refused("mark_first", "4.5")
            return [DiceTaken(seat, state.dice)]
        case commands.Stop():
            if state.roll is None:
                raise Refused("roll_first", "3.1")
            if to_mark(state):
                raise Refused("mark_first", "4.5")
            return [scored(state, seat, forced=False)]  # 5.2
        case _:
            assert_never(command)


def advance(state: State) -> Advance[Event]:
    number, points = len(state.points), state.points[-1]
    if state.games_ended == state.games:
        return Over(Result(standing(state), "games_played"))  # 7.1
    if state.games_ended == number:
        return Facts([GameStarted(number + 1, state.games, (EMPTY,) * len(points))])  # 2.1
    if state.turn is None:
        if None in points:
            return Facts([TurnStarted(points.index(None), DICE)])  # 2.2, 2.3
        return Facts([GameEnded(number, tuple(score for score in points if score is not None), totals(state))])
    if state.rolling:
        return Chance(Roll(state.dice, len(FACES)))
    if state.dice == 0:
        return Facts([scored(state, state.turn, forced=True)])  # 3.2
    return Waiting(frozenset({state.turn}), secret=False)


def settle(state: State, outcome: Outcome) -> Sequence[Event]:
    assert state.turn is not None, "dice are rolled in a turn only"
    faces = tuple(FACES[number - 1] for number in outcome)
    dice = dice_left(faces)
    return [DiceRolled(state.turn, faces, faces.index("cross") if 0 < dice < len(faces) else None, dice)]


def evolve(state: State, event: Event) -> State:
    match event:
        case GameStarted(number, games, sheets):
            return replace(state, games=games, points=(*state.points[: number - 1], (None,) * len(sheets)), sheets=sheets)
        case TurnStarted(seat, dice):
            return replace(state, turn=seat, dice=dice, roll=None)
        case DiceTaken():
            return replace(state, rolling=True)
        case DiceRolled(_, faces, lost, dice):
            return replace(state, rolling=False, roll=RolledDice(faces, lost, None, None), dice=dice)
        case SheetMarked(seat, column, count, sheet):
            roll = state.roll and replace(state.roll, column=column, count=count)
            return replace(state, sheets=put(state.sheets, seat, sheet), roll=roll)
        case TurnScored(seat, couples, wagons, points, forced):
            return replace(
                state,
                turn=None,
                points=(*state.points[:-1], put(state.points[-1], seat, points)),
                last_turn=Turn(seat, state.sheets[seat], Train(couples, wagons, points), forced),
            )
        case GameEnded(number):
            return replace(state, games_ended=number)
        case _:
            assert_never(event)


def standing(state: State) -> tuple[Place, ...]:
    return ranked(totals(state), totals(state))  # 7.1, 7.3


def totals(state: State) -> tuple[int, ...]:
    """The points of all trains built so far, in seat order."""
    return tuple(sum(points or 0 for points in trains) for trains in zip(*state.points, strict=True))


def to_mark(state: State) -> bool:
    """Whether the latest roll is not marked."""
    return state.roll is not None and state.roll.column is None


def dice_left(faces: Faces) -> int:
    """How many dice the next roll has after these faces; 0 when there are only Crosses."""
    crosses = faces.count("cross")
    return 0 if crosses == len(faces) else len(faces) - min(crosses, 1)  # 3.2, 3.3


def marks(faces: Faces) -> Sequence[Mark]:
    """The choices of how to mark these faces. Two ways that add the same strokes to the same column are one."""
    found = ways(faces)
    return [Mark(column, count) for column in COLUMNS for count in sorted({way.count for way in found if way.column == column})]


def ways(faces: Faces) -> tuple[Way, ...]:
    """The ways to mark these faces, each with its dice."""
    return tuple(
        Way(face, column, len(dice), dice)
        for column in COLUMNS
        for face in (column, CHOICE)  # 4.3
        if (dice := tuple(place for place, shown in enumerate(faces) if shown == face))  # 4.1, 4.2, 4.4
    )


def marked(sheet: Sheet, mark: Mark) -> Sheet:
    return replace(sheet, **{mark.column: getattr(sheet, mark.column) + mark.count})


def train(sheet: Sheet) -> Train:
    """What this sheet scores."""
    couples = min(sheet.loco, sheet.tender)
    if couples == 0:
        return Train(0, None, NO_COUPLE)  # 6.1
    hauled = min(sheet.wagon, COUPLE_HAULS * couples)  # 6.2
    off = 2 * abs(sheet.loco - sheet.tender) + sheet.wagon - hauled  # 6.3, 6.4
    wagons = max(0, hauled - off)  # 6.5, 6.6
    return Train(couples, wagons, (wagons - 1) * wagons)  # 6.7, 6.8


def scored(state: State, seat: Seat, *, forced: bool) -> TurnScored:
    built = train(state.sheets[seat])
    before = totals(state)
    return TurnScored(seat, built.couples, built.wagons, built.points, forced, put(before, seat, before[seat] + built.points))
