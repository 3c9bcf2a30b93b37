"""One match from the first choice to the result: tells what happened, shows the table, and asks the person at the keyboard."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from service.play.api import Api, Problem
from service.play.picture import Picture
from service.play.words import Words

Ask: TypeAlias = Callable[[str], str]
"""Reads a line after a prompt, as `input` does; raises EOFError when there is none any more."""

View: TypeAlias = Mapping[str, Any]

_WAIT_SECONDS = 25
"""How long the server is asked to wait for something to happen."""


class Turns:
    """Plays the match at `path` of the API, such as `/v1/matches/mat_...`."""

    def __init__(self, api: Api, path: str, words: Words, picture: Picture, ask: Ask) -> None:
        self._api, self._path, self._words, self._picture, self._ask = api, path, words, picture, ask
        self._told = 0

    def play(self) -> None:
        """Play to the end, or until the person leaves: there is nothing more to read, or they interrupt."""
        try:
            self._play()
        except (EOFError, SystemExit) as left:
            print(f"\n{self._words.own('left')}")
            if isinstance(left, SystemExit):
                raise

    def _play(self) -> None:
        _say(self._picture.opening())
        while (view := self._seen())["status"] != "ended":
            if view["decisions"]:
                self._choose(view)
            else:
                self._hear(wait=_WAIT_SECONDS)
        print()
        _say(self._picture.table(view))
        print()
        _say(self._picture.ranking(view["result"], view["you"]))

    def _seen(self) -> View:
        """The match as it stands, when all that led to it is told, and nothing more."""
        view: View = self._api.get(self._path)
        while self._told != view["version"]:
            self._hear()
            view = self._api.get(self._path)
        return view

    def _hear(self, wait: int = 0) -> None:
        """Tell what has happened since; with `wait`, as soon as something does."""
        page = self._api.get(f"{self._path}/events?after={self._told}&wait={wait}", wait=wait)
        for item in page["items"]:
            self._told = item["version"]
            _say(self._picture.happened(item["event"]))

    def _choose(self, view: View) -> None:
        [decision] = view["decisions"]
        print()
        _say(self._picture.table(view))
        _say(self._picture.choices(decision["choices"]))
        while True:
            typed = self._ask("> ").strip().lower()
            if typed == "r":
                print(self._words.rules)
            elif typed == "q":
                return self._send("resign", {})
            elif typed.isdecimal() and 1 <= int(typed) <= len(decision["choices"]):
                chosen = {"command": decision["choices"][int(typed) - 1], "decision": decision["decision"]}
                return self._send("commands", chosen)
            else:
                print(self._words.own("number").format(last=len(decision["choices"])))

    def _send(self, what: str, body: Mapping[str, Any]) -> None:
        try:
            self._api.post(f"{self._path}/{what}", body)
        except Problem as no:  # The clock was faster, or the match has ended: what is so now is shown next.
            print(self._words.label(no.message_key) or str(no))


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)
