"""The composition root: the one place that names concrete things and puts them together."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import NamedTuple

from litestar import Litestar
from litestar.di import Provide
from sqlalchemy.ext.asyncio import AsyncEngine

from service.accounts.departures import Departures
from service.accounts.issuer import Issuer, Trust
from service.accounts.listeners import Listeners
from service.accounts.operators import Actions, Operator, Operators
from service.accounts.players import Players
from service.accounts.tickets import Tickets
from service.bots import Bots
from service.clocks import time_out
from service.erasure import Erasure
from service.fence import FenceWatch
from service.hosts import Hosts
from service.http import traces
from service.http.acting import acting, opening
from service.http.assembly import http_app
from service.http.limits import Limits
from service.http.routes import (
    commands,
    docs,
    games,
    health,
    hosting,
    labels,
    lobby,
    log,
    matches,
    mutes,
    operating,
    players,
    published,
    seats,
    standings,
    stream,
    talk,
    testing,
    tickets,
    turns,
)
from service.http.routes.stream import Streams
from service.http.routes.testing import TestMode
from service.http.views import Views
from service.invites import Invites
from service.live.watch import Watch
from service.live.wire import Wire
from service.matches import DELAYING, Matches
from service.readiness import Readiness
from service.readmodels.lobby import Lobby
from service.readmodels.results import RESULTS
from service.readmodels.runner import Runner
from service.readmodels.standings import Standings
from service.rematches import Rematches
from service.settings import ANYBODY, Settings
from service.store import EventStore
from service.store.address import sqlalchemy_engine
from service.sweep import Sweep
from service.talk.messages import Talk
from service.talk.mutes import Mutes
from service.turns import Turns

ROUTES = (
    *players.ROUTES,
    *games.ROUTES,
    *labels.ROUTES,
    *standings.ROUTES,
    *lobby.ROUTES,
    *matches.ROUTES,
    *seats.ROUTES,
    *hosting.ROUTES,
    *commands.ROUTES,
    *log.ROUTES,
    *tickets.ROUTES,
    *stream.ROUTES,
    *turns.ROUTES,
    *talk.ROUTES,
    *mutes.ROUTES,
    *operating.ROUTES,
    *testing.ROUTES,
    *health.ROUTES,
    *published.ROUTES,
    *docs.ROUTES,
)


class Services(NamedTuple):
    """What handlers take by these names."""

    readiness: Readiness
    watch: Watch
    matches: Matches
    hosts: Hosts
    invites: Invites
    rematches: Rematches
    views: Views
    tickets: Tickets
    streams: Streams
    listeners: Listeners
    turns: Turns
    talk: Talk
    mutes: Mutes
    lobby: Lobby
    standings: Standings
    erasure: Erasure
    runner: Runner
    actions: Actions


def create_app(settings: Settings) -> Litestar:
    """The service as an ASGI app; what it holds open is opened and closed with it."""
    engine = sqlalchemy_engine(settings.database_url, pool_size=settings.query_connections)
    players, test_mode = Players(engine, settings.address_accounts), TestMode(settings.test_mode)
    spans = traces.provider(settings.traces) if settings.traces else None

    @asynccontextmanager
    async def running(app: Litestar) -> AsyncIterator[None]:
        async with AsyncExitStack() as held:
            held.push_async_callback(engine.dispose)
            if spans is not None:
                held.push_async_callback(asyncio.to_thread, spans.shutdown)
            app.state.update((await _services(settings, engine, players, held))._asdict())
            yield

    app = http_app(
        ROUTES,
        players=players,
        operators=_operators(settings),
        issuer=Issuer(Trust(settings.jwt_issuer, settings.jwt_audience, settings.jwt_keys)) if settings.jwt_issuer else None,
        services=Services._fields,
        dependencies={
            "acting": Provide(acting),
            "opening": Provide(opening),
            "test_mode": Provide(lambda: test_mode, sync_to_thread=False, use_cache=True),
        },
        origins=settings.cors_origins,
        limits=Limits(settings.player_requests, settings.address_requests, settings.requests_at_once),
        trusted_proxies=settings.trusted_proxies,
        lifespan=[running],
    )
    if spans is not None:
        app.asgi_handler = traces.Traced(app.asgi_handler, spans)
    return app


def _operators(settings: Settings) -> Operators:
    readers = {token_hash: Operator(name, "numbers") for token_hash, name in settings.metrics_readers.items()}
    operators = {token_hash: Operator(name, "operator") for token_hash, name in settings.operators.items()}
    return Operators({**readers, **operators}, numbers_open=ANYBODY in readers)


async def _services(settings: Settings, engine: AsyncEngine, players: Players, held: AsyncExitStack) -> Services:
    """The services; `held` closes in reverse what was opened for them."""
    store = await EventStore.connect(settings.database_url, appending=settings.append_connections, reading=settings.query_connections)
    held.push_async_callback(store.close)
    await held.enter_async_context(FenceWatch(store))
    wire = await held.enter_async_context(Wire(settings.database_url))
    watch = await held.enter_async_context(Watch(store.versions, wire))
    matches, invites, lobby = Matches(store, watch), Invites(engine), Lobby(engine)
    wire.when_heard(matches.heard)
    turns = Turns(store, matches, players, await held.enter_async_context(Watch(store.turn_marks, wire)))
    talk = Talk(engine, matches, await held.enter_async_context(Watch(store.messages, wire)))
    bots = Bots(matches, settings.bot_think_ms / 1000)
    await held.enter_async_context(Sweep(store, "bots_at", bots.take))
    await held.enter_async_context(Sweep(store, "due_at", partial(time_out, matches), DELAYING))
    # Stops before the sweeps do, which would else go on with whatever they took.
    await held.enter_async_context(bots)
    runner = await held.enter_async_context(Runner(store, engine, RESULTS))
    matches.when_ended(lambda _: runner.wake())
    listeners = await held.enter_async_context(Listeners(players))
    views = Views(matches, players, invites)
    erasure = await held.enter_async_context(Erasure(players, Departures(engine), matches, lobby, talk))
    return Services(
        readiness=Readiness(engine),
        watch=watch,
        matches=matches,
        hosts=Hosts(engine, settings.matches_max),
        invites=invites,
        rematches=Rematches(engine),
        views=views,
        tickets=Tickets(engine),
        streams=Streams(matches, views, watch, listeners),
        listeners=listeners,
        turns=turns,
        talk=talk,
        mutes=Mutes(engine),
        lobby=lobby,
        standings=Standings(engine),
        erasure=erasure,
        runner=runner,
        actions=Actions(engine),
    )
