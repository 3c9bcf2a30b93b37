"""How a bot plays New Game: the more there is to win, the more surely it lays a high card."""

from collections.abc import Sequence

from domain.games.new_game.commands import Command
from domain.games.new_game.views import View
from domain.match.game import Luck


def normal(view: View, seat: int, choices: Sequence[Command], luck: Luck) -> Command:
    """Draws from a mixture, since a bot that can be foreseen is beaten: a high card is likely, and likelier for a high prize."""
    prize = view.prize or 1
    return luck.choices(choices, weights=[float(choice.card**prize) for choice in choices])[0]
