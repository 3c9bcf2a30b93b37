"""A few routes of the tests' own, on which everything can be tried that holds for all routes."""

from typing import Annotated, Any, Literal

import msgspec
from asyncpg import AdminShutdownError, TooManyConnectionsError, UndefinedTableError
from litestar import Litestar, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from msgspec import Meta
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolExhausted

from domain.match.game import Refused
from domain.match.play import NotNow
from domain.match.table import NotAllowed, Unfit
from service.accounts.players import Player
from service.held import UnknownMatch
from service.http.assembly import http_app
from service.http.auth import signed_in
from service.http.conditions import IfMatch, expected_version
from service.http.idempotency import IdempotencyKey
from service.matches import Busy, Stale
from service.store import KeyReused, StoreAway
from service.store.upcasters import UnknownEvent


class Red(msgspec.Struct, tag_field="type", tag="red", forbid_unknown_fields=True):
    number: Annotated[int, Meta(ge=1, le=9)]
    words: list[str] = []
    open: bool = False


class Blue(msgspec.Struct, tag_field="type", tag="blue", forbid_unknown_fields=True):
    within: "Red | Blue"


class Sent(msgspec.Struct, forbid_unknown_fields=True):
    command: Red | Blue
    note: str | None = None


class Wish(msgspec.Struct, forbid_unknown_fields=True):
    level: str | None = None
    hopes: tuple[Literal["low", "high"] | None, ...] = ()


FAILURES = {
    "refused": Refused("not_in_hand", "4.2"),
    "not_now": NotNow("match_full"),
    "not_allowed": NotAllowed("not_host"),
    "unfit": Unfit("no_such_seat", "seat"),
    "unknown": UnknownMatch(),
    "stale": Stale(7),
    "reused": KeyReused(),
    "newer": UnknownEvent("pico.card_committed", 2),
    "busy": Busy(),
    "away": StoreAway("password=hunter2"),
    "unreachable": ConnectionRefusedError("password=hunter2"),
    "full": TooManyConnectionsError("password=hunter2"),
    "stopping": DBAPIError("SELECT 1", None, AdminShutdownError("password=hunter2")),
    "pool": PoolExhausted("password=hunter2"),
    "wrong_sql": DBAPIError("SELECT 1", None, UndefinedTableError("password=hunter2")),
    "bug": RuntimeError("password=hunter2"),
}


@post("/sent", status_code=200)
async def send(data: JSONBody[Sent]) -> Sent:
    return data


@post("/wish", status_code=200)
async def wish(data: JSONBody[Wish | None] = None, idempotency_key: IdempotencyKey = None, if_match: IfMatch = None) -> dict[str, Any]:
    return {"level": data and data.level, "version": expected_version(if_match)}


@post("/mine", status_code=200, guards=[signed_in])
async def mine(data: JSONBody[Sent], player: NamedDependency[Player], ticket: FromQuery[str | None] = None) -> str:
    return player.player_id


@get("/fail/{how:str}")
async def fail(how: FromPath[str]) -> None:
    raise FAILURES[how]


@get("/page")
async def page(
    need: FromQuery[str], limit: Annotated[int, QueryParameter(ge=1, le=100)] = 10, all_of: FromQuery[bool] = False
) -> list[Any]:
    return [need, limit, all_of]


@post("/page", status_code=200)
async def turn_page() -> None:
    return None


class Guests:
    """Stands for the accounts: one player, whose token is `good`."""

    async def by_token(self, secret: str) -> Player | None:
        return (
            msgspec.convert({"player_id": "ply_1", "display_name": "Ada", "created_at": "2026-11-30T00:00:00Z"}, Player)
            if secret == "good"
            else None
        )


def app_of_routes(**how: Any) -> Litestar:
    """An app of these routes, which needs no database."""
    return http_app([send, wish, mine, fail, page, turn_page], players=Guests(), services=(), **how)  # type: ignore[arg-type]
