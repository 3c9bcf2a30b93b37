"""What the head of a request has to be before anybody looks at it: small, for one host, and not to be read in two ways.

Where a header that has one value comes twice, a proxy in front may believe one of them and the service the other (RFC 9110, 5.3).
"""

import re
from collections.abc import Sequence
from itertools import chain

from service.http.problems import Fault, Trouble

TARGET_MAX_BYTES = 8_192
HEADERS_MAX = 100
HEAD_MAX_BYTES = 32_768
"""Of the target and all headers together."""

ONCE = frozenset(
    {
        *(b"authorization", b"content-type", b"host", b"idempotency-key", b"if-match", b"last-event-id", b"origin", b"request-id"),
        *(b"access-control-request-method", b"traceparent", b"transfer-encoding"),
    }
)
"""The headers of which one value is read. The parser itself refuses a second Content-Length, and one beside Transfer-Encoding."""

_HOST = re.compile(rb"(?:[\w.~!$&'()*+,;=%-]*|\[[\w.~!$&'()*+,;=:-]+\])(?::(?P<port>\d{0,5}))?", re.ASCII)
PORT_MAX = 65_535
_OFFER = (b"connection", b"upgrade", b"http2-settings")

Headers = Sequence[tuple[bytes, bytes]]


def require_lawful(target: bytes, version: str, headers: Headers, received: int) -> None:
    """Raises `Trouble` for a head that no request has; `received` is how many bytes it came in at most."""
    if len(target) > TARGET_MAX_BYTES:
        raise Trouble("uri_too_long")
    if len(headers) > HEADERS_MAX or (received > HEAD_MAX_BYTES and sum(map(len, (target, *chain(*headers)))) > HEAD_MAX_BYTES):
        raise Trouble("headers_too_large")
    if version not in ("1.0", "1.1"):
        raise Trouble("malformed_request", "This is neither HTTP/1.1 nor HTTP/1.0.")
    values = dict(headers)
    if len(values) != len(headers):
        names = [name for name, _ in headers]
        if twice := sorted(name for name in ONCE if names.count(name) > 1):
            raise Trouble("invalid_parameter", errors=[Fault("header", f"/{each.decode().title()}", "It is sent twice.") for each in twice])
    if version == "1.0" and b"transfer-encoding" in values:  # RFC 9112, 6.1
        raise Trouble("malformed_request", "A body comes in chunks by HTTP/1.1 alone.")
    host = values.get(b"host", None if version == "1.1" else b"")
    found = None if host is None else _HOST.fullmatch(host)  # RFC 9112, 3.2
    if found is None or int(found["port"] or 0) > PORT_MAX:
        raise Trouble("malformed_request", "A request names its host, in one Host header.")


def without_offer(method: bytes, target: bytes, version: str, headers: Headers, keep_alive: bool) -> bytes:
    """The head without its offer to upgrade. There is nothing to upgrade to, but some clients offer it with every request, in the hope
    of HTTP/2. Raises `Trouble` for a call to a proxy, which this is not.
    """
    if method == b"CONNECT":
        raise Trouble("malformed_request", "This is no proxy.")
    kept = [header for header in headers if header[0] not in _OFFER]
    kept.append((b"connection", b"keep-alive" if keep_alive else b"close"))
    return b"%s %s HTTP/%s\r\n%s\r\n" % (method, target, version.encode(), b"".join(b"%s: %s\r\n" % header for header in kept))


def origin(headers: Headers) -> bytes:
    """The page that the request comes from, as far as it says so, and says it once."""
    named = [value for name, value in headers if name == b"origin"]
    return named[0] if len(named) == 1 else b""
