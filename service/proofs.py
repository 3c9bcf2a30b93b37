"""What anyone needs to check the dice and the secret choices of a match that has ended."""

from collections.abc import Iterable
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from domain.match.events import Started
from domain.match.game import IN_SEAT_ORDER, Request, Seat
from domain.match.state import AnyMatch
from service.store.codec import Record


class ProvenDraw(msgspec.Struct, frozen=True):
    """One roll or shuffle."""

    number: Annotated[int, Meta(ge=1, description="The draw's running number in the match.")]
    version: Annotated[int, Meta(description="The event that shows it first.")]
    request: Annotated[Request, Meta(description="What was asked for.")]
    outcome: Annotated[tuple[int | str, ...], Meta(description="The faces thrown, or the items in their new order.")]


class ProvenSeal(msgspec.Struct, frozen=True):
    """One secret choice, and what was published of it when it was made."""

    version: Annotated[int, Meta(description="The event of the choice.")]
    seat: Annotated[Seat, Meta(description="The seat that chose.")]
    command: Annotated[str, Meta(description="What it chose, the command as JSON text: parse it before you hash it.")]
    seal: Annotated[str, Meta(description="As it stood beside the veiled event.")]


class Proof(msgspec.Struct, frozen=True):
    """The transcript of all chance and all secrets of a match. The programs at `/docs/verify/` check it."""

    scheme: Annotated[str, Meta(description="Which rules of checking apply.")]
    match_id: Annotated[str, Meta(description="The match's id.")]
    commitment: Annotated[str, Meta(description="As it stood in the first event, before anyone sat down.")]
    seed: Annotated[str, Meta(description="The seed of the match, in hex.")]
    entropy: Annotated[tuple[str, ...], IN_SEAT_ORDER, Meta(description="What the players added, in seat order; empty text where nothing.")]
    draws: Annotated[tuple[ProvenDraw, ...], Meta(description="Every roll and shuffle of the match, in order.")]
    seals: Annotated[tuple[ProvenSeal, ...], Meta(description="Every secret choice of the match, in order.")]


class Transcript:
    """What a proof needs of the records of a match, which come page by page."""

    def __init__(self) -> None:
        self._entropy: tuple[str, ...] = ()
        self._draws, self._seals = list[ProvenDraw](), list[ProvenSeal]()

    def add(self, records: Iterable[Record]) -> None:
        """The next records of the match."""
        for record in records:
            entry = record.entry
            if isinstance(entry.event, Started):
                self._entropy = tuple(seated.entropy for seated in entry.event.seats)
            if entry.draw is not None:
                self._draws.append(ProvenDraw(entry.draw.number, record.version, entry.draw.request, entry.draw.outcome))
            if entry.sealed is not None and entry.seat is not None:
                self._seals.append(ProvenSeal(record.version, entry.seat, _written(entry.sealed.command), entry.sealed.seal))

    def proof(self, match: AnyMatch, seed: bytes) -> Proof:
        """The proof of a match that has ended, all of whose records have come."""
        assert match.result is not None, "a seed is never opened before the end"
        terms = match.agreed
        return Proof(terms.scheme, match.match_id, terms.commitment, seed.hex(), self._entropy, tuple(self._draws), tuple(self._seals))


def _written(command: Any) -> str:
    return msgspec.json.encode(command, order="sorted").decode()
