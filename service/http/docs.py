"""The API's document as committed, and a page that shows it. The page asks no other site for anything."""

from functools import cache
from pathlib import Path

from litestar import Response, get
from litestar.static_files import create_static_files_router

from service import resources
from service.http.auth import ANONYMOUS
from service.http.conditions import RELEASE_HEADERS, IfNoneMatch, etag, tagged

PAGES = Path(__file__).resolve().parent.parent / "web" / "docs"

SAME_SITE_ONLY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The page's own styles stand in its elements, hence `unsafe-inline` for styles; scripts come from files only."""


@get("/openapi.json", include_in_schema=False, opt=ANONYMOUS, sync_to_thread=False)
def get_document(if_none_match: IfNoneMatch = None) -> Response[bytes]:
    """The OpenAPI document, byte for byte as committed."""
    content = _document()
    return tagged(content, etag(content), if_none_match, RELEASE_HEADERS)


@get("/docs", include_in_schema=False, opt=ANONYMOUS, sync_to_thread=False)
def show_docs() -> Response[bytes]:
    """The page."""
    headers = {**RELEASE_HEADERS, "Content-Security-Policy": SAME_SITE_ONLY}
    return Response((PAGES / "index.html").read_bytes(), media_type="text/html", headers=headers)


@cache
def _document() -> bytes:
    return (resources.folder("openapi") / "openapi.json").read_bytes()


assets = create_static_files_router("/docs/assets", [PAGES], opt=ANONYMOUS, include_in_schema=False, name="docs_assets")

ROUTES = (get_document, show_docs, assets)
