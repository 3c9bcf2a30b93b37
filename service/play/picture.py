"""The table of any game as lines of text: what belongs to the seats as a grid, and the rest line by line."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from service.play.grid import GAP, Column, flowing, rows
from service.play.ink import Ink
from service.play.shapes import Shape, in_seat_order, is_seat
from service.play.words import Words

MARK, YOU, NOTHING = "✓", "▸", "-"
_BETWEEN = " · "


class Picture:
    """Draws one match, view after view, `width` characters wide; `agreed_on` are its options, which nobody has to be told again.

    It knows no game: what is a seat, and which lists hold one thing for each, the document says.
    """

    def __init__(self, words: Words, ink: Ink, width: int, agreed_on: Mapping[str, Any]) -> None:
        self._words, self._ink, self._width, self._agreed_on = words, ink, width, agreed_on

    def opening(self) -> Iterator[str]:
        """What is played, and how it is played here."""
        yield self._ink.title(self._words.title)
        yield from flowing(self._words.summary.split(" "), " ", self._width)
        for name, value in self._agreed_on.items():
            if name != "game":
                yield self._ink.dim(
                    (self._words.label(f"option.{name}") or name) + self._words.own("colon") + self._words.option(name, value)
                )
        yield from map(self._ink.dim, flowing(self._words.own("keys").split(" "), " ", self._width))

    def happened(self, event: Mapping[str, Any]) -> Iterator[str]:
        """What happened; nothing where there are no words for it."""
        if sentence := self._words.sentence(event):
            yield from (f"  {line}" for line in flowing(sentence.split(" "), " ", self._width - 2))

    def table(self, view: Mapping[str, Any]) -> Iterator[str]:
        """The lines of the table in `view`."""
        fields = self._words.shapes.fields("MatchTable", view["game"])
        columns: list[Column] = []
        facts: list[str] = []
        lines: list[str] = []
        for name, value in view["table"].items():
            shape = fields.get(name, {})
            if value in (None, []) or name in ("game", "phase"):
                continue
            if self._is_of_seats(value, shape):
                columns += self._columns(name, value, shape)
            elif isinstance(value, dict):
                lines += self._captioned(name, self._words.parts(value, self._words.shapes.inside(shape)), _BETWEEN)
            elif isinstance(value, list) and not _is_history(value):
                lines += self._captioned(name, [self._words.value(name, each, self._words.shapes.item(shape)) for each in value], ", ")
            elif not isinstance(value, list) and name not in self._agreed_on:
                facts.append(f"{self._words.caption(name)} {self._words.value(name, value, shape)}")
        phase = view["table"]["phase"]
        yield self._ink.bold(self._words.label(f"phase.{phase}") or phase)
        if facts:
            yield from map(self._ink.dim, flowing(facts, _BETWEEN, self._width))
        yield from self._grid([column for column in columns if set(column.cells) - {NOTHING, ""}], view["you"])
        yield from lines

    def choices(self, choices: Sequence[Mapping[str, Any]]) -> Iterator[str]:
        """The choices, numbered from 1; those of one kind stand side by side."""
        for _, group in groupby(enumerate(choices, start=1), key=lambda each: each[1]["type"]):
            yield from self._side_by_side([(number, self._words.choice(choice)) for number, choice in group])

    def ranking(self, result: Mapping[str, Any], you: int | None) -> Iterator[str]:
        """Why the match ended, and who is where."""
        yield self._ink.bold(self._words.reason(result["reason"]))
        if result["ranking"]:
            ranks, names, scores = zip(*((place["rank"], place["seat"], place["score"]) for place in result["ranking"]), strict=True)
            columns = (
                Column("", [self._named(seat, you, f"{rank}. {self._words.seats[seat]}") for rank, seat in zip(ranks, names, strict=True)]),
                Column("", [str(score) for score in scores]),
            )
            _, *places = rows(columns, self._width)
            for seat, lines in zip(names, places, strict=True):
                yield from self._of_seat(seat, you, lines)

    def _is_of_seats(self, value: Any, shape: Shape) -> bool:
        """Whether a field of the table holds seats, or one thing for each of them."""
        return isinstance(value, list) and (is_seat(self._words.shapes.item(shape)) or in_seat_order(shape))

    def _columns(self, name: str, value: Sequence[Any], shape: Shape) -> Iterator[Column]:
        """The columns that such a field fills."""
        item, caption = self._words.shapes.item(shape), self._words.caption(name)
        if is_seat(item):
            yield Column(caption, [MARK if seat in value else "" for seat in range(len(self._words.seats))])
        elif not isinstance(value[0], dict):
            yield Column(caption, [self._cell(name, each, item) for each in value])
        elif not _is_history(value):
            inside = self._words.shapes.inside(item)
            for part in value[0]:
                yield Column(self._words.caption(part), [self._cell(part, each[part], inside.get(part, {})) for each in value])

    def _cell(self, name: str, value: Any, shape: Shape) -> str:
        said = NOTHING if value in (None, []) else self._words.value(name, value, shape)
        return said if " " in said.replace(", ", "") else said.replace(", ", " ")

    def _captioned(self, name: str, parts: Sequence[str], separator: str) -> Iterator[str]:
        caption = self._words.caption(name) + self._words.own("colon")
        first, *rest = flowing(parts, separator, self._width - len(caption))
        yield self._ink.dim(caption) + first
        yield from (" " * len(caption) + line for line in rest)

    def _grid(self, columns: Sequence[Column], you: int | None) -> Iterator[str]:
        if not columns:
            return
        names = Column("", [self._named(seat, you, name) for seat, name in enumerate(self._words.seats)])
        captions, *seats = rows([names, *columns], self._width)
        yield from map(self._ink.dim, captions)
        for seat, lines in enumerate(seats):
            yield from self._of_seat(seat, you, lines)

    def _named(self, seat: int, you: int | None, name: str) -> str:
        return f"{YOU if seat == you else ' '} {name}"

    def _of_seat(self, seat: int, you: int | None, lines: Sequence[str]) -> Iterator[str]:
        yield from map(self._ink.bold, lines) if seat == you else lines

    def _side_by_side(self, said: Sequence[tuple[int, str]]) -> Iterator[str]:
        digits, wide = len(str(said[-1][0])), max(len(choice) for _, choice in said)
        across = max(1, (self._width - 1) // (digits + len("[] ") + wide + len(GAP)))
        for at in range(0, len(said), across):
            row = [self._numbered(number, digits) + f" {choice:{wide}}" for number, choice in said[at : at + across]]
            yield f" {GAP.join(row)}".rstrip()

    def _numbered(self, number: int, digits: int) -> str:
        return " " * (digits - len(str(number))) + self._ink.key(f"[{number}]")


def _is_history(value: Sequence[Any]) -> bool:
    """Whether a list holds lists, or records with more in them: all tricks so far, the score sheet. A screen has no room for it."""
    inside = [each.values() if isinstance(each, dict) else [each] for each in value]
    return any(isinstance(part, list | dict) for parts in inside for part in parts)
