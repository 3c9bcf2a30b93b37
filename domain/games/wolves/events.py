"""What can happen in a match of Wolves & Sheep. Stored for ever: add fields with defaults, never rename or remove one."""

from typing import Annotated, TypeAlias

import msgspec

from domain.games.wolves.options import Card, Cards
from domain.match.game import IN_SEAT_ORDER, Seat


class HandsTaken(msgspec.Struct, frozen=True, tag_field="type", tag="wolves.hands_taken"):
    """Every player takes a whole set of cards in hand. All sets are alike, so everyone sees them."""

    hands: Annotated[tuple[Cards, ...], IN_SEAT_ORDER, msgspec.Meta(description="The hands, in seat order.")]
    rounds: Annotated[int, msgspec.Meta(description="How many rounds are played.")]


class CardCommitted(msgspec.Struct, frozen=True, tag_field="type", tag="wolves.card_committed"):
    """A player laid a card face down."""

    seat: Seat
    card: Annotated[Card | None, msgspec.Meta(description="The card; null for everyone but the player who laid it.")]


class CardsRevealed(msgspec.Struct, frozen=True, tag_field="type", tag="wolves.cards_revealed"):
    """All cards of the round are turned face up at the same time."""

    cards: Annotated[Cards, IN_SEAT_ORDER, msgspec.Meta(description="The cards, in seat order.")]


class WolvesCancelled(msgspec.Struct, frozen=True, tag_field="type", tag="wolves.wolves_cancelled"):
    """Wolves of the same size cancel each other: they capture nothing."""

    card: Annotated[Card, msgspec.Meta(description="Which wolf it is.")]
    seats: Annotated[tuple[Seat, ...], msgspec.Meta(description="The seats that played it.")]


class SheepKept(msgspec.Struct, frozen=True, tag_field="type", tag="wolves.sheep_kept"):
    """No wolf is left, so a player keeps the sheep they played: it is laid in front of them."""

    seat: Seat
    card: Card


class SheepCaptured(msgspec.Struct, frozen=True, tag_field="type", tag="wolves.sheep_captured"):
    """The only wolf left captures every sheep that was played: they are laid in front of its owner."""

    seat: Annotated[Seat, msgspec.Meta(description="The owner of the wolf.")]
    cards: Annotated[Cards, msgspec.Meta(description="The sheep, best first.")]


class SheepPicked(msgspec.Struct, frozen=True, tag_field="type", tag="wolves.sheep_picked"):
    """One of the two wolves left picks a sheep: it is laid in front of the wolf's owner."""

    seat: Annotated[Seat, msgspec.Meta(description="The owner of the wolf.")]
    card: Card


class WolfLaid(msgspec.Struct, frozen=True, tag_field="type", tag="wolves.wolf_laid"):
    """A wolf that was played is laid in front of its owner, face up. It is used now, and worth nothing."""

    seat: Seat
    card: Card


class RoundEnded(msgspec.Struct, frozen=True, tag_field="type", tag="wolves.round_ended"):
    """Every card of the round lies in front of a player, so the round is over."""

    round: Annotated[int, msgspec.Meta(description="The round that ended, from 1.")]
    points: Annotated[tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="Points won in this round, in seat order.")]
    totals: Annotated[tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="Points won in the match so far, in seat order.")]


class LastCardsDiscarded(msgspec.Struct, frozen=True, tag_field="type", tag="wolves.last_cards_discarded"):
    """The rounds have been played; every player shows and discards the one card left in hand, which counts nothing."""

    cards: Annotated[Cards, IN_SEAT_ORDER, msgspec.Meta(description="The cards, in seat order.")]


Event: TypeAlias = (
    HandsTaken
    | CardCommitted
    | CardsRevealed
    | WolvesCancelled
    | SheepKept
    | SheepCaptured
    | SheepPicked
    | WolfLaid
    | RoundEnded
    | LastCardsDiscarded
)
