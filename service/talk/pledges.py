"""Pledges: faces that players say they will show, held against those they show. What can be pledged, the game's record says."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Annotated, TypeAlias

import msgspec
from cachetools import LRUCache
from msgspec import Meta
from sqlalchemy import ARRAY, BigInteger, ColumnElement, SmallInteger, Text, cast, column, func
from sqlalchemy.dialects.postgresql import JSONB

from domain.games import GAMES
from domain.match.game import Seat, Showing, Viewer
from domain.match.state import AnyMatch
from service.matches import PAGE_MAX, Matches
from service.store.tables import match_messages

Phase: TypeAlias = Annotated[str, Meta(max_length=64, description="The phase of the game in which the face is set, such as `set1`.")]

REMEMBERED = 1_000
"""Matches of which a process remembers what has been shown."""

ShownFaces: TypeAlias = Mapping[tuple[int, str], list[tuple[int, int]]]
"""What has been shown in a match: by seat and phase, the version at which it happened and the face, oldest first."""


class Pledge(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A face that you say you will show. Nobody is held to it, but everybody sees whether you did."""

    phase: Phase
    face: Annotated[int, Meta(description="One of the faces that `may_pledge` offers for it.")]


class MadePledge(msgspec.Struct, frozen=True):
    """A face that a player said they would show."""

    phase: Phase
    face: Annotated[int, Meta(description="The face they named.")]
    kept: Annotated[bool | None, Meta(description="Whether they showed it; null until they have shown one, and if they never do.")]
    version: Annotated[int, Meta(description="The version of the match at which they said so: it is about the first face they show after.")]
    shown_version: Annotated[
        int | None, Meta(description="The version of the event by which they showed a face; null until then, and if they never do.")
    ]


class PledgeOffer(msgspec.Struct, frozen=True):
    """What your seat can pledge now."""

    phase: Phase
    faces: Annotated[tuple[int, ...], Meta(description="The faces you can name.")]


class PledgeTally(msgspec.Struct, frozen=True):
    """How a seat has kept its word. Only pledges that it made for all to read are counted."""

    seat: Seat
    made: Annotated[int, Meta(description="How many pledges it made.")]
    kept: Annotated[int, Meta(description="How many of them it kept...")]
    broken: Annotated[int, Meta(description="...and how many it broke. The others have not been shown.")]


class Showings:
    """What the seats of each match have shown, read off its log once."""

    def __init__(self, matches: Matches) -> None:
        self._matches = matches
        self._read: LRUCache[str, tuple[int, tuple[tuple[int, Showing], ...]]] = LRUCache(REMEMBERED)

    async def upto(self, match: AnyMatch, version: int | None = None) -> ShownFaces:
        """What has been shown up to the version of `match`, or to an earlier one; nothing in a game without pledges."""
        game = GAMES[match.agreed.game]
        if game.pledges is None:
            return {}
        read, found = self._read.get(match.match_id, (0, ()))
        while read < match.version:
            for record in await self._matches.records(match, read, PAGE_MAX):
                read, event = record.version, record.entry.event
                showing = game.pledges.shown(event) if isinstance(event, game.event) else None
                found += () if showing is None else ((read, showing),)
        self._read[match.match_id] = read, found
        shown = defaultdict(list)
        for at, showing in found:
            if at <= (match.version if version is None else version):
                shown[showing.seat, showing.phase].append((at, showing.face))
        return shown


def made(pledge: Pledge, seat: int, version: int, shown: ShownFaces) -> MadePledge:
    """What the seat pledged at this version of the match, and whether it kept it: by the next face that it showed of that phase."""
    at, face = next((each for each in shown.get((seat, pledge.phase), ()) if each[0] > version), (None, None))
    return MadePledge(pledge.phase, pledge.face, None if face is None else face == pledge.face, version, at)


class Verdicts:
    """The pledges of a match held against what was shown, in the database: there may be more of them than one can read for each question.

    A pledge goes with the showings of its seat and phase; `joined` says how, and the others only hold for what is joined so.
    """

    def __init__(self, shown: ShownFaces) -> None:
        rows = [
            {"seat": seat, "phase": phase, "versions": [at for at, _ in faces], "faces": [face for _, face in faces]}
            for (seat, phase), faces in shown.items()
        ]
        columns = (
            *(column("seat", SmallInteger), column("phase", Text)),
            *(column("versions", ARRAY(BigInteger)), column("faces", ARRAY(SmallInteger))),
        )
        sent = cast(cast(msgspec.json.encode(rows).decode(), Text), JSONB)
        shown_by = func.jsonb_to_recordset(sent).table_valued(*columns, name="shown").render_derived(with_types=True)
        message = match_messages.c
        self.joined = match_messages.outerjoin(shown_by, (shown_by.c.seat == message.seat) & (shown_by.c.phase == message.phase))
        # The versions ascend, so this is the place of the first one after that of the pledge; where there is none, so is neither a face.
        place = func.width_bucket(message.version, shown_by.c.versions) + 1
        face = shown_by.c.faces[place]
        self.settled_at: ColumnElement[int] = shown_by.c.versions[place]
        """The version at which the face of a pledge was shown; null for one that is open."""
        self.tallies = (func.count().label("made"), _counted(message.face == face, "kept"), _counted(message.face != face, "broken"))


def _counted(which: ColumnElement[bool], name: str) -> ColumnElement[int]:
    return func.count().filter(which).label(name)


def offers(match: AnyMatch, viewer: Viewer) -> tuple[PledgeOffer, ...]:
    """What this viewer's seat can pledge now; nothing while a bot stands in for its player."""
    pledges = GAMES[match.agreed.game].pledges
    if pledges is None or viewer is None or match.status != "playing" or not match.chairs[viewer].manned:
        return ()
    return tuple(PledgeOffer(phase, tuple(faces)) for phase, faces in pledges.open(match.table, viewer).items())
