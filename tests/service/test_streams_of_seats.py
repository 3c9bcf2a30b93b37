"""The streams of those who sit: several of one player, again and again, and when the seat is theirs no more."""

from collections.abc import Callable

from litestar import Litestar

from service.http.routes import stream
from tests.service.conftest import Join
from tests.service.test_stream import PICO, Reader, begun, commit, player, read

__all__ = ["read"]


async def test_two_streams_of_one_seat_are_both_served_and_closing_one_changes_nothing(
    app: Litestar, join: Join, read: Callable[..., Reader]
) -> None:
    """Two tabs of one player: either may choose, and the other one hears of it."""
    ada, bob = await join("Ada"), await join("Bob")
    match_id, path = await begun(ada, bob)
    who = await player(app, ada)
    tabs = [read(match_id, who) for _ in range(2)]
    for tab in tabs:
        assert (await tab.next())[1]["view"]["you"] == 0
    await commit(ada, path)
    told = [(await tab.next())[1]["item"]["event"] for tab in tabs]
    assert told[0] == told[1]
    assert told[0]["card"] is not None
    await tabs[0]._frames.aclose()  # type: ignore[attr-defined]
    await commit(bob, path)
    assert (await tabs[1].next())[1]["item"]["seat"] == 1
    assert (await ada.get(path)).json()["seats"][0]["stand_in"] is False


async def test_a_client_that_reconnects_again_and_again_is_served_and_its_cursor_stays_good(
    join: Join, read: Callable[..., Reader]
) -> None:
    """More often than one may have streams open at once."""
    ada, bob = await join("Ada"), await join("Bob")
    match_id, path = await begun(ada, bob)
    cursor, _ = await read(match_id).next()
    for number in range(stream.STREAMS_MAX + 5):
        reader = read(match_id, cursor=cursor)
        assert (await reader.next())[1] == {"frame": "resumed", "version": int(str(cursor))}
        if number % 10 == 0:
            version = await commit(ada if number % 20 else bob, path)
            cursor = (await reader.next())[0]
            assert cursor is not None
            while int(cursor) < version:
                cursor = (await reader.next())[0] or cursor
        await reader._frames.aclose()  # type: ignore[attr-defined]


async def test_the_stream_of_who_left_their_seat_shows_what_a_spectator_sees(
    app: Litestar, join: Join, read: Callable[..., Reader]
) -> None:
    ada, bob, cid = [await join(name) for name in ("Ada", "Bob", "Cid")]
    match_id = (await ada.post("/v1/matches", json={**PICO, "start": "by_host"})).json()["match_id"]
    path = f"/v1/matches/{match_id}"
    await bob.post(f"{path}/seats", json={"seat": 1})
    reader = read(match_id, await player(app, bob))
    assert (await reader.next())[1]["view"]["you"] == 1
    await bob.delete(f"{path}/seats/me")
    await cid.post(f"{path}/seats", json={"seat": 1})
    await ada.post(f"{path}/start")
    version = await commit(cid, path)
    told = [(await reader.next())[1]["item"] for _ in range(version - 3)]
    assert (told[-1]["seat"], told[-1]["event"]["type"], told[-1]["event"]["card"]) == (1, "pico.card_committed", None)
