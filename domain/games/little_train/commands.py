"""What a player of Little Train can choose."""

from typing import Annotated, TypeAlias

import msgspec

from domain.games.little_train.options import DICE, Column


class Roll(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="little-train.roll"):
    """Roll all the dice you have left (rules 3.1 and 5.1)."""


class Mark(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="little-train.mark"):
    """Mark all the dice that show one face of your roll (rules 4.1 to 4.4)."""

    column: Annotated[Column, msgspec.Meta(description="The column that is added to: of the face itself, or for Choice the one you like.")]
    count: Annotated[
        int, msgspec.Meta(ge=1, le=DICE, description="How many strokes: as many as there are dice showing that face, or showing Choice.")
    ]


class Stop(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="little-train.stop"):
    """Stop and score your train (rule 5.2)."""


Command: TypeAlias = Roll | Mark | Stop
