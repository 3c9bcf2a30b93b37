"""Which errors mean that the database is away, and may be there at the next try; all others are faults of somebody's own."""

from asyncpg import InternalClientError
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolExhausted

from service.store.connections import PASSING
from service.store.contract import StoreAway


def is_away(error: Exception) -> bool:
    """Whether the database is away, full or stopping, whichever way it was asked.

    The driver's internal errors are among them: it raises one when a connection breaks at an awkward moment.
    """
    if isinstance(error, StoreAway | PoolExhausted | OSError | InternalClientError):
        return True
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    cause = error.orig if isinstance(error, DBAPIError) else error
    return str(getattr(cause, "sqlstate", None)).startswith(PASSING)
