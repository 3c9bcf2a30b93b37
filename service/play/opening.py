"""Sitting down: what the person asks for, made into a match that the API opens, or a seat at one that there is."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from service.cant_run import CantRun
from service.play.api import Api, Problem
from service.play.words import Language, Words

_NAME_MAX = 24


class Wanted(NamedTuple):
    """What is to be played: a game against bots, or the match of an invitation, whose terms are agreed on already.

    `option` are pairs such as `edition=pico1`; without `seats` there are as few as can be, but two if they can.
    """

    game: str | None
    invite: str | None
    seats: int | None
    level: str
    lang: Language
    option: Sequence[str]
    url: str | None


def become_player(api: Api, name: str) -> None:
    """Be a new player of this name from now on."""
    api.token = api.post("/v1/players", {"display_name": name})["token"]


def look_up(api: Api, invite: str) -> Mapping[str, Any]:
    """What a list shows of the match that this code leads to."""
    found: Mapping[str, Any] = api.post("/v1/invites/look-up", {"invite": invite})
    return found


def sit_down(api: Api, match: Mapping[str, Any], wanted: Wanted) -> Mapping[str, Any]:
    """Take a seat at the match that the invitation leads to."""
    seen: Mapping[str, Any] = api.post(f"/v1/matches/{match['match_id']}/seats", {"invite": wanted.invite})
    return seen


def game_details(api: Api, game: str | None) -> Mapping[str, Any]:
    """What the catalogue says of a game. Raises `CantRun`, with the games there are, when it is none of them."""
    try:
        details: Mapping[str, Any] = api.get(f"/v1/games/{quote(str(game), safe='')}")
    except Problem as no:
        if no.code not in ("game_not_found", "not_found"):
            raise
        there = ", ".join(item["game"] for item in api.get("/v1/games")["items"])
        raise CantRun(f"There is no game {game!r}. There are: {there}.") from no
    return details


def open_match(api: Api, details: Mapping[str, Any], wanted: Wanted) -> Mapping[str, Any]:
    """Open a match in which bots take the other seats. Raises `CantRun` and `Problem`."""
    if wanted.level not in details["bot_levels"]:
        raise CantRun(f"There are no bots {wanted.level!r} in {wanted.game}, but {' and '.join(details['bot_levels'])}.")
    seats = wanted.seats or min(details["seats"], key=lambda seats: (seats < 2, seats))
    if seats not in details["seats"]:
        raise CantRun(f"{wanted.game} is played by {', '.join(map(str, details['seats']))}, you included; not by {seats}.")
    agreed = dict(_option(pair, details) for pair in wanted.option)
    terms = {
        "options": {"game": details["game"], **agreed},
        "seats": seats,
        "bots": [wanted.level] * (seats - 1),
        "visibility": "private",
        "clock": None,
    }
    opened: Mapping[str, Any] = api.post("/v1/matches", terms)
    return opened


def seat_names(view: Mapping[str, Any], words: Words) -> Sequence[str]:
    """What those who sit are called, in seat order; an open seat by its number."""
    return [_name_at(seat, words) for seat in view["seats"]]


def _name_at(seat: Mapping[str, Any], words: Words) -> str:
    if seat["kind"] == "player":
        return seat["display_name"] or str(words.label("player.erased"))
    return words.numbered("seat.bot" if seat["kind"] == "bot" else "seat.numbered", seat["seat"] + 1)


def own_name(environment: Mapping[str, str], words: Words) -> str:
    """The person's name at the table: that of their account on this machine."""
    return (environment.get("USER") or environment.get("USERNAME") or str(words.label("kind.player")))[:_NAME_MAX]


def _option(pair: str, details: Mapping[str, Any]) -> tuple[str, Any]:
    name, is_pair, text = pair.partition("=")
    known = {key: shape for key, shape in details["options_schema"]["properties"].items() if key != "game"}
    if not is_pair or name not in known:
        there = ", ".join(known) if known else "none"
        raise CantRun(f"{pair!r} is no option of {details['game']}: write NAME=VALUE, with a name of these: {there}.")
    return name, _meant(text)


def _meant(text: str) -> Any:
    """A value as JSON has it; whether the option can have it, the service says."""
    if re.fullmatch(r"-?\d{1,9}", text):
        return int(text)
    return {"none": None, "null": None, "true": True, "yes": True, "false": False, "no": False}.get(text, text)
