"""ETags, conditions, and what makes two calls the same one."""

import pytest

from service.http.conditions import etag, expected_version, is_known
from service.http.idempotency import command_id, fingerprint
from service.http.problems import Trouble


@pytest.mark.parametrize(
    ("header", "version"), [(None, None), ("*", None), ('"v12"', 12), (' "v12" ', 12), ('"v12-0f3a"', 12), (etag(b"x", 3), 3), ('"v0"', 0)]
)
def test_if_match_asks_for_a_version(header: str | None, version: int | None) -> None:
    assert expected_version(header) == version


@pytest.mark.parametrize(
    ("header", "status"), [('W/"v12"', 412), ('"12"', 412), ('"v12-"', 412), (etag(b"x"), 412), ("v12", 400), ("", 400), ('"v1', 400)]
)
def test_if_match_that_can_match_nothing_fails_and_what_is_no_etag_is_refused(header: str, status: int) -> None:
    with pytest.raises(Trouble) as refused:
        expected_version(header)
    assert refused.value.kind.status == status


def test_an_etag_is_of_the_content_and_its_version() -> None:
    assert etag(b"x", 3).startswith('"v3-')
    assert etag(b"x", 3) == etag(b"x", 3)
    assert len({etag(b"x", 3), etag(b"x", 4), etag(b"y", 3), etag(b"x")}) == 4


def test_what_the_client_has_is_known() -> None:
    tag = etag(b"x", 3)
    for header in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        assert is_known(tag, header), header
    assert not is_known(tag, None)
    for header in ("", '"other"', tag[:-1], etag(b"y", 3)):
        assert not is_known(tag, header), header


def test_a_call_is_known_by_its_caller_its_operation_and_its_key() -> None:
    same = command_id("ply_a", "send_command", "key")
    assert same == command_id("ply_a", "send_command", "key")
    others = [
        ("ply_b", "send_command", "key"),
        ("ply_a", "take_seat", "key"),
        ("ply_a", "send_command", "key2"),
        ("ply_a", "send_command\0", "key"),
    ]
    assert len({same, *(command_id(*other) for other in others)}) == 5
    assert command_id("ply_a", "send_command", None) != command_id("ply_a", "send_command", None)


def test_a_fingerprint_is_of_everything_that_is_asked() -> None:
    assert fingerprint("mat_1", {"a": 1, "b": 2}) == fingerprint("mat_1", {"b": 2, "a": 1})
    assert (
        len({fingerprint("mat_1", 1), fingerprint("mat_2", 1), fingerprint("mat_1", 2), fingerprint("mat_1"), fingerprint("mat_", "11")})
        == 5
    )
