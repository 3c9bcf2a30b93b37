"""What is seen of a match of New Game: everything but the cards that lie face down."""

from typing import Annotated, Literal, TypeAlias, assert_never

import msgspec
from msgspec.structs import replace

from domain.games.new_game import events as e
from domain.games.new_game.options import Card, Cards, Face
from domain.games.new_game.rules import Round, State, advance
from domain.match.game import IN_SEAT_ORDER, Chance, Facts, Over, Seat, Viewer, Waiting, hidden_in

Phase: TypeAlias = Literal["roll", "choose", "reveal", "over"]


class View(msgspec.Struct, frozen=True, tag_field="game", tag="new-game"):
    """The table of New Game as one viewer sees it. What belongs to a seat stands in seat order."""

    phase: Annotated[
        Phase,
        msgspec.Meta(
            description="`roll`: the die is in the air; `choose`: lay a card face down; `reveal`: the round is being settled; `over`."
        ),
    ]
    rounds: Annotated[int, msgspec.Meta(description="How many rounds are played.")]
    round: Annotated[int, msgspec.Meta(description="The round being played, from 1; the last one when the match is over.")]
    prize: Annotated[Face | None, msgspec.Meta(description="What the round is played for; null before the die is rolled.")]
    hands: Annotated[
        tuple[Cards, ...],
        IN_SEAT_ORDER,
        msgspec.Meta(description="All hands, lowest card first; a card lying face down counts as in hand."),
    ]
    committed: Annotated[tuple[Seat, ...], msgspec.Meta(description="The seats whose card for this round lies face down.")]
    your_card: Annotated[Card | None, msgspec.Meta(description="Your own card lying face down; null when there is none.")]
    revealed: Annotated[
        Cards,
        IN_SEAT_ORDER,
        hidden_in("choose"),
        msgspec.Meta(description="The cards of a round just turned up and not yet settled; else empty."),
    ]
    points: Annotated[tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="Points of the match so far.")]
    last_round: Annotated[Round | None, msgspec.Meta(description="The latest round that is over; null before the first.")]


def view(state: State, viewer: Viewer) -> View:
    return View(
        phase=phase(state),
        rounds=state.rounds,
        round=min(state.rounds_ended + 1, state.rounds),
        prize=state.prize,
        hands=state.hands,
        committed=tuple(seat for seat, card in enumerate(state.committed) if card is not None),
        your_card=None if viewer is None else state.committed[viewer],
        revealed=state.revealed,
        points=state.points,
        last_round=state.last_round,
    )


def veil(event: e.Event, viewer: Viewer) -> e.Event:
    match event:
        case e.CardCommitted(seat):
            return event if seat == viewer else replace(event, card=None)  # 2.3
        case e.HandsTaken() | e.DiceRolled() | e.CardsRevealed() | e.RoundEnded():
            return event
        case _:
            assert_never(event)


def phase(state: State) -> Phase:
    match advance(state):
        case Chance():
            return "roll"
        case Waiting():
            return "choose"
        case Facts():
            return "reveal"
        case Over():
            return "over"
