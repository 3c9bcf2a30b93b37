"""Everybody who can stand before a door, and the matches behind it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.service.conftest import OLGA, bearing
from tests.service.documented import Documented

CALLERS = ("nobody", "stranger", "former", "seat", "host", "operator")
"""A stranger has no part in the match: where it may be watched, that is a spectator. `former` had a seat and has left, resigned or
declined it."""

MATCHES: dict[str, dict[str, Any]] = {
    "open": {"start": "by_host"},
    "open, private": {"start": "by_host", "visibility": "private"},
    "playing": {},
    "playing, delayed": {"spectators": "delayed"},
    "playing, unwatched": {"spectators": "none"},
    "playing, private": {"visibility": "private"},
    "ended": {},
    "a rematch, private": {"visibility": "private"},
}
"""The states in which a match is met, and the terms that make it so. A rematch is asked for by the host, and waits for `seat`."""

WHY = {"note": "A complaint"}
BODIES: dict[str, Any] = {
    "create_player": {"display_name": "New"},
    "erase_player": WHY,
    "move_clock": {"forward_seconds": 1},
    "open_match": {"options": {"game": "pico"}},
    "renew_invite": {},
    "seat_bot": {"level": "easy"},
    "send_message": {"text": "Hello"},
    "sign_out_player": WHY,
    "start_match": {},
    "stop_match": WHY,
    "take_seat": {},
    "update_me": {"display_name": "Renamed"},
}
"""A good body for each operation that takes one, `send_command` apart."""

SEATS = {"seat_bot": 2, "remove_bot": 2, "remove_player": 1}


@dataclass
class Cast:
    """The callers, and one match of each state."""

    transport: Documented
    callers: dict[str, httpx.AsyncClient] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    matches: dict[str, str] = field(default_factory=dict)
    invites: dict[str, str] = field(default_factory=dict)
    """The codes of the matches that have one, by the match."""

    async def gather(self) -> None:
        """New players for all parts."""
        nobody = httpx.AsyncClient(transport=self.transport, base_url="http://ludicitude.test")
        self.callers = {"nobody": nobody, "operator": bearing(self.transport, OLGA)}
        for name in CALLERS[1:-1]:
            made = (await nobody.post("/v1/players", json={"display_name": name})).json()
            self.callers[name], self.ids[name] = bearing(self.transport, made["token"]), made["player_id"]
            self.ids[f"{name}'s token"] = made["token_id"]
        self.matches = {}

    async def match(self, state: str) -> str:
        """The id of a match in this state, as nobody has touched it yet."""
        if state not in self.matches:
            self.matches[state] = await self._new(state)
        return self.matches[state]

    async def _new(self, state: str) -> str:
        host, seat, former = (self.callers[name] for name in ("host", "seat", "former"))
        view = (await host.post("/v1/matches", json={"options": {"game": "wolves"}, "seats": 3, **MATCHES[state]})).json()
        path = f"/v1/matches/{view['match_id']}"
        for number, other in ((1, seat), (2, former)):
            sat = await other.post(f"{path}/seats", json={"seat": number, "invite": view["invite"] or ""})
            assert sat.status_code == 200, sat.text
        left = await (former.delete(f"{path}/seats/me") if state.startswith("open") else former.post(f"{path}/resign"))
        assert left.is_success, left.text
        for player in [seat, host] if state in ("ended", "a rematch, private") else []:
            assert (await player.post(f"{path}/resign")).is_success
        self.invites[view["match_id"]] = view["invite"] or ""
        if state != "a rematch, private":
            return str(view["match_id"])
        again = (await host.post(f"{path}/rematch")).json()
        self.invites[again["match_id"]] = again["invite"]
        assert (await former.delete(f"/v1/matches/{again['match_id']}/seats/me")).is_success
        return str(again["match_id"])

    async def knock(self, name: str, method: str, path: str, state: str, caller: str) -> str:
        """What this caller is answered by this operation: the status, and the code of a problem. What was changed is made anew."""
        match_id = await self.match(state) if state != "-" else "mat_" + "0" * 32
        whose = "former" if name == "unmute_player" else "seat"
        about = {"match_id": match_id, "seat": SEATS.get(name), "game": "pico", "player_id": self.ids[whose]}
        filled = path.format(**about, token_id=self.ids["seat's token"])
        answer = await self.callers[caller].request(method, filled, json=await self._body(name, match_id, caller))
        if answer.is_success and method != "GET":
            self.matches.pop(state, None)
            if "/players" in path:
                await self.gather()
        return str(answer.status_code) if answer.is_success else f"{answer.status_code} {answer.json()['code']}"

    async def _body(self, name: str, match_id: str, caller: str) -> Any:
        if name == "send_command":
            seen = await self.callers[caller].get(f"/v1/matches/{match_id}")
            decisions: Sequence[Any] = seen.json().get("decisions") or [{"choices": [{"type": "wolves.commit_card", "card": "BIG"}]}]
            return {"command": decisions[0]["choices"][0]}
        if name == "look_up_invite":
            return {"invite": self.invites[match_id]}
        return {"match_id": match_id} if name == "create_stream_ticket" else BODIES.get(name)
