"""The HTTP app, put together from routes and the services they name. Which ones, `service.app` says."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from types import MappingProxyType
from typing import Any, cast

from litestar import Litestar
from litestar.datastructures import State
from litestar.di import Provide
from litestar.types import ASGIApp, ControllerRouterHandler
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from service.accounts.issuer import Issuer
from service.accounts.operators import Operators
from service.accounts.players import Players
from service.http import auth, problems
from service.http.access import Access
from service.http.body import BODY_MAX_BYTES, StrictRequest
from service.http.cors import ANY, CrossOrigin
from service.http.deadline import Deadline
from service.http.direct import Direct
from service.http.limits import Limits
from service.http.methods import EveryMethod
from service.http.pace import Pace
from service.http.parameters import only_known

Lifespan = Callable[[Litestar], AbstractAsyncContextManager[None]]


def http_app(
    routes: Sequence[ControllerRouterHandler],
    *,
    players: Players,
    operators: Operators = Operators(),  # noqa: B008 - it never changes.
    issuer: Issuer | None = None,
    services: Collection[str],
    dependencies: Mapping[str, Provide] = MappingProxyType({}),
    origins: Collection[str] = (ANY,),
    limits: Limits | None = None,
    trusted_proxies: Collection[str] = (),
    lifespan: Sequence[Lifespan] = (),
) -> Litestar:
    """An app that answers `routes`; a handler takes a service by its name in `services`, who calls as `caller`, `player` or `operator`,
    the token that they hold as `held`, and the request among those of its caller as `work`.

    What opens and closes with the app is put into its state by a lifespan, under the same names. `dependencies` are further
    ones that handlers take, made for each request.
    """
    authentication = auth.Authentication(players, operators, issuer, limits or Limits())
    app = Litestar(
        routes,
        middleware=[authentication],
        before_request=only_known,
        dependencies={
            **{name: _from_state(name) for name in services},
            "players": Provide(lambda: players, sync_to_thread=False, use_cache=True),
            **dependencies,
            "caller": Provide(auth.caller),
            "player": Provide(auth.player),
            "held": Provide(auth.held),
            "operator": Provide(auth.operator),
            "work": Provide(auth.work),
        },
        exception_handlers={Exception: problems.answer},
        state=State({"operators": operators}),
        request_class=StrictRequest,
        request_max_body_size=BODY_MAX_BYTES,
        lifespan=lifespan,
        logging_config=None,
        openapi_config=None,
    )
    layers = CrossOrigin(Access(EveryMethod(Deadline(app.asgi_handler))), origins)
    app.asgi_handler = _behind(trusted_proxies, Pace(Direct(app, layers, authentication, origins)))
    return app


def _behind(trusted_proxies: Collection[str], app: ASGIApp) -> ASGIApp:
    """The app, to which a request comes from whom the last of our proxies had it from; of anybody else `X-Forwarded-For` says nothing."""
    return cast("ASGIApp", ProxyHeadersMiddleware(cast("Any", app), list(trusted_proxies))) if trusted_proxies else app


def _from_state(name: str) -> Provide:
    def service(state: State) -> Any:
        return state[name]

    return Provide(service, sync_to_thread=False)
