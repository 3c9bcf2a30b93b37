"""What a player of Pico can choose."""

from typing import Annotated, TypeAlias

import msgspec

from domain.games.pico.options import Card


class CommitCard(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="pico.commit_card"):
    """Lay a card of your hand face down for this trick; it is final (rules 3.1 to 3.3)."""

    card: Annotated[Card, msgspec.Meta(description="The number of a card in your hand.")]


Command: TypeAlias = CommitCard
