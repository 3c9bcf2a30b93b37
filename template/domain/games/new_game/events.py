"""What can happen in a match of New Game. Stored for ever: add fields with defaults, never rename or remove one."""

from typing import Annotated, TypeAlias

import msgspec

from domain.games.new_game.options import Card, Cards, Face
from domain.match.game import IN_SEAT_ORDER, Seat


class HandsTaken(msgspec.Struct, frozen=True, tag_field="type", tag="new-game.hands_taken"):
    """The match begins, and every player takes the same cards in hand."""

    hands: Annotated[tuple[Cards, ...], IN_SEAT_ORDER, msgspec.Meta(description="The hands, in seat order.")]
    rounds: Annotated[int, msgspec.Meta(description="How many rounds are played.")]


class DiceRolled(msgspec.Struct, frozen=True, tag_field="type", tag="new-game.dice_rolled"):
    """A round begins, and the die shows what it is played for."""

    prize: Annotated[Face, msgspec.Meta(description="The points that the round is worth.")]


class CardCommitted(msgspec.Struct, frozen=True, tag_field="type", tag="new-game.card_committed"):
    """A player laid a card face down."""

    seat: Seat
    card: Annotated[Card | None, msgspec.Meta(description="The card; null for everyone but the player who laid it.")]


class CardsRevealed(msgspec.Struct, frozen=True, tag_field="type", tag="new-game.cards_revealed"):
    """All cards of the round are turned up at the same time."""

    cards: Annotated[Cards, IN_SEAT_ORDER, msgspec.Meta(description="The cards, in seat order.")]


class RoundEnded(msgspec.Struct, frozen=True, tag_field="type", tag="new-game.round_ended"):
    """The highest card that only one player laid takes the prize."""

    round: Annotated[int, msgspec.Meta(description="The round that ended, from 1.")]
    winner: Annotated[Seat | None, msgspec.Meta(description="The seat that takes the prize; null when none does.")]
    points: Annotated[tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="Points of the match so far, in seat order.")]


Event: TypeAlias = HandsTaken | DiceRolled | CardCommitted | CardsRevealed | RoundEnded
