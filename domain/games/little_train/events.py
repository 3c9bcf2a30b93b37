"""What can happen in a match of Little Train. Stored for ever: add fields with defaults, never rename or remove one."""

from typing import Annotated, TypeAlias

import msgspec

from domain.games.little_train.options import Column, Faces, Sheet
from domain.match.game import IN_SEAT_ORDER, Seat


class GameStarted(msgspec.Struct, frozen=True, tag_field="type", tag="little-train.game_started"):
    """A game begins, and everyone takes an empty sheet."""

    game_number: Annotated[int, msgspec.Meta(description="The game that begins, from 1.")]
    games: Annotated[int, msgspec.Meta(description="How many games the match has.")]
    sheets: Annotated[tuple[Sheet, ...], IN_SEAT_ORDER, msgspec.Meta(description="The empty sheets, in seat order.")]


class TurnStarted(msgspec.Struct, frozen=True, tag_field="type", tag="little-train.turn_started"):
    """It is a player's turn to build a train."""

    seat: Seat
    dice: Annotated[int, msgspec.Meta(description="How many dice the turn begins with.")]


class DiceTaken(msgspec.Struct, frozen=True, tag_field="type", tag="little-train.dice_taken"):
    """A player takes the dice they have left, to roll them."""

    seat: Seat
    dice: Annotated[int, msgspec.Meta(description="How many dice are rolled.")]


class DiceRolled(msgspec.Struct, frozen=True, tag_field="type", tag="little-train.dice_rolled"):
    """The dice show their faces, and a Cross takes one of them away."""

    seat: Seat
    faces: Annotated[Faces, msgspec.Meta(description="The faces, in the order rolled.")]
    lost: Annotated[
        int | None,
        msgspec.Meta(
            description="Place in `faces`, from 0, of the Cross lost for the rest of the turn; null if there is none, or nothing else."
        ),
    ]
    dice: Annotated[
        int, msgspec.Meta(description="How many dice are left for the next roll; 0 when there are only Crosses: the turn ends.")
    ]


class SheetMarked(msgspec.Struct, frozen=True, tag_field="type", tag="little-train.sheet_marked"):
    """A player adds strokes to one column of their sheet."""

    seat: Seat
    column: Annotated[Column, msgspec.Meta(description="The column added to.")]
    count: Annotated[int, msgspec.Meta(description="How many strokes are added.")]
    sheet: Annotated[Sheet, msgspec.Meta(description="The sheet as it is then.")]


class TurnScored(msgspec.Struct, frozen=True, tag_field="type", tag="little-train.turn_scored"):
    """A player's turn is over, and their train is scored."""

    seat: Seat
    couples: Annotated[int, msgspec.Meta(description="Couples of a locomotive and a tender.")]
    wagons: Annotated[int | None, msgspec.Meta(description="Wagons left once all is taken off; null for a train without a couple.")]
    points: Annotated[int, msgspec.Meta(description="What the train scores.")]
    forced: Annotated[bool, msgspec.Meta(description="Whether a roll of only Crosses ended the turn; else the player stopped.")]
    totals: Annotated[tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="Points of the match so far, in seat order.")]


class GameEnded(msgspec.Struct, frozen=True, tag_field="type", tag="little-train.game_ended"):
    """Everyone has built a train, so the game is over."""

    game_number: Annotated[int, msgspec.Meta(description="The game that ended, from 1.")]
    points: Annotated[tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="Points of the trains of this game, in seat order.")]
    totals: Annotated[tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="Points of the match so far, in seat order.")]


Event: TypeAlias = GameStarted | TurnStarted | DiceTaken | DiceRolled | SheetMarked | TurnScored | GameEnded
