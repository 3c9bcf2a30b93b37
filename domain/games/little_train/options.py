"""What the players agree on before a match of Little Train, and the dice and the sheet that they play with."""

from typing import Annotated, Literal, TypeAlias

import msgspec

Face: TypeAlias = Literal["loco", "tender", "wagon", "choice", "cross"]
Column: TypeAlias = Literal["loco", "tender", "wagon"]
MarkedFace: TypeAlias = Annotated[
    Literal[Column, "choice"], msgspec.Meta(title="marked_face", description="A face that can be marked: that of a column, or `choice`.")
]
Faces: TypeAlias = tuple[Face, ...]

FACES: Faces = ("loco", "tender", "wagon", "wagon", "choice", "cross")
"""The six faces of a die (1.2)."""
COLUMNS: tuple[Column, ...] = ("loco", "tender", "wagon")
"""The columns of a sheet (1.3)."""
DICE = 5
"""How many dice a turn begins with (1.1)."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="game", tag="little-train"):
    """What the players agree on before a match of Little Train."""

    games: Annotated[int, msgspec.Meta(ge=1, le=10, description="How many games are played: trains that each player builds. Rule 2.1.")] = 3


class Sheet(msgspec.Struct, frozen=True):
    """The strokes on a player's sheet, by column."""

    loco: Annotated[int, msgspec.Meta(ge=0, description="Locomotives.")]
    tender: Annotated[int, msgspec.Meta(ge=0, description="Tenders.")]
    wagon: Annotated[int, msgspec.Meta(ge=0, description="Wagons.")]


EMPTY = Sheet(0, 0, 0)
"""The sheet that every train begins with (2.3)."""
