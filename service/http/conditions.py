"""ETags of views and what clients do with them: `If-None-Match` to be told of changes only, `If-Match` to insist on a version.

The ETag of a view is `"v<version>-<hash>"`. The hash is of what the viewer is sent, because two viewers of one version see
different things, and because names change without a version. An `If-Match` looks at the version alone, so `"v12"` and the
ETag of any view at version 12 mean the same.
"""

import re
from hashlib import blake2b
from typing import Annotated, Any, TypeAlias

from litestar import Response
from litestar.params import HeaderParameter

from service.http.problems import Fault, Trouble

IfMatch: TypeAlias = Annotated[
    str | None,
    HeaderParameter(
        name="If-Match",
        description='Refuse with 412 unless the match is at this version: the `ETag` of a view, or `"v12"` for version 12.',
    ),
]
IfNoneMatch: TypeAlias = Annotated[
    str | None,
    HeaderParameter(name="If-None-Match", description="The `ETag` you have; the answer is 304 without a body while it is still right."),
]

VIEW_HEADERS = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}
"""A view is for one viewer, and is never used again without asking."""

RELEASE_HEADERS = {"Cache-Control": "public, max-age=300"}
"""For what is the same for everybody and changes with a release only."""

_TAG = re.compile(r'(?:W/)?"[^"\x00-\x20\x7f]*"')
_VERSION = re.compile(r'"v(?P<version>\d{1,18})(?:-[0-9a-f]+)?"')


def expected_version(if_match: str | None) -> int | None:
    """The version that an `If-Match` insists on; None without the header or for `*`. Raises `Trouble` for what is neither.

    A weak tag or one that is not ours can match nothing: that is answered at once with 412, as the caller asked.
    """
    if if_match is None or if_match.strip() == "*":
        return None
    if version := _VERSION.fullmatch(if_match.strip()):
        return int(version["version"])
    if _TAG.fullmatch(if_match.strip()):
        raise Trouble("precondition_failed", "This ETag is not one of a view of this match.")
    fault = Fault("header", "/If-Match", 'Send one ETag as you got it, such as "v12", or *.')
    raise Trouble("invalid_parameter", errors=[fault])


def etag(content: bytes, version: int | None = None) -> str:
    """The ETag of `content`, which shows `version` of a match if it is a view."""
    digest = blake2b(content, digest_size=8).hexdigest()
    return f'"{digest}"' if version is None else f'"v{version}-{digest}"'


def is_known(tag: str, if_none_match: str | None) -> bool:
    """Whether the client has this already, by its `If-None-Match` (a list of ETags, weak or not, or `*`)."""
    known = [each.strip().removeprefix("W/") for each in (if_none_match or "").split(",")]
    return tag in known or known == ["*"]


def tagged(content: bytes, tag: str, if_none_match: str | None, headers: dict[str, str]) -> Response[Any]:
    """JSON `content` with its ETag, or 304 without it where the client has it already."""
    headers = {**headers, "ETag": tag}
    if is_known(tag, if_none_match):
        return Response(None, status_code=304, headers=headers)
    return Response(content, media_type="application/json", headers=headers)
