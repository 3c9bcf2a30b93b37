"""The head of a request, over real connections: what can be read in two ways is refused, and whoever was refused can read why."""

import pytest

from service.http.edge import Edge
from tests.service.raw import BODY, CHUNKED, GOOD, Server

PAGE = b"GET /page?need=x HTTP/1.1\r\nHost: h\r\n%s\r\n\r\n"


@pytest.mark.parametrize(
    "sent",
    [
        b"GET /page?need=x HTTP/1.1\r\n\r\n",
        b"GET /page?need=x HTTP/1.1\r\nhost: h\r\nX: y\r\nHOST: h\r\n\r\n",
        b"GET /page?need=x HTTP/1.1\r\nHost: h, g\r\n\r\n",
        b"GET /page?need=x HTTP/1.1\r\nHost: a b\r\n\r\n",
        b"GET /page?need=x HTTP/1.1\r\nHost: h/page\r\n\r\n",
        b"GET /page?need=x HTTP/1.1\r\nHost: me@h\r\n\r\n",
        b"GET /page?need=x HTTP/1.1\r\nHost: h:port\r\n\r\n",
        b"GET /page HTTP/1.1\r\nHost: h:65536\r\n\r\n",
        b"GET /page HTTP/1.1\r\nHost: [::1]:" + b"9" * 5000 + b"\r\n\r\n",
        b"GET /page?need=x HTTP/1.1\r\nHost: \xc3\xa9\r\n\r\n",
        b"GET /page?need=x HTTP/1.1\r\nHost: [::1\r\n\r\n",
        b"GET /page?need=x HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
        b"GET /page?need=x HTTP/1.0\r\nHost: h\r\nHost: h\r\n\r\n",
    ],
)
async def test_a_request_names_one_host(server: Server, sent: bytes) -> None:
    client = await server.open()
    await client.send(sent)
    status, code = await client.refused()
    assert (status, code) == (400, "invalid_parameter" if sent.lower().count(b"host:") == 2 else "malformed_request")


@pytest.mark.parametrize("host", [b"h", b"h:8000", b"127.0.0.1:80", b"[::1]:8000", b"a_b.example.", b"h:65535", b"h:", b""])
async def test_any_host_will_do(server: Server, host: bytes) -> None:
    client = await server.open()
    await client.send(b"GET /page?need=x HTTP/1.1\r\nHost: " + host + b"\r\n\r\n")
    assert (await client.answer())[0] == 200


async def test_an_old_client_need_not_name_one(server: Server) -> None:
    client = await server.open()
    await client.send(b"GET /page?need=x HTTP/1.0\r\n\r\n")
    assert (await client.answer())[0] == 200
    await client.ended()


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("Authorization", (b"Bearer good", b"Bearer bad")),
        ("Authorization", (b"Bearer good", b"Bearer good")),
        ("Idempotency-Key", (b"one", b"two")),
        ("If-Match", (b'"v1"', b"*")),
        ("Content-Type", (b"application/json", b"text/plain")),
        ("Last-Event-Id", (b"1", b"2")),
        ("Origin", (b"https://play.example", b"https://evil.example")),
        ("Request-Id", (b"a", b"b")),
    ],
)
async def test_a_header_that_has_one_value_is_sent_once(server: Server, name: str, values: tuple[bytes, bytes]) -> None:
    """Else a proxy might believe one of them, and the service the other."""
    head, _, body = GOOD.replace(b"Content-Type: application/json\r\n", b"").partition(b"\r\n\r\n")
    for spelt in (name.encode(), name.lower().encode()):
        first, second = (b"\r\n%s: %s" % (each, value) for each, value in zip((name.encode(), spelt), values, strict=True))
        client = await server.open()
        await client.send(head + first + second + b"\r\n\r\n" + body)
        status, _, problem = await client.answer()
        assert (status, problem["code"]) == (400, "invalid_parameter")
        [error] = problem["errors"]
        assert (error["source"], error["pointer"], error["detail"]) == ("header", f"/{name}", "It is sent twice.")
        await client.ended()


