"""New accounts from one address, counted by all processes together: an account is a row for ever, and brings limits of its own."""

import time
from hashlib import sha256

from sqlalchemy import delete, func, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from service.store.account_tables import signups

PER_HOUR = 1_000
"""A school behind one address signs up in an hour, and so does a front end's test suite."""

HOUR_SECONDS = 3_600


class TooManySignups(Exception):
    """So many accounts were made from this address within this hour as can be; the next hour begins in so many seconds."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"the next account may be made in {seconds} s")
        self.seconds = seconds


class Signups:
    """The counts of this hour. Addresses are kept as hashes, and no longer than the hour."""

    def __init__(self, engine: AsyncEngine, per_hour: int) -> None:
        self._engine, self._per_hour = engine.execution_options(isolation_level="AUTOCOMMIT"), per_hour

    async def count(self, address: str) -> None:
        """Count one more account from this address. Raises `TooManySignups`."""
        async with self._engine.connect() as connection:
            await self.count_within(connection, address)

    async def count_within(self, connection: AsyncConnection, address: str) -> None:
        """Count one more account, if the transaction that makes it comes to its end. Raises `TooManySignups`."""
        hashed = sha256(f"signups from {address}".encode()).digest()
        one = insert(signups).values(address=hashed, hour=_HOUR, accounts=1)
        more = one.on_conflict_do_update(index_elements=["address", "hour"], set_={"accounts": signups.c.accounts + 1})
        accounts = (await connection.execute(more.returning(signups.c.accounts))).scalar_one()
        if accounts == 1:
            await connection.execute(delete(signups).where(signups.c.hour < _HOUR))
        if accounts > self._per_hour:
            raise TooManySignups(HOUR_SECONDS - int(time.time()) % HOUR_SECONDS)


_HOUR = func.date_trunc(text("'hour'"), func.now(), text("'UTC'"))
