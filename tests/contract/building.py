"""The document as the routes say it now, for which no database is needed."""

import json
from functools import cache
from typing import Any

from litestar import Litestar

from service import resources, settings
from service.app import create_app
from service.http.openapi.document import document


@cache
def app_without_database() -> Litestar:
    """The whole app, which must not be started."""
    return create_app(settings.read({"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nowhere"}))


def built() -> dict[str, Any]:
    """The document of the app with the committed examples."""
    examples = json.loads((resources.folder("openapi") / "examples.json").read_text("utf-8"))
    return document(app_without_database(), examples)
