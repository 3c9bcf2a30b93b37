"""Every match that bots play over the API is played again by a referee who knows the rulebook and not one line of the rules' code."""

import asyncio
import copy
import itertools
import random
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from litestar import Litestar

from tests.referees.panel import REFEREES, judge
from tests.referees.tape import Foul
from tests.service.conftest import app, inside

__all__ = ["app"]

AT_ONCE = 4

OPTIONS: dict[str, dict[str, tuple[Any, ...]]] = {
    "wolves": {},
    "pico": {"edition": ("pico2", "pico1")},
    "black-sheep": {
        "games_per_player": (0, 1),
        "bets": (False, True),
        "values": ("1-7", "0-6"),
        "super_lead": ("always", "only-when-nothing-else"),
    },
    "schemers": {"stakes": ("100-200", "50-100"), "rounds_max": (5, 12), "whispers": (False,)},
    "little-train": {"games": (1, 3)},
}
SEATS = {"wolves": (2, 3, 4), "pico": (2,), "black-sheep": (2, 3, 4), "schemers": (3, 4, 8), "little-train": (1, 2, 8)}


def terms(game: str) -> list[dict[str, Any]]:
    """Every match of a game that can be agreed on here, in an order without a pattern."""
    options = [dict(zip(OPTIONS[game], values, strict=True)) for values in itertools.product(*OPTIONS[game].values())]
    found = [{"options": {"game": game, **chosen}, "seats": seats} for chosen in options for seats in SEATS[game]]
    return random.Random(game).sample(found, len(found))


@pytest_asyncio.fixture
async def host(app: Litestar) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody who opens matches for bots."""
    async with httpx.AsyncClient(transport=inside(app), base_url="http://ludicitude.test") as made:
        created = await made.post("/v1/players", json={"display_name": "Ada"})
        made.headers["Authorization"] = f"Bearer {created.json()['token']}"
        yield made


async def finished(host: httpx.AsyncClient, asked: dict[str, Any], luck: random.Random) -> dict[str, Any]:
    """The record of a match that bots have played to its end."""
    bots = [luck.choice(("easy", "normal")) for _ in range(asked["seats"])]
    opened = await host.post("/v1/matches", json={**asked, "bots": bots, "sit": False})
    assert opened.status_code == 201, opened.text
    path, version = f"/v1/matches/{opened.json()['match_id']}", 0
    while not (page := (await host.get(f"{path}/events", params={"after": version, "limit": 1, "wait": 10})).json())["ended"]:
        version = page["version"]
    return dict((await host.get(f"{path}/record")).json())


async def play_and_judge(host: httpx.AsyncClient, game: str, times: int) -> None:
    """Play so many matches, a few of them at once, and judge each."""
    luck, agreed = random.Random(game), itertools.cycle(terms(game))
    for _ in range(0, times, AT_ONCE):
        for record in await asyncio.gather(*(finished(host, next(agreed), luck) for _ in range(AT_ONCE))):
            judge(record)


@pytest.mark.parametrize("game", REFEREES)
async def test_every_match_of_bots_is_played_by_the_rules(host: httpx.AsyncClient, game: str) -> None:
    await play_and_judge(host, game, 8)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("game", REFEREES)
async def test_thousands_of_matches_of_bots_are_played_by_the_rules(host: httpx.AsyncClient, game: str) -> None:
    await play_and_judge(host, game, 600)


@pytest.mark.parametrize("game", REFEREES)
async def test_a_referee_sees_every_single_fault(host: httpx.AsyncClient, game: str) -> None:
    """Each number, name and list that the rules have worked out is made wrong in turn, and each event left out in turn."""
    record = await finished(host, next(asked for asked in terms(game) if asked["seats"] >= 2), random.Random(game))
    judge(record)
    forged = 0
    for wrong in _forgeries(record):
        with pytest.raises(Foul):
            judge(wrong)
        forged += 1
    assert forged > 25


LUCK = {"hand_dealt", "cards_set_aside", "leader_chosen", "face_up_card_placed", "dice_rolled"}


def _forgeries(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    items = record["events"]
    for place, item in enumerate(items):
        name, kind = item["event"]["type"].split(".")
        if name == "match" and kind != "ended":
            continue
        shorter = copy.deepcopy(record)
        del shorter["events"][place]
        for version, left in enumerate(shorter["events"], 1):
            left["version"] = version
        yield shorter
        if item["seat"] is None and kind not in LUCK:
            for field, value in item["event"].items():
                for changed in () if field == "type" else _changed(value):
                    wrong = copy.deepcopy(record)
                    wrong["events"][place]["event"][field] = changed
                    yield wrong


def _changed(value: Any) -> Iterator[Any]:
    """Other values of the same kind."""
    match value:
        case bool():
            yield not value
        case int():
            yield value + 1
        case str():
            yield value + "x"
        case None:
            yield 0
        case dict():
            for key, inner in value.items():
                yield from ({**value, key: changed} for changed in _changed(inner))
        case [first, *rest]:
            yield rest
            yield from ([changed, *rest] for changed in _changed(first))


def test_no_referee_knows_the_code_of_the_rules() -> None:
    for path in Path(__file__).parent.glob("*.py"):
        if not path.name.startswith("test_"):
            source = path.read_text("utf-8")
            assert "domain" not in source, path.name
            assert "import" in source
            assert "service" not in source, path.name
