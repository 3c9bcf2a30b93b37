"""How far an `Idempotency-Key` reaches."""

from tests.service.conftest import Join
from tests.service.test_repeats import KEY, SHEEP


async def test_a_key_counts_for_one_operation_at_one_match(join: Join) -> None:
    """The same key somewhere else is another call: it is carried out there, and neither is answered for the other."""
    ada, bob = await join("Ada"), await join("Bob")
    opened = [(await ada.post("/v1/matches", json=SHEEP)).json() for _ in range(2)]
    paths = [f"/v1/matches/{each['match_id']}" for each in opened]
    for _ in range(2):
        for path, match in zip(paths, opened, strict=True):
            seated = await bob.post(f"{path}/seats", json={"seat": 2, "invite": match["invite"]}, headers=KEY)
            assert (seated.status_code, seated.json()["match_id"]) == (200, match["match_id"]), "at each match"
            added = await ada.post(f"{path}/seats/3/bot", json={"level": "easy"}, headers=KEY)
            removed = await ada.delete(f"{path}/seats/3/bot", headers=KEY)
            assert added.is_success, added.text
            assert removed.is_success, "another operation"
            said = await bob.post(f"{path}/messages", json={"text": "Hello"}, headers=KEY)
            assert said.status_code == 201
    for path in paths:
        assert len((await ada.get(f"{path}/messages")).json()["items"]) == 1
    own = await bob.post("/v1/matches", json=SHEEP, headers=KEY)
    assert own.status_code == 201
    assert own.json()["match_id"] not in {each["match_id"] for each in opened}
    hers = await ada.post("/v1/matches", json=SHEEP, headers=KEY)
    assert hers.json()["match_id"] != own.json()["match_id"], "another player"
