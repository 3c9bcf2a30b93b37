"""Where players stand in each game: what a result changes, and the list that everybody may see."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace
from openskill.models import PlackettLuce
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

SKILL = PlackettLuce()
"""How results change what is believed of the skill of players: Weng and Lin, 2011, by Plackett and Luce."""

NEW, SCALE = 1500, 24
"""The rating of somebody of whom nothing is known, and how many points stand for one of skill: much as in chess."""

LEAST = -(2**31)
"""Stands for no rating and for no best in the order of the list."""


class Finish(NamedTuple):
    """How one seat finished; no player where a bot sat."""

    player_id: str | None
    rank: int
    score: int


class Standing(msgspec.Struct, frozen=True):
    """The row of a player in a game."""

    generation: int
    game: str
    player_id: str
    matches: int = 0
    contested: int = 0
    wins: int = 0
    draws: int = 0
    rank_sum: int = 0
    best: int | None = None
    rated: int = 0
    mu: float = SKILL.mu
    sigma: float = SKILL.sigma
    rating: int | None = None


def counted(
    game: str, finishes: Sequence[Finish], standings: Mapping[tuple[str, str], Standing], best: int | None = None
) -> Iterator[Standing]:
    """Where the players of a match stand after it; `standings` by game and player is where they stood before.

    Bots are no players. Who plays alone has no one to beat: that counts no win, draw or rank, but keeps the `best` of it.
    """
    played = {
        finish.player_id: _played(standings.get((game, finish.player_id)) or Standing(0, game, finish.player_id), finish, finishes, best)
        for finish in finishes
        if finish.player_id is not None
    }
    return iter(_rated(played, finishes) if len(played) > 1 else played.values())


def _played(before: Standing, finish: Finish, finishes: Sequence[Finish], best: int | None) -> Standing:
    if len(finishes) == 1:
        known = [each for each in (before.best, best) if each is not None]
        return replace(before, matches=before.matches + 1, best=max(known, default=None))
    firsts = sum(other.rank == 1 for other in finishes)
    return replace(
        before,
        matches=before.matches + 1,
        contested=before.contested + 1,
        wins=before.wins + (finish.rank == 1 and firsts == 1),
        draws=before.draws + (finish.rank == 1 and firsts > 1),
        rank_sum=before.rank_sum + finish.rank,
    )


def _rated(played: Mapping[str, Standing], finishes: Sequence[Finish]) -> Iterator[Standing]:
    """Only players against players move a rating; the bots between them are left out."""
    ranks = {finish.player_id: finish.rank for finish in finishes}
    teams = [[SKILL.rating(standing.mu, standing.sigma)] for standing in played.values()]
    for standing, [skill] in zip(played.values(), SKILL.rate(teams, ranks=[ranks[player] for player in played]), strict=True):
        rating = round(skill.ordinal(alpha=SCALE, target=NEW))
        yield replace(standing, rated=standing.rated + 1, mu=skill.mu, sigma=skill.sigma, rating=rating)


_LIST = text(f"""
SELECT s.player_id, coalesce(p.display_name, '') AS display_name, s.matches, s.wins, s.draws,
    round(s.rank_sum::numeric / nullif(s.contested, 0), 2)::float8 AS mean_rank, s.best, s.rating
FROM public.standings s LEFT JOIN public.players p ON p.player_id = s.player_id
WHERE s.game = :game AND s.generation = (SELECT generation FROM es.checkpoints WHERE name = 'results' AND state = 'live')
  AND (coalesce(s.rating, '{LEAST}'::integer), coalesce(s.best, '{LEAST}'::integer), s.player_id) < (:rating, :best, :player_id)
ORDER BY coalesce(s.rating, '{LEAST}'::integer) DESC, coalesce(s.best, '{LEAST}'::integer) DESC, s.player_id DESC
LIMIT :limit
""")


class Place(NamedTuple):
    """A place in the list: everything after it comes next. The first page comes after the place `TOP`."""

    rating: int
    best: int
    player_id: str


TOP = Place(2**31 - 1, 2**31 - 1, "~")


class Listed(msgspec.Struct, frozen=True):
    """A player in the list. Somebody who has been erased has an empty name."""

    player_id: str
    display_name: str
    matches: int
    wins: int
    draws: int
    mean_rank: float | None
    best: int | None
    rating: int | None

    @property
    def place(self) -> Place:
        """Where in the list this is."""
        return Place(LEAST if self.rating is None else self.rating, LEAST if self.best is None else self.best, self.player_id)


class Standings:
    """The standings as they are shown."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")

    async def page(self, game: str, after: Place, limit: int) -> list[Listed]:
        """Up to `limit` players of a game, the best first, from `after` on."""
        async with self._engine.connect() as connection:
            rows = await connection.execute(_LIST, {"game": game, **after._asdict(), "limit": limit})
            return [Listed(*row) for row in rows]
