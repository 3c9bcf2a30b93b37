"""JSON bodies, read strictly."""

from collections.abc import AsyncIterator

import httpx
import pytest


async def sent(bare: httpx.AsyncClient, body: bytes, path: str = "/sent", **headers: str) -> tuple[int, str | None, list[str]]:
    """What comes of a body: the status, the code and the pointers."""
    answer = await bare.post(path, content=body, headers={"Content-Type": "application/json", **headers})
    problem = answer.json() if answer.is_error else {}
    return answer.status_code, problem.get("code"), [each["pointer"] for each in problem.get("errors", ())]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (b'{"command":{"type":"red","number":"1"}}', "/command/number"),
        (b'{"command":{"type":"red","number":1.5}}', "/command/number"),
        (b'{"command":{"type":"red","number":1.0}}', "/command/number"),
        (b'{"command":{"type":"red","number":true}}', "/command/number"),
        (b'{"command":{"type":"red","number":null}}', "/command/number"),
        (b'{"command":{"type":"red","number":0}}', "/command/number"),
        (b'{"command":{"type":"red","number":1,"open":"true"}}', "/command/open"),
        (b'{"command":{"type":"red","number":1,"open":1}}', "/command/open"),
        (b'{"command":{"type":"red","number":1,"words":["a",2]}}', "/command/words/1"),
        (b'{"command":{"type":"red"}}', "/command/number"),
        (b'{"command":{"type":"red","number":1,"extra":1}}', "/command/extra"),
        (b'{"command":{"type":"green"}}', "/command/type"),
        (b'{"command":{"number":1}}', "/command/type"),
        (b'{"command":{"type":"blue","within":{"type":"red","number":"x"}}}', "/command/within/number"),
        (b'{"command":[]}', "/command"),
        (b'{"note":"x"}', "/command"),
        (b"[]", ""),
        (b"null", ""),
        (b'"x"', ""),
    ],
)
async def test_a_body_of_another_shape_is_refused_at_the_place(bare: httpx.AsyncClient, body: bytes, pointer: str) -> None:
    assert await sent(bare, body) == (422, "invalid_body", [pointer])


@pytest.mark.parametrize(
    ("path", "body", "pointer", "values"),
    [
        ("/sent", b'{"command":{"type":"green"}}', "/command/type", "`red`, `blue`"),
        ("/sent", b'{"command":{"type":"blue","within":{"type":7}}}', "/command/within/type", "`red`, `blue`"),
        ("/sent", b'{"command":{"type":"blue","within":{"type":"green"', "/command/within/type", None),
        ("/sent", b'{"command":{"type":"blue","within":{}}}', "/command/within/type", None),
        ("/wish", b'{"hopes":["low",null,"medium"]}', "/hopes/2", "`high`, `low`"),
        ("/wish", b'{"hopes":["low",3]}', "/hopes/1", "`high`, `low`"),
        ("/wish", b'{"hopes":["low",3],"hopes":["low"]}', "/hopes/1", None),
        ("/wish", b'{"hopes":["low",3],"hopes":{}}', "/hopes/1", None),
        ("/wish", b'{"hopes":3}', "/hopes", None),
        ("/wish", b'{"hope":"low"}', "/hope", None),
    ],
)
async def test_what_is_none_of_the_values_is_told_which_there_are(
    bare: httpx.AsyncClient, path: str, body: bytes, pointer: str, values: str | None
) -> None:
    assert await sent(bare, body, path) == (422, "invalid_body", [pointer])
    [fault] = (await bare.post(path, content=body, headers={"Content-Type": "application/json"})).json()["errors"]
    assert fault["detail"].endswith(f". It must be one of {values}.") == (values is not None), fault["detail"]


