"""What the players agree on before a match of Wolves & Sheep, which is nothing, and the cards that each of them owns."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

import msgspec

Card: TypeAlias = Annotated[
    Literal["+2", "+3", "+4", "+6", "-2", "-4", "BIG", "LITTLE"],
    msgspec.Meta(title="card", description="A card: a sheep by its points, `+2` `+3` `+4` `+6` `-2` `-4`, or a wolf, `BIG` or `LITTLE`."),
]
Cards: TypeAlias = tuple[Card, ...]


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="game", tag="wolves"):
    """What the players agree on before a match of Wolves & Sheep: there is only one way to play it."""


WOLVES: tuple[Card, Card] = ("BIG", "LITTLE")
"""The two wolves, in the order in which they pick."""

BIG, LITTLE = WOLVES

POINTS: Mapping[Card, int] = {"+2": 2, "+3": 3, "+4": 4, "+6": 6, "-2": -2, "-4": -4, BIG: 0, LITTLE: 0}  # 1.3, 1.5
"""The points of each card."""

SETS: Mapping[str, Cards] = {
    "two-or-three-players": tuple(POINTS),  # 1.3
    "four-players": ("+2", "+3", "+4", "+4", "+6", "-2", "-4", BIG, LITTLE),  # 1.4
}
"""The cards of one player, by the number of players, in the order of a hand."""
