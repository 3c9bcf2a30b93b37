"""New Game: six cards, a die, two to four players; the highest card that nobody else lays takes the prize."""

from domain.games.new_game import bot, commands, events, options, rules, views
from domain.match.game import Component, Game, easy

GAME = Game(
    key="new-game",
    ruleset=1,
    seats=range(2, 5),
    options=options.Options,
    command=commands.Command,
    event=events.Event,
    view_type=views.View,
    components=(
        *(Component(id=str(card), set="hand", label=f"card.{card}", values={"number": card}) for card in options.CARDS),
        *(Component(id=str(face), set="die", label=f"face.{face}", values={"points": face}) for face in options.FACES),
    ),
    initial=rules.State(),
    open=rules.open,
    choices=rules.choices,
    decide=rules.decide,
    advance=rules.advance,
    settle=rules.settle,
    evolve=rules.evolve,
    view=views.view,
    veil=views.veil,
    standing=rules.standing,
    bots={"easy": easy, "normal": bot.normal},
)
