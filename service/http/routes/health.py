"""For those who run the service: is it alive, can it serve, and how is it doing."""

from typing import Annotated, Literal

import msgspec
from litestar import get
from litestar.di import NamedDependency
from litestar.plugins.prometheus import PrometheusController

from service.http.auth import ANONYMOUS, reading_numbers
from service.http.problems import Trouble
from service.readiness import NotReady, Readiness
from service.readmodels.runner import Runner


class Health(msgspec.Struct, frozen=True):
    """The service is well."""

    status: Annotated[Literal["ok"], msgspec.Meta(description="Always `ok`; anything else is a problem document.")]


class Ready(msgspec.Struct, frozen=True):
    """The service can serve."""

    status: Annotated[Literal["ok"], msgspec.Meta(description="Always `ok`; anything else is a problem document.")]
    halted: Annotated[
        tuple[str, ...],
        msgspec.Meta(
            description="Read models that stand still, such as `results`: this release cannot read an event that is next in the log. What"
            " they show is right but old, and everything else goes on."
        ),
    ]


@get("/v1/live", operation_id="get_live", summary="Is the process alive?", tags=["health"], opt=ANONYMOUS, sync_to_thread=False)
def get_live() -> Health:
    """Answers as long as the process can answer at all, whatever the database does."""
    return Health("ok")


@get(
    "/v1/ready",
    operation_id="get_ready",
    summary="Can it serve?",
    tags=["health"],
    opt={**ANONYMOUS, "problems": ["unavailable"]},
)
async def get_ready(readiness: NamedDependency[Readiness], runner: NamedDependency[Runner]) -> Ready:
    """Answers `ok` when requests can be served: the database is there, and its schema is the one this release needs."""
    try:
        await readiness.check()
    except NotReady as reason:
        raise Trouble("unavailable", f"{reason}.") from reason
    return Ready("ok", () if runner.halted is None else (runner.halted,))


class Metrics(PrometheusController):
    """The numbers of this process, or of all workers where PROMETHEUS_MULTIPROC_DIR joins them; for those who run the service."""

    include_in_schema = False
    guards = [reading_numbers]  # noqa: RUF012 - the framework wants a list.


ROUTES = (get_live, get_ready, Metrics)
