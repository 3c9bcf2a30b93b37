"""Programs on generated clients pass the strictest checks of their language, and play every game on a running service."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import openapi_generator_cli
import pytest

from domain.games import GAMES
from tests.faults.served import Served, lasting_port, served
from tests.sdk.conftest import LONGEST_SECONDS, Generate, project, require, run, set_up
from tests.sdk.guide import ROOT, page, programs
from tests.sdk.kotlin import compiled, libraries

pytestmark = pytest.mark.timeout(900)

PLAYERS = Path(__file__).parent / "players"
EXAMPLES = ROOT / "examples"
JACKSON = Path(openapi_generator_cli.__file__).parent / "openapi-generator.jar"
"""What clients for Java need stands in the generator's own archive, all but one annotation."""

ANNOTATION = """package javax.annotation;
public @interface Generated {
    String[] value();
    String date() default "";
    String comments() default "";
}
"""


@pytest.fixture(scope="module")
def service(used_server_folder: Path) -> Iterator[Served]:
    with served(used_server_folder) as started:
        yield started


@pytest.fixture(scope="module", autouse=True)
def kotlin(generated: Generate) -> Iterator[Future[Path] | None]:
    """The folder of the compiled client of Kotlin, where there is Java. Compiling takes half a minute, in which the others play."""
    with ThreadPoolExecutor(1) as worker:
        yield worker.submit(compiled, generated("Kotlin").folder, PLAYERS / "Player.kt") if shutil.which("java") else None


@pytest.fixture(scope="module")
def typescript(generated: Generate, tmp_path_factory: pytest.TempPathFactory, service: Served) -> Path:
    """The folder of everything in TypeScript, checked and compiled at once."""
    require("node")
    folder = set_up(project(tmp_path_factory.mktemp("typescript") / "project"))
    shutil.copy(generated("TypeScript").folder / "ludicitude.d.ts", folder)
    shutil.copytree(generated("TypeScript with streams").folder / "ludicitude", folder / "ludicitude")
    for program in [*PLAYERS.glob("*.ts"), *EXAMPLES.glob("typescript/*.ts")]:
        shutil.copy(program, folder)
    for number, text in enumerate(programs("ts")):
        (folder / f"page{number}.ts").write_text(text.replace("http://localhost:8000", service.address), "utf-8")
    run(folder, "npx", "tsc", "--project", "tsconfig.json", "--outDir", "out")
    return folder


@pytest.fixture(scope="module")
def python(generated: Generate, service: Served) -> Path:
    """The folder of everything in Python, checked by mypy as strictly as it can."""
    folder = generated("Python").folder
    shutil.copy(PLAYERS / "player.py", folder)
    for program in EXAMPLES.glob("python/*.py"):
        shutil.copy(program, folder)
    (folder / "page.py").write_text("\n".join(programs("python")).replace("http://localhost:8000", service.address), "utf-8")
    names = [
        "player.py",
        "page.py",
        "table.py",
        "follow.py",
        "send.py",
        "talk.py",
        "terminal.py",
        "turns.py",
        "words.py",
        "ludicitude/ludicitude_client",
    ]
    run(folder, sys.executable, "-m", "mypy", "--strict", "--cache-dir", "mypy", *names, MYPYPATH="ludicitude")
    return folder


def check(told: str, service: Served) -> None:
    """Hold what a player told, a line a match, against what the service has."""
    matches = [json.loads(line) for line in told.splitlines()]
    assert {match["game"] for match in matches} == set(GAMES)
    with httpx.Client(base_url=service.address) as client:
        for match in matches:
            _check_match(match, client.get(f"/v1/matches/{match['match_id']}/record").json())


def _check_match(match: dict[str, Any], record: dict[str, Any]) -> None:
    versions = [item["version"] for item in record["events"]]
    assert record["game"] == match["game"]
    assert match["version"] == versions[-1]
    assert match["listed"] == versions
    # The stream began with a view, and told every event from there on.
    assert match["followed"] == versions[match["followed"][0] - 1 :]
    assert match["ranked"] == len(record["seats"])
    assert match["refused"] == ["precondition_failed", "decision_closed"]
    assert match["unchanged"] == 304
    assert match["table"] in (match["game"], "".join(map(str.capitalize, match["game"].split("-"))) + "View")


def test_the_client_of_python_plays_every_game(python: Path, service: Served) -> None:
    check(run(python, sys.executable, "player.py", service.address, PYTHONPATH="ludicitude"), service)


