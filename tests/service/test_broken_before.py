"""What strangers once broke: each case stays whole."""

import httpx
import pytest

from tests.service.conftest import Join
from tests.service.documented import document

SHEEP = {"options": {"game": "black-sheep"}, "seats": 4, "start": "by_host"}


@pytest.mark.parametrize("seat", ["-1", "-3", "-5", str(-(2**70)), "4", "9" * 30])
async def test_no_seat_is_counted_from_the_end_or_beyond_it(join: Join, seat: str) -> None:
    ada = await join("Ada")
    view = (await ada.post("/v1/matches", json=SHEEP)).json()
    path = f"/v1/matches/{view['match_id']}"
    for refused in (
        await ada.post(f"{path}/seats/{seat}/bot", json={"level": "easy"}),
        await ada.delete(f"{path}/seats/{seat}/bot"),
        await ada.delete(f"{path}/seats/{seat}/player"),
    ):
        assert (refused.status_code, refused.json()["code"]) == (422, "no_such_seat")
    assert (await ada.get(path)).json()["version"] == view["version"]
    assert (await ada.get(f"{path}/events")).status_code == 200


async def test_a_condition_tells_nobody_of_a_match_or_of_a_version_that_they_do_not_see(join: Join) -> None:
    ada, eve = await join("Ada"), await join("Eve")
    hidden = (await ada.post("/v1/matches", json={**SHEEP, "visibility": "private"})).json()["match_id"]
    for match_id in (hidden, "mat_" + "0" * 32):
        path, condition = f"/v1/matches/{match_id}", {"If-Match": '"v1"'}
        for answer in (
            await eve.post(f"{path}/seats", json={}, headers=condition),
            await eve.post(f"{path}/resign", headers=condition),
            await eve.post(f"{path}/start", headers=condition),
            await eve.delete(f"{path}/seats/me", headers=condition),
            await eve.delete(path, headers=condition),
        ):
            assert (answer.status_code, answer.json()["code"]) == (404, "match_not_found")


@pytest.mark.parametrize("spectators", ["none", "delayed"])
async def test_a_condition_does_not_tell_how_far_a_match_is(join: Join, spectators: str) -> None:
    ada, bob, eve = [await join(name) for name in ("Ada", "Bob", "Eve")]
    opened = (await ada.post("/v1/matches", json={"options": {"game": "pico"}, "spectators": spectators})).json()
    path = f"/v1/matches/{opened['match_id']}"
    await bob.post(f"{path}/seats", json={})
    version = (await ada.get(path)).json()["version"]
    told = [(await eve.post(f"{path}/resign", headers={"If-Match": f'"v{number}"'})).json() for number in (1, version)]
    assert {answer["code"] for answer in told} == {"precondition_failed"}
    assert all(str(version) not in answer["detail"] and answer["message_params"] == {} for answer in told)


async def test_a_cursor_beyond_every_number_is_a_bad_parameter(client: httpx.AsyncClient, join: Join) -> None:
    opened = (await (await join("Ada")).post("/v1/matches", json=SHEEP)).json()
    for after in (2**63, 10**23):
        answer = await client.get(f"/v1/matches/{opened['match_id']}/events", params={"after": after})
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_parameter")


async def test_who_resigned_is_offered_nothing_that_is_refused(join: Join) -> None:
    players = [await join(name) for name in ("Ada", "Bob", "Cid")]
    opened = (await players[0].post("/v1/matches", json={"options": {"game": "schemers"}})).json()
    path = f"/v1/matches/{opened['match_id']}"
    for player in players[1:]:
        await player.post(f"{path}/seats", json={})
    assert (await players[1].get(path)).json()["decisions"]
    assert (await players[1].post(f"{path}/resign")).json()["decisions"] == []


async def test_a_rematch_on_condition_is_on_condition_of_the_match_that_has_ended(join: Join) -> None:
    ada, bob = await join("Ada"), await join("Bob")
    opened = (await ada.post("/v1/matches", json={"options": {"game": "pico"}})).json()
    path = f"/v1/matches/{opened['match_id']}"
    await bob.post(f"{path}/seats", json={})
    await bob.post(f"{path}/resign")
    for player in (ada, bob):
        assert (await player.post(f"{path}/rematch", headers={"If-Match": '"v1"'})).status_code == 412
        tag = (await player.get(path)).headers["ETag"]
        assert (await player.post(f"{path}/rematch", headers={"If-Match": tag})).status_code == 201


def test_no_default_is_an_object_where_null_is_allowed() -> None:
    """Generators leave out the whole operation then."""
    for name, schema in document()["components"]["schemas"].items():
        for key, node in schema.get("properties", {}).items():
            assert not ("oneOf" in node and isinstance(node.get("default"), dict)), f"{name}.{key}"
