"""Text set in columns, and in lines that are full but not too long."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

GAP = "   "
_NARROWEST = 12


class Column(NamedTuple):
    """A column: its caption, and what stands in it row by row."""

    caption: str
    cells: Sequence[str]

    @property
    def width(self) -> int:
        return max(map(len, (self.caption, *self.cells)))

    @property
    def is_of_numbers(self) -> bool:
        """Whether it is set to the right."""
        return not any(cell.strip("-").strip("0123456789") for cell in self.cells)


def rows(columns: Sequence[Column], width: int) -> Iterator[Sequence[str]]:
    """The lines of each row, the captions first; at most `width` wide if they can be read so."""
    widths = _widths(columns, width)
    captions, *cells = zip(*((column.caption, *column.cells) for column in columns), strict=True)
    for row in (captions, *cells):
        wrapped = [textwrap.wrap(cell, each) or [""] for cell, each in zip(row, widths, strict=True)]
        yield [_line(columns, widths, [cell[at] if at < len(cell) else "" for cell in wrapped]) for at in range(max(map(len, wrapped)))]


def flowing(parts: Iterable[str], separator: str, width: int) -> Iterator[str]:
    """The parts with the separator between them, as many on a line as fit. A part that is longer than a line is broken."""
    line, width = "", max(width, _NARROWEST) - len(separator.rstrip())
    for part in parts:
        longer = f"{line}{separator}{part}" if line else part
        if len(longer) <= width:
            line = longer
            continue
        if line:
            yield f"{line}{separator}".rstrip()
        *full, line = textwrap.wrap(part, width) or [""]
        yield from full
    yield line


def _line(columns: Sequence[Column], widths: Sequence[int], cells: Sequence[str]) -> str:
    set_in = [
        cell.rjust(width) if column.is_of_numbers else cell.ljust(width) for column, width, cell in zip(columns, widths, cells, strict=True)
    ]
    return GAP.join(set_in).rstrip()


def _widths(columns: Sequence[Column], width: int) -> list[int]:
    """How wide each column may be, so that all fit: the widest give way, down to where nothing can be read."""
    widths = [column.width for column in columns]
    while sum(widths) + len(GAP) * (len(widths) - 1) > width and max(widths) > _NARROWEST:
        widths[widths.index(max(widths))] -= 1
    return widths
