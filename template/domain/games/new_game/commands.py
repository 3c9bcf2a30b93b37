"""What a player of New Game can choose."""

from typing import Annotated, TypeAlias

import msgspec

from domain.games.new_game.options import Card


class CommitCard(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="new-game.commit_card"):
    """Lay a card of your hand face down for this round; it is final (rules 2.2 and 2.3)."""

    card: Annotated[Card, msgspec.Meta(description="The number of a card in your hand.")]


Command: TypeAlias = CommitCard
"""Several commands are written `CommitCard | Pass`."""
