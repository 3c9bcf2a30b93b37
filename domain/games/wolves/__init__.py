"""Wolves & Sheep: everyone holds the same cards and lays one at the same time; wolves take the sheep, and equal wolves cancel."""

from domain.games.wolves import bot, commands, events, options, rules, views
from domain.match.game import Component, Game, easy

GAME = Game(
    key="wolves",
    ruleset=1,
    seats=range(2, 5),
    options=options.Options,
    command=commands.Command,
    event=events.Event,
    view_type=views.View,
    components=tuple(
        Component(id=card, set=name, label=f"card.{card}", count=cards.count(card), values={"points": points})
        for name, cards in options.SETS.items()
        for card, points in options.POINTS.items()
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
