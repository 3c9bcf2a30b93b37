"""What a database and the way to it must be like for the store to keep its promises, looked at one by one."""

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

import msgspec
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from service import chance
from service.store.address import SERVER_SETTINGS
from service.store.fitness import AHEAD, CACHE_ONE, FENCE_LAG, is_postgresql

OLDEST = 130000
"""The first PostgreSQL whose transaction numbers are 64 bits wide, as `server_version_num` says it."""

FENCE_SECONDS = 5.0
SKEW_SECONDS = 1.0
QUEUE_USED = 0.1
CONNECTIONS_USED = 0.8

BASICS = """
SELECT to_regprocedure('es.bump_epoch_v1()') IS NOT NULL AS migrated,
    (SELECT seqcache FROM pg_sequence WHERE seqrelid = to_regclass('es.event_position')) AS cache,
    (SELECT tgenabled::text FROM pg_trigger WHERE tgrelid = to_regclass('es.events') AND tgname = 'events_are_written_once') AS guard
"""

HOLDER = """
SELECT pid, datname, usename, application_name, state, left(regexp_replace(query, '\\s+', ' ', 'g'), 200) AS query, xact_start,
    extract(epoch FROM clock_timestamp() - xact_start)::float AS seconds
FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND pid <> pg_backend_pid() ORDER BY age(backend_xid) DESC LIMIT 1
"""

PREPARED = "SELECT gid, database, owner, prepared FROM pg_prepared_xacts ORDER BY prepared LIMIT 1"

ROOM = """
SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
    current_setting('max_connections')::int AS most
"""


class Finding(msgspec.Struct, frozen=True):
    """One thing that was looked at. `remedy` is empty when all is well."""

    what: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"WRONG  {self.what}. {self.remedy}" if self.remedy else f"ok     {self.what}"


NOT_THERE = Finding("The event store is not there", "Run `ludicitude migrate`.")


class Session(Protocol):
    """A connection that can be asked for rows."""

    async def execute(self, statement: Any, parameters: Any = None, /) -> Any: ...


async def server(session: Session) -> Finding:
    """Whether this is PostgreSQL; nothing else is worth looking at when it is not."""
    said: str = (await session.execute(text("SELECT version()"))).scalar_one()
    if not is_postgresql(said):
        return Finding(
            f"This server is {said.split(' on ')[0]}",
            "Only PostgreSQL will do: others lack its transaction numbers or hand them out otherwise, and would lose events silently.",
        )
    number = (await session.execute(text("SELECT current_setting('server_version_num')::int"))).scalar_one()
    if number < OLDEST:
        return Finding(f"This is {said.split(' on ')[0]}", "It needs PostgreSQL 13 or newer; the tests run on 18.")
    return Finding(said.split(" on ")[0])


async def store(session: Session) -> Finding:
    """Whether the tables are there as the migrations made them."""
    row = (await session.execute(text(BASICS))).one()
    if not row.migrated:
        return NOT_THERE
    if row.cache != 1:
        return Finding(f"The sequence es.event_position hands out {row.cache} numbers at a time", f"{CACHE_ONE}.")
    if row.guard not in ("O", "A"):
        return Finding(
            "Stored events can be changed: the trigger events_are_written_once is off",
            "ALTER TABLE es.events ENABLE TRIGGER events_are_written_once, and then `ludicitude verify`.",
        )
    return Finding("The event store is there; its sequence hands out one number at a time, and stored events cannot be changed")


async def epoch(session: Session) -> Finding:
    """Whether new events will come after all old ones."""
    if (await session.execute(text(AHEAD))).scalar_one():
        return Finding(
            "Stored transaction numbers are ahead of this server's, as after a restore from a dump",
            "Stop the service, run `ludicitude epoch-bump --service-is-stopped`, and start it again.",
        )
    number = (await session.execute(text("SELECT epoch FROM es.epoch"))).scalar_one()
    return Finding(f"New events come after all old ones (epoch {number})")


async def fence(session: Session) -> Finding:
    """Whether an old transaction keeps readers of all streams waiting, and which."""
    lag = (await session.execute(text(FENCE_LAG))).scalar_one()
    prepared = (await session.execute(text(PREPARED))).one_or_none()
    holder = (await session.execute(text(HOLDER))).one_or_none()
    waiting = f"the oldest event behind the fence has waited {lag:.1f} s"
    if prepared is not None:
        return Finding(
            f"A prepared transaction {prepared.gid!r} of {prepared.owner} in database {prepared.database} holds the fence"
            f" since {prepared.prepared}; {waiting}",
            f"ROLLBACK PREPARED '{prepared.gid}' in that database, and set max_prepared_transactions = 0.",
        )
    if holder is not None and holder.seconds > FENCE_SECONDS:
        return Finding(
            f"A transaction holds the fence for {holder.seconds:.0f} s: pid {holder.pid}, database {holder.datname}, user {holder.usename},"
            f" program {holder.application_name!r}, {holder.state}, since {holder.xact_start}, query {holder.query!r}; {waiting}",
            f"If it is not worth waiting for: SELECT pg_terminate_backend({holder.pid})",
        )
    if lag > FENCE_SECONDS:
        return Finding(
            f"Something that this user may not see holds the fence; {waiting}", "GRANT pg_read_all_stats to this user and look again."
        )
    return Finding(f"No old transaction holds the fence; {waiting}")


