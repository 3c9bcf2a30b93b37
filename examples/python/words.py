"""Says a match in words: what happens, what one can choose, how the table stands. In English or in French."""

import re
from collections.abc import Mapping
from typing import Any, TypeAlias

Record: TypeAlias = Mapping[str, Any]

UNIONS = {"event": "MatchEvent", "command": "MatchCommand", "table": "MatchTable"}

BRACES = re.compile(r"\{(\w+)\}")

COLON = {"en": ": ", "fr": " : "}

SEMICOLON = {"en": "; ", "fr": " ; "}


class Words:
    """The words for one game: `game` is what `get_game` answers, `shared` what `get_labels` does.

    `schemas` stand in the OpenAPI document, among its `components`; of them this reads `MatchEvent`, `MatchCommand`, `MatchTable` and
    what they refer to.
    """

    def __init__(self, game: Record, shared: Record, schemas: Record, language: str) -> None:
        self.labels: Record = {**shared["labels"], **game["labels"]}
        self.pieces = {piece["id"]: piece["label"] for piece in game["components"]}
        self.prefix, self.schemas, self.language = f"{game['game']}.", schemas, language
        self.names: list[str] = []
        """Of those who sit, in seat order; `sees` finds them in a view."""

    def say(self, key: str, params: Record | None = None) -> str:
        """The words for a key; the key itself where there are none."""
        words: str = self.labels[key][self.language] if key in self.labels else key
        return BRACES.sub(lambda found: str((params or {}).get(found[1], found[0])), words)

    def problem(self, problem: Any) -> str:
        """Why the server said no; what a proxy says in its place is no problem of ours, and is told as no answer."""
        key = problem.get("message_key") if isinstance(problem, Mapping) else None
        if key is None:
            return self.say("screen.no_answer")
        return self.say(key, problem.get("message_params")) if key in self.labels else str(problem.get("detail", key))

    def sees(self, view: Record) -> None:
        """Take the names from this view, as they may have changed."""
        self.names = [self.who(seat) for seat in view["seats"]]

    def who(self, seat: Record) -> str:
        """Who sits there; people count seats from 1."""
        name = seat["display_name"] or self.say("player.erased")
        if seat["kind"] == "player":
            return str(name)
        if seat["kept_for"]:
            return self.say("seat.kept", {"display_name": name})
        return self.say("seat.bot" if seat["kind"] == "bot" else "seat.numbered", {"number": seat["seat"] + 1})

    def sentence(self, event: Record) -> str | None:
        """What has happened; None where there are no words for it."""
        return self._sentence("event", event)

    def choice(self, command: Record) -> str:
        """What one can choose."""
        return self._sentence("command", command) or str(command["type"])

    def picture(self, table: Record) -> list[str]:
        """The table, or as much of it as is given besides its `game`, field by field with its captions."""
        return self._parts(table, self._fields("table", table["game"]))

    def field(self, table: Record, name: str) -> str:
        """One field of the table, without its caption, which is `say(f"field.{name}")`."""
        return self._word(name, table[name], self._fields("table", table["game"]).get(name, {}))

    def piece(self, piece: str | int) -> str:
        """One card, or one face of a die."""
        return self.say(self.pieces.get(str(piece), str(piece)))

    def time_left(self, seconds: float) -> str:
        """How long still: minutes and seconds, hours before them when there are any, and from a day on days and hours."""
        minutes, rest = divmod(max(0, int(seconds)), 60)
        hours, minutes = divmod(minutes, 60)
        time = f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
        if hours >= 24:
            time = self.say("screen.days", {"days": hours // 24, "hours": hours % 24})
        return self.say("screen.time_left", {"time": time})

    def _sentence(self, kind: str, record: Record) -> str | None:
        key = f"{kind}.{record['type'].removeprefix(self.prefix)}"
        if key not in self.labels:
            return None
        shapes, words = self._fields(kind, record["type"]), self.labels[key][self.language]
        return BRACES.sub(lambda found: self._word(found[1], record[found[1]], shapes.get(found[1], {})), words)

    def _parts(self, record: Record, shapes: Record) -> list[str]:
        said = {name: self._word(name, value, shapes[name]) for name, value in record.items() if name in shapes and name != "game"}
        return [f"{self.say(f'field.{name}')}{COLON[self.language]}{words}" for name, words in said.items()]

    def _word(self, name: str, value: Any, given: Record) -> str:
        """A value becomes a word by what it is: a seat is who sits there, a card the label of its component, a list its items."""
        shape = self._resolved(given)
        match value:
            case None:
                return self.say("seat.nobody" if shape.get("format") == "seat" else "value.nothing")
            case dict():
                return SEMICOLON[self.language].join(self._parts(value, shape.get("properties", {})))
            case list():
                each = [self._word(name, item, shape.get("items", {})) for item in value]
                if "x-seat-order" in shape:  # One for each seat.
                    each = [f"{who} ({said})" for who, said in zip(self.names, each, strict=False)]
                return ", ".join(each) or self._word(name, None, shape.get("items", {}))
            case bool():
                return self.say(f"value.{str(value).lower()}")
            case int() if shape.get("format") == "seat":
                return self.names[value]
        key = f"{name}.{value}"
        return self.say(key if key in self.labels else self.pieces.get(str(value), str(value)))

    def _fields(self, kind: str, tag: str) -> Record:
        """What the fields hold of the record that this tag names; nothing is known of what is newer than the document."""
        schema = self.schemas[UNIONS[kind]]["discriminator"]["mapping"].get(tag)
        return dict(self._resolved({"$ref": schema})["properties"]) if schema else {}

    def _resolved(self, shape: Record) -> Record:
        """What a field's shape refers to, and what it is when it is not null."""
        shape = shape.get("oneOf", [shape])[0]
        return dict(self.schemas[shape["$ref"].rpartition("/")[2]]) if "$ref" in shape else shape
