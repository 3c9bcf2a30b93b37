"""Short texts between the processes of the service, by the database's own NOTIFY. They may get lost, and are never more than hints."""

from collections.abc import Callable

import asyncpg

from service.store.address import ANSWER_SECONDS, CONNECT_SECONDS, SERVER_SETTINGS, asyncpg_dsn
from service.store.contract import StoreAway

CHANNEL = "ludicitude"

SEND = "SELECT pg_notify($1, $2), pg_notification_queue_usage() AS used"

_LOST = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)


class Hints:
    """One connection of its own, on which this process speaks and listens.

    It comes of no pool: a connection that listens must stay the same one, and a transaction left open on it would fill the
    server's queue. Every method raises `StoreAway` when the connection is of no more use.
    """

    def __init__(self, connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        self._connection = connection

    @classmethod
    async def open(cls, url: str, hear: Callable[[str], None], lost: Callable[[], None]) -> "Hints":
        """Begin to listen: every text that any process sends, this one included, goes to `hear`; the end of the connection to `lost`."""
        try:
            connection = await asyncpg.connect(
                asyncpg_dsn(url),
                timeout=CONNECT_SECONDS,
                command_timeout=ANSWER_SECONDS,
                server_settings={**SERVER_SETTINGS, "application_name": "ludicitude hints", "synchronous_commit": "off"},
            )
        except _LOST as reason:
            raise StoreAway(str(reason) or type(reason).__name__) from reason
        hints = cls(connection)
        connection.add_termination_listener(lambda _: lost())
        try:
            await connection.add_listener(CHANNEL, lambda *heard: hear(str(heard[-1])))
        except _LOST as reason:
            await hints.close()
            raise StoreAway(str(reason) or type(reason).__name__) from reason
        return hints

    async def send(self, text: str) -> float:
        """Tell every process, in 7900 bytes at most; answers how full the server's queue of such texts is, from 0 to 1."""
        try:
            row = await self._connection.fetchrow(SEND, CHANNEL, text)
        except _LOST as reason:
            raise StoreAway(str(reason) or type(reason).__name__) from reason
        assert row is not None
        return float(row["used"])

    async def close(self) -> None:
        """Stop listening, at once where the server does not answer."""
        try:
            await self._connection.close(timeout=0.5)
        except _LOST:
            self._connection.terminate()
