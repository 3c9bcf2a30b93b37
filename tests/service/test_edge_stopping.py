"""The edge of a server that stops: what was asked for is answered, and nobody is waited for who keeps us waiting."""

import asyncio
from typing import Any

from service.http import edge
from tests.service.raw import GOOD, Server


def ask_to_end(server: Server) -> None:
    """What the process does when it stops, about every half second."""
    for connection in list(server.state.connections):
        connection.shutdown()


async def test_what_is_being_answered_is_answered_to_its_end(server: Server) -> None:
    """Also all that waits behind it on the same connection, which ends then."""
    release = asyncio.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await release.wait()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    server.serve(slow)
    client = await server.open()
    await client.send(GOOD * 3)
    await asyncio.sleep(0.05)
    for _ in range(3):
        ask_to_end(server)
    release.set()
    answers = [await client.answer() for _ in range(3)]
    assert [status for status, _, _ in answers] == [200, 200, 200]
    assert answers[-1][1]["connection"] == "close"
    await client.ended()


async def test_who_has_not_sent_all_of_a_request_has_a_moment_left_and_is_told_then(server: Server) -> None:
    slow, slower = await server.open(), await server.open()
    for client in (slow, slower):
        await client.send(GOOD[:-5])
    await asyncio.sleep(0.05)
    ask_to_end(server)
    await slow.send(GOOD[-5:])
    assert (await slow.answer())[0] == 200
    await slow.ended()
    ask_to_end(server)
    assert await slower.refused() == (503, "unavailable")
    server.after(edge.STOPPING_LINGER_SECONDS + 0.1)
    await server.empty()


async def test_who_comes_while_the_server_stops_is_let_go_too(server: Server) -> None:
    ask_to_end(server)
    late = await server.open()
    ask_to_end(server)
    await late.ended()


async def test_who_takes_nothing_of_their_answers_is_cut_off(server: Server) -> None:
    """As of thirty in a row, all but the first of which wait for those before them."""
    failed: list[BaseException] = []

    async def large(scope: Any, receive: Any, send: Any) -> None:
        try:
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"10000000")]})
            await send({"type": "http.response.body", "body": b"x" * 10_000_000})
        except BaseException as error:
            failed.append(error)
            raise

    server.serve(large)
    client = await server.open()
    await client.send(GOOD * 30)
    for _ in range(2000):
        if any(connection.transport.get_write_buffer_size() for connection in server.state.connections):
            break
        await asyncio.sleep(0.005)
    await asyncio.sleep(0.2)
    ask_to_end(server)
    assert server.state.connections
    await asyncio.sleep(0.05)
    ask_to_end(server)
    await server.empty()
    await asyncio.sleep(0.05)
    assert failed == []
