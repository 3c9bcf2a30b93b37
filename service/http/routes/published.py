"""The API's document as committed, in its two versions, compressed for whoever takes that."""

import gzip
from functools import cache
from typing import Annotated, TypeAlias

from litestar import Response, get
from litestar.params import HeaderParameter

from service import resources
from service.http.auth import ANONYMOUS
from service.http.conditions import RELEASE_HEADERS, IfNoneMatch, etag, tagged

AcceptEncoding: TypeAlias = Annotated[str | None, HeaderParameter(name="Accept-Encoding")]


@get(["/openapi.json", "/v1/openapi.json"], include_in_schema=False, opt=ANONYMOUS, sync_to_thread=False)
def get_document(if_none_match: IfNoneMatch = None, accept_encoding: AcceptEncoding = None) -> Response[bytes]:
    """The OpenAPI document, byte for byte as committed."""
    return _answer("openapi.json", if_none_match, accept_encoding)


@get("/openapi-3.0.json", include_in_schema=False, opt=ANONYMOUS, sync_to_thread=False)
def get_older_document(if_none_match: IfNoneMatch = None, accept_encoding: AcceptEncoding = None) -> Response[bytes]:
    """The same in OpenAPI 3.0."""
    return _answer("openapi-3.0.json", if_none_match, accept_encoding)


def _answer(name: str, if_none_match: str | None, accept_encoding: str | None) -> Response[bytes]:
    # The two encodings are two contents, each with an ETag of its own (RFC 9110, 8.8.3.3).
    zipped = _takes_gzip(accept_encoding or "")
    content, tag = _content(name, zipped)
    headers = {**RELEASE_HEADERS, "Vary": "Accept-Encoding"} | ({"Content-Encoding": "gzip"} if zipped else {})
    return tagged(content, tag, if_none_match, headers)


def _takes_gzip(accept_encoding: str) -> bool:
    """Whether gzip is among what is accepted, and not with the weight 0 that refuses it."""
    for each in accept_encoding.split(","):
        name, _, weight = each.replace(" ", "").lower().partition(";q=")
        if name == "gzip":
            return weight.strip("0.") != "" or weight == ""
    return False


@cache
def _content(name: str, zipped: bool) -> tuple[bytes, str]:
    """What is answered, and its ETag."""
    plain = (resources.folder("openapi") / name).read_bytes()
    content = gzip.compress(plain, mtime=0) if zipped else plain
    return content, etag(content)


ROUTES = (get_document, get_older_document)
