"""Everything that can be set from outside, read from the environment at one place."""

import re
import sys
from collections.abc import Callable, Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args
from urllib.parse import urlsplit

import msgspec

from service.cant_run import CantRun
from service.embedded.account import DEFAULT_USER

T = TypeVar("T")
LogLevel = Literal["debug", "info", "warning", "error"]
LogFormat = Literal["text", "json"]


ANYBODY = "*"
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How this process runs. `read` makes it; the name of each field's variable stands there."""

    host: str
    """The address to listen on."""
    port: int
    """0 takes any port that is free."""
    workers: int
    """Processes that serve, all on one port."""
    data: Path
    """The folder of everything that outlives the process, which is the embedded PostgreSQL."""
    database_url: str
    """`postgresql://...`. Empty asks `serve` for the embedded PostgreSQL, whose address it then puts here for the app."""
    postgres_user: str
    """Who runs the embedded PostgreSQL when this process is root's."""
    append_connections: int
    """At most so many database connections append events, and..."""
    query_connections: int
    """...at most so many do everything else."""
    client_connections: int
    """At most so many clients are connected at once; fewer where the system does not allow a process so many open files."""
    player_requests: int
    """So many requests a minute may a player send to this process, and..."""
    address_requests: int
    """...so many may come from one address without a token."""
    requests_at_once: int
    """So many requests of one player, or of one address without a token, are worked on at once; more wait."""
    address_accounts: int
    """So many accounts may be made from one address in an hour, in all processes together."""
    trusted_proxies: tuple[str, ...]
    """The addresses and networks of proxies whose `X-Forwarded-For` is believed."""
    bot_think_ms: int
    """How long a bot takes over an open choice, for the eyes of people. Secret choices are made at once."""
    matches_max: int
    """How many matches that have not ended one player may host."""
    test_mode: bool
    """Whether time and chance may be set from outside, for the tests of front ends. Refused where strangers can reach the server."""
    cors_origins: tuple[str, ...]
    """The origins whose web pages may call the API; `*` is any."""
    traces: str
    """Where spans of OpenTelemetry are sent, by OTLP over HTTP; empty: there are none."""
    operators: Mapping[str, str]
    """Who runs the service: a name for the hash of each token."""
    metrics_readers: Mapping[str, str]
    """The same for programs that may read the numbers of the service; `*` instead of a hash is anybody."""
    jwt_issuer: str
    """Who issues the tokens that are good here beside our own; empty: nobody."""
    jwt_audience: str
    """Whom those tokens must be meant for."""
    jwt_keys: str
    """Where the issuer's keys lie: the address of a JWKS."""
    log_level: LogLevel
    log_format: LogFormat
    """`text` for people, `json` for machines."""

    @property
    def database_connections(self) -> int:
        """The most database connections of one process that serves: two pools that ask, one that appends, and the wire."""
        return self.append_connections + 2 * self.query_connections + 1


