"""`ludicitude doctor`: what is wrong with the database, or with the way to it; and `ludicitude epoch-bump`, one of its remedies."""

from collections.abc import Callable

from sqlalchemy.exc import SQLAlchemyError

from service.cant_run import CantRun
from service.readiness import NotReady, Readiness
from service.store import checkup
from service.store.address import sqlalchemy_engine
from service.store.checkup import Finding
from service.upkeep.database import database


async def examine(database_url: str, tell: Callable[[str], None]) -> int:
    """Tell one line for each thing looked at. Answers how many are wrong."""
    engine = sqlalchemy_engine(database_url, pool_size=2)
    try:
        found = await checkup.checkup(engine)
        if len(found) > 1:
            found.append(await _migrations(Readiness(engine)))
    except (SQLAlchemyError, OSError) as error:
        reason = str(getattr(error, "orig", None) or error or type(error).__name__).splitlines()[0]
        found = [
            Finding(
                f"The database cannot be asked: {reason}",
                "Is it running, does DATABASE_URL name it, and does no pooler stand between that refuses settings at the start?",
            )
        ]
    finally:
        await engine.dispose()
    for finding in found:
        tell(str(finding))
    return sum(bool(finding.remedy) for finding in found)


async def _migrations(readiness: Readiness) -> Finding:
    try:
        await readiness.check()
    except NotReady as reason:
        return Finding(str(reason), "Run `ludicitude migrate`.")
    return Finding("The schema is the one that this release needs, or a later one")


async def bump_epoch(database_url: str, service_is_stopped: bool) -> int:
    """Begin a new epoch; answers its number. Raises `CantRun` unless the service is stopped, and somebody says so."""
    if not service_is_stopped:
        raise CantRun(
            "A new epoch is for a database that was restored from a dump or moved to another server: what was stored comes first then,"
            " whatever its transaction numbers. Stop every process of the service, and say so with --service-is-stopped."
        )
    async with database(database_url) as engine:
        running = await checkup.others(engine)
        if running:
            raise CantRun(f"The service is not stopped: it has {running} connections to this database.")
        return await checkup.bump_epoch(engine)
