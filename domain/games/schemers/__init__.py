"""Schemers: three players or more choose dice in secret to reach a target they have set together, and the lowest one alone takes it all."""

from domain.games.schemers import bot, commands, events, options, rules, views
from domain.match.game import Component, Game, Pledges, easy

GAME = Game(
    key="schemers",
    ruleset=1,
    seats=range(3, 9),
    options=options.Options,
    command=commands.Command,
    event=events.Event,
    view_type=views.View,
    components=tuple(Component(id=str(face), set="die", label=f"face.{face}", values={"points": face}) for face in options.FACES),
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
    pledges=Pledges(open=views.pledges_open, shown=views.shown),
)
