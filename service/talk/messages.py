"""Talk: what players say to each other at a match, to all or aside. It lies beside the log, and the rules know nothing of it.

The existence of a whisper is a secret of two. Nothing that others can see may therefore count messages: the number of a message
stays in this module, and a cursor holds the id of a message, which is random and known only to those who have read it.
"""

import asyncio
import math
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import Meta
from sqlalchemy import ColumnElement, Row, Select, delete, or_, select, text, update
from sqlalchemy.ext.asyncio import AsyncEngine

from domain.games import GAMES
from domain.match.game import Seat, Viewer
from domain.match.play import NotNow
from domain.match.state import AnyMatch
from service import chance
from service.accounts.players import Player
from service.held import stream_of
from service.live.watch import Watch
from service.matches import PAGE_MAX, RACE_SECONDS, Busy, Matches
from service.moments import Timestamp, whole_seconds
from service.projector import require_known
from service.store import KeyReused
from service.store.account_tables import player_mutes
from service.store.tables import match_messages
from service.talk.pledges import MadePledge, Pledge, PledgeOffer, PledgeTally, Showings, ShownFaces, Verdicts, made, offers
from service.talk.sayable import Words, unsayable
from service.together import Asked

MESSAGES_MAX, MESSAGES_WITHIN = 10, timedelta(seconds=10)
"""So many messages may a player send to one match within so long..."""

MESSAGES_IN_ALL = 2_000
"""...and so many in all."""

TALK_AFTER_END = timedelta(days=1)
"""For so long those who sat may go on talking when their match has ended."""


