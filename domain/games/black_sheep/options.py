"""What the players agree on before a match of Black Sheep, and the cards that they play with."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias, get_args

import msgspec

Values: TypeAlias = Literal["1-7", "0-6"]
SuperLead: TypeAlias = Literal["always", "only-when-nothing-else"]
Colour: TypeAlias = Literal["beige", "white", "ochre", "black"]
Beige: TypeAlias = Literal["beige-0", "beige-1", "beige-2", "beige-3", "beige-4", "beige-5", "beige-6", "beige-7"]
White: TypeAlias = Literal["white-0", "white-1", "white-2", "white-3", "white-4", "white-5", "white-6", "white-7"]
Ochre: TypeAlias = Literal["ochre-0", "ochre-1", "ochre-2", "ochre-3", "ochre-4", "ochre-5", "ochre-6", "ochre-7"]
Black: TypeAlias = Literal["black-0", "black-1", "black-2", "black-3", "black-4", "black-5", "black-6", "black-7"]
Card: TypeAlias = Annotated[
    Literal[Beige, White, Ochre, Black, "super"],
    msgspec.Meta(title="card", description="A card: its colour and its number, such as `white-5`, or `super` for a super black sheep."),
]
Cards: TypeAlias = tuple[Card, ...]
BETS = range(15)  # 3.3
Bet: TypeAlias = Annotated[int, msgspec.Meta(ge=BETS[0], le=BETS[-1], description="A number of black sheep.")]


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="game", tag="black-sheep"):
    """What the players agree on before a match of Black Sheep."""

    games_per_player: Annotated[
        int, msgspec.Meta(ge=0, le=4, description="A series of so many games for each player; 0 is one single game. Rule 6.1.")
    ] = 0
    bets: Annotated[bool, msgspec.Meta(description="Whether players may bet on how many black sheep they will capture. Rule 3.1.")] = False
    values: Annotated[Values, msgspec.Meta(description="The numbers on the cards of each colour. Rules 1.2 and 1.3.")] = "1-7"
    super_lead: Annotated[SuperLead, msgspec.Meta(description="When a super black sheep may be led to a trick. Rules 4.9 and 4.10.")] = (
        "always"
    )


COLOURS: tuple[Colour, ...] = ("beige", "white", "ochre", "black")  # 1.1
SUPER: Card = "super"
SUPERS = 4  # 1.1
NUMBERS: Mapping[Values, range] = {"1-7": range(1, 8), "0-6": range(7)}  # 1.2, 1.3
COLOURED: Cards = (*get_args(Beige), *get_args(White), *get_args(Ochre), *get_args(Black))
DECKS: Mapping[Values, Cards] = {
    values: (*(card for card in COLOURED if int(card[-1]) in numbers), *(SUPER,) * SUPERS) for values, numbers in NUMBERS.items()
}
"""The 32 cards in their natural order: by colour, lowest number first, and the supers last."""


def colour(card: Card) -> Colour | None:
    """The colour that a card belongs to; a super has none."""
    return next((each for each in COLOURS if card.startswith(each)), None)  # 1.4, 1.5


def number(card: Card) -> int:
    """The number of a card that has a colour."""
    return int(card[-1])


def black_sheep(card: Card) -> int:
    """How many black sheep a card counts."""
    return int(colour(card) in (None, "black") or number(card) == 5)  # 1.6


def worth(card: Card) -> dict[str, int]:
    """What a card is worth, by name."""
    return {"black_sheep": black_sheep(card), **({} if card == SUPER else {"number": number(card)})}
