"""The numbers that tell whoever runs the service how it is doing."""

import re
from pathlib import Path

import httpx

from domain.match import table
from domain.match.events import Clock
from service.clocks import time_out
from service.held import stream_of
from tests.matches.conftest import Process, new_call, process, start_process
from tests.service.conftest import Join

__all__ = ["process", "start_process"]

ROOT = Path(__file__).resolve().parents[2]


async def number(client: httpx.AsyncClient, name: str) -> float:
    """The value of one number; 0 while it has not been counted."""
    text = (await client.get("/metrics")).text
    found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


async def test_what_a_match_makes_of_the_numbers(operator: httpx.AsyncClient, join: Join) -> None:
    names = {
        "appends": 'ludicitude_appends_total{outcome="appended"}',
        "seconds": "ludicitude_append_seconds_count",
        "bots": 'ludicitude_bot_choice_seconds_count{game="pico",level="easy"}',
        "refusals": 'ludicitude_refusals_total{code="card_not_in_hand"}',
        "waiting": "ludicitude_waiting",
    }
    before = {key: await number(operator, name) for key, name in names.items()}
    ada = await join("Ada")
    view = (await ada.post("/v1/matches", json={"options": {"game": "pico"}, "bots": ["easy"]})).json()
    path = f"/v1/matches/{view['match_id']}"
    hand = {choice["card"] for choice in view["decisions"][0]["choices"]}
    other = min({4, 5, 6, 7, 8, 9} - hand)
    refused = await ada.post(f"{path}/commands", json={"command": {"type": "pico.commit_card", "card": other}})
    assert refused.json()["code"] == "card_not_in_hand"
    await ada.get(f"{path}/events", params={"after": view["version"], "wait": 5})
    gained = {key: await number(operator, name) - before[key] for key, name in names.items()}
    assert gained == {"appends": 2, "seconds": 2, "bots": 1, "refusals": 1, "waiting": 0}
    assert await number(operator, "ludicitude_cached_matches") >= 1
    assert await number(operator, "ludicitude_fence_lag_seconds") < 60


async def test_a_deadline_tells_how_late_it_was(process: Process, operator: httpx.AsyncClient) -> None:
    name = "ludicitude_deadline_late_seconds"
    count, seconds = await number(operator, f"{name}_count"), await number(operator, f"{name}_sum")
    match = (await process.open("ann", clock=Clock(turn_seconds=5))).match
    match = (await process.sit(match.match_id, "bob")).match
    call = new_call("ann")
    await process.matches.change(match.match_id, call, lambda game, now, world: table.move_clock(now, 3600))
    await time_out(process.matches, stream_of(match.match_id))
    await time_out(process.matches, stream_of(match.match_id))
    assert await number(operator, f"{name}_count") == count + 1
    assert 3000 < await number(operator, f"{name}_sum") - seconds < 3600


def test_every_number_is_told_in_the_handbook() -> None:
    handbook = (ROOT / "OPERATIONS.md").read_text()
    made = [
        name
        for path in (ROOT / "service").rglob("*.py")
        for name in re.findall(r'(?:Counter|Gauge|Histogram)\(\s*"(ludicitude_\w+)"', path.read_text())
    ]
    assert len(made) > 10
    assert [name for name in made if f"`{name}" not in handbook] == []


def test_every_setting_is_told_in_the_handbook() -> None:
    handbook = (ROOT / "OPERATIONS.md").read_text()
    settings = re.findall(r'variable\("(\w+)"', (ROOT / "service" / "settings.py").read_text())
    assert [name for name in settings if f"`{name}`" not in handbook] == []