@pytest.mark.parametrize(
    "line", [b"GET /page?need=x HTTP/2.0", b"GET /page?need=x HTTP/0.9", b"GET /page?need=x HTTP/1.2", b"GET /page?need=x"]
)
async def test_other_versions_of_http_are_not_spoken(server: Server, line: bytes) -> None:
    client = await server.open()
    await client.send(line + (b"\r\nHost: h" if b"HTTP" in line else b"") + b"\r\n\r\n")
    assert await client.refused() == (400, "malformed_request")


@pytest.mark.parametrize(
    ("version", "coding", "code"),
    [
        (b"1.1", b"identity\r\nTransfer-Encoding: chunked", "invalid_parameter"),
        (b"1.1", b"chunked\r\nTransfer-Encoding: chunked", "malformed_request"),
        (b"1.1", b"identity", "malformed_request"),
        (b"1.1", b"chunked, identity", "malformed_request"),
        (b"1.1", b"xchunked", "malformed_request"),
        (b"1.1", b"\x0bchunked", "malformed_request"),
        (b"1.0", b"chunked", "malformed_request"),
    ],
)
async def test_a_body_has_one_end_that_everybody_sees(server: Server, version: bytes, coding: bytes, code: str) -> None:
    client = await server.open()
    head = CHUNKED.replace(b"HTTP/1.1", b"HTTP/" + version).replace(b"chunked", coding)
    await client.send(head + b"25\r\n" + BODY + b"\r\n0\r\n\r\n")
    status, _, problem = await client.answer()
    assert (status, problem["code"]) == (400, code)
    await client.ended()


async def test_a_header_that_is_a_list_may_come_in_pieces(server: Server) -> None:
    client = await server.open()
    await client.send(PAGE % b'If-None-Match: "a"\r\nIf-None-Match: "b"\r\nAccept: a/b\r\nAccept: c/d\r\nCookie: a\r\nCookie: b')
    assert (await client.answer())[0] == 200


@pytest.mark.parametrize(
    "sent",
    [
        PAGE % b"Origin: https://play.example\r\nX: \x00",
        PAGE % (b"Origin: https://play.example" + b"\r\nX: y" * 100),
        PAGE.replace(b"Host: h", b"X: y") % b"Origin: https://play.example",
        PAGE % b"Origin: https://play.example\r\nTransfer-Encoding: chunked\r\n\r\nzz",
        PAGE % b"Origin: https://play.example\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: \x00",
    ],
)
async def test_the_page_of_another_site_reads_why_it_was_refused(server: Server, sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    for origins, allowed, varies in (
        (frozenset({"*"}), "*", None),
        (frozenset({"https://play.example"}), "https://play.example", "origin"),
        (frozenset({"https://else.example"}), None, "origin"),
    ):
        monkeypatch.setattr(Edge, "origins", origins)
        client = await server.open()
        await client.send(sent)
        status, headers, _ = await client.answer()
        assert status in (400, 431)
        assert (headers.get("access-control-allow-origin"), headers.get("vary")) == (allowed, varies)
        assert "request-id" in headers["access-control-expose-headers"]


async def test_what_was_read_before_it_says_nothing_of_who_asks(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page that sent the request before the bad one is another one, or nobody."""
    monkeypatch.setattr(Edge, "origins", frozenset({"https://play.example"}))
    client = await server.open()
    await client.send(PAGE % b"Origin: https://play.example")
    assert (await client.answer())[0] == 200
    await client.send(b"GET /page HTTP/1.1\r\nBad Name: x\r\n\r\n")
    status, headers, _ = await client.answer()
    assert (status, headers.get("access-control-allow-origin"), headers["vary"]) == (400, None, "origin")


async def test_a_body_is_read_once_however_often_its_length_is_said(server: Server) -> None:
    client = await server.open()
    await client.send(GOOD.replace(b"Content-Length: 37", b"Content-Length: 37\r\nContent-Length: %d" % len(BODY)))
    assert await client.refused() == (400, "malformed_request")
