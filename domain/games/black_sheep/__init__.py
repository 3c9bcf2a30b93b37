"""Black Sheep: follow the colour asked, and capture as few black sheep as you can."""

from domain.games.black_sheep import bot, commands, events, options, rules, views
from domain.match.game import Component, Game, easy

GAME = Game(
    key="black-sheep",
    ruleset=1,
    seats=range(2, 5),
    options=options.Options,
    command=commands.Command,
    event=events.Event,
    view_type=views.View,
    components=tuple(
        Component(id=card, set=values, label=f"card.{card}", count=cards.count(card), values=options.worth(card))
        for values, cards in options.DECKS.items()
        for card in dict.fromkeys(cards)
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
