"""What can happen in a match of Black Sheep. Stored for ever: add fields with defaults, never rename or remove one."""

from typing import Annotated, TypeAlias

import msgspec

from domain.games.black_sheep.options import Bet, Card, Cards, SuperLead, Values
from domain.match.game import IN_SEAT_ORDER, Seat


class SeriesBegun(msgspec.Struct, frozen=True, tag_field="type", tag="black-sheep.series_begun"):
    """The cards agreed on are taken, and the number of games is settled."""

    seats: Annotated[int, msgspec.Meta(description="How many players play.")]
    games: Annotated[int, msgspec.Meta(description="How many games they play; 1 when it is no series.")]
    values: Annotated[Values, msgspec.Meta(description="The numbers on the cards of each colour.")]
    cards: Annotated[Cards, msgspec.Meta(description="The 32 cards: by colour, lowest number first, and the supers last.")]
    bets: Annotated[bool, msgspec.Meta(description="Whether the players bet at the beginning of each game.")]
    super_lead: Annotated[SuperLead, msgspec.Meta(description="When a super black sheep may be led to a trick.")]


class HandDealt(msgspec.Struct, frozen=True, tag_field="type", tag="black-sheep.hand_dealt"):
    """A player is dealt eight cards."""

    seat: Seat
    cards: Annotated[Cards | None, msgspec.Meta(description="The eight cards; null for everyone but the player who holds them.")]


class CardsSetAside(msgspec.Struct, frozen=True, tag_field="type", tag="black-sheep.cards_set_aside"):
    """The cards that were not dealt are set aside, face down. With four players none are left."""

    count: Annotated[int, msgspec.Meta(description="How many there are.")]
    cards: Annotated[Cards | None, msgspec.Meta(description="The cards; null for everyone as long as the match lasts.")]


class LeaderChosen(msgspec.Struct, frozen=True, tag_field="type", tag="black-sheep.leader_chosen"):
    """It is settled who leads the first trick of a game: drawn at random for the first game, then each in turn."""

    game_number: Annotated[int, msgspec.Meta(description="The game that begins, from 1.")]
    leader: Annotated[Seat, msgspec.Meta(description="The seat that leads its first trick.")]


class BetCommitted(msgspec.Struct, frozen=True, tag_field="type", tag="black-sheep.bet_committed"):
    """A player said in secret whether they bet, and on how many black sheep."""

    seat: Seat
    betting: Annotated[bool | None, msgspec.Meta(description="Whether the player bets; null for everyone else.")]
    bet: Annotated[Bet | None, msgspec.Meta(description="The bet; null for everyone else, and when there is none.")]


class BetsRevealed(msgspec.Struct, frozen=True, tag_field="type", tag="black-sheep.bets_revealed"):
    """All bets of the game are shown at the same time."""

    bets: Annotated[
        tuple[Bet | None, ...], IN_SEAT_ORDER, msgspec.Meta(description="The bets, in seat order; null for a player who does not bet.")
    ]


class CardPlayed(msgspec.Struct, frozen=True, tag_field="type", tag="black-sheep.card_played"):
    """A player played a card face up."""

    seat: Seat
    card: Card


class TrickResolved(msgspec.Struct, frozen=True, tag_field="type", tag="black-sheep.trick_resolved"):
    """A player takes the trick with all its cards, and leads the next one."""

    taker: Annotated[Seat, msgspec.Meta(description="The seat that takes the trick.")]
    card: Annotated[Card, msgspec.Meta(description="The card that takes it.")]
    black_sheep: Annotated[int, msgspec.Meta(description="Black sheep in this trick.")]
    taken: Annotated[tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="Black sheep captured in this game so far, in seat order.")]


class GameEnded(msgspec.Struct, frozen=True, tag_field="type", tag="black-sheep.game_ended"):
    """All the cards dealt have been played, and the black sheep are counted."""

    game_number: Annotated[int, msgspec.Meta(description="The game that ended, from 1.")]
    taken: Annotated[tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="Black sheep captured in it, in seat order.")]
    bets_won: Annotated[tuple[bool, ...], IN_SEAT_ORDER, msgspec.Meta(description="Who won a bet, in seat order.")]
    counted: Annotated[
        tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="What goes on the score sheet, in seat order: 0 for a bet that was won.")
    ]
    winners: Annotated[tuple[Seat, ...], msgspec.Meta(description="The seats that counted the fewest; they share the win.")]
    totals: Annotated[tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="Counted in all games so far, in seat order.")]


Event: TypeAlias = (
    SeriesBegun | HandDealt | CardsSetAside | LeaderChosen | BetCommitted | BetsRevealed | CardPlayed | TrickResolved | GameEnded
)
