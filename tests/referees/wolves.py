"""The referee of Wolves & Sheep."""

from collections import Counter
from typing import Any

from tests.referees.tape import Place, Tape, ranked, require

POINTS = {"+2": 2, "+3": 3, "+4": 4, "+6": 6, "-2": -2, "-4": -4}
WOLVES = ("BIG", "LITTLE")


def judge(tape: Tape, options: dict[str, Any], seats: int) -> tuple[list[Place], str]:
    """The ranking and the reason of the end."""
    whole = Counter([*POINTS, *WOLVES, *(["+4"] if seats == 4 else [])])
    taken = tape.read("hands_taken")
    rounds = whole.total() - 1
    require([Counter(hand) for hand in taken["hands"]] == [whole] * seats and taken["rounds"] == rounds, "everybody holds a whole set")
    hands = [Counter(whole) for _ in range(seats)]
    totals = [0] * seats
    used: list[list[str]] = [[] for _ in range(seats)]

    def worth(seat: int) -> tuple[int, int, bool]:
        return totals[seat], -len(used[seat]), used[seat] == ["LITTLE"]

    tape.standing = lambda: ranked(range(seats), worth, totals.__getitem__)
    for number in range(1, rounds + 1):
        played = _laid(tape, hands)
        points = _resolved(tape, played)
        totals = [before + now for before, now in zip(totals, points, strict=True)]
        for seat, card in enumerate(played):
            hands[seat][card] -= 1
            used[seat] += [card] if card in WOLVES else []
        tape.expect("round_ended", round=number, points=points, totals=totals)
    tape.expect("last_cards_discarded", cards=[next(iter(+hand)) for hand in hands])
    return tape.standing(), "rounds_played"


def _laid(tape: Tape, hands: list[Counter[str]]) -> list[str]:
    """The cards of a round, by seat."""
    laid: dict[int, str] = {}
    for _ in hands:
        commit = tape.choice("card_committed", set(range(len(hands))) - laid.keys())
        require(hands[commit["seat"]][commit["card"]] > 0, "a card is played that is not in the hand")
        laid[commit["seat"]] = commit["card"]
    played = [laid[seat] for seat in range(len(hands))]
    tape.expect("cards_revealed", cards=played)
    return played


def _resolved(tape: Tape, played: list[str]) -> list[int]:
    """What a round brings each seat. In which order the cards are laid down the rules do not say, but for picks."""
    owners = {wolf: [seat for seat, card in enumerate(played) if card == wolf] for wolf in WOLVES}
    alone = [seats[0] for seats in owners.values() if len(seats) == 1]
    sheep = [(seat, card) for seat, card in enumerate(played) if card not in WOLVES]
    left = Counter(card for _, card in sheep)
    due: dict[str, list[Any]] = {
        "wolves_cancelled": [(wolf, seats) for wolf, seats in owners.items() if len(seats) > 1],
        "sheep_kept": [] if alone else sheep,
        "sheep_captured": [(alone[0], sorted(left.elements()))] if len(alone) == 1 and sheep else [],
        "sheep_picked": [],
        "wolf_laid": [(seat, card) for seat, card in enumerate(played) if card in WOLVES],
    }
    done: dict[str, list[Any]] = {kind: [] for kind in due}
    points = [0] * len(played)
    while (kind := tape.next) != "round_ended":
        # Somebody has a choice while the sheep differ; else the rules make the pick.
        chooses = len(alone) == 2 and len(+left) > 1 and kind in ("sheep_picked", "")
        require(chooses or kind in due, f"{kind} has no place here")
        event = tape.choice("sheep_picked", range(len(played))) if chooses else tape.read(kind)
        match kind:
            case "wolves_cancelled":
                done[kind].append((event["card"], event["seats"]))
            case "sheep_captured":
                done[kind].append((event["seat"], sorted(event["cards"])))
            case _:
                done[kind].append((event["seat"], event["card"]))
        if kind == "sheep_picked":
            require(len(alone) == 2 and event["seat"] == alone[(len(done[kind]) - 1) % 2], "two wolves pick in turn, the Big one first")
            require(left[event["card"]] > 0, "this sheep is not there to be picked")
            left[event["card"]] -= 1
        if kind in ("sheep_kept", "sheep_captured", "sheep_picked"):
            points[event["seat"]] += sum(POINTS.get(card, 0) for card in event.get("cards") or [event["card"]])
    require(len(alone) < 2 or left.total() == 0, "two wolves pick until no sheep is left")
    for kind in due.keys() - {"sheep_picked"}:
        require(sorted(done[kind]) == sorted(due[kind]), f"{kind} should come to {due[kind]}, not {done[kind]}")
    return points
