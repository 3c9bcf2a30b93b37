"""What a player of Black Sheep can choose."""

from typing import Annotated, TypeAlias

import msgspec

from domain.games.black_sheep.options import Bet, Card


class DeclineBet(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="black-sheep.decline_bet"):
    """Say in secret that you do not bet in this game; it is final (rules 3.2 and 3.4)."""


class CommitBet(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="black-sheep.commit_bet"):
    """Bet in secret on how many black sheep you will capture in this game; it is final (rules 3.2 to 3.5)."""

    bet: Annotated[Bet, msgspec.Meta(description="The number of black sheep; one more or one less will do.")]


class PlayCard(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="black-sheep.play_card"):
    """Play a card of your hand face up (rules 4.1 to 4.10)."""

    card: Annotated[Card, msgspec.Meta(description="A card in your hand.")]


Command: TypeAlias = DeclineBet | CommitBet | PlayCard
