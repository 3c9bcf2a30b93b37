"""What the players agree on before a match of Pico, and the cards that the two editions hold."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

import msgspec

Edition: TypeAlias = Literal["pico2", "pico1"]
Card: TypeAlias = Annotated[int, msgspec.Meta(ge=2, le=16, description="A card, by its number.")]
Cards: TypeAlias = tuple[Card, ...]


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="game", tag="pico"):
    """What the players agree on before a match of Pico."""

    edition: Annotated[
        Edition, msgspec.Meta(description="The set of cards: `pico2` (Pico 2, 1997) or `pico1` (Pico, 1996). Rules 1.3 to 1.5.")
    ] = "pico2"


RED_POINTS: Mapping[Edition, Mapping[Card, int]] = {
    "pico2": {4: 1, 5: 2, 6: 2, 7: 2, 8: 3, 9: 3, 10: 3, 11: 3, 12: 3, 13: 3, 16: 4},  # 1.3
    "pico1": {2: 1, 3: 1, 4: 2, 5: 2, 6: 2, 7: 2, 8: 3, 9: 3, 10: 3, 13: 3, 16: 4},  # 1.4
}
"""The red points of each card, by edition."""
