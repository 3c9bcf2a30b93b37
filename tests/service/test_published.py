"""The document as it is served: byte for byte what is committed, at the addresses where tools look for it."""

import httpx
import pytest

from service import resources

ADDRESSES = {"/openapi.json": "openapi.json", "/v1/openapi.json": "openapi.json", "/openapi-3.0.json": "openapi-3.0.json"}
SERVED = pytest.mark.parametrize(("address", "name"), ADDRESSES.items())


def committed(name: str) -> bytes:
    return (resources.folder("openapi") / name).read_bytes()


@SERVED
async def test_it_is_what_is_committed(client: httpx.AsyncClient, address: str, name: str) -> None:
    served = await client.get(address, headers={"Accept-Encoding": "identity"})
    assert served.headers["content-type"] == "application/json"
    assert served.headers["access-control-allow-origin"] == "*"
    assert "content-encoding" not in served.headers
    assert served.content == committed(name)


@SERVED
async def test_who_takes_gzip_gets_a_tenth_of_it(client: httpx.AsyncClient, address: str, name: str) -> None:
    served = await client.get(address, headers={"Accept-Encoding": "br;q=1.0, GZIP;q=0.8, *;q=0.1"})
    assert served.headers["content-encoding"] == "gzip"
    assert served.headers["vary"] == "Accept-Encoding"
    assert served.content == committed(name), "the client has unpacked it"
    assert int(served.headers["content-length"]) < len(committed(name)) / 10


@pytest.mark.parametrize("refused", ["", "identity", "gzip;q=0", "gzip; q=0.000", "br"])
async def test_who_does_not_take_gzip_gets_none(client: httpx.AsyncClient, refused: str) -> None:
    assert "content-encoding" not in (await client.get("/openapi.json", headers={"Accept-Encoding": refused})).headers


async def test_each_encoding_has_an_etag_of_its_own_and_is_sent_once(client: httpx.AsyncClient) -> None:
    tags = {}
    for encoding in ("identity", "gzip"):
        headers = {"Accept-Encoding": encoding}
        tags[encoding] = (await client.get("/openapi.json", headers=headers)).headers["etag"]
        again = await client.get("/openapi.json", headers={**headers, "If-None-Match": tags[encoding]})
        assert (again.status_code, again.content) == (304, b"")
    assert tags["identity"] != tags["gzip"]


async def test_head_tells_how_large_it_is(client: httpx.AsyncClient) -> None:
    head = await client.head("/openapi.json", headers={"Accept-Encoding": "gzip"})
    whole = await client.get("/openapi.json", headers={"Accept-Encoding": "gzip"})
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["etag"] == whole.headers["etag"]
    assert head.headers["content-length"] == whole.headers["content-length"]
