"""A page that shows the API's document, and the guide beside it. None of them asks another site for anything."""

import html
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from litestar import Response, get
from litestar.params import FromPath
from litestar.response import Redirect
from litestar.static_files import create_static_files_router
from markdown_it import MarkdownIt

from service import resources
from service.http.auth import ANONYMOUS
from service.http.body import StrictRequest
from service.http.conditions import RELEASE_HEADERS
from service.http.problems import Trouble

PAGES = Path(__file__).resolve().parent.parent / "web" / "docs"

GUIDE = "/docs/guide/"
"""Where the pages of `docs/` are, under the names that they have there: their links to each other hold here too."""

EXAMPLES = "/docs/examples/"
"""Where the files of `examples/` are: the pages' links to them hold here too."""

ADDRESS = b"http://localhost:8000"
"""What the pages call the server."""

_PLAIN_HOST = re.compile(r"(?:[a-zA-Z0-9.-]+|\[[0-9a-fA-F:.]+\])(?::\d+)?")
"""A host that says nothing to a shell, into which people paste snippets."""

SAME_SITE_ONLY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The page's own styles stand in its elements, hence `unsafe-inline` for styles; scripts come from files only."""

HEADERS = {**RELEASE_HEADERS, "Content-Security-Policy": SAME_SITE_ONLY}


@get("/docs", include_in_schema=False, opt=ANONYMOUS, sync_to_thread=False)
def show_docs() -> Response[bytes]:
    """The page that shows the document."""
    return Response((PAGES / "index.html").read_bytes(), media_type="text/html", headers=HEADERS)


@get("/", include_in_schema=False, opt=ANONYMOUS, sync_to_thread=False)
def open_docs() -> Redirect:
    """Who opens the address that the welcome names finds out what is here."""
    return Redirect("/docs")


@get(["/docs/guide", "/docs/guide/"], include_in_schema=False, opt=ANONYMOUS, sync_to_thread=False)
def open_guide() -> Redirect:
    """The guide begins with its first page."""
    return Redirect(GUIDE + "README.md")


@get("/docs/guide/{page:path}", include_in_schema=False, opt=ANONYMOUS, sync_to_thread=False)
def show_page(page: FromPath[str], request: StrictRequest) -> Response[bytes] | Redirect:
    """A page of the guide, whose snippets call the server that it is read on; a folder begins with its first page."""
    name = page.strip("/")
    if f"{name}/README.md" in _guide():
        return Redirect(f"{GUIDE}{name}/README.md")
    content = _guide().get(name)
    if content is None:
        raise Trouble("not_found")
    if _PLAIN_HOST.fullmatch(request.url.netloc):
        content = content.replace(ADDRESS, f"{request.url.scheme}://{request.url.netloc}".encode())
    return Response(content, media_type="text/html", headers=HEADERS)


@get(EXAMPLES + "{file:path}", include_in_schema=False, opt=ANONYMOUS, sync_to_thread=False)
def show_example(file: FromPath[str]) -> Response[bytes]:
    """One of the files that are there to be copied, as it is."""
    content = _examples().get(file.strip("/"))
    if content is None:
        raise Trouble("not_found")
    return Response(content, media_type="text/plain", headers=HEADERS)


@cache
def _examples() -> Mapping[str, bytes]:
    """The files of `examples/` by their names there."""
    folder = resources.folder("examples")
    names = (name for language in ("python", "typescript") for name in sorted((folder / language).glob("*.*")) if name.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in names}


@cache
def _guide() -> Mapping[str, bytes]:
    """The pages of `docs/` as HTML, by their names there."""
    folder, frame = resources.folder("docs"), (PAGES / "guide.html").read_text("utf-8")
    pages = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in sorted(folder.rglob("*.md"))}
    return {name: _page(frame, text).encode() for name, text in pages.items()}


def _page(frame: str, text: str) -> str:
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    body = re.sub(r"<h([23])>(.*?)</h\1>", _with_anchor, markdown.render(re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)))
    title = re.search(r"^# (.+)$", text, re.MULTILINE)
    return frame.replace("{title}", html.escape(title[1] if title else "")).replace("{body}", body)


def _with_anchor(heading: re.Match[str]) -> str:
    """A heading that can be linked to, by the name that GitHub gives it."""
    words = html.unescape(re.sub(r"<.*?>", "", heading[2])).lower()
    name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
    return f'<h{heading[1]} id="{html.escape(name)}">{heading[2]}</h{heading[1]}>'


assets = create_static_files_router("/docs/assets", [PAGES], opt=ANONYMOUS, include_in_schema=False, name="docs_assets")

ROUTES = (open_docs, show_docs, open_guide, show_page, show_example, assets)