@pytest.mark.parametrize("player", ["openapi_fetch", "hey_api"])
def test_the_clients_of_typescript_play_every_game(player: str, typescript: Path, service: Served) -> None:
    check(run(typescript, "node", f"out/{player}.js", service.address), service)


def test_the_client_of_java_plays_every_game(generated: Generate, service: Served) -> None:
    require("javac")
    folder = generated("Java").folder
    (folder / "Generated.java").write_text(ANNOTATION, "utf-8")
    sources = [str(path) for path in folder.glob("ludicitude/src/main/**/*.java")]
    run(folder, "javac", "-proc:none", "-cp", str(JACKSON), "-d", "out", *sources, "Generated.java", str(PLAYERS / "Player.java"))
    check(run(folder, "java", "-cp", f"out:{JACKSON}", "Player", service.address), service)


def test_the_programs_of_the_page_do_what_it_says(python: Path, typescript: Path) -> None:
    *playing, streaming = [run(typescript, "node", f"out/page{number}.js") for number in range(len(programs("ts")))]
    playing.append(run(python, sys.executable, "page.py", PYTHONPATH="ludicitude"))
    assert len(playing) == 3
    for said in playing:
        assert said.count("takes the trick") > 5
        assert said.endswith("rounds_played\n")
    assert streaming == programs("text")[0]


@pytest.mark.parametrize("game", ["pico", "little-train"])
def test_the_examples_play_to_the_end(game: str, python: Path, typescript: Path, service: Served) -> None:
    """Whoever sits there always takes the first choice, which nothing but Enter says."""
    enter = "\n" * 500
    for said in (
        run(python, sys.executable, "table.py", game, service.address, typed=enter, PYTHONPATH="ludicitude"),
        run(typescript, "node", "out/table.js", game, service.address, typed=enter),
    ):
        assert "Your choice: " in said
        assert re.search(r"^1\. (You|The bot), -?\d+ points\n[12]\. (You|The bot), -?\d+ points\n\Z", said, re.MULTILINE), said


def test_the_examples_go_on_with_a_server_that_is_started_again(python: Path, typescript: Path, server_folder: Path) -> None:
    """It is stopped while somebody chooses, and is not there when the choice is sent."""
    programs = {python: [sys.executable, "-u", "table.py"], typescript: ["node", "out/table.js"]}
    port = lasting_port()
    with served(server_folder, PORT=port) as service, ExitStack() as all_of_them:
        playing = [
            all_of_them.enter_context(
                subprocess.Popen(
                    [*command, "pico", service.address],
                    cwd=folder,
                    env={**os.environ, "PYTHONPATH": "ludicitude"},
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for folder, command in programs.items()
        ]
        for each in playing:
            said(each, "  5  ")
        service.end(signal.SIGTERM)
        for each in playing:
            assert each.stdin
            each.stdin.write("\n" * 500)
            each.stdin.flush()
            said(each, "The server cannot be reached (unavailable)")
        with served(server_folder, PORT=port):
            for each in playing:
                assert each.stdout
                rest = each.stdout.read()
                assert each.wait(LONGEST_SECONDS) == 0
                assert rest.count("won the trick with") > 5
                assert "There it is again." in rest
                assert re.search(r"^1\. (You|The bot), ", rest, re.MULTILINE), rest


def said(playing: "subprocess.Popen[str]", words: str) -> None:
    """Wait until it says these words. Raises AssertionError if it ends before."""
    assert playing.stdout
    assert any(words in line for line in playing.stdout), words


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("Player.java", "setDefaultSetterInfo(JsonSetter.Value.forValueNulls(Nulls.SKIP))"),
        ("Player.java", 'request.header("Authorization", "Bearer " + token)'),
        ("Player.kt", "ApiClient.accessToken = "),
        ("Player.kt", "Serializer.kotlinxSerializationJsonConfiguration = { explicitNulls = false }"),
        ("Player.kt", "is MatchTable.PicoWrapper"),
    ],
)
def test_the_lines_for_java_and_kotlin_stand_in_programs_that_were_run(program: str, words: str) -> None:
    assert words in page()
    assert words in " ".join((PLAYERS / program).read_text("utf-8").split())


def test_the_client_of_kotlin_plays_every_game(kotlin: Future[Path] | None, service: Served) -> None:
    require("npx")  # Which brings the library for HTTP.
    require("java")
    assert kotlin is not None
    check(run(kotlin.result(), "java", "-cp", os.pathsep.join(["out", libraries()]), "PlayerKt", service.address), service)
