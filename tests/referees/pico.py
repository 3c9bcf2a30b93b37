"""The referee of Pico."""

from tests.referees.tape import Place, Tape, ranked, require

RED_POINTS = {
    "pico2": {4: 1, 5: 2, 6: 2, 7: 2, 8: 3, 9: 3, 10: 3, 11: 3, 12: 3, 13: 3, 16: 4},
    "pico1": {2: 1, 3: 1, 4: 2, 5: 2, 6: 2, 7: 2, 8: 3, 9: 3, 10: 3, 13: 3, 16: 4},
}


def judge(tape: Tape, options: dict[str, str], seats: int) -> tuple[list[Place], str]:
    """The ranking and the reason of the end."""
    worth = RED_POINTS[options["edition"]]
    require(seats == 2, "two play Pico")
    tape.expect("deck_chosen", edition=options["edition"], cards=sorted(worth))
    dealt = []
    for seat in range(2):
        hand = tape.read("hand_dealt")
        require(
            hand["seat"] == seat and len(hand["cards"]) == 5 and hand["cards"] == sorted(hand["cards"]), "five cards each, lowest first"
        )
        dealt.append(hand["cards"])
    face_up = tape.read("face_up_card_placed")["card"]
    require(sorted([*dealt[0], *dealt[1], face_up]) == sorted(worth), "every card of the deck is dealt once")
    totals = [0, 0]
    tape.standing = lambda: ranked(range(2), totals.__getitem__, totals.__getitem__)
    for number in (1, 2):
        if number == 2:
            dealt.reverse()
            tape.expect("hands_exchanged", hands=dealt)
        points = _round(tape, [set(hand) for hand in dealt], worth, totals)
        tape.expect("round_ended", round=number, points=points, totals=totals)
    return tape.standing(), "rounds_played"


def _round(tape: Tape, hands: list[set[int]], worth: dict[int, int], totals: list[int]) -> list[int]:
    """The red points of a round, which is over when a player is left with one card; they are added to the totals."""
    points = [0, 0]
    while all(len(hand) > 1 for hand in hands):
        laid: dict[int, int] = {}
        for _ in range(2):
            commit = tape.choice("card_committed", {0, 1} - laid.keys())
            require(commit["card"] in hands[commit["seat"]], "a card is played that is not in the hand")
            laid[commit["seat"]] = commit["card"]
        tape.expect("cards_revealed", cards=[laid[0], laid[1]])
        low, high = sorted(laid.values())
        taking = low if high > 2 * low else high
        winner = 0 if laid[0] == taking else 1
        hands[winner].remove(taking)
        points[winner] += worth[taking]
        totals[winner] += worth[taking]
        tape.expect("trick_resolved", winner=winner, card=taking, points=points)
    return points
