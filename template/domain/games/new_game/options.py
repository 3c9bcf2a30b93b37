"""What the players agree on before a match of New Game, and the cards and the die that they play with."""

from typing import Annotated, TypeAlias

import msgspec

Card: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=6, description="A card, by its number.")]
Cards: TypeAlias = tuple[Card, ...]
Face: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=6, description="A face of the die, by its number.")]

CARDS: Cards = (1, 2, 3, 4, 5, 6)
"""The hand that each player begins with (1.1)."""
FACES: tuple[Face, ...] = (1, 2, 3, 4, 5, 6)
"""The faces of the die (1.2)."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="game", tag="new-game"):
    """What the players agree on before a match of New Game."""

    rounds: Annotated[int, msgspec.Meta(ge=1, le=6, description="How many rounds are played. Rule 1.3.")] = 5
