"""The answers that show a match to whoever asks, each with the ETag of what is shown."""

from datetime import UTC, datetime

import msgspec
from litestar import Response
from msgspec.structs import replace

from domain.match.state import AnyMatch
from service.http.conditions import VIEW_HEADERS, etag, tagged
from service.players import Player, Players
from service.projector import MatchView, view, viewer_of

_NO_TIME = datetime.fromtimestamp(0, UTC)


async def shown(match: AnyMatch, caller: Player | None, players: Players) -> MatchView:
    """The match as this caller sees it now. Raises `NotAllowed` when it admits no spectators."""
    viewer = viewer_of(match, caller)
    return view(match, viewer, await players.names(match.seated), datetime.now(UTC))


async def answered(match: AnyMatch, caller: Player | None, players: Players, if_none_match: str | None = None) -> Response[MatchView]:
    """The match as this caller sees it, or 304 where they have it already. The clock that runs is no part of the ETag."""
    seen = await shown(match, caller, players)
    tag = etag(msgspec.json.encode(replace(seen, server_time=_NO_TIME)), seen.version)
    return tagged(msgspec.json.encode(seen), tag, if_none_match, VIEW_HEADERS)
