"""The answers that show a match to whoever asks, each with the ETag of what is shown."""

from datetime import UTC, datetime
from typing import NamedTuple

import msgspec
from litestar import Response
from msgspec.structs import replace

from domain.match.game import Viewer
from domain.match.state import AnyMatch
from domain.match.table import NotAllowed
from service.accounts.players import Player, Players
from service.held import stream_of
from service.http.conditions import VIEW_HEADERS, etag, tagged
from service.invites import Invites
from service.matches import Matches
from service.projector import MatchView, require_known, shown_version, view, viewer_of


class Sight(NamedTuple):
    """A match as it stands, through whose eyes it is seen, and up to which version they may see it."""

    match: AnyMatch
    viewer: Viewer
    version: int


_NO_TIME = datetime.fromtimestamp(0, UTC)


class Views:
    """Shows matches: to a caller, through their own eyes, with the names and links that stand beside the log."""

    def __init__(self, matches: Matches, players: Players, invites: Invites) -> None:
        self._matches, self._players, self._invites = matches, players, invites

    async def sight(self, match_id: str, caller: Player | None) -> Sight:
        """How far this caller may see the match.

        Raises `UnknownMatch` when they may not know of it, and `NotAllowed` when it admits no spectators.
        """
        return _sight(await self._matches.get(match_id), caller)

    async def news(self, match_id: str, caller: Player | None) -> Sight:
        """The same for somebody who follows the match and has been woken."""
        return _sight(await self._matches.news(match_id), caller)

    async def seen(self, match_id: str, caller: Player | None) -> tuple[AnyMatch, Viewer]:
        """The match as far as this caller may see it, and through whose eyes. Raises what `sight` does."""
        sight = await self.sight(match_id, caller)
        return await self._matches.at(sight.match, sight.version), sight.viewer

    async def known(self, match_id: str, player: Player) -> AnyMatch:
        """The match as it stands, for what this player does to it. Raises `UnknownMatch` when they may not know of it."""
        match = await self._matches.get(match_id)
        require_known(match, player)
        return match

    async def shown(self, match: AnyMatch, caller: Player | None, now: AnyMatch | None = None) -> MatchView:
        """The match as this caller sees it; `now` is how it stands where `match` is older, since all look back with today's eyes."""
        return await self._shown(match, viewer_of(now or match, caller), caller, _may_invite(now or match, caller))

    async def told(self, match: AnyMatch, now: AnyMatch, player: Player) -> MatchView:
        """`match` right after something that this player did, as far as they may see it `now`.

        Who may know of the match and not see its play, such as a host who does not sit, is told of it without the table. Raises
        `UnknownMatch` when it is private and not theirs any more.
        """
        require_known(now, player)
        try:
            viewer = viewer_of(now, player)
        except NotAllowed:
            return await self._shown(replace(match, table=None, owed=()), None, player, _may_invite(now, player))
        seen = shown_version(now.agreed.spectators, now.status, now.began, now.version, viewer)
        return await self.shown(await self._matches.at(match, min(match.version, seen)), player, now)

    async def _shown(self, match: AnyMatch, viewer: Viewer, caller: Player | None, may_invite: bool) -> MatchView:
        successor = await self._successor(match, caller) if match.status == "ended" else None
        invite = await self._invites.code(stream_of(match.match_id)) if may_invite else None
        names = await self._players.names(match.seated + match.invited)
        return view(match, viewer, names, datetime.now(UTC), rematch=successor, invite=invite)

    async def _successor(self, match: AnyMatch, caller: Player | None) -> str | None:
        """The match that follows this one, once there is one that the caller may know of: not a private one from which its host has removed
        them.
        """
        successor = await self._matches.successor(match)
        if successor is None or caller is None or match.agreed.visibility == "public":
            return successor
        return None if caller.player_id in (await self._matches.get(successor)).removed else successor

    async def public(self, match: AnyMatch) -> MatchView:
        """What is public of any match, for who runs the service."""
        return await self._shown(match, None, None, may_invite=False)

    async def answered(
        self, match: AnyMatch, caller: Player | None, if_none_match: str | None = None, now: AnyMatch | None = None
    ) -> Response[MatchView]:
        """The match as this caller sees it, or 304 where they have it already."""
        return tagged_view(await self.shown(match, caller, now), if_none_match)


def tagged_view(seen: MatchView, if_none_match: str | None = None) -> Response[MatchView]:
    """The answer that shows this, or 304 where the client has it already. The clock that runs is no part of the ETag."""
    tag = etag(msgspec.json.encode(replace(seen, server_time=_NO_TIME)), seen.version)
    return tagged(msgspec.json.encode(seen), tag, if_none_match, VIEW_HEADERS)


def _sight(match: AnyMatch, caller: Player | None) -> Sight:
    viewer = viewer_of(match, caller)
    return Sight(match, viewer, shown_version(match.agreed.spectators, match.status, match.began, match.version, viewer))


def _may_invite(match: AnyMatch, caller: Player | None) -> bool:
    is_host = caller is not None and caller.player_id == match.host
    return is_host and match.agreed.visibility == "private" and match.status == "open"
