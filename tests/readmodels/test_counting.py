"""What a match makes of those who played it."""

from collections.abc import Sequence

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from service.readmodels.standings import TOP, Listed, Standings
from tests.matches.conftest import Process
from tests.readmodels.played import BOT, caught_up, played
from tests.readmodels.recount import recounted, shown
from tests.store.appends import Session

Match = tuple[Sequence[str | None], Sequence[int]]


async def standing(engine: AsyncEngine, player: str, game: str = "pico") -> Listed:
    [found] = [row for row in await Standings(engine).page(game, TOP, 100) if row.player_id == player]
    return found


async def test_first_alone_is_a_win_and_first_with_another_a_draw(process: Process, engine: AsyncEngine) -> None:
    await played(process, ["ann", "bob"], [1, 2])
    await played(process, ["bob", "ann"], [1, 2])
    await played(process, ["ann", "bob"], [1, 1])
    await played(process, ["ann", "bob"], [1, 2])
    await caught_up(process.store, engine)
    ann, bob = await standing(engine, "ann"), await standing(engine, "bob")
    assert (ann.matches, ann.wins, ann.draws, ann.mean_rank) == (4, 2, 1, 1.25)
    assert (bob.matches, bob.wins, bob.draws, bob.mean_rank) == (4, 1, 1, 1.5)
    assert ann.best is bob.best is None


async def test_the_stronger_is_rated_higher_and_a_draw_of_two_new_players_leaves_them_equal(process: Process, engine: AsyncEngine) -> None:
    await played(process, ["ann", "bob"], [1, 2])
    await played(process, ["eve", "dan"], [1, 1])
    await caught_up(process.store, engine)
    ann, bob, eve, dan = [(await standing(engine, name)).rating for name in ("ann", "bob", "eve", "dan")]
    assert ann is not None
    assert bob is not None
    assert eve is not None
    assert ann > eve > bob
    assert eve == dan
    assert [row.player_id for row in await Standings(engine).page("pico", TOP, 100)] == ["ann", "eve", "dan", "bob"]


async def test_to_beat_the_better_player_gains_more(process: Process, engine: AsyncEngine) -> None:
    for _ in range(5):
        await played(process, ["ann", "bob"], [1, 2])
    await played(process, ["eve", "ann"], [1, 2])
    await played(process, ["dan", "bob"], [1, 2])
    await caught_up(process.store, engine)
    eve, dan = [(await standing(engine, name)).rating or 0 for name in ("eve", "dan")]
    assert eve > dan


async def test_shared_ranks_of_several_are_as_the_game_says(process: Process, engine: AsyncEngine) -> None:
    await played(process, ["ann", "bob", "eve"], [3, 1, 1], game="black-sheep")
    await caught_up(process.store, engine)
    ann, bob, eve = [await standing(engine, name, "black-sheep") for name in ("ann", "bob", "eve")]
    assert (ann.wins, ann.draws, ann.mean_rank) == (0, 0, 3)
    assert (bob.wins, bob.draws, bob.mean_rank) == (eve.wins, eve.draws, eve.mean_rank) == (0, 1, 1)
    assert bob.rating == eve.rating


async def test_a_match_against_bots_counts_and_moves_no_rating(process: Process, engine: AsyncEngine) -> None:
    await played(process, ["ann", BOT], [1, 2])
    await played(process, [BOT, BOT], [1, 2])
    await caught_up(process.store, engine)
    [ann] = await Standings(engine).page("pico", TOP, 100)
    assert (ann.player_id, ann.matches, ann.wins, ann.mean_rank, ann.rating) == ("ann", 1, 1, 1, None)


async def test_bots_between_players_do_not_move_their_ratings(process: Process, engine: AsyncEngine, database: Session) -> None:
    await played(process, ["ann", "bob"], [1, 2], game="black-sheep")
    await played(process, ["eve", BOT, "dan"], [2, 1, 3], game="black-sheep")
    await caught_up(process.store, engine)
    ratings = {player: (count.mu, count.sigma) for (_, player), count in (await shown(database)).items()}
    assert ratings["ann"] == ratings["eve"]
    assert ratings["bob"] == ratings["dan"]
    assert (await standing(engine, "eve", "black-sheep")).wins == 0


async def test_who_plays_alone_keeps_the_best_train_and_wins_nothing(process: Process, engine: AsyncEngine, database: Session) -> None:
    """One train, whatever the others of its match come to, and whatever comes in one page of the log."""
    for trains in ([30, -20, 12], [-20, 20, 20], [12, 42, -20]):
        await played(process, ["ann"], [1], [sum(trains)], game="little-train", trains=trains)
    await played(process, ["ann", "bob"], [1, 2], [99, 0], game="little-train", trains=[72])
    await played(process, ["ann"], [1], [56], reason="abandoned", game="little-train", trains=[56])
    await played(process, ["eve"], [1], [50], game="little-train", trains=[30, 20])
    await played(process, ["dan"], [1], [-20], game="little-train", trains=[-20])
    await caught_up(process.store, engine)
    ann = await standing(engine, "ann", "little-train")
    assert (ann.matches, ann.wins, ann.mean_rank, ann.best) == (4, 1, 1, 42)
    eve = await standing(engine, "eve", "little-train")
    assert (eve.matches, eve.wins, eve.draws, eve.mean_rank, eve.best, eve.rating) == (1, 0, 0, None, 30, None)
    assert [row.player_id for row in await Standings(engine).page("little-train", TOP, 100)] == ["ann", "bob", "eve", "dan"]
    assert await shown(database) == await recounted(database)


@pytest.mark.parametrize(("ranks", "reason"), [([], "closed"), ([], "expired"), ([1, 2], "abandoned")])
async def test_what_nobody_finished_counts_for_nobody(process: Process, engine: AsyncEngine, ranks: list[int], reason: str) -> None:
    await played(process, ["ann", "bob"], ranks, reason=reason)
    await caught_up(process.store, engine)
    assert await Standings(engine).page("pico", TOP, 100) == []


async def test_a_resigned_match_counts(process: Process, engine: AsyncEngine) -> None:
    await played(process, ["ann", "bob"], [2, 1], reason="resigned")
    await caught_up(process.store, engine)
    assert (await standing(engine, "bob")).wins == 1


async def test_games_do_not_mix(process: Process, engine: AsyncEngine, database: Session) -> None:
    await played(process, ["ann", "bob"], [1, 2])
    await played(process, ["ann", "bob"], [2, 1], game="little-train")
    await caught_up(process.store, engine)
    assert (await standing(engine, "ann")).wins == 1
    assert (await standing(engine, "ann", "little-train")).wins == 0
    assert await shown(database) == await recounted(database)


async def test_a_result_tells_who_sat_where_and_how_it_ended(process: Process, engine: AsyncEngine, database: Session) -> None:
    await played(process, ["ann", BOT, "bob"], [3, 2, 1], [-1, 0, 7], game="little-train")
    await played(process, ["ann", "bob"], [], reason="closed")
    await caught_up(process.store, engine)
    rows = await database.fetch("SELECT * FROM match_results ORDER BY opened_at")
    assert [(row["game"], row["seats"], row["players"], row["ranks"], row["scores"], row["reason"]) for row in rows] == [
        ("little-train", 3, ["ann", None, "bob"], [3, 2, 1], [-1, 0, 7], "rounds_played"),
        ("pico", 2, [], [], [], "closed"),
    ]
    assert rows[0]["opened_at"] <= rows[0]["started_at"] <= rows[0]["ended_at"]
    assert rows[1]["started_at"] is None
