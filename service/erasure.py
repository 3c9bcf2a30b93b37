"""Erasing a player: they leave every match, their name, tokens and words go, and what they have played stays as it was."""

import asyncio
from uuid import UUID

import structlog

from domain.match import lobby, table
from domain.match.game import AnyGame
from domain.match.play import Entry, NotNow
from domain.match.state import AnyMatch
from domain.match.table import NotAllowed, World
from service.accounts.lately import FRESH_SECONDS
from service.accounts.players import Players
from service.bells import rings
from service.calls import house_call
from service.held import match_id_of
from service.matches import Busy, Matches
from service.readmodels.lobby import Lobby
from service.store.away import is_away
from service.talk.messages import Talk

BATCH = 25
"""So many matches are left at the same time."""

ONCE_MORE_SECONDS = FRESH_SECONDS + 1
"""By then no process knows the player any more, and whatever they were let in to do has been done."""

ONCE_MORE_TRIES = 30

log = structlog.get_logger()


class Erasure:
    """Erases players. It can be tried again until it is done: the account goes last, and nothing is lost before."""

    def __init__(self, players: Players, matches: Matches, lobby: Lobby, talk: Talk) -> None:
        self._players, self._matches, self._lobby, self._talk = players, matches, lobby, talk
        self._unsure: set[asyncio.Task[None]] = set()
        self._closing = asyncio.Event()

    async def erase(self, player_id: str) -> None:
        """Erase this player. Raises `Busy`, or what `is_away` knows, when not everything could be done yet."""
        await self._withdraw(player_id)
        await self._players.erase(player_id)
        # First of all, since nobody can ask for it again.
        once_more = asyncio.create_task(self._once_more(player_id))
        self._unsure.add(once_more)
        once_more.add_done_callback(self._unsure.discard)
        # Whatever the player sat down at or said in the meantime; from now on nobody is let in here as them.
        await self._withdraw(player_id)

    async def close(self) -> None:
        """Do now what was to be done once more."""
        self._closing.set()
        await asyncio.gather(*self._unsure)

    async def _once_more(self, player_id: str) -> None:
        """Other processes let the player in for a moment longer."""
        for _ in range(ONCE_MORE_TRIES):
            await rings(self._closing, ONCE_MORE_SECONDS)
            try:
                await self._withdraw(player_id)
                return
            except Exception as error:
                if not isinstance(error, Busy) and not is_away(error):
                    raise
                trouble = repr(error)
        log.error("erased_player_may_sit", player_id=player_id, reason=trouble)

    async def _withdraw(self, player_id: str) -> None:
        await self._leave_all(player_id)
        await self._talk.forget(player_id)

    async def _leave_all(self, player_id: str) -> None:
        last = UUID(int=0)
        while found := await self._lobby.concerning(player_id, last, BATCH):
            # All of them, before anybody hears of one that could not be left. What is done together is written together.
            left_all = await asyncio.gather(*(self._leave(player_id, match_id_of(stream)) for stream in found), return_exceptions=True)
            if reason := next((each for each in left_all if each is not None), None):
                raise reason
            last = found[-1]

    async def _leave(self, player_id: str, match_id: str) -> None:
        def decide(game: AnyGame, match: AnyMatch, world: World) -> tuple[Entry, ...]:
            return left(game, match, player_id)

        try:
            await self._matches.change(match_id, house_call(player_id), decide)
        except (NotNow, NotAllowed):  # It is over, or they have gone already.
            return


def left(game: AnyGame, match: AnyMatch, player_id: str) -> tuple[Entry, ...]:
    """What it takes for this player to be gone from a match: their seat, or the one kept for them, is freed before the start, and
    resigned in play.

    A match that they host without sitting at it is closed before the start, for nobody is there to start it.
    """
    if match.status == "playing":
        return table.resign(game, match, player_id)
    if match.status == "open" and match.host == player_id and match.seat_of(player_id) is None:
        return lobby.close_match(match, player_id)
    return lobby.leave_seat(match, player_id)
