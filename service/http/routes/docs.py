"""A page that shows the API's document, and the guide beside it. None of them asks another site for anything."""

import html
import re
from collections.abc import Mapping
from functools import cache
from mimetypes import guess_type
from pathlib import Path
from typing import NamedTuple

from litestar import Response, get
from litestar.params import FromPath
from markdown_it import MarkdownIt

from service import resources
from service.http.auth import ANONYMOUS
from service.http.body import StrictRequest
from service.http.conditions import RELEASE_HEADERS, IfNoneMatch, etag, tagged
from service.http.problems import Trouble

PAGES = Path(__file__).resolve().parents[1] / "pages"

GUIDE = "/docs/guide/"
"""Where the pages of `docs/` are, under the names that they have there: their links to each other hold here too."""

EXAMPLES = "/docs/examples/"
"""Where the files of `examples/` are: the pages' links to them hold here too."""

VERIFY = "/docs/verify/"
"""Where the files of `verify/` are, for the same reason."""

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
def open_docs() -> Response[bytes]:
    """Who opens the address that the welcome names finds out what is here."""
    return _leads_to("/docs")


@get(["/docs/guide", "/docs/guide/"], include_in_schema=False, opt=ANONYMOUS, sync_to_thread=False)
def open_guide() -> Response[bytes]:
    """The guide begins with its first page."""
    return _leads_to(f"{GUIDE}README.md")


@get("/docs/guide/{page:path}", include_in_schema=False, opt=ANONYMOUS, sync_to_thread=False)
def show_page(page: FromPath[str], request: StrictRequest) -> Response[bytes]:
    """A page of the guide, whose snippets call the server that it is read on; a folder begins with its first page.

    Who asks for `text/markdown` gets what it was written in.
    """
    name = page.strip("/")
    if f"{name}/README.md" in _guide():
        return _leads_to(f"{GUIDE}{name}/README.md")
    media_type = "text/markdown" if "text/markdown" in request.headers.get("accept", "") else "text/html"
    content = (_written() if media_type == "text/markdown" else _guide()).get(name)
    if content is None:
        raise Trouble("not_found")
    if _PLAIN_HOST.fullmatch(request.url.netloc):
        content = content.replace(ADDRESS, f"{request.url.scheme}://{request.url.netloc}".encode())
    return Response(content, media_type=media_type, headers={**HEADERS, "Vary": "Accept"})


@get(EXAMPLES + "{file:path}", include_in_schema=False, opt=ANONYMOUS, sync_to_thread=False)
def show_example(file: FromPath[str]) -> Response[bytes]:
    """One of the files that are there to be copied, as it is."""
    return _as_it_is(_examples(), file)


@get(VERIFY + "{file:path}", include_in_schema=False, opt=ANONYMOUS, sync_to_thread=False)
def show_verifier(file: FromPath[str]) -> Response[bytes]:
    """One of the programs that check the record of a match, as it is."""
    return _as_it_is(_verifiers(), file)


def _leads_to(path: str) -> Response[bytes]:
    """What is asked for is there; a program that does not follow shows where."""
    return Response(f"It is at {path}\n".encode(), status_code=302, media_type="text/plain", headers={"Location": path})


def _as_it_is(files: Mapping[str, bytes], name: str) -> Response[bytes]:
    content = files.get(name.strip("/"))
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
def _verifiers() -> Mapping[str, bytes]:
    """The files of `verify/` by their names there."""
    return {path.name: path.read_bytes() for path in sorted(resources.folder("verify").glob("verify.*"))}


@get("/docs/assets/{file:path}", include_in_schema=False, opt=ANONYMOUS, sync_to_thread=False)
def show_asset(file: FromPath[str], if_none_match: IfNoneMatch = None) -> Response[bytes]:
    """One of the files that the pages are made of."""
    found = _assets().get(file.strip("/"))
    if found is None:
        raise Trouble("not_found")
    answer = tagged(found.content, found.etag, if_none_match, RELEASE_HEADERS)
    answer.media_type = found.media_type
    return answer


class _Asset(NamedTuple):
    content: bytes
    etag: str
    media_type: str


@cache
def _assets() -> Mapping[str, _Asset]:
    """The files beside the pages by their names there. What is asked for is looked up, and never is the name of a file to open."""
    files = {path.relative_to(PAGES).as_posix(): path for path in sorted(PAGES.rglob("*")) if path.is_file()}
    return {name: _asset(path.read_bytes(), guess_type(name)[0]) for name, path in files.items()}


def _asset(content: bytes, media_type: str | None) -> _Asset:
    return _Asset(content, etag(content), media_type or "text/plain")


@cache
def _guide() -> Mapping[str, bytes]:
    """The pages of `docs/` as HTML, by their names there."""
    frame = (PAGES / "guide.html").read_text("utf-8")
    return {name: _page(frame, text.decode()).encode() for name, text in _written().items()}


@cache
def _written() -> Mapping[str, bytes]:
    """The pages of `docs/` as they were written, by their names there."""
    folder = resources.folder("docs")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.md"))}


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


ROUTES = (open_docs, show_docs, open_guide, show_page, show_example, show_verifier, show_asset)
