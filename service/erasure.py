"""Erasing a player: they leave every match, their name, tokens and words go, and what they have played stays as it was."""

import asyncio
from uuid import UUID

import structlog

from domain.match import lobby, table
from domain.match.game import AnyGame
from domain.match.play import Entry, NotNow
from domain.match.state import AnyMatch
from domain.match.table import NotAllowed, World
from service.accounts.departures import Departure, Departures
from service.accounts.players import Players
from service.bells import rings
from service.calls import house_call
from service.held import match_id_of
from service.matches import Busy, Matches
from service.ongoing import Ongoing
from service.readmodels.lobby import Lobby
from service.store.away import is_away
from service.talk.messages import Talk

BATCH = 25
"""So many matches are left at the same time."""

LOOK_SECONDS = 1.0
"""How often those are looked for who have been erased a moment ago."""

SERIOUS_LOOKS = 5
"""After so many that failed, which is a minute, somebody should know."""

log = structlog.get_logger()


class Erasure(Ongoing):
    """Erases players. It can be tried again until it is done: the account goes last, and nothing is lost before.

    `async with erasure:` sees to those who were erased, here or by another process, for as long as it is open.
    """

    def __init__(self, players: Players, departures: Departures, matches: Matches, lobby: Lobby, talk: Talk) -> None:
        super().__init__()
        self._players, self._departures, self._matches, self._lobby, self._talk = players, departures, matches, lobby, talk

    async def erase(self, player_id: str) -> None:
        """Erase this player. Raises `Busy`, or what `is_away` knows, when not everything could be done yet."""
        await self._withdraw(player_id)
        await self._players.erase(player_id)
        # Whatever the player sat down at or said in the meantime; from now on nobody is let in here as them.
        await self._withdraw(player_id)

    async def _run(self) -> None:
        """Other processes let a player in for a moment after they were erased, so what they did there is undone too."""
        while not await rings(self._stopping, LOOK_SECONDS):
            try:
                for departure in await self._departures.due():
                    await self._once_more(departure)
            except Exception as error:  # Whatever it was, the others need the next look.
                if is_away(error):
                    log.warning("departures_store_away", reason=str(error))
                else:
                    log.exception("departures_look_failed")

    async def _once_more(self, departure: Departure) -> None:
        try:
            await self._withdraw(departure.player_id)
        except Exception as error:  # It is due again later.
            serious = departure.looks >= SERIOUS_LOOKS or not (isinstance(error, Busy) or is_away(error))
            say = log.error if serious else log.warning
            say("erased_player_may_sit", player_id=departure.player_id, looks=departure.looks, reason=repr(error))
        else:
            if departure.is_last:
                await self._departures.over(departure.player_id)

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
