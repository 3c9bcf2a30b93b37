"""A seed serves one match and no other: whoever has seen one opened can foretell nothing of any other match."""

import asyncio

import asyncpg

from domain.games import GAMES
from tests.fairness.ends import opened, seated
from tests.service.conftest import Join


async def seeds(database_url: str) -> list[bytes]:
    connection = await asyncpg.connect(database_url)
    try:
        return [row["seed"] for row in await connection.fetch("SELECT seed FROM public.match_seeds")]
    finally:
        await connection.close()


async def test_every_match_has_a_seed_of_its_own(join: Join, database_url: str) -> None:
    """On the same terms, by the same player, at the same moment; a repeated call is the same match, and its seed stays what it was."""
    ada = await join("Ada")
    paths = await asyncio.gather(*(opened(ada, game) for game in GAMES for _ in range(3)))
    same = await asyncio.gather(
        *(ada.post("/v1/matches", json={"options": {"game": "pico"}}, headers={"Idempotency-Key": "once"}) for _ in range(4))
    )
    commitments = [(await ada.get(f"{path}/proof")).json()["commitment"] for path in paths]
    assert len(set(commitments)) == len(paths)
    assert len({answer.json()["match_id"] for answer in same}) == 1
    drawn = await seeds(database_url)
    assert len(drawn) == len(set(drawn)) == len(paths) + 1
    assert all(len(seed) == 32 and len(set(seed)) > 8 for seed in drawn), "they look drawn"


async def test_a_rematch_draws_a_new_seed_and_is_dealt_anew(join: Join, database_url: str) -> None:
    """The first seed is open by then: were it used again, everybody would know the cards."""
    (ada, bob), path = await seated(join, "pico")
    await bob.post(f"{path}/resign")
    for player in (ada, bob):
        following = (await player.post(f"{path}/rematch")).json()
    assert following["status"] == "playing"
    proofs = [(await ada.get(f"/v1/matches/{match_id}/proof")).json() for match_id in (path.split("/")[-1], following["match_id"])]
    assert proofs[0]["proof"] is not None
    assert proofs[1]["proof"] is None
    assert proofs[0]["commitment"] != proofs[1]["commitment"]
    drawn = await seeds(database_url)
    assert len(drawn) == len(set(drawn)) == 2
