"""Plays scenario files: what a rulebook's clause means, told as a match in the game's own words.

    Rule 3.5. The higher number takes the trick.
      match pico Ann Bob edition=pico2
      shuffle 4 8 10 13 16 5 6 7 9 11 ...
      Ann: commit_card card=16; Bob: commit_card card=9
      > trick_resolved winner=Ann

Every block plays a match of its own. A heading names one clause or more: `Rule 3.5, 3.6. Sentence.` One line holds one
statement, or several with `; ` between them:

* `match KEY NAME... OPTION=VALUE...` seats these players and starts.
* `shuffle ITEM...` and `roll FACE...` are the outcomes of the draws, in their order; `...` stands for the items left over.
* `NAME: COMMAND FIELD=VALUE...` is a choice; `refused CODE CLAUSE` after it says that the rules refuse it, and
  `refused CODE` alone that it is not this player's turn.
* `> EVENT FIELD=VALUE...` is an event of the latest choice; such lines follow the order of the events and may leave some
  out. `> nothing more` says that none is left.
* `NAME sees EVENT FIELD=VALUE...` is an event of the latest choice as this player, or `spectator`, is shown it.
* `NAME's view: FIELD=VALUE...` is what the player, or `spectator's view:`, sees of the table; `last_trick.winner=Ann` looks inside.
* `NAME's choices: FIELD=[VALUE,...]` is that field of every choice, in their order; `NAME's choices: none`.
* `waiting for NAME...`, `standing 1.Ann=4 2.Bob=0` (rank, name, score), `over 1.Ann=16 1.Bob=16 REASON`.
* `play on until over` and `play on until FIELD=VALUE` (of the spectator's view) let everybody play the first choice.

A value is a word, a player's name for a seat, `none` or `hidden` for null, or a list `[4,8]` without blanks. Lines that
begin with `#` are remarks.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from domain.games import GAMES
from domain.match.game import AnyGame, Outcome, Place, Refused, Request, Roll
from domain.match.play import NotNow
from tests.rooms import clauses, room
from tests.table import Match, Table

CHOICES_MAX = 100_000


class Block(NamedTuple):
    """One scenario: the file it stands in, its heading, the clauses the heading names, and its statements."""

    file: str
    heading: str
    clauses: tuple[str, ...]
    statements: tuple[str, ...]


def blocks(path: Path) -> Iterator[Block]:
    for text in re.split(r"^(?=\S)", path.read_text(), flags=re.MULTILINE):
        heading, *lines = text.splitlines() or [""]
        if not heading or heading.startswith("#"):
            continue
        found = re.fullmatch(r"Rule (\d+\.\d+(?:, \d+\.\d+)*)\. \S.*", heading)
        if found is None:
            raise AssertionError(f"{path.name}: `{heading}` is no heading: `Rule 2.3. Sentence.`")
        statements = [part.strip() for line in lines if not line.strip().startswith("#") for part in line.split(";")]
        yield Block(path.name, heading, tuple(found[1].split(", ")), tuple(filter(None, statements)))


def run(block: Block) -> None:
    """Play a block; raises AssertionError, naming the line, where the rules or the block itself say otherwise."""
    table = _Table([statement.split() for statement in block.statements])
    for statement in block.statements:
        try:
            table.tell(statement.split())
        except Exception as error:
            raise AssertionError(f"{block.file}: {block.heading}\n  {statement}\n  {type(error).__name__}: {error}") from error
    known = clauses(room(table.game) / "RULES.md")
    assert set(block.clauses) <= set(known), f"{block.file}: {block.heading}\n  the rulebook has no such clause"
    assert not table.outcomes, f"{block.file}: {block.heading}\n  left over: {table.outcomes}"
    assert table.checks, f"{block.file}: {block.heading}\n  nothing is stated"


class _Table:
    game: AnyGame
    names: list[str]
    match: Match

    def __init__(self, statements: list[list[str]]) -> None:
        self.outcomes = [words for words in statements if words[0] in ("shuffle", "roll")]
        self.checks = 0
        self.untold: list[Any] = []

    @property
    def state(self) -> Any:
        return self.match.now.state

    def tell(self, words: list[str]) -> None:
        self.checks += words[0] not in ("match", "shuffle", "roll", "play") and (not words[0].endswith(":") or "refused" in words)
        match words:
            case ["match", key, *rest]:
                self.open(key, rest)
            case ["shuffle" | "roll", *_]:
                pass
            case ["waiting", "for", *names]:
                owing = {self.names[seat] for seat in self.match.now.waiting}
                assert owing == set(names), f"waiting for {owing}"
            case ["standing", *places]:
                self.same(" ".join(places), self.places(self.game.standing(self.state)))
            case ["over", *places, reason]:
                assert self.match.result is not None, "it is not over"
                self.same(" ".join([*places, reason]), f"{self.places(self.match.result.ranking)} {self.match.result.reason}")
            case ["play", "on", "until", goal]:
                self.play_on(goal)
            case [">", "nothing", "more"]:
                assert not self.untold, f"there is more: {self.untold}"
            case [">", event, *fields]:
                self.expect(event, fields)
            case [who, "sees", event, *fields]:
                seen = [self.game.veil(happened, self.viewer(who)) for happened in self.match.latest]
                assert any(self.is_told(sight, event, fields) for sight in seen), f"saw {seen}"
            case [who, "view:", *fields] if who.endswith("'s"):
                view = as_json(self.game.view(self.state, self.viewer(who[:-2])))
                self.states(view, fields)
            case [who, "choices:", *fields] if who.endswith("'s"):
                self.offers(self.names.index(who[:-2]), fields)
            case [who, command, *rest] if who.endswith(":"):
                self.choose(self.names.index(who[:-1]), command, rest)
            case _:
                raise ValueError("no such statement")

    def open(self, key: str, words: list[str]) -> None:
        self.game, self.names = GAMES[key], [word for word in words if "=" not in word]
        options = msgspec.convert({"game": key} | self.given(words[len(self.names) :]), self.game.options, strict=False)
        self.match = Match(Table(self.game, options, len(self.names)), self.fate).begin()
        self.untold = self.match.latest

    def choose(self, seat: int, command: str, words: list[str]) -> None:
        at = words.index("refused") if "refused" in words else len(words)
        fields, refused = words[:at], words[at + 1 :]
        chosen = msgspec.convert({"type": f"{self.game.key}.{command}"} | self.given(fields), self.game.command, strict=False)
        answer: list[str] = []
        try:
            self.match.choose(seat, chosen)
            self.untold = self.match.latest
        except Refused as no:
            answer = [no.code, no.clause]
        except NotNow as no:
            answer = [no.code]
        assert answer == refused, f"refused {' '.join(answer)}" if answer else "it was not refused"

    def play_on(self, goal: str) -> None:
        for _ in range(CHOICES_MAX):
            view = as_json(self.game.view(self.state, None))
            if self.match.result is not None or (goal != "over" and self.is_stated(view, goal)):
                break
            seat = min(self.match.now.waiting)
            self.match.choose(seat, self.game.choices(self.state, seat)[0])
        assert (self.match.result is not None) == (goal == "over"), f"never {goal}"
        self.untold = self.match.latest

    def fate(self, number: int, request: Request) -> Outcome:
        assert self.outcomes, f"the scenario has no outcome for {request}"
        kind, *words = self.outcomes.pop(0)
        assert kind == ("roll" if isinstance(request, Roll) else "shuffle"), f"the rules ask for {request}"
        if isinstance(request, Roll):
            return tuple(map(int, words))
        left = list(request.items)
        outcome: list[int | str] = []
        for word in words:
            if word == "...":
                return (*outcome, *left)
            outcome.append(next(item for item in left if str(item) == word))
            left.remove(outcome[-1])
        return tuple(outcome)

    def viewer(self, who: str) -> int | None:
        return None if who == "spectator" else self.names.index(who)

    def offers(self, seat: int, fields: list[str]) -> None:
        offered = [as_json(choice) for choice in self.game.choices(self.state, seat)]
        if fields == ["none"]:
            assert not offered, offered
            return
        for field, value in (pair.split("=", 1) for pair in fields):
            listed = [choice[field].removeprefix(f"{self.game.key}.") if field == "type" else choice[field] for choice in offered]
            self.same(self.seats(value), said(listed))

    def expect(self, event: str, fields: list[str]) -> None:
        told = next((at for at, happened in enumerate(self.untold) if self.is_told(happened, event, fields)), None)
        assert told is not None, f"there is only {self.untold}"
        del self.untold[: told + 1]

    def is_told(self, happened: Any, event: str, fields: list[str]) -> bool:
        told = as_json(happened)
        return bool(told["type"] == f"{self.game.key}.{event}") and all(self.is_stated(told, pair) for pair in fields)

    def states(self, table: dict[str, Any], fields: list[str]) -> None:
        for pair in fields:
            assert self.is_stated(table, pair), f"{pair} is not in {table}"

    def is_stated(self, table: dict[str, Any], pair: str) -> bool:
        path, value = pair.split("=", 1)
        inside: Any = table
        for part in path.split("."):
            inside = inside[int(self.seats(part))] if isinstance(inside, list) else inside[part]
        return said(inside) == self.seats(value)

    def places(self, ranking: tuple[Place, ...]) -> str:
        return " ".join(f"{place.rank}.{self.names[place.seat]}={place.score}" for place in ranking)

    def same(self, stated: str, found: str) -> None:
        assert stated == found, f"it is {found}"

    def given(self, pairs: list[str]) -> dict[str, Any]:
        """Fields of options or of a command, as JSON would hold them but for numbers, which stay words."""
        return {field: self.meant(value) for field, value in (pair.split("=", 1) for pair in pairs)}

    def meant(self, word: str) -> Any:
        if word.startswith("["):
            return [self.meant(part) for part in filter(None, word[1:-1].split(","))]
        return None if word == "none" else self.names.index(word) if word in self.names else word

    def seats(self, text: str) -> str:
        """A value as `said` says it: seats for names, `none` for what is hidden."""
        names = {name: str(seat) for seat, name in enumerate(self.names)} | {"hidden": "none"}
        return re.sub(r"[A-Za-z]+", lambda word: names.get(word[0], word[0]), text)


def as_json(value: Any) -> dict[str, Any]:
    read: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(value))
    return read


def said(value: Any) -> str:
    """A value of an event or a view in a scenario's words."""
    if isinstance(value, list):
        return f"[{','.join(map(said, value))}]"
    if isinstance(value, dict):
        return f"{{{' '.join(f'{field}={said(inside)}' for field, inside in value.items())}}}"
    return {None: "none", True: "true", False: "false"}[value] if value is None or isinstance(value, bool) else str(value)
