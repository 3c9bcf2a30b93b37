"""Pico: eleven cards, two players; the higher card takes the trick unless it is more than twice the lower one."""

from domain.games.pico import bot, commands, events, options, rules, views
from domain.match.game import Component, Game, easy

GAME = Game(
    key="pico",
    ruleset=1,
    seats=range(2, 3),
    options=options.Options,
    command=commands.Command,
    event=events.Event,
    view_type=views.View,
    components=tuple(
        Component(id=str(card), set=edition, label=f"card.{card}", values={"number": card, "points": points})
        for edition, cards in options.RED_POINTS.items()
        for card, points in cards.items()
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
