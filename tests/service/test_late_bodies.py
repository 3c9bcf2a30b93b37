"""Bodies that come after their answer: clients send head and body in two pieces, and keep the connection for what they ask next."""

import asyncio
from typing import Any

from service.http.edge import Edge
from tests.service.raw import BODY, CHUNKED, GOOD, Server


async def test_a_body_that_comes_after_its_answer_costs_nothing(server: Server) -> None:
    """Clients send head and body in two pieces, and keep the connection; a refusal may need no body."""
    client = await server.open()
    for request, status in ((b"POST /nowhere", 404), (b"PUT /sent", 405), (b"POST /page", 200)):
        await client.send(GOOD.replace(b"POST /sent", request).removesuffix(BODY))
        assert (await client.answer())[0] == status
        await client.send(BODY)
        await client.send(GOOD)
        assert (await client.answer())[0] == 200
    [connection] = server.state.connections
    assert isinstance(connection, Edge)
    await client.send(GOOD.replace(b"/sent", b"/nowhere").removesuffix(BODY))
    assert (await client.answer())[0] == 404
    before = connection.timeout_keep_alive_task
    await client.send(BODY)
    for _ in range(1000):
        if connection.timeout_keep_alive_task not in (before, None):
            return
        await asyncio.sleep(0.005)
    raise AssertionError("nothing ends this connection when it is idle")


async def test_what_could_not_be_answered_any_more_is_not_done(server: Server) -> None:
    """A request behind a body that is too large, in the same piece with it, before the answer or after."""
    asked: list[str] = []
    chunk = b"5000\r\n" + b" " * 0x5000 + b"\r\n0\r\n\r\n"

    async def app(scope: Any, receive: Any, send: Any) -> None:
        asked.append(scope["path"])
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    server.serve(app)
    for pieces in ((CHUNKED + chunk + GOOD.replace(b"/sent", b"/next"),), (CHUNKED, chunk + GOOD.replace(b"/sent", b"/next"))):
        client = await server.open()
        for piece in pieces[:-1]:
            await client.send(piece)
            assert (await client.answer())[0] == 200
        await client.send(pieces[-1])
        if len(pieces) == 1:
            assert (await client.answer())[0] == 200
        await client.ended()
    assert asked == ["/sent"] * 2
