"""What a player of Wolves & Sheep can choose."""

from typing import Annotated, TypeAlias

import msgspec

from domain.games.wolves.options import Card


class CommitCard(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="wolves.commit_card"):
    """Lay a card of your hand face down for this round; it is final (rules 3.2 to 3.4)."""

    card: Annotated[Card, msgspec.Meta(description="A card in your hand.")]


class PickSheep(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="wolves.pick_sheep"):
    """Take one of the sheep on the table with your wolf (rules 5.1 to 5.4)."""

    card: Annotated[Card, msgspec.Meta(description="A sheep that is still on the table.")]


Command: TypeAlias = CommitCard | PickSheep
