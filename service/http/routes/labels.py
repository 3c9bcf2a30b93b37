"""The words of everything that is no game's, in English and in French: matches, seats, terms, standings, problems."""

from functools import cache
from importlib.resources import files
from typing import Annotated

import msgspec
from litestar import Response, get
from msgspec import Meta

from service.http.auth import ANONYMOUS
from service.http.conditions import RELEASE_HEADERS, IfNoneMatch, etag, tagged


class Wording(msgspec.Struct, frozen=True):
    """The same words in English and in French."""

    en: Annotated[str, Meta(description="In English.")]
    fr: Annotated[str, Meta(description="In French.")]


class SharedLabels(msgspec.Struct, frozen=True):
    """The words that all games share."""

    labels: Annotated[
        dict[str, Wording], Meta(description="By key; `{name}` in a sentence stands for the field or parameter of that name.")
    ]


@get(
    "/v1/labels",
    operation_id="get_labels",
    summary="The words that all games share",
    tags=["games"],
    opt=ANONYMOUS,
    sync_to_thread=False,
)
def get_labels(if_none_match: IfNoneMatch = None) -> Response[SharedLabels]:
    """Every word that a screen shows and that is no game's own, in English and in French; those of a game are in `get_game`.

    Keys are made alike everywhere: `problem.<code>` is a problem's `message_key`, `event.match.<name>` an event of the match
    itself, `end.<reason>` why it ended, `<field>.<word>` a word that a field can say, and `field.<name>` what a field is called.
    """
    content = _content()
    return tagged(content, etag(content), if_none_match, RELEASE_HEADERS)


@cache
def _content() -> bytes:
    labels = msgspec.json.decode(files("service.http").joinpath("labels.json").read_bytes(), type=dict[str, Wording])
    return msgspec.json.encode(SharedLabels(labels))


ROUTES = (get_labels,)
