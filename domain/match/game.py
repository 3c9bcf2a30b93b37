"""The contract between one game's room and the rest of the house. Start reading here.

A player's choice goes through `decide`. Whatever the rulebook then forces goes through `advance`, until it is somebody's
turn again. Both answer with events, and `evolve` is the only way an event changes anything. What a viewer may see of a
state is said by `view`, and of an event by `veil`, and nowhere else.
"""

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar, get_type_hints

import msgspec
from msgspec.structs import replace

Seat: TypeAlias = Annotated[int, msgspec.Meta(ge=0, description="A place at the table, 0 to n-1.", extra_json_schema={"format": "seat"})]
"""A place at the table, 0 to n-1. In the document its `format` is `seat`, so that a front end finds all of them."""

IN_SEAT_ORDER = msgspec.Meta(extra_json_schema={"x-seat-order": True})
"""Marks a list in the document that holds one thing for each seat, in their order, as long as it holds anything."""


def hidden_in(phase: str) -> msgspec.Meta:
    """Marks a list in seat order that shows what the seats choose in secret in this phase of the game.

    Until then it holds nothing of a seat that stands in `committed`; what that seat has chosen is hidden.
    """
    return msgspec.Meta(extra_json_schema={"x-hidden-in": phase})


OF_THE_TURN = msgspec.Meta(extra={"of_the_turn": True})
"""Marks a field of a view that tells of the turn under way: null once the match is over, for then it is nobody's."""

Viewer: TypeAlias = int | None
"""Who looks: a seat, or None for a spectator."""


class Refused(Exception):
    """The rules do not allow this choice. Nothing happened, so nothing is recorded.

    `code` is a stable snake_case word for programs; `clause` is the numbered clause of the game's rulebook it rests on.
    Both must be computable from what the refused seat can see.
    """

    def __init__(self, code: str, clause: str) -> None:
        super().__init__(f"{code} (rule {clause})")
        self.code, self.clause = code, clause


class Roll(msgspec.Struct, frozen=True, tag_field="kind", tag="roll"):
    """The rules ask for `dice` dice of `sides` sides; the outcome is their faces, 1 to `sides`, in the order thrown."""

    dice: Annotated[int, msgspec.Meta(ge=1, description="How many dice.")]
    sides: Annotated[int, msgspec.Meta(ge=1, description="How many sides each has.")]


class Shuffle(msgspec.Struct, frozen=True, tag_field="kind", tag="shuffle"):
    """The rules ask for `items` in a random order; the outcome is that order."""

    items: Annotated[tuple[int | str, ...], msgspec.Meta(description="Ids of components, in the order before the shuffle.")]


Request: TypeAlias = Roll | Shuffle
Outcome: TypeAlias = tuple[Any, ...]


class Place(msgspec.Struct, frozen=True):
    """One seat's place in a ranking."""

    seat: Seat
    rank: Annotated[int, msgspec.Meta(ge=1, description="1 is the best. Equals share a rank, and the next rank is skipped.")]
    score: Annotated[int, msgspec.Meta(description="What the game counts for this seat.")]


class Result(msgspec.Struct, frozen=True):
    """How a match ended."""

    ranking: Annotated[
        tuple[Place, ...],
        msgspec.Meta(description="Every seat, best first; empty when the match ended before it started or was stopped."),
    ]
    reason: Annotated[str, msgspec.Meta(description="Why it ended, a stable word; the label `end.<reason>` says it.")]


class Showing(NamedTuple):
    """A seat shows a face, which it set in this phase of the game."""

    seat: int
    phase: str
    face: int


Event = TypeVar("Event")
Options = TypeVar("Options")
State = TypeVar("State")
Command = TypeVar("Command")
View = TypeVar("View")
Item = TypeVar("Item")


class Facts(msgspec.Struct, Generic[Event], frozen=True):
    """The rulebook makes these happen now; nobody chooses."""

    events: Sequence[Event]


class Chance(msgspec.Struct, frozen=True):
    """A shuffle or a roll is needed before play can go on; `settle` says what its outcome means."""

    request: Request


class Waiting(msgspec.Struct, frozen=True):
    """These seats owe a choice; several of them choose at the same time.

    `secret` says whether each choice stays hidden until all are in, `talk` whether the seats are only talking: the match has
    a clock of its own for that.
    """

    seats: frozenset[int]
    secret: bool
    talk: bool = False


class Over(msgspec.Struct, frozen=True):
    """The game has ended, and this is how."""

    result: Result


Advance: TypeAlias = Facts[Event] | Chance | Waiting | Over


class Luck(Protocol):
    """The random source a bot is given; `random.Random` is one. The rules never see it."""

    def random(self) -> float: ...

    def choice(self, items: Sequence[Item], /) -> Item: ...

    def choices(self, items: Sequence[Item], /, weights: Sequence[float]) -> list[Item]: ...

    def shuffle(self, items: MutableSequence[Any], /) -> None: ...


