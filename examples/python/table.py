"""Pico, with cards, or Little Train, with dice, against a bot in the terminal: a front end on the generated client.

python table.py pico http://localhost:8000
python table.py little-train http://localhost:8000
"""

import queue
import sys
import threading
from typing import Any, TypeAlias, TypeVar

import httpx
from follow import Refused, follow
from ludicitude_client import AuthenticatedClient, Client
from ludicitude_client.api.matches import open_match
from ludicitude_client.api.play import send_command
from ludicitude_client.api.players import create_player
from ludicitude_client.models import (
    CreatedPlayer,
    CreatePlayer,
    Decision,
    EventItem,
    LittleTrainDiceRolled,
    LittleTrainMark,
    LittleTrainOptionsInput,
    LittleTrainRoll,
    LittleTrainSheetMarked,
    LittleTrainStop,
    LittleTrainTurnScored,
    LittleTrainView,
    MatchView,
    OpenMatch,
    PicoCardsRevealed,
    PicoCommitCard,
    PicoOptionsInput,
    PicoTrickResolved,
    PicoView,
    SendCommand,
)
from ludicitude_client.types import Response
from send import Unanswered, send

Kind = TypeVar("Kind")
Options: TypeAlias = PicoOptionsInput | LittleTrainOptionsInput

GAMES: dict[str, Options] = {"pico": PicoOptionsInput(game="pico"), "little-train": LittleTrainOptionsInput(game="little-train", games=1)}

NAMES = ("You", "The bot")


def the(kind: type[Kind], answer: Response[Any]) -> Kind:
    """The body of an answer that is no problem."""
    assert isinstance(answer.parsed, kind), answer.status_code
    return answer.parsed


def sentence(event: object) -> str | None:
    """What an event says, if it is worth a line."""
    match event:
        case PicoCardsRevealed():
            return f"You lay the {event.cards[0]}, the bot the {event.cards[1]}."
        case PicoTrickResolved():
            return f"{NAMES[event.winner]} won the trick with the {event.card}."
        case LittleTrainDiceRolled():
            return f"{NAMES[event.seat]} rolled {', '.join(event.faces)}."
        case LittleTrainSheetMarked():
            return f"{NAMES[event.seat]} marked {event.count} {event.column}."
        case LittleTrainTurnScored():
            return f"{NAMES[event.seat]} scored {event.points}.\n"
    return None


def picture(table: object) -> str:
    """The table as it stands, from seat 0."""
    match table:
        case PicoView():
            hand, other = ("  ".join(map(str, cards)) for cards in table.hands)
            return f"Round {table.round_}. Points {table.totals[0]} to {table.totals[1]}.\n  the bot holds {other}\n  you hold      {hand}"
        case LittleTrainView():
            sheet = table.sheets[0]
            worth = f", worth {table.train.points}" if table.train else ""
            return f"Your train: {sheet.loco} loco, {sheet.tender} tender, {sheet.wagon} wagon{worth}. Dice left: {table.dice}."
    return ""


def words(command: object) -> str:
    """A choice in words."""
    match command:
        case PicoCommitCard():
            return f"lay the {command.card}"
        case LittleTrainRoll():
            return "roll"
        case LittleTrainMark():
            return f"mark {command.count} {command.column}"
        case LittleTrainStop():
            return "stop and score"
    return str(command)


def choose(decision: Decision) -> SendCommand:
    """Ask at the terminal until the answer is the number of a choice; nothing is the first one."""
    for number, choice in enumerate(decision.choices, 1):
        print(f"  {number}  {words(choice)}")
    while True:
        answer = input("Your choice: ") or "1"
        if answer.isdecimal() and 1 <= int(answer) <= len(decision.choices):
            return SendCommand(decision.choices[int(answer) - 1], decision.decision)


def lost(why: str, seconds: float, detail: str) -> None:
    print(f"The server cannot be reached ({why}), trying again in {seconds:.0f} s.")


def found() -> None:
    print("There it is again.")


def choosing(client: AuthenticatedClient, match_id: str, asked: "queue.Queue[Decision]") -> None:
    """Choose what is asked, beside the loop that follows the match, which goes on while somebody thinks."""

    def answer(body: SendCommand) -> None:
        send(lambda key: send_command.sync_detailed(match_id, client=client, body=body, idempotency_key=key))

    while True:
        decision = asked.get()
        try:
            answer(choose(decision))
        except Refused as no:
            print(no.problem.get("detail", no))
        except Unanswered:
            asked.put(decision)  # No harm if it has been made: a decision is made once.


def play(address: str, options: Options) -> None:
    nobody = Client(base_url=address, timeout=httpx.Timeout(30))
    ada = the(CreatedPlayer, send(lambda _: create_player.sync_detailed(client=nobody, body=CreatePlayer("Ada")), lost, found))
    client = AuthenticatedClient(base_url=address, token=ada.token, timeout=httpx.Timeout(30))
    terms = OpenMatch(options, bots=["normal"])
    answer = send(lambda key: open_match.sync_detailed(client=client, body=terms, idempotency_key=key), lost, found)
    opened = the(MatchView, answer)

    asked: queue.Queue[Decision] = queue.Queue()
    threading.Thread(target=choosing, args=(client, opened.match_id, asked), daemon=True).start()
    known: set[str] = set()
    for items, seen in follow(f"{address}/v1/matches/{opened.match_id}", ada.token, lost, found):
        for item in items:
            if line := sentence(EventItem.from_dict(item).event):
                print(line)
        view = MatchView.from_dict(seen)
        for decision in view.decisions:
            if decision.decision not in known:
                print(picture(view.table))
                asked.put(decision)
                known.add(decision.decision)
        if view.result is not None:
            for place in view.result.ranking:
                print(f"{place.rank}. {NAMES[place.seat]}, {place.score} points")


if __name__ == "__main__":
    server = sys.argv[2] if len(sys.argv) > 2 else "http://localhost:8000"
    try:
        play(server, GAMES[sys.argv[1]])
    except Unanswered:
        sys.exit(f"No answer from {server}.")
