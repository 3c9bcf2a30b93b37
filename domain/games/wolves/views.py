"""What is seen of a match of Wolves & Sheep: everything but the cards that lie face down."""

from typing import Annotated, Literal, TypeAlias, assert_never

import msgspec
from msgspec.structs import replace

from domain.games.wolves import events as e
from domain.games.wolves.options import Card, Cards
from domain.games.wolves.rules import Round, State, advance, sheep_left, wolves_used
from domain.match.game import IN_SEAT_ORDER, OF_THE_TURN, Chance, Facts, Over, Seat, Viewer, Waiting, hidden_in

Phase: TypeAlias = Literal["choose", "pick", "reveal", "over"]


class View(msgspec.Struct, frozen=True, tag_field="game", tag="wolves"):
    """The table of Wolves & Sheep as one viewer sees it. What belongs to a seat stands in seat order."""

    phase: Annotated[
        Phase,
        msgspec.Meta(
            description="`choose`: lay a card face down; `pick`: a wolf picks a sheep; `reveal`: a round is being settled; `over`."
        ),
    ]
    round: Annotated[int, msgspec.Meta(description="The round being played, from 1; the last one when the match is over.")]
    rounds: Annotated[int, msgspec.Meta(description="How many rounds are played.")]
    hands: Annotated[
        tuple[Cards, ...],
        IN_SEAT_ORDER,
        msgspec.Meta(description="All hands: what lies in front of the players gives them away. A card lying face down counts as in hand."),
    ]
    committed: Annotated[tuple[Seat, ...], msgspec.Meta(description="The seats whose card for this round lies face down.")]
    your_card: Annotated[Card | None, msgspec.Meta(description="Your own card lying face down; null when there is none.")]
    revealed: Annotated[
        Cards,
        IN_SEAT_ORDER,
        hidden_in("choose"),
        msgspec.Meta(description="All cards of a round just turned up and not yet settled; else empty."),
    ]
    sheep: Annotated[Cards, msgspec.Meta(description="The revealed sheep that nobody has taken yet, best first.")]
    picker: Annotated[Seat | None, OF_THE_TURN, msgspec.Meta(description="The seat whose wolf picks a sheep now; null when none does.")]
    fronts: Annotated[tuple[Cards, ...], IN_SEAT_ORDER, msgspec.Meta(description="The cards in front of each seat, first one first.")]
    wolves_used: Annotated[
        tuple[Cards, ...], IN_SEAT_ORDER, msgspec.Meta(description="The wolves among them: fewer decide between equal points.")
    ]
    points: Annotated[tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="Points won in the rounds that are over.")]
    last_round: Annotated[Round | None, msgspec.Meta(description="The latest round that is over; null before the first.")]
    discarded: Annotated[Cards, IN_SEAT_ORDER, msgspec.Meta(description="The card that each seat had left at the end; empty until then.")]


def view(state: State, viewer: Viewer) -> View:
    return View(
        phase=phase(state),
        round=min(state.rounds_ended + 1, state.rounds),
        rounds=state.rounds,
        hands=state.hands,
        committed=tuple(seat for seat, card in enumerate(state.committed) if card is not None),
        your_card=None if viewer is None else state.committed[viewer],
        revealed=state.revealed,
        sheep=sheep_left(state),
        picker=picker(state),
        fronts=state.fronts,
        wolves_used=wolves_used(state),
        points=state.totals,
        last_round=state.last_round,
        discarded=state.discarded,
    )


def veil(event: e.Event, viewer: Viewer) -> e.Event:
    match event:
        case e.CardCommitted(seat):
            return event if seat == viewer else replace(event, card=None)  # 3.4
        case (
            e.HandsTaken()
            | e.CardsRevealed()
            | e.WolvesCancelled()
            | e.SheepKept()
            | e.SheepCaptured()
            | e.SheepPicked()
            | e.WolfLaid()
            | e.RoundEnded()
            | e.LastCardsDiscarded()
        ):
            return event
        case _:
            assert_never(event)


def phase(state: State) -> Phase:
    match advance(state):
        case Waiting(_, secret):
            return "choose" if secret else "pick"
        case Facts() | Chance():
            return "reveal"
        case Over():
            return "over"


def picker(state: State) -> Seat | None:
    match advance(state):
        case Waiting(seats, secret=False):
            return min(seats)
    return None