Bot: TypeAlias = Callable[[View, int, Sequence[Command], Luck], Command]
"""Picks one of the choices that a seat has, from the seat's own view and nothing else: (view, seat, choices, luck)."""


@dataclass(frozen=True, kw_only=True)
class Pledges(Generic[State, Event]):
    """What players can say they will show, in a game where faces are set in secret. The rules hold nobody to it.

    `open` says what a seat can pledge now, from what everybody sees: the faces, by phase of the game, and nothing for a seat that sets
    no more of them. `shown` says which face an event shows, None if it shows none. A pledge is about the next face that its
    seat shows of its phase.
    """

    open: Callable[[State, int], Mapping[str, Sequence[int]]]
    shown: Callable[[Event], Showing | None]


class Solo(NamedTuple):
    """What a player who plays alone is measured by: each event of this type counts so much, and the best one is kept."""

    event: type
    counts: Callable[[Any], int]


class Component(msgspec.Struct, frozen=True):
    """One kind of card, die face or other piece that a screen shows."""

    id: Annotated[str, msgspec.Meta(description="As it stands in commands, events and views, written as text.")]
    set: Annotated[str, msgspec.Meta(description="The set it belongs to, such as an edition's cards or the dice.")]
    label: Annotated[str, msgspec.Meta(description="Key of its name in the game's labels.")]
    count: Annotated[int, msgspec.Meta(ge=1, description="How many of it the set holds (for each player where players own sets).")] = 1
    values: Annotated[dict[str, int], msgspec.Meta(description="What it is worth, by name.")] = {}


@dataclass(frozen=True, kw_only=True)
class Game(Generic[Options, State, Command, Event, View]):
    """One game's room, as the house sees it.

    `key` names the game in tags, paths and folders. `ruleset` is raised when a change of the rules makes an old match play
    differently. `seats` are the numbers of players allowed. `options`, `command`, `event` and `view_type` are the types
    that the API publishes: options and views are tagged by `game`, commands and events by `type` as `<key>.<snake_case>`.

    `open` and `choices` never refuse, `decide` may raise `Refused`, `evolve` never judges and never fails. The first of
    `choices` is what the clock plays for a silent seat; the choices of a seat that owes nothing are empty. `standing` is
    the ranking as if the match ended now, from what everybody knows. `bots` maps a level to its player. `pledges` are only for
    games that have something to pledge, `solo` for those that one can play alone and where the whole score is not what is kept.
    """

    key: str
    ruleset: int
    seats: range
    options: type[Options]
    command: Any
    event: Any
    view_type: type[View]
    components: tuple[Component, ...]
    initial: State
    open: Callable[[Options, int], Sequence[Event]]
    choices: Callable[[State, int], Sequence[Command]]
    decide: Callable[[State, int, Command], Sequence[Event]]
    advance: Callable[[State], Advance[Event]]
    settle: Callable[[State, Outcome], Sequence[Event]]
    evolve: Callable[[State, Event], State]
    view: Callable[[State, Viewer], View]
    veil: Callable[[Event, Viewer], Event]
    standing: Callable[[State], tuple[Place, ...]]
    bots: Mapping[str, Bot[View, Command]]
    pledges: Pledges[State, Event] | None = None
    solo: Solo | None = None


AnyGame: TypeAlias = Game[Any, Any, Any, Any, Any]


def ranked(scores: Sequence[int], worth: Sequence[Any]) -> tuple[Place, ...]:
    """The ranking of all seats, best first, where a greater `worth` is better and equals share a rank (1, 1, 3)."""
    places = (Place(seat=seat, rank=1 + sum(other > worth[seat] for other in worth), score=score) for seat, score in enumerate(scores))
    return tuple(sorted(places, key=lambda place: (place.rank, place.seat)))


def put(items: Sequence[Item], seat: int, item: Item) -> tuple[Item, ...]:
    """`items`, one for each seat, with that of `seat` replaced."""
    return (*items[:seat], item, *items[seat + 1 :])


def over(view: Any) -> Any:
    """A view as it is seen once the match has ended, whatever ended it: its `phase` is `over`, and no turn is under way.

    A game that came to its own end shows its table so by itself.
    """
    view_type: Any = type(view)
    return replace(view, phase="over", **dict.fromkeys(_of_the_turn(view_type)))


@cache
def _of_the_turn(view_type: Any) -> tuple[str, ...]:
    hints = get_type_hints(view_type, include_extras=True)
    return tuple(name for name, hint in hints.items() if OF_THE_TURN in getattr(hint, "__metadata__", ()))


def easy(view: Any, seat: int, choices: Sequence[Command], luck: Luck) -> Command:
    """The easy level of every game: any of the choices, each as likely as the next."""
    return luck.choice(choices)
