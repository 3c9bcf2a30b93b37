"""What is seen of a match of Black Sheep: everything but the others' hands, bets not yet shown and the cards set aside."""

from typing import Annotated, Literal, TypeAlias, assert_never

import msgspec
from msgspec.structs import replace

from domain.games.black_sheep import events as e
from domain.games.black_sheep.options import Bet, Cards, Colour, SuperLead, Values
from domain.games.black_sheep.rules import HAND, GameScore, Play, State, Trick, advance, asked, on_table, totals
from domain.match.game import IN_SEAT_ORDER, OF_THE_TURN, Chance, Facts, Over, Seat, Viewer, Waiting, hidden_in

Phase: TypeAlias = Literal["deal", "bet", "play", "settle", "over"]
Asked: TypeAlias = Literal[Colour, "nothing"]


class View(msgspec.Struct, frozen=True, tag_field="game", tag="black-sheep"):
    """The table of Black Sheep as one viewer sees it. What belongs to a seat stands in seat order."""

    phase: Annotated[
        Phase,
        msgspec.Meta(
            description="`deal`: no cards, or nobody leads yet; `bet`: bet in secret, or do not; `play`: a card is to be played; "
            "`settle`: bets are shown, or a trick or a game is being counted; `over`."
        ),
    ]
    values: Annotated[Values, msgspec.Meta(description="The numbers on the cards of each colour.")]
    super_lead: Annotated[SuperLead, msgspec.Meta(description="When a super black sheep may be led to a trick.")]
    games: Annotated[int, msgspec.Meta(description="How many games the match has.")]
    game_number: Annotated[int, msgspec.Meta(description="The game being played, from 1; the last one when the match is over.")]
    trick: Annotated[int, msgspec.Meta(description="The trick being played, 1 to 8 in each game; the last one when the game is over.")]
    first_leader: Annotated[Seat | None, msgspec.Meta(description="Who led the first trick of this game; null before it is settled.")]
    leader: Annotated[Seat | None, msgspec.Meta(description="Who leads this trick; null between two games.")]
    turn: Annotated[Seat | None, OF_THE_TURN, msgspec.Meta(description="Whose turn it is to play a card; null when it is nobody's.")]
    asked: Annotated[
        Asked,
        msgspec.Meta(description="The colour that this trick asks; `nothing` before the first card, and when a super was led."),
    ]
    on_table: Annotated[tuple[Play, ...], msgspec.Meta(description="The cards of this trick in the order played.")]
    your_hand: Annotated[
        Cards | None, msgspec.Meta(description="Your own cards: by colour, lowest number first, supers last; null for a spectator.")
    ]
    hand_sizes: Annotated[tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="How many cards each seat holds.")]
    set_aside: Annotated[int, msgspec.Meta(description="How many cards were not dealt; they stay face down.")]
    committed: Annotated[tuple[Seat, ...], msgspec.Meta(description="The seats that have bet in secret, or said that they do not.")]
    your_bet: Annotated[Bet | None, msgspec.Meta(description="Your own bet that is still secret; null when there is none.")]
    bets: Annotated[
        tuple[Bet | None, ...],
        IN_SEAT_ORDER,
        hidden_in("bet"),
        msgspec.Meta(description="The bets of this game, null for a seat that does not bet; empty until they are shown."),
    ]
    taken: Annotated[tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="Black sheep captured in this game so far.")]
    tricks: Annotated[tuple[Trick, ...], msgspec.Meta(description="The tricks of this game so far, the first one first.")]
    last_trick: Annotated[Trick | None, msgspec.Meta(description="The latest trick of the match; null before the first.")]
    score_sheet: Annotated[tuple[GameScore, ...], msgspec.Meta(description="A line for each game that has ended.")]
    totals: Annotated[
        tuple[int, ...], IN_SEAT_ORDER, msgspec.Meta(description="What all games that have ended count together; the fewest win.")
    ]


def view(state: State, viewer: Viewer) -> View:
    return View(
        phase=phase(state),
        values=state.values,
        super_lead=state.super_lead,
        games=state.games,
        game_number=min(len(state.score_sheet) + 1, state.games),
        trick=min(len(state.tricks) + 1, HAND),
        first_leader=state.first_leader,
        leader=state.leader,
        turn=turn(state),
        asked=asked(on_table(state)) or "nothing",
        on_table=state.on_table,
        your_hand=None if viewer is None else state.hands[viewer],
        hand_sizes=tuple(map(len, state.hands)),
        set_aside=state.set_aside,
        committed=tuple(sorted(state.committed)),
        your_bet=None if viewer is None else state.committed.get(viewer),
        bets=state.bets,
        taken=state.taken,
        tricks=state.tricks,
        last_trick=state.last_trick,
        score_sheet=state.score_sheet,
        totals=totals(state),
    )


def veil(event: e.Event, viewer: Viewer) -> e.Event:
    match event:
        case e.HandDealt(seat):
            return event if seat == viewer else replace(event, cards=None)  # 2.1
        case e.CardsSetAside():
            return replace(event, cards=None)  # 2.2
        case e.BetCommitted(seat):
            return event if seat == viewer else replace(event, betting=None, bet=None)  # 3.4
        case e.SeriesBegun() | e.LeaderChosen() | e.BetsRevealed() | e.CardPlayed() | e.TrickResolved() | e.GameEnded():
            return event
        case _:
            assert_never(event)


def phase(state: State) -> Phase:
    match advance(state):
        case Chance():
            return "deal"
        case Waiting(_, secret):
            return "bet" if secret else "play"
        case Facts():
            return "settle"
        case Over():
            return "over"


def turn(state: State) -> Seat | None:
    match advance(state):
        case Waiting(seats, secret=False):
            return min(seats)
    return None
