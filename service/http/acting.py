"""A player's call that changes a match: who calls, whether it came before, on which version they insist, and what they may know."""

from litestar import Response
from litestar.di import NamedDependency

from domain.match.game import AnyGame
from domain.match.state import AnyMatch
from domain.match.table import NotAllowed
from service.accounts.players import Player
from service.calls import Call
from service.held import UnknownMatch
from service.http.conditions import IfMatch, expected_version
from service.http.idempotency import IdempotencyKey, command_id, fingerprint
from service.http.views import Views, tagged_view
from service.matches import Changed, Decide, Matches, Open, Stale
from service.projector import MatchView, require_known, shown_version, viewer_of


class Acting:
    """One call of one player. Every route that changes a match goes through it."""

    def __init__(self, matches: Matches, views: Views, player: Player, key: str | None, if_match: str | None) -> None:
        self._matches, self._views, self._player, self._key, self._if_match = matches, views, player, key, if_match

    @property
    def player_id(self) -> str:
        """Who calls."""
        return self._player.player_id

    async def open(self, operation: str, game: AnyGame, decide: Open, *asked: object) -> Changed:
        """Open a match as the domain decides; `asked` is everything that the call asks for."""
        return await self._matches.open(self.call(operation, *asked), game, decide)

    async def opened(self, operation: str, *asked: object) -> Changed | None:
        """The match that this very call opened when it came before, if it did."""
        call = self.call(operation, *asked)
        return await self._matches.before(call, call.id)

    async def change(
        self, operation: str, match_id: str, decide: Decide, *asked: object, invited: bool = False, conditional: bool = True
    ) -> Changed:
        """Change a match as the domain decides. One that this player may not know of is unknown, whatever they ask.

        `invited` is who may sit down all the same. Without `conditional` an `If-Match` is of another match than this one.
        """

        def may_know(match: AnyMatch) -> None:
            if not invited:
                require_known(match, self._player)
            if call.expected is not None:
                self._require_in_sight(match)

        call = self.call(operation, match_id, *asked, conditional=conditional)
        return await self._matches.change(match_id, call, decide, may_know)

    def require_version(self, match: AnyMatch) -> None:
        """Raises `Stale` unless this match is at the version that the player insists on, if they do."""
        expected = expected_version(self._if_match)
        if expected is not None:
            self._require_in_sight(match)
            if expected != match.version:
                raise Stale(match.version)

    def _require_in_sight(self, match: AnyMatch) -> None:
        """A condition never holds for who does not see the present version: it would tell them of it."""
        try:
            viewer = viewer_of(match, self._player)
        except NotAllowed:
            seen = 0
        except UnknownMatch:  # They hold its invitation code, which tells them how it stands until it begins.
            seen = match.version if match.status == "open" else 0
        else:
            seen = shown_version(match.agreed.spectators, match.status, match.began, match.version, viewer)
        if seen != match.version:
            raise Stale(None)

    async def shown(self, changed: Changed) -> MatchView:
        """The match right after the change, as this player sees it now: a call that comes again may come from who has left."""
        now = await self._matches.get(changed.match.match_id) if changed.repeated else changed.match
        return await self._views.told(changed.match, now, self._player)

    async def answered(self, changed: Changed) -> Response[MatchView]:
        """The answer that shows the match right after the change."""
        return tagged_view(await self.shown(changed))

    def call(self, operation: str, *asked: object, conditional: bool = True) -> Call:
        """This call, which asks for all of `asked`."""
        return Call(
            id=command_id(self.player_id, operation, self._key),
            fingerprint=fingerprint(operation, *asked),
            keyed=self._key is not None,
            actor=self.player_id,
            expected=expected_version(self._if_match) if conditional else None,
        )


async def acting(
    matches: NamedDependency[Matches],
    views: NamedDependency[Views],
    player: NamedDependency[Player],
    idempotency_key: IdempotencyKey = None,
    if_match: IfMatch = None,
) -> Acting:
    """The dependency `acting`: a call about a match that is there."""
    return Acting(matches, views, player, idempotency_key, if_match)


async def opening(
    matches: NamedDependency[Matches],
    views: NamedDependency[Views],
    player: NamedDependency[Player],
    idempotency_key: IdempotencyKey = None,
) -> Acting:
    """The dependency `opening`: a call for a new match, of which there is no version to insist on."""
    return Acting(matches, views, player, idempotency_key, None)
