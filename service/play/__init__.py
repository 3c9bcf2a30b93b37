"""`ludicitude play`: any game in the terminal, against bots, through the public API alone."""

import contextlib
import sys
from collections.abc import Mapping
from shutil import get_terminal_size

from service.cant_run import CantRun
from service.play.api import Api, Problem
from service.play.ink import Ink
from service.play.opening import Wanted, game_details, open_match, own_name, seat_names
from service.play.picture import Picture
from service.play.server import local_server
from service.play.turns import Ask, Turns
from service.play.words import Words

__all__ = ["Wanted", "play"]


def play(environment: Mapping[str, str], wanted: Wanted, ask: Ask = input) -> None:
    """Play one match against bots, from the first choice to the result, or until the person leaves.

    `ask` reads a line from them, as `input` does. Raises `CantRun` when that can't be played, or the server can't be had.
    """
    with contextlib.ExitStack() as running:
        api = Api(wanted.url or running.enter_context(local_server(environment)))
        try:
            _sit_down(api, environment, wanted, ask).play()
        except Problem as no:
            raise CantRun(" ".join(no.details)) from no


def _sit_down(api: Api, environment: Mapping[str, str], wanted: Wanted, ask: Ask) -> Turns:
    details = game_details(api, wanted.game)
    words = Words(details, api.get("/v1/labels"), api.get("/openapi.json"), wanted.lang)
    view = open_match(api, details, wanted, own_name(environment, words))
    words.seats = seat_names(view, words)
    picture = Picture(words, Ink(sys.stdout, environment), get_terminal_size().columns, view["options"])
    return Turns(api, f"/v1/matches/{view['match_id']}", words, picture, ask)
