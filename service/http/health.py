"""For those who run the service: is it alive, can it serve, and how is it doing."""

from typing import Annotated, Literal

import msgspec
from litestar import get
from litestar.di import NamedDependency
from litestar.plugins.prometheus import PrometheusController

from service.http.auth import ANONYMOUS
from service.http.problems import Trouble
from service.readiness import NotReady, Readiness


class Health(msgspec.Struct, frozen=True):
    """The service is well."""

    status: Annotated[Literal["ok"], msgspec.Meta(description="Always `ok`; anything else is a problem document.")]


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
async def get_ready(readiness: NamedDependency[Readiness]) -> Health:
    """Answers `ok` when requests can be served: the database is there, and its schema is the one this release needs."""
    try:
        await readiness.check()
    except NotReady as reason:
        raise Trouble("unavailable", f"{reason}.") from reason
    return Health("ok")


class Metrics(PrometheusController):
    """The numbers of this process, or of all workers where PROMETHEUS_MULTIPROC_DIR joins them."""

    include_in_schema = False
    opt = ANONYMOUS


ROUTES = (get_live, get_ready, Metrics)
