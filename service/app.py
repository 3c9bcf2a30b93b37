"""The composition root: the one place that names concrete things and puts them together."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from litestar import Litestar

from service.http import commands, docs, games, health, log, matches, players, seats
from service.http.assembly import http_app
from service.live.watch import Watch
from service.matches import Matches
from service.players import Players
from service.readiness import Readiness
from service.settings import Settings
from service.store import EventStore
from service.store.address import sqlalchemy_engine

ROUTES = (
    *players.ROUTES,
    *games.ROUTES,
    *matches.ROUTES,
    *seats.ROUTES,
    *commands.ROUTES,
    *log.ROUTES,
    *health.ROUTES,
    *docs.ROUTES,
)


def create_app(settings: Settings) -> Litestar:
    """The service as an ASGI app; what it holds open is opened and closed with it."""
    engine = sqlalchemy_engine(settings.database_url, pool_size=settings.query_connections)

    @asynccontextmanager
    async def running(app: Litestar) -> AsyncIterator[None]:
        connections = settings.append_connections, settings.query_connections
        store = await EventStore.connect(settings.database_url, appending=connections[0], reading=connections[1])
        try:
            async with Watch(store) as watch:
                app.state.update(readiness=Readiness(engine), watch=watch, matches=Matches(store, watch))
                yield
        finally:
            await store.close()
            await engine.dispose()

    return http_app(
        ROUTES,
        players=Players(engine),
        services=("readiness", "watch", "matches"),
        origins=settings.cors_origins,
        lifespan=[running],
    )