def read(environment: Mapping[str, str]) -> Settings:
    """The settings in `environment`; a variable that is missing or empty means its default.

    Raises `CantRun` with a line for every wrong variable, not only the first.
    """
    wrong: list[str] = []

    def variable(name: str, default: T, parse: Callable[[str], T]) -> T:
        text = environment.get(name, "").strip()
        try:
            return parse(text) if text else default
        except ValueError as error:
            wrong.append(f"{name} is wrong: {error}")
            return default

    settings = Settings(
        host=variable("HOST", "127.0.0.1", str),
        port=variable("PORT", 8000, _whole(0, 65535)),
        workers=variable("LUDICITUDE_WORKERS", 1, _whole(1, 64)),
        data=variable("LUDICITUDE_DATA", _default_data(environment), _folder),
        database_url=variable("DATABASE_URL", "", _postgres_url),
        postgres_user=variable("LUDICITUDE_POSTGRES_USER", DEFAULT_USER, str),
        append_connections=variable("LUDICITUDE_APPEND_CONNECTIONS", 4, _whole(1, 1000)),
        query_connections=variable("LUDICITUDE_QUERY_CONNECTIONS", 10, _whole(1, 1000)),
        client_connections=variable("LUDICITUDE_CLIENT_CONNECTIONS", 10_000, _whole(1, 1_000_000)),
        player_requests=variable("LUDICITUDE_PLAYER_REQUESTS", 12_000, _whole(1, 1_000_000_000)),
        address_requests=variable("LUDICITUDE_ADDRESS_REQUESTS", 12_000, _whole(1, 1_000_000_000)),
        requests_at_once=variable("LUDICITUDE_REQUESTS_AT_ONCE", 16, _whole(1, 1_000_000)),
        address_accounts=variable("LUDICITUDE_ADDRESS_ACCOUNTS", 1_000, _whole(1, 1_000_000_000)),
        trusted_proxies=variable("LUDICITUDE_TRUSTED_PROXIES", (), _networks),
        bot_think_ms=variable("LUDICITUDE_BOT_THINK_MS", 0, _whole(0, 900)),
        matches_max=variable("LUDICITUDE_MATCHES_MAX", 100, _whole(1, 1_000_000)),
        test_mode=variable("LUDICITUDE_TEST_MODE", "off", _one_of(Literal["off", "on"])) == "on",
        cors_origins=variable("LUDICITUDE_CORS_ORIGINS", ("*",), _origins),
        traces=variable("LUDICITUDE_TRACES", "", _http_url),
        operators=variable("LUDICITUDE_OPERATORS", {}, _named_hashes),
        metrics_readers=variable("LUDICITUDE_METRICS_READERS", {}, _named_hashes_or_anybody),
        jwt_issuer=variable("LUDICITUDE_JWT_ISSUER", "", str),
        jwt_audience=variable("LUDICITUDE_JWT_AUDIENCE", "", str),
        jwt_keys=variable("LUDICITUDE_JWT_KEYS", "", _keys_url),
        log_level=variable("LUDICITUDE_LOG_LEVEL", "info", _one_of(LogLevel)),
        log_format=variable("LUDICITUDE_LOG_FORMAT", "text", _one_of(LogFormat)),
    )
    if settings.test_mode and settings.host not in LOOPBACK:
        wrong.append(f"LUDICITUDE_TEST_MODE is refused on HOST={settings.host}: only {' or '.join(LOOPBACK)} will do")
    if len({bool(each) for each in (settings.jwt_issuer, settings.jwt_audience, settings.jwt_keys)}) > 1:
        wrong.append("LUDICITUDE_JWT_ISSUER, LUDICITUDE_JWT_AUDIENCE and LUDICITUDE_JWT_KEYS go together: set all three or none")
    if wrong:
        raise CantRun("\n".join(wrong))
    return settings


def _whole(least: int, most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
            raise ValueError(f"{text!r} is not a whole number from {least} to {most}")
        return int(text)

    return parse


def _one_of(words: Any) -> Callable[[str], Any]:
    def parse(text: str) -> str:
        if text not in get_args(words):
            raise ValueError(f"{text!r} is none of {', '.join(get_args(words))}")
        return text

    return parse


def _folder(text: str) -> Path:
    return Path(text).expanduser().absolute()


def _postgres_url(text: str) -> str:
    # The address may hold a password, so no message repeats it.
    scheme, _, rest = text.partition("://")
    if scheme not in ("postgres", "postgresql"):
        raise ValueError("it has to begin with postgresql:// (only PostgreSQL will do)")
    url = f"postgresql://{rest}"
    try:
        _ = urlsplit(url).port
    except ValueError:
        raise ValueError("its host or port can't be read; special characters in a password are written as %2F and the like") from None
    return url


def _networks(text: str) -> tuple[str, ...]:
    return tuple(str(ip_network(part.strip())) for part in text.split(",") if part.strip())


def _http_url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError(f"{text!r} is no address such as http://localhost:4318/v1/traces")
    return text


def _origins(text: str) -> tuple[str, ...]:
    origins = tuple(part.strip().rstrip("/") for part in text.split(",") if part.strip())
    for origin in origins:
        parts = urlsplit(origin)
        if origin != "*" and (parts.scheme not in ("http", "https") or not parts.netloc or parts.path):
            raise ValueError(f"{origin!r} is no origin such as https://play.example.org")
    return origins


def _named_hashes(text: str) -> dict[str, str]:
    # A token that somebody put here for its hash is a secret, so no message repeats it.
    named = {}
    for part in text.split(","):
        name, _, token_hash = part.strip().partition("=")
        if not re.fullmatch(r"[A-Za-z0-9._@-]{1,64}", name) or not re.fullmatch(r"[0-9a-f]{64}", token_hash):
            raise ValueError("it is a name, = and what `ludicitude operator-token` tells, with commas between several")
        named[token_hash] = name
    return named


def _named_hashes_or_anybody(text: str) -> dict[str, str]:
    return {ANYBODY: "anybody"} if text == ANYBODY else _named_hashes(text)


def _keys_url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
        raise ValueError("it has to begin with https://")
    return text


def _default_data(environment: Mapping[str, str]) -> Path:
    """`.data` of the checkout; for an installed wheel, the folder of the user's data that the system has for it."""
    root = Path(__file__).resolve().parent.parent
    if (root / "pyproject.toml").is_file():
        return root / ".data"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "ludicitude"
    return Path(environment.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "ludicitude"
