"""The edge of the server, over real connections: what is no request, what is too large for one, and who takes too long."""

import asyncio
from typing import Any

import pytest

from service.http import edge
from service.http.edge import Edge
from service.http.gathered import Gathered
from service.http.methods import EveryMethod
from tests.service.raw import BODY, CHUNKED, GOOD, PATIENCE_SECONDS, Server

LONGER_THAN_ANYTHING = 1000.0


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        (b"BREW /sent HTTP/1.1\r\nHost: h\r\n\r\n", 400, "malformed_request"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, "malformed_request"),
        (b"GET /\xff\xfe HTTP/1.1\r\nHost: h\r\n\r\n", 400, "malformed_request"),
        (b"GET /a b HTTP/1.1\r\nHost: h\r\n\r\n", 400, "malformed_request"),
        (b"GET /page?need=x HTTP/9.9\r\nHost: h\r\n\r\n", 400, "malformed_request"),
        (b"GET /page?need=x HTTP/1.1\r\nHost: h\r\nBad Name: x\r\n\r\n", 400, "malformed_request"),
        (b"GET /page?need=x HTTP/1.1\r\nHost: h\r\nX: a\x00b\r\n\r\n", 400, "malformed_request"),
        (b"GET /page?need=x HTTP/1.1\r\nHost: h\r\n folded: x\r\n\r\n", 400, "malformed_request"),
        (b"POST /sent HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", 400, "malformed_request"),
        (b"POST /sent HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400, "malformed_request"),
        (b"POST /sent HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "malformed_request"),
        (b"CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n", 400, "malformed_request"),
        (CHUNKED + b"zz\r\n", 400, "malformed_request"),
        (CHUNKED + b"25\r\n" + BODY + b"\r\nnonsense\r\n", 400, "malformed_request"),
        (b"GET /page?need=" + b"x" * 8_192 + b" HTTP/1.1\r\nHost: h\r\n\r\n", 414, "uri_too_long"),
        (b"GET /page?need=x HTTP/1.1\r\nHost: h\r\nX: " + b"y" * 32_768 + b"\r\n\r\n", 431, "headers_too_large"),
        (b"GET /page?need=x HTTP/1.1\r\nHost: h\r\n" + b"X: y\r\n" * 100 + b"\r\n", 431, "headers_too_large"),
        (b"GET /page?need=x HTTP/1.1\r\nHost: h\r\nX: " + b"y" * 600_000, 431, "headers_too_large"),
        (b"GET /" + b"x" * 600_000, 431, "headers_too_large"),
    ],
)
async def test_what_is_no_request_is_told_so_and_the_connection_ends(server: Server, sent: bytes, status: int, code: str) -> None:
    client = await server.open()
    await client.send(sent)
    assert await client.refused() == (status, code)