async def durability(session: Session) -> Finding:
    """Whether what is acknowledged is on disk."""
    for name in ("synchronous_commit", "fsync", "full_page_writes"):
        if (await session.execute(text(f"SHOW {name}"))).scalar_one() == "off":
            return Finding(f"{name} is off, so what was acknowledged can be lost", f"Set {name} = on for this server.")
    return Finding("What is acknowledged is on disk")


async def timeouts(session: Session) -> Finding:
    """Whether what we ask of the server for our sessions is in force."""
    wanted = {name: value for name, value in SERVER_SETTINGS.items() if name.endswith("_timeout")}
    for name, value in wanted.items():
        said = (await session.execute(text(f"SHOW {name}"))).scalar_one()
        if said != value:
            return Finding(
                f"{name} is {said} in our sessions and should be {value}",
                "A pooler that ignores what is asked at the start stands in the way: name the server itself in DATABASE_URL.",
            )
    return Finding(", ".join(f"{name} {value}" for name, value in wanted.items()))


async def sessions(first: Session, second: Session) -> Finding:
    """Whether a connection is a session of its own. A pooler of transactions gives a statement to whichever server session is free."""
    token = chance.new_uuid().hex
    mark = text("SELECT set_config('ludicitude.doctor', :token, false), pg_backend_pid()")
    before = (await first.execute(mark, {"token": token})).one()
    await second.execute(text("BEGIN"))  # Takes the server session that `first` has just let go of, if there is a pooler.
    await second.execute(text("SELECT 1"))
    after = (await first.execute(text("SELECT current_setting('ludicitude.doctor', true), pg_backend_pid()"))).one()
    await second.execute(text("ROLLBACK"))
    if tuple(before) != tuple(after):
        return Finding(
            f"A connection changed its server session between two statements (pid {before[1]}, then {after[1]})",
            "A pooler in transaction mode stands in the way: name the server itself in DATABASE_URL, or pool whole sessions.",
        )
    return Finding("A connection is a session of its own")


async def clock(session: Session, now: Callable[[], float] = time.time) -> Finding:
    """Whether the clocks of this process and of the database agree."""
    before = now()
    there = float((await session.execute(text("SELECT extract(epoch FROM clock_timestamp())"))).scalar_one())
    after = now()
    apart = there - (before + after) / 2
    if abs(apart) > SKEW_SECONDS + (after - before) / 2:  # It may have answered at any moment in between.
        return Finding(
            f"The database's clock is {abs(apart):.1f} s {'ahead of' if apart > 0 else 'behind'} this one",
            "Let both machines keep time by NTP: deadlines are set by one clock and found due by the other.",
        )
    return Finding(f"The clocks agree within {abs(apart):.2f} s")


async def notifications(session: Session) -> Finding:
    """Whether the queue of notifications, which all databases of the server share, has room."""
    used = float((await session.execute(text("SELECT pg_notification_queue_usage()"))).scalar_one())
    if used > QUEUE_USED:
        return Finding(
            f"The queue of notifications is {used:.0%} full; when it is full no session can send one",
            "Some session listens and sits in an open transaction: find it in pg_stat_activity and end it.",
        )
    return Finding(f"The queue of notifications is {used:.0%} full")


async def room(session: Session) -> Finding:
    """Whether the server has connections left."""
    row = (await session.execute(text(ROOM))).one()
    if row.used > CONNECTIONS_USED * row.most:
        return Finding(
            f"{row.used} of {row.most} connections are in use",
            "Raise max_connections, or lower LUDICITUDE_APPEND_CONNECTIONS and LUDICITUDE_QUERY_CONNECTIONS.",
        )
    return Finding(f"{row.used} of {row.most} connections are in use")


AFTER_MIGRATION: Sequence[Callable[[Session], Awaitable[Finding]]] = (epoch, fence, durability, timeouts, clock, notifications, room)


async def checkup(engine: AsyncEngine) -> list[Finding]:
    """Look at everything; at less when what is found first makes the rest pointless."""
    async with engine.connect() as one, engine.connect() as other:
        first = await one.execution_options(isolation_level="AUTOCOMMIT")
        second = await other.execution_options(isolation_level="AUTOCOMMIT")
        found = [await server(first)]
        if found[0].remedy:
            return found
        found.append(await store(first))
        if found[1] == NOT_THERE:
            return found
        return [*found, await sessions(first, second), *[await look(first) for look in AFTER_MIGRATION]]


async def bump_epoch(engine: AsyncEngine) -> int:
    """Begin a new epoch and answer its number. With many events it takes a while."""
    async with engine.begin() as connection:
        await connection.execute(text("SET LOCAL statement_timeout = 0"))
        number: int = (await connection.execute(text("SELECT es.bump_epoch_v1()"))).scalar_one()
    return number


async def others(engine: AsyncEngine) -> int:
    """How many connections of the service this database has besides our own."""
    async with engine.connect() as connection:
        statement = (
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'ludicitude %'"
            " AND pid <> pg_backend_pid()"
        )
        count: int = (await connection.execute(text(statement))).scalar_one()
    return count
