"""`ludicitude play`: any game in the terminal, against bots or where one is invited, through the public API alone."""

import contextlib
import sys
from collections.abc import Mapping
from shutil import get_terminal_size

from service.cant_run import CantRun
from service.play.api import Api, Problem
from service.play.ink import Ink
from service.play.opening import Wanted, become_player, game_details, look_up, open_match, own_name, sit_down
from service.play.picture import Picture
from service.play.server import local_server
from service.play.turns import Ask, Turns
from service.play.words import Words

__all__ = ["Wanted", "play"]


def play(environment: Mapping[str, str], wanted: Wanted, ask: Ask = input) -> None:
    """Play one match, from the first choice to the result, or until the person leaves.

    `ask` reads a line from them, as `input` does. Raises `CantRun` when that can't be played, or the server can't be had.
    """
    with contextlib.ExitStack() as running:
        api = Api(wanted.url or running.enter_context(local_server(environment)))
        try:
            _sit_down(api, environment, wanted, ask).play()
        except Problem as no:
            raise CantRun(" ".join(no.details)) from no


def _sit_down(api: Api, environment: Mapping[str, str], wanted: Wanted, ask: Ask) -> Turns:
    invited = look_up(api, wanted.invite) if wanted.invite is not None else None
    details = game_details(api, invited["game"] if invited else wanted.game)
    words = Words(details, api.get("/v1/labels"), api.get("/openapi.json"), wanted.lang)
    become_player(api, own_name(environment, words))
    view = sit_down(api, invited, wanted) if invited else open_match(api, details, wanted)
    picture = Picture(words, Ink(sys.stdout, environment), get_terminal_size().columns, view["options"])
    return Turns(api, view, words, picture, ask, among_people=invited is not None)