class TooFast(Exception):
    """The player has sent `MESSAGES_MAX` messages just now, and may send the next one in so many seconds."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"the next message may come in {seconds} s")
        self.seconds = seconds


class Message(msgspec.Struct, frozen=True):
    """What a player said at a match. Show the text as the plain text that it is, never as markup."""

    message_id: Annotated[str, Meta(description="The message's id.")]
    at: Annotated[Timestamp, Meta(description="When it was said.")]
    player_id: Annotated[str, Meta(description="The player who said it.")]
    seat: Annotated[Seat, Meta(description="Where they sat then; before the start somebody else may have sat down there since.")]
    to_seat: Annotated[Seat | None, Meta(description="The seat it was whispered to; null when it was said to all.")]
    kind: Annotated[
        Literal["text", "pledge"], Meta(description="`text`: what somebody said; `pledge`: which face they said they would show.")
    ]
    text: Annotated[str | None, Meta(description="What was said; null for a pledge.")]
    pledge: Annotated[MadePledge | None, Meta(description="What was pledged; null for a text.")]


class Talk:
    """The messages of all matches. `watch` tells those who wait at a match that somebody said something there."""

    def __init__(self, engine: AsyncEngine, matches: Matches, watch: Watch) -> None:
        self._engine, self._matches, self._showings = engine, matches, Showings(matches)
        self._said = Asked(self._ask_said)
        self.watch = watch

    async def say(self, match_id: str, player: Player, call: UUID, words: Words) -> Message:
        """Say this at a match; the same call says it once.

        Raises `UnknownMatch`, `NotAllowed`, `NotNow` and `Unfit` as commands do, `TooFast`, `KeyReused` when the call said something
        else before, and `Busy` when the match moves on too fast to say anything about it.
        """
        gives_up = time.monotonic() + RACE_SECONDS
        while True:
            match = await self._matches.get(match_id)
            require_known(match, player)
            try:
                return await self._say(match, player.player_id, call, words)
            except _MovedOn:
                if time.monotonic() > gives_up:
                    raise Busy from None

    async def _say(self, match: AnyMatch, player_id: str, call: UUID, words: Words) -> Message:
        refusal = unsayable(match, player_id, words)
        # What may not be said is not sent, since it need not even fit into the columns.
        said = _saying(match, player_id, call, words if refusal is None else None)
        async with self._engine.begin() as connection:
            row = (await connection.execute(SAY, said)).one()
        if row.status == "refused" and refusal is not None:
            raise refusal
        if row.status not in ("said", "known"):
            raise _NOT_SAID[row.status](row)
        if _words(row) != words:
            raise KeyReused
        self.watch.moved(stream_of(match.match_id), row.number)
        return _message(row, await self._showings.upto(match))

    async def place(self, match_id: str, message_id: str | None) -> int | None:
        """Where a message stands in the talk at a match, for `heard`: 0 for None, which is the beginning; None if there is no such one.

        Whoever names a message has read it, so it does not matter whether they still can.
        """
        if message_id is None:
            return 0
        if not chance.is_id("msg", message_id):
            return None
        message = match_messages.c
        known = select(message.number).where(message.stream_id == stream_of(match_id), message.message_id == message_id)
        async with self._engine.connect() as connection:
            number: int | None = await connection.scalar(known)
        return number

    async def heard(self, match: AnyMatch, viewer: Viewer, reader: Player | None, place: int, limit: int) -> tuple[Message, ...]:
        """Up to `limit` messages that this viewer of `match` can read and the reader has not muted, oldest first, after this place."""
        statement = _heard(match, viewer, reader).where(match_messages.c.number > place).limit(min(limit, PAGE_MAX))
        shown = await self._showings.upto(match)
        async with self._engine.connect() as connection:
            return tuple(_message(row, shown) for row in await connection.execute(statement))

    async def said(self, match: AnyMatch, viewer: Viewer, reader: Player | None, place: int) -> bool:
        """Whether there is anything after this place that this viewer of `match` can read, be it of somebody whom the reader has muted.

        All who wait for the same ask once, together: a whisper wakes everybody, and is news for two.
        """
        return await self._said((stream_of(match.match_id), match.version, _seated(viewer, reader), place))

    async def _ask_said(self, asked: tuple[UUID, int, str | None, int]) -> bool:
        stream, version, seated, place = asked
        there = select(match_messages.c.number).where(*_audible(stream, version, seated), match_messages.c.number > place).limit(1)
        async with self._engine.connect() as connection:
            return (await connection.execute(there)).one_or_none() is not None

    async def settled(self, match: AnyMatch, viewer: Viewer, reader: Player | None, place: int, since: int) -> tuple[Message, ...]:
        """Those pledges up to this place that `heard` tells, and whose face has been shown after version `since` of the match."""
        shown, before = await self._showings.upto(match), await self._showings.upto(match, since)
        if shown == before:
            return ()
        message, verdicts = match_messages.c, Verdicts(shown)
        pledged = _heard(match, viewer, reader).select_from(verdicts.joined).where(message.number <= place, message.face.is_not(None))
        async with self._engine.connect() as connection:
            rows = (await connection.execute(pledged.where(verdicts.settled_at > since))).all()
        settled = list[Message]()
        for row in rows:
            settled.append(_message(row, shown))
            if len(settled) % PAGE_MAX == 0:  # As many as eight players can pledge: others have their turn meanwhile.
                await asyncio.sleep(0)
        return tuple(settled)

    async def offered(self, match: AnyMatch, viewer: Viewer, version: int) -> tuple[PledgeOffer, ...]:
        """What this viewer's seat could pledge when the match was at this version."""
        return offers(await self._matches.at(match, version), viewer) if GAMES[match.agreed.game].pledges is not None else ()

    async def tally(self, match: AnyMatch) -> tuple[PledgeTally, ...]:
        """How each seat has kept its pledges up to the version of `match`, but for whispered ones; nothing in a game without pledges."""
        if GAMES[match.agreed.game].pledges is None:
            return ()
        message, verdicts = match_messages.c, Verdicts(await self._showings.upto(match))
        pledged = select(message.seat, *verdicts.tallies).select_from(verdicts.joined).where(message.face.is_not(None))
        async with self._engine.connect() as connection:
            rows = await connection.execute(pledged.where(*_audible(stream_of(match.match_id), match.version, None)).group_by(message.seat))
            tallied = {row.seat: PledgeTally(row.seat, row.made, row.kept, row.broken) for row in rows}
        return tuple(tallied.get(seat) or PledgeTally(seat, 0, 0, 0) for seat in range(len(match.chairs)))

    async def forget(self, player_id: str) -> None:
        """Delete what this player ever wrote, and their mutes. Pledges stay, as the dice that they were about do."""
        muting = or_(player_mutes.c.player_id == player_id, player_mutes.c.muted_id == player_id)
        async with self._engine.begin() as connection:
            await connection.execute(update(match_messages).where(match_messages.c.player_id == player_id).values(text=None))
            await connection.execute(delete(player_mutes).where(muting))


