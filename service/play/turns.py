"""One match from the first choice to the result: tells what happened, shows the table, and asks the person at the keyboard."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from service.play.api import Api, Problem
from service.play.opening import seat_names
from service.play.picture import Picture
from service.play.words import Words

Ask: TypeAlias = Callable[[str], str]
"""Reads a line after a prompt, as `input` does; raises EOFError when there is none any more."""

View: TypeAlias = Mapping[str, Any]

_WAIT_SECONDS = 25
"""How long the server is asked to wait for something to happen."""


class Turns:
    """Plays the match that looked so when the person sat down. Among people, who leaves does not keep the others waiting."""

    def __init__(self, api: Api, view: View, words: Words, picture: Picture, ask: Ask, *, among_people: bool) -> None:
        self._api, self._words, self._picture, self._ask = api, words, picture, ask
        self._first, self._path = view, f"/v1/matches/{view['match_id']}"
        self._among_people = among_people
        self._told = 0

    def play(self) -> None:
        """Play to the end, or until the person leaves: there is nothing more to read, or they interrupt."""
        try:
            self._play()
        except (EOFError, SystemExit) as left:
            print(f"\n{self._words.own('left')}")
            if self._among_people:
                self._leave()
            if isinstance(left, SystemExit):
                raise

    def _play(self) -> None:
        _say(self._picture.opening())
        if self._first["status"] == "open":
            self._say_who_waits(self._first)
        while (view := self._seen())["status"] != "ended":
            if view["decisions"]:
                self._choose(view)
            else:
                self._hear(wait=_WAIT_SECONDS)
        print()
        if view["table"]:
            _say(self._picture.table(view))
            print()
        _say(self._picture.ranking(view["result"], view["you"]))

    def _seen(self) -> View:
        """The match as it stands, when all that led to it is told, and nothing more."""
        view: View = self._api.get(self._path)
        self._words.seats = seat_names(view, self._words)
        while self._told != view["version"]:
            self._hear()
            view = self._api.get(self._path)
            self._words.seats = seat_names(view, self._words)
        return view

    def _say_who_waits(self, view: View) -> None:
        """Before the start: who is there, and that more are waited for."""
        print(", ".join(name for seat, name in zip(view["seats"], seat_names(view, self._words), strict=True) if seat["kind"] != "open"))
        full = all(seat["kind"] != "open" for seat in view["seats"])
        print(self._words.label("screen.waiting_for_host" if full else "status.open"))

    def _leave(self) -> None:
        """Free the seat before the start, and give up after it: the others play on."""
        try:
            match self._api.get(self._path)["status"]:
                case "open":
                    self._api.delete(f"{self._path}/seats/me")
                case "playing":
                    self._api.post(f"{self._path}/resign", {})
        except Problem:
            pass  # It began, or ended, in this very moment. The clock sees to the rest.

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
