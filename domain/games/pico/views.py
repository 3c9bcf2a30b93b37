"""What is seen of a match of Pico: everything but the card that lies face down."""

from typing import Annotated, Literal, TypeAlias, assert_never

import msgspec
from msgspec.structs import replace

from domain.games.pico import events as e
from domain.games.pico.options import Card, Cards, Edition
from domain.games.pico.rules import State, Trick, advance, round_over, totals
from domain.match.game import IN_SEAT_ORDER, Chance, Facts, Over, Seat, Viewer, Waiting, hidden_in

Phase: TypeAlias = Literal["deal", "choose", "reveal", "over"]


class View(msgspec.Struct, frozen=True, tag_field="game", tag="pico"):
    """The table of Pico as one viewer sees it. What belongs to a seat stands in seat order."""

    phase: Annotated[
        Phase,
        msgspec.Meta(
            description="`deal`: no cards yet; `choose`: lay a card face down; `reveal`: a trick or round is being settled; `over`."
        ),
    ]
    edition: Annotated[Edition, msgspec.Meta(description="The set of cards that is played.")]
    round: Annotated[int, msgspec.Meta(description="The round being played, 1 or 2.")]
    trick: Annotated[int, msgspec.Meta(description="The trick being played, from 1 in each round; the last one when the round is over.")]
    hands: Annotated[
        tuple[Cards, ...],
        IN_SEAT_ORDER,
        msgspec.Meta(description="Both hands, lowest card first; a card lying face down counts as in hand until it has won a trick."),
    ]
    face_up: Annotated[Card | None, msgspec.Meta(description="The eleventh card, which nobody plays; null before the deal.")]
    committed: Annotated[tuple[Seat, ...], msgspec.Meta(description="The seats whose card for this trick lies face down.")]
    your_card: Annotated[Card | None, msgspec.Meta(description="Your own card lying face down; null when there is none.")]
    revealed: Annotated[
        Cards,
        IN_SEAT_ORDER,
        hidden_in("choose"),
        msgspec.Meta(description="Both cards of a trick just turned up and not yet settled; else empty."),
    ]
    won: Annotated[
        tuple[Cards, ...], IN_SEAT_ORDER, msgspec.Meta(description="The cards each seat won tricks with in this round, first one first.")
    ]
    points: Annotated[tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="Red points won in this round.")]
    round_points: Annotated[
        tuple[Annotated[tuple[int, ...], IN_SEAT_ORDER], ...], msgspec.Meta(description="Red points by round, this one included.")
    ]
    totals: Annotated[tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="Red points of all rounds together.")]
    last_trick: Annotated[Trick | None, msgspec.Meta(description="The latest trick of the match; null before the first.")]


def view(state: State, viewer: Viewer) -> View:
    return View(
        phase=phase(state),
        edition=state.edition,
        round=len(state.points),
        trick=sum(map(len, state.won)) + (not round_over(state)),
        hands=state.hands,
        face_up=state.face_up,
        committed=tuple(seat for seat, card in enumerate(state.committed) if card is not None),
        your_card=None if viewer is None else state.committed[viewer],
        revealed=state.revealed,
        won=state.won,
        points=state.points[-1],
        round_points=state.points,
        totals=totals(state),
        last_trick=state.last_trick,
    )


def veil(event: e.Event, viewer: Viewer) -> e.Event:
    match event:
        case e.CardCommitted(seat):
            return event if seat == viewer else replace(event, card=None)  # 3.3
        case (
            e.DeckChosen()
            | e.HandDealt()
            | e.FaceUpCardPlaced()
            | e.CardsRevealed()
            | e.TrickResolved()
            | e.RoundEnded()
            | e.HandsExchanged()
        ):
            return event
        case _:
            assert_never(event)


def phase(state: State) -> Phase:
    match advance(state):
        case Chance():
            return "deal"
        case Waiting():
            return "choose"
        case Facts():
            return "reveal"
        case Over():
            return "over"