async def test_an_answer_leaves_in_one_piece(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    pieces: list[bytes] = []
    send = Gathered.send

    def noted(self: Gathered) -> None:
        pieces.extend([b"".join(self.written)] if self.written else [])
        send(self)

    monkeypatch.setattr(Gathered, "send", noted)
    client = await server.open()
    for number in (1, 2):
        await client.send(GOOD)
        assert (await client.answer())[0] == 200
        assert len(pieces) == number
        assert pieces[-1].startswith(b"HTTP/1.1 200")


async def test_a_lawful_request_is_answered_however_it_is_cut_into_pieces(server: Server) -> None:
    client = await server.open()
    for size in (1, 2, 7, 1000):
        for start in range(0, len(GOOD), size):
            await client.send(GOOD[start : start + size])
        assert (await client.answer())[0] == 200
    one_by_one = b"".join(b"1;name=value\r\n%c\r\n" % byte for byte in BODY) + b"0\r\nTrailer: ignored\r\n\r\n"
    await client.send(CHUNKED + one_by_one + GOOD)
    assert [(await client.answer())[0] for _ in range(2)] == [200, 200]
    server.after(LONGER_THAN_ANYTHING)
    await client.send(GOOD)
    assert (await client.answer())[0] == 200, "a client that owes nothing is not cut"


async def test_the_largest_body_fits_and_a_larger_one_is_refused_without_a_reset(server: Server) -> None:
    client = await server.open()
    largest = BODY + b" " * (16_384 - len(BODY))
    await client.send(GOOD.replace(b"37", b"16384").replace(BODY, largest))
    assert (await client.answer())[0] == 200
    await client.send(CHUNKED + b"".join(b"1\r\n%c\r\n" % byte for byte in largest) + b"0\r\n\r\n")
    assert (await client.answer())[0] == 200
    for head in (GOOD.replace(b"37", b"5000000").removesuffix(BODY), CHUNKED + b"4c4b40\r\n"):
        client = await server.open()
        await client.send(head)
        for _ in range(50):
            await client.send(b" " * 100_000)
        assert await client.refused() == (413, "body_too_large")


async def test_a_client_that_reads_its_refusal_late_still_reads_it(server: Server) -> None:
    client = await server.open()
    await client.send(GOOD.replace(b"37", b"900000").removesuffix(BODY) + b" " * 900_000)
    await asyncio.sleep(0.1)
    assert await client.refused() == (413, "body_too_large")


async def test_a_body_that_nobody_reads_is_not_waited_for(server: Server) -> None:
    client = await server.open()
    await client.send(GOOD.replace(b"/sent", b"/nowhere").replace(b"37", b"16000").removesuffix(BODY) + b" " * 15_000)
    assert (await client.answer())[0] == 404
    server.after(edge.REQUEST_SECONDS + 1)
    await client.ended()


async def test_an_offer_to_upgrade_is_passed_over(server: Server) -> None:
    """Some clients make one with every request, in the hope of HTTP/2."""
    client = await server.open()
    for offered in (b"websocket", b"h2c"):
        offer = GOOD.replace(b"Host: h", b"Host: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: " + offered)
        await client.send(offer)
        assert (await client.answer())[0] == 200
        await client.send(offer[:-10])
        await asyncio.sleep(0.02)
        await client.send(offer[-10:] + GOOD + offer + offer)
        assert [(await client.answer())[0] for _ in range(4)] == [200] * 4


@pytest.mark.parametrize("asked", [b"HTTP/1.1\r\nConnection: close, Upgrade", b"HTTP/1.0\r\nConnection: Upgrade"])
async def test_who_offers_an_upgrade_and_wants_one_answer_gets_no_more(server: Server, asked: bytes) -> None:
    client = await server.open()
    await client.send(GOOD.replace(b"HTTP/1.1", asked + b"\r\nUpgrade: h2c"))
    assert (await client.answer())[0] == 200
    await client.ended()


async def test_who_says_nothing_is_let_go(server: Server) -> None:
    client = await server.open()
    server.after(edge.REQUEST_SECONDS - 1)
    assert server.state.connections
    server.after(edge.REQUEST_SECONDS + 1)
    await client.ended()


@pytest.mark.parametrize("piece", [b"G", GOOD[:60], GOOD[:-5], CHUNKED + b"5\r\n{"])
async def test_who_never_finishes_a_request_is_told_so_and_let_go(server: Server, piece: bytes) -> None:
    client = await server.open()
    await client.send(piece)
    await asyncio.sleep(0.05)
    server.after(edge.REQUEST_SECONDS - 1)
    assert server.state.connections
    server.after(edge.REQUEST_SECONDS + 1)
    assert await client.refused() == (408, "request_timeout")


async def test_a_drip_of_bytes_buys_no_time(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge, "REQUEST_SECONDS", 0.2)
    client = await server.open()
    for byte in GOOD[:-1]:
        await client.send(bytes([byte]))
        await asyncio.sleep(0.01)
        server.after(0)
        if not any(connection._ends is None for connection in server.state.connections if isinstance(connection, Edge)):
            break
    else:
        pytest.fail("it was waited for to the end")
    assert await client.refused() == (408, "request_timeout")


async def test_half_a_request_does_not_cost_the_answer_to_the_one_before_it(server: Server) -> None:
    release = asyncio.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await release.wait()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    for rest, last in ((b"GET /pa", (408, "request_timeout")), (b"BREW / HTTP/1.1\r\n\r\n", None)):
        release.clear()
        server.serve(slow)
        client = await server.open()
        await client.send(b"GET /slow HTTP/1.1\r\nHost: h\r\n\r\n")
        await asyncio.sleep(0.05)
        await client.send(rest)
        await asyncio.sleep(0.05)
        server.after(edge.REQUEST_SECONDS + 1)
        release.set()
        assert (await client.answer())[0] == 200
        if last is None:
            await client.ended()
        else:
            server.after(2 * edge.REQUEST_SECONDS + 2)
            assert await client.refused() == last


async def test_requests_in_a_row_are_answered_in_order_and_not_without_end(server: Server) -> None:
    client = await server.open()
    await client.send(GOOD * 20)
    assert [(await client.answer())[0] for _ in range(20)] == [200] * 20
    await client.send(GOOD * 200)
    answered = 0
    while await client.reader.readuntil(b"\r\n\r\n") if not client.reader.at_eof() else b"":
        await client.reader.readexactly(len(b'{"command":{"type":"red","number":1,"words":[],"open":false},"note":null}'))
        answered += 1
        if answered > edge.PIPELINE_MAX:
            break
    assert answered == edge.PIPELINE_MAX + 1
    await client.ended()


async def test_the_head_of_an_answer_without_end_is_whole_and_the_connection_goes_on(server: Server) -> None:
    async def endless(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        if scope["path"] == "/pieces":
            await send({"type": "http.response.body", "body": b"piece", "more_body": True})
        while (await receive())["type"] != "http.disconnect":
            pass

    server.serve(EveryMethod(endless))
    client = await server.open()
    for path in (b"/pieces", b"/nothing") * 2:
        await client.send(b"HEAD %s HTTP/1.1\r\nHost: h\r\n\r\n" % path)
        head = await asyncio.wait_for(client.reader.readuntil(b"\r\n\r\n"), PATIENCE_SECONDS)
        assert head.startswith(b"HTTP/1.1 200")


async def test_who_takes_nothing_of_an_answer_is_cut_off(server: Server) -> None:
    gone = asyncio.Event()

    async def endless(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while not gone.is_set():
            await send({"type": "http.response.body", "body": b"x" * 100_000, "more_body": True})
            if not server.state.connections:
                gone.set()

    server.serve(endless)
    client = await server.open()
    await client.send(b"GET /page HTTP/1.1\r\nHost: h\r\n\r\n")
    await asyncio.sleep(0.2)
    server.after(edge.TAKE_SECONDS - 1)
    assert server.state.connections
    server.after(edge.TAKE_SECONDS + 1)
    await server.empty()
    await asyncio.wait_for(gone.wait(), PATIENCE_SECONDS)


async def test_a_refused_client_that_does_not_go_is_cut(server: Server) -> None:
    client = await server.open()
    await client.send(b"nonsense\r\n\r\n")
    assert (await client.answer())[0] == 400
    assert server.state.connections
    server.after(edge.LINGER_SECONDS + 1)
    await server.empty()


async def test_a_full_server_lets_go_of_those_who_wait_for_nothing(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Edge, "connections_max", 3)
    half, *rest = [await server.open() for _ in range(3)]
    await half.send(GOOD[:10])
    for client in rest:
        await client.send(GOOD)
        assert (await client.answer())[0] == 200
    late = await server.open()
    await late.send(GOOD)
    assert (await late.answer())[0] == 200
    await half.send(GOOD[10:])
    assert (await half.answer())[0] == 200, "who is asking comes after those who rest"


async def test_a_server_full_of_people_who_wait_for_answers_says_so(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    release = asyncio.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await release.wait()
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    server.serve(slow)
    monkeypatch.setattr(Edge, "connections_max", 2)
    waiting = [await server.open() for _ in range(2)]
    for client in waiting:
        await client.send(b"GET /page HTTP/1.1\r\nHost: h\r\n\r\n")
    await asyncio.sleep(0.05)
    late = await server.open()
    status, headers, problem = await late.answer()
    assert (status, problem["code"], headers["retry-after"]) == (503, "too_many_connections", "2")
    await late.ended()
    release.set()
    for client in waiting:
        assert (await client.reader.readline()).startswith(b"HTTP/1.1 204")
