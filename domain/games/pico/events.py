"""What can happen in a match of Pico. Stored for ever: add fields with defaults, never rename or remove one."""

from typing import Annotated, TypeAlias

import msgspec

from domain.games.pico.options import Card, Cards, Edition
from domain.match.game import IN_SEAT_ORDER, Seat


class DeckChosen(msgspec.Struct, frozen=True, tag_field="type", tag="pico.deck_chosen"):
    """The cards of the edition agreed on are taken."""

    edition: Annotated[Edition, msgspec.Meta(description="The edition that is played.")]
    cards: Annotated[Cards, msgspec.Meta(description="Its eleven cards, lowest first.")]


class HandDealt(msgspec.Struct, frozen=True, tag_field="type", tag="pico.hand_dealt"):
    """A player is dealt five cards. The other player can work them out, so everyone sees them."""

    seat: Seat
    cards: Annotated[Cards, msgspec.Meta(description="The five cards, lowest first.")]


class FaceUpCardPlaced(msgspec.Struct, frozen=True, tag_field="type", tag="pico.face_up_card_placed"):
    """The eleventh card is laid face up beside the table; it is not played."""

    card: Card


class CardCommitted(msgspec.Struct, frozen=True, tag_field="type", tag="pico.card_committed"):
    """A player laid a card face down."""

    seat: Seat
    card: Annotated[Card | None, msgspec.Meta(description="The card; null for everyone but the player who laid it.")]


class CardsRevealed(msgspec.Struct, frozen=True, tag_field="type", tag="pico.cards_revealed"):
    """Both cards of the trick are turned face up at the same time."""

    cards: Annotated[Cards, IN_SEAT_ORDER, msgspec.Meta(description="The two cards, in seat order.")]


class TrickResolved(msgspec.Struct, frozen=True, tag_field="type", tag="pico.trick_resolved"):
    """One card takes the trick and stays in front of its player; the other one goes back to its hand."""

    winner: Seat
    card: Annotated[Card, msgspec.Meta(description="The winner's card.")]
    points: Annotated[tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="Red points won in this round so far, in seat order.")]


class RoundEnded(msgspec.Struct, frozen=True, tag_field="type", tag="pico.round_ended"):
    """A player is left with a single card, so the round is over."""

    round: Annotated[int, msgspec.Meta(description="The round that ended, 1 or 2.")]
    points: Annotated[tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="Red points won in this round, in seat order.")]
    totals: Annotated[tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="Red points won in the match so far, in seat order.")]


class HandsExchanged(msgspec.Struct, frozen=True, tag_field="type", tag="pico.hands_exchanged"):
    """The second round begins: each player takes the five cards that the other began the first one with."""

    hands: Annotated[tuple[Cards, ...], IN_SEAT_ORDER, msgspec.Meta(description="The new hands, in seat order, lowest card first.")]


Event: TypeAlias = DeckChosen | HandDealt | FaceUpCardPlaced | CardCommitted | CardsRevealed | TrickResolved | RoundEnded | HandsExchanged