@pytest.mark.parametrize(
    ("path", "body", "instead"),
    [
        ("/sent", b'{"type":"red","number":1}', ". The fields are `command`, `note`; missing: `command`."),
        ("/sent", b'{"command":{"type":"red","no":1}}', ". The fields are `type`, `number`, `words`, `open`; missing: `number`."),
        (
            "/sent",
            b'{"command":{"type":"blue","within":{"type":"blue","x":2}}}',
            ". The fields are `type`, `within`; missing: `within`.",
        ),
        ("/wish", b'{"hope":"low"}', ". The fields are `level`, `hopes`."),
        ("/wish", b'{"hope":"low"', "."),
    ],
)
async def test_who_sends_an_unknown_field_is_told_which_there_are(bare: httpx.AsyncClient, path: str, body: bytes, instead: str) -> None:
    answer = await bare.post(path, content=body, headers={"Content-Type": "application/json"})
    [fault] = answer.json()["errors"]
    told, name, rest = fault["detail"].partition(f"`{fault['pointer'].rpartition('/')[2]}`")
    assert (told, name != "", rest) == ("Object contains unknown field ", True, instead)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"{",
        b'{"command":{"type":"red","number":1}}x',
        b'{"command":{"type":"red","number":NaN}}',
        b'{"command":{"type":"red","number":1},"note":"\\ud800"}',
        b'{"command":{"type":"red","number":1},"note":"\\ud800\\u0041"}',
        b'{"command":{"type":"red","number":1},"note":"\\u0000"}',
        b'{"command":{"type":"red","number":1,"words":["a\\u0000"]}}',
        b'{"command":{"type":"red","number":1},"note":"\x00"}',
        b'{"command":{"type":"red","number":1},"note":"\xff"}',
        b'\xef\xbb\xbf{"command":{"type":"red","number":1}}',
        b'{"command":{"type":"red","number":1,"number":1}}',
        b'{"command":{"type":"red","number":1},"note":"a","note":"b"}',
        b'{"command":' + b'{"type":"blue","within":' * 600,
    ],
)
async def test_what_is_not_json_for_every_reader_is_malformed(bare: httpx.AsyncClient, body: bytes) -> None:
    assert await sent(bare, body) == (400, "malformed_json", [])


async def test_numbers_are_bounded_cleanly(bare: httpx.AsyncClient) -> None:
    for number in (2**53, 2**63, 2**64, 2**70, -(2**53), 10**400):
        status, code, _ = await sent(bare, b'{"command":{"type":"red","number":%d}}' % number)
        assert (status, code) == (422, "invalid_body"), number


@pytest.mark.parametrize(
    ("body", "bounds"),
    [
        (b'{"command":{"type":"red","number":0}}', (1, None)),
        (b'{"command":{"type":"red","number":10}}', (None, 9)),
        (b'{"command":{"type":"red","number":"x"}}', (None, None)),
        (b'{"command":{"type":"red"}}', (None, None)),
    ],
)
async def test_of_a_number_that_is_out_of_bounds_the_bound_is_told(
    bare: httpx.AsyncClient, body: bytes, bounds: tuple[int | None, int | None]
) -> None:
    """For a sentence to the person who fills in the form."""
    [fault] = (await bare.post("/sent", content=body, headers={"Content-Type": "application/json"})).json()["errors"]
    assert (fault["least"], fault["most"]) == bounds


async def test_text_is_kept_as_it_came(bare: httpx.AsyncClient) -> None:
    for note in ("\\u0000", "\U0001f3b2", "\u2028", "a\\", "é"):
        answer = await bare.post("/sent", json={"command": {"type": "red", "number": 1}, "note": note})
        assert answer.json()["note"] == note


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "multipart/form-data", ""]
)
async def test_only_json_is_read(bare: httpx.AsyncClient, content_type: str) -> None:
    assert (await sent(bare, b'{"command":{"type":"red","number":1}}', **{"Content-Type": content_type}))[:2] == (
        415,
        "unsupported_media_type",
    )


async def test_a_charset_is_no_other_type(bare: httpx.AsyncClient) -> None:
    assert (await sent(bare, b'{"command":{"type":"red","number":1}}', **{"Content-Type": "application/json; charset=utf-8"}))[0] == 200


async def test_a_large_body_is_not_read_to_its_end(bare: httpx.AsyncClient) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(1000):
            yield b" " * 10_000
        pytest.fail("everything was read")

    assert (await sent(bare, b" " * 16_385))[:2] == (413, "body_too_large")
    assert (await sent(bare, b" " * 16_000 + b'{"command":{"type":"red","number":1}}'))[0] == 200
    answer = await bare.post("/sent", content=chunks(), headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


async def test_a_body_that_need_not_be_may_be_missing(bare: httpx.AsyncClient) -> None:
    assert (await bare.post("/wish")).json()["level"] is None
    assert (await bare.post("/wish", json={})).json()["level"] is None
    assert (await bare.post("/wish", json={"level": "hard"})).json()["level"] == "hard"
    assert (await sent(bare, b"null", "/wish"))[:2] == (422, "invalid_body")


async def test_the_token_is_judged_before_the_body(bare: httpx.AsyncClient) -> None:
    assert (await sent(bare, b"{", "/mine"))[:2] == (401, "not_authenticated")
    assert (await sent(bare, b"{", "/mine", Authorization="Bearer bad"))[:2] == (401, "not_authenticated")
    assert (await sent(bare, b"{", "/mine", Authorization="Bearer good"))[:2] == (400, "malformed_json")
