"""The docs page, which must work with no network but the way to this service."""

import re
from urllib.parse import urljoin

import httpx
import pytest

from service import resources
from service.http.routes.docs import PAGES


async def test_the_page_and_all_it_loads_come_from_here(client: httpx.AsyncClient) -> None:
    page = await client.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    wanted = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert len(wanted) >= 4
    assert all(address.startswith(("/", "data:")) for address in wanted), wanted
    for address in wanted:
        if address.startswith("/"):
            assert (await client.get(address)).status_code == 200, address


async def test_the_bare_address_of_the_server_leads_there(client: httpx.AsyncClient) -> None:
    answer = await client.get("/")
    assert (answer.status_code, answer.headers["location"]) == (302, "/docs")
    assert (await client.post("/")).json()["code"] == "method_not_allowed"


async def test_the_browser_is_told_to_ask_nobody_else(client: httpx.AsyncClient) -> None:
    policy = (await client.get("/docs")).headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "http" not in policy


async def test_scripts_and_styles_come_as_what_they_are(client: httpx.AsyncClient) -> None:
    script = await client.get("/docs/assets/swagger-ui/swagger-ui-bundle.js")
    assert "javascript" in script.headers["content-type"]
    assert (await client.get("/docs/assets/swagger-ui/swagger-ui.css")).headers["content-type"].startswith("text/css")
    assert (await client.get("/docs/assets/../docs.py")).status_code == 404
    assert (await client.get("/docs/assets/%2e%2e/%2e%2e/http/docs.py")).status_code == 404


def test_what_is_not_ours_comes_with_its_licence() -> None:
    assert "Apache License" in (PAGES / "swagger-ui" / "LICENSE").read_text("utf-8")


async def test_the_guide_is_served_under_the_names_it_has_in_the_repository(client: httpx.AsyncClient) -> None:
    begin = await client.get("/docs/guide", follow_redirects=True)
    assert begin.status_code == 200
    assert "<h1>" in begin.text
    for path in resources.folder("docs").rglob("*.md"):
        page = await client.get(f"/docs/guide/{path.relative_to(resources.folder('docs')).as_posix()}")
        assert page.headers["content-type"].startswith("text/html"), path
        assert "default-src 'none'" in page.headers["content-security-policy"]
        assert "&lt;!--" not in page.text, f"{path.name} shows a comment"
        for target, anchor in re.findall(r'href="([^"#]*)(#[^"]*)?"', page.text):
            if not target.startswith(("data:", "https://")):
                linked = await client.get(urljoin(str(page.url), target) if target else str(page.url))
                assert linked.status_code == 200, f"{path.name} links to {target}"
                assert not anchor or f'id="{anchor[1:]}"' in linked.text, f"{path.name} links to {target}{anchor}"


async def test_the_guide_is_nothing_but_its_pages(client: httpx.AsyncClient) -> None:
    for page in ("nothing.md", "..%2fREADME.md", "../../README.md", "%2fetc%2fpasswd"):
        answer = await client.get(f"/docs/guide/{page}")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), page


async def test_the_snippets_of_the_guide_call_the_server_that_it_is_read_on(client: httpx.AsyncClient) -> None:
    paths = [path.relative_to(resources.folder("docs")).as_posix() for path in resources.folder("docs").rglob("*.md")]
    for host in ("play.example:18080", "[::1]:8000"):
        shown = [(await client.get(f"/docs/guide/{path}", headers={"Host": host})).text for path in paths]
        assert not [path for path, text in zip(paths, shown, strict=True) if "localhost:8000" in text]
        assert sum(text.count(f"http://{host}") for text in shown) > 20
    tutorial = (await client.get("/docs/guide/tutorial.md", headers={"Host": "play.example$(reboot)"})).text
    assert "reboot" not in tutorial
    assert "http://localhost:8000/v1" in tutorial


async def test_a_folder_of_the_guide_begins_with_its_first_page(client: httpx.AsyncClient) -> None:
    for folder in ("games", "games/"):
        answer = await client.get(f"/docs/guide/{folder}")
        assert (answer.status_code, answer.headers["location"]) == (302, "/docs/guide/games/README.md")


async def test_who_reads_the_guide_by_curl_is_told_where_it_is_and_gets_it_as_it_was_written(client: httpx.AsyncClient) -> None:
    for path, leads in (("/docs/guide", "/docs/guide/README.md"), ("/docs/guide/games", "/docs/guide/games/README.md"), ("/", "/docs")):
        answer = await client.get(path)
        assert (answer.status_code, answer.headers["location"], answer.text) == (302, leads, f"It is at {leads}\n")
    page = await client.get("/docs/guide/setup.md", headers={"Accept": "text/markdown", "Host": "play.example"})
    assert (page.headers["content-type"], page.headers["vary"]) == ("text/markdown; charset=utf-8", "Accept")
    assert page.text == (resources.folder("docs") / "setup.md").read_text("utf-8").replace("localhost:8000", "play.example")
    assert (await client.get("/docs/guide/nothing.md", headers={"Accept": "text/markdown"})).status_code == 404


async def test_what_is_there_to_be_copied_comes_as_it_is(client: httpx.AsyncClient) -> None:
    folder = resources.folder("examples")
    for path in (*folder.glob("python/*.py"), *folder.glob("typescript/*.ts"), folder / "typescript" / "package.json"):
        answer = await client.get(f"/docs/examples/{path.relative_to(folder).as_posix()}")
        assert (answer.content, answer.headers["content-type"]) == (path.read_bytes(), "text/plain; charset=utf-8")
    for other in ("python", "python/nothing.py", "..%2fREADME.md", "../../README.md", "python/../README.md"):
        answer = await client.get(f"/docs/examples/{other}")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), other


async def test_the_verifiers_come_as_they_are(client: httpx.AsyncClient) -> None:
    folder = resources.folder("verify")
    for name in ("verify.py", "verify.mjs", "verify.d.mts"):
        answer = await client.get(f"/docs/verify/{name}")
        assert (answer.content, answer.headers["content-type"]) == ((folder / name).read_bytes(), "text/plain; charset=utf-8")


@pytest.mark.parametrize(
    "name", ["%00", "index.html%00.js", "a" * 300, "a/" * 3000, "index.html/x", "swagger-ui", "%ff", "%2fetc%2fpasswd"]
)
@pytest.mark.parametrize("folder", ["assets", "guide", "examples", "verify"])
async def test_what_no_file_can_be_called_is_not_there(client: httpx.AsyncClient, folder: str, name: str) -> None:
    assert (await client.get(f"/docs/{folder}/{name}")).status_code == 404


async def test_the_files_of_the_page_are_fetched_once(client: httpx.AsyncClient) -> None:
    script = await client.get("/docs/assets/start.js")
    assert (script.status_code, script.headers["cache-control"]) == (200, "public, max-age=300")
    again = await client.get("/docs/assets/start.js", headers={"If-None-Match": script.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
