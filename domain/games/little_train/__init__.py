"""Little Train: five dice, one to eight players; build a train roll by roll, and stop before it spoils."""

from domain.games.little_train import bot, commands, events, options, rules, views
from domain.match.game import Component, Game, Solo, easy

GAME = Game(
    key="little-train",
    ruleset=1,
    seats=range(1, 9),
    options=options.Options,
    command=commands.Command,
    event=events.Event,
    view_type=views.View,
    components=tuple(
        Component(id=face, set="die", label=f"face.{face}", count=options.FACES.count(face)) for face in dict.fromkeys(options.FACES)
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
    solo=Solo(events.TurnScored, lambda train: train.points),
)
