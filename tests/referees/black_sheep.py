"""The referee of Black Sheep."""

from collections import Counter
from typing import Any

from tests.referees.tape import Event, Place, Tape, ranked, require

COLOURS = ("beige", "white", "ochre", "black")
SUPER = "super"


def judge(tape: Tape, options: dict[str, Any], seats: int) -> tuple[list[Place], str]:
    """The ranking and the reason of the end."""
    numbers = range(1, 8) if options["values"] == "1-7" else range(7)
    deck = [f"{colour}-{number}" for colour in COLOURS for number in numbers] + [SUPER] * 4
    games = max(1, options["games_per_player"] * seats)
    terms = {"values": options["values"], "bets": options["bets"], "super_lead": options["super_lead"]}
    tape.expect("series_begun", seats=seats, games=games, cards=deck, **terms)
    totals, taken, first = [0] * seats, [0] * seats, -1

    def standing() -> list[Place]:
        running = [before + now for before, now in zip(totals, taken, strict=True)]
        return ranked(range(seats), lambda seat: -running[seat], running.__getitem__)

    tape.standing = standing
    for number in range(1, games + 1):
        hands, leader = _deal(tape, deck, seats, number)
        require(number == 1 or leader == (first + 1) % seats, "the next one in turn leads")
        first = leader
        bets = _bets(tape, seats) if options["bets"] else [None] * seats
        for _ in range(8):
            leader = _trick(tape, hands, leader, taken, options["super_lead"])
        won = [bet is not None and abs(bet - count) <= 1 for bet, count in zip(bets, taken, strict=True)]
        counted = [0 if hit else count for hit, count in zip(won, taken, strict=True)]
        totals = [before + now for before, now in zip(totals, counted, strict=True)]
        winners = [seat for seat in range(seats) if counted[seat] == min(counted)]
        tape.expect("game_ended", game_number=number, taken=taken, bets_won=won, counted=counted, winners=winners, totals=totals)
        taken = [0] * seats
    return standing(), "games_played"


def _deal(tape: Tape, deck: list[str], seats: int, number: int) -> tuple[list[Counter[str]], int]:
    """The hands of a game, and who leads its first trick."""
    hands: dict[int, Counter[str]] = {}
    for seat in range(seats):
        dealt = tape.read("hand_dealt")
        require(dealt["seat"] == seat and len(dealt["cards"]) == 8, "eight cards each")
        hands[seat] = Counter(dealt["cards"])
    aside: Event = tape.read("cards_set_aside") if tape.next == "cards_set_aside" else {"count": 0, "cards": []}
    require(aside["count"] == len(aside["cards"]) == 32 - 8 * seats, "what is not dealt is set aside")
    require(sum(hands.values(), Counter(aside["cards"])) == Counter(deck), "every card is dealt or set aside once")
    chosen = tape.read("leader_chosen")
    require(chosen["game_number"] == number and chosen["leader"] in range(seats), "somebody leads")
    return list(hands.values()), chosen["leader"]


def _bets(tape: Tape, seats: int) -> list[int | None]:
    bets: dict[int, int | None] = {}
    for _ in range(seats):
        bet = tape.choice("bet_committed", set(range(seats)) - bets.keys())
        require(bet["bet"] in range(15) if bet["betting"] else bet["bet"] is None, "a bet is a number from 0 to 14, or none")
        bets[bet["seat"]] = bet["bet"]
    shown = [bets[seat] for seat in range(seats)]
    tape.expect("bets_revealed", bets=shown)
    return shown


def _trick(tape: Tape, hands: list[Counter[str]], leader: int, taken: list[int], super_lead: str) -> int:
    """Who takes a trick, which is added to what they have taken, and leads the next one."""
    table: list[tuple[int, str]] = []
    for turn in range(len(hands)):
        seat = (leader + turn) % len(hands)
        card = tape.choice("card_played", [seat])["card"]
        hand = hands[seat]
        require(hand[card] > 0, "a card is played that is not in the hand")
        if not table:
            only_supers = hand[SUPER] == hand.total()
            require(card != SUPER or super_lead == "always" or only_supers, "a super may not be led while there is another card")
        else:
            asked = _colour(table[0][1])
            can_follow = asked != "" and any(_colour(held) == asked for held in +hand)
            require(not can_follow or _colour(card) == asked, "the colour asked has to be followed")
        hand[card] -= 1
        table.append((seat, card))
    supers = [(seat, card) for seat, card in table if card == SUPER]
    following = [(seat, card) for seat, card in table if _colour(card) == _colour(table[0][1])]
    taker, card = supers[0] if supers else max(following, key=lambda played: _number(played[1]))
    black_sheep = sum(_black_sheep(card) for _, card in table)
    taken[taker] += black_sheep
    tape.expect("trick_resolved", taker=taker, card=card, black_sheep=black_sheep, taken=taken)
    return taker


def _colour(card: str) -> str:
    """The colour of a card; a super has none."""
    return card.rpartition("-")[0]


def _number(card: str) -> int:
    return int(card.rpartition("-")[2])


def _black_sheep(card: str) -> int:
    return int(card == SUPER or _colour(card) == "black" or _number(card) == 5)