class _MovedOn(Exception):
    """The match has moved on since it was read."""


SAY = text("""
SELECT s.status, s.wait, (s.message).* FROM public.say_v2(CAST(:stream AS uuid), CAST(:version AS bigint), CAST(:sayable AS boolean),
    CAST(:message_id AS text), CAST(:command AS uuid), CAST(:player_id AS text), CAST(:seat AS smallint), CAST(:to_player_id AS text),
    CAST(:to_seat AS smallint), CAST(:text AS text), CAST(:phase AS text), CAST(:face AS smallint), CAST(:most AS integer),
    CAST(:within AS interval), CAST(:in_all AS integer), CAST(:after_end AS interval)) AS s
""")

_NOT_SAID: Mapping[str, Callable[[Row[Any]], Exception]] = {
    "moved_on": lambda _: _MovedOn(),
    "too_late": lambda _: NotNow("talk_over"),
    "too_much": lambda _: NotNow("too_many_messages"),
    "too_fast": lambda row: TooFast(math.ceil(row.wait.total_seconds())),
}


def _saying(match: AnyMatch, player_id: str, call: UUID, sayable: Words | None) -> dict[str, Any]:
    words = sayable or Words()
    return {
        "stream": stream_of(match.match_id),
        "version": match.version,
        "sayable": sayable is not None,
        "message_id": chance.new_id("msg"),
        "command": call,
        "player_id": player_id,
        "seat": match.seat_of(player_id),
        "to_player_id": None if words.to_seat is None else match.chairs[words.to_seat].player_id,
        "to_seat": words.to_seat,
        "text": words.text,
        "phase": None if words.pledge is None else words.pledge.phase,
        "face": None if words.pledge is None else words.pledge.face,
        "most": MESSAGES_MAX,
        "within": MESSAGES_WITHIN,
        "in_all": MESSAGES_IN_ALL,
        "after_end": TALK_AFTER_END,
    }


def _heard(match: AnyMatch, viewer: Viewer, reader: Player | None) -> Select[Any]:
    """The messages that this viewer of `match` can read and the reader has not muted, oldest first."""
    message = match_messages.c
    audible = _audible(stream_of(match.match_id), match.version, _seated(viewer, reader))
    statement = select(match_messages).where(*audible).order_by(message.number)
    if reader is None:
        return statement
    return statement.where(message.player_id.not_in(select(player_mutes.c.muted_id).where(player_mutes.c.player_id == reader.player_id)))


def _seated(viewer: Viewer, reader: Player | None) -> str | None:
    """The player who reads, where they sit at the match."""
    return None if viewer is None or reader is None else reader.player_id


def _audible(stream: UUID, version: int, seated: str | None) -> Iterator[ColumnElement[bool]]:
    """Which messages can be read at this version of the match by a player who sits there, or by everybody (None).

    Versions ascend with numbers, so this cuts off the end of the talk and leaves no hole in it.
    """
    message = match_messages.c
    yield message.stream_id == stream
    yield message.version <= version
    yield message.text.is_not(None) | message.face.is_not(None)
    if seated is None:
        yield message.to_seat.is_(None)
    else:
        yield message.to_seat.is_(None) | (message.player_id == seated) | (message.to_player_id == seated)


def _words(row: Row[Any]) -> Words:
    return Words(row.text, None if row.face is None else Pledge(row.phase, row.face), row.to_seat)


def _message(row: Row[Any], shown: ShownFaces) -> Message:
    pledge = _words(row).pledge
    return Message(
        message_id=row.message_id,
        at=whole_seconds(row.at),
        player_id=row.player_id,
        seat=row.seat,
        to_seat=row.to_seat,
        kind="text" if pledge is None else "pledge",
        text=row.text,
        pledge=None if pledge is None else made(pledge, row.seat, row.version, shown),
    )
