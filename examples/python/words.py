"""Says a match in words: what happens, what one can choose, how the table stands. In English or in French."""

import re
from collections.abc import Mapping, Sequence
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
        self.players: dict[str, str] = {}
        """The names of all players who were seen, also of those who have left, by their ids."""

    def say(self, key: str, params: Record | None = None) -> str:
        """The words for a key; the key itself where there are none."""
        words: str = self.labels[key][self.language] if key in self.labels else key
        return BRACES.sub(lambda found: str((params or {}).get(found[1], found[0])), words)

    def problem(self, problem: Any) -> str:
        """Why the server said no; what a proxy says in its place is no problem of ours, and is told as no answer."""
        key = problem.get("message_key") if isinstance(problem, Mapping) else None
        if key is None:
            return self.say("screen.no_answer")
        if key == "problem.invalid_body" and (told := self._fault(problem.get("errors", []))):
            return told
        return self.say(key, problem.get("message_params")) if key in self.labels else str(problem.get("detail", key))

    def sees(self, view: Record) -> None:
        """Take the names from this view, as they may have changed."""
        self.names = [self.who(seat) for seat in view["seats"]]
        for seat in view["seats"]:
            if player_id := seat.get("player_id") or seat.get("kept_for"):
                self.players[player_id] = seat["display_name"] or self.say("player.erased")

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

    def winner(self, result: Record) -> str | None:
        """Who has won, one or several; None where nobody has, or nobody else played."""
        ranking = result["ranking"]
        first = [self.names[place["seat"]] for place in ranking if place["rank"] == 1]
        if len(ranking) < 2 or result["reason"] == "abandoned":
            return None
        return (
            self.say("screen.wins", {"seat": first[0]}) if len(first) == 1 else self.say("screen.win_together", {"seats": ", ".join(first)})
        )

    def message(self, message: Record) -> str:
        """What was said at the match, by whom and to whom; of a pledge also what became of it. A text in it is plain text, never markup."""
        seat, pledge, text = self._speaker(message), message["pledge"], message["text"]
        if pledge is not None:
            phase, kept = self.say(f"pledge.{pledge['phase']}"), self._word("kept", pledge["kept"], {})
            text = self.say("screen.pledges", {"seat": seat, "phase": phase, "face": self.piece(pledge["face"])}) + f" ({kept})"
        if message["to_seat"] is not None:
            seat = self.say("screen.whispers", {"seat": seat, "to_seat": self.names[message["to_seat"]]})
        elif pledge is not None:
            return str(text)
        return self.say("screen.says", {"seat": seat, "text": text})

    def terms(self, options: Record) -> list[str]:
        """What the players agree on, or as much of it as is given, option by option with its caption."""
        there = {name: self._spelt(f"option.{name}", value) or str(value) for name, value in options.items() if name != "game"}
        return [f"{self.say(f'option.{name}')}{COLON[self.language]}{said}" for name, said in there.items()]

    def choice(self, command: Record) -> str:
        """What one can choose."""
        return self._sentence("command", command) or str(command["type"])

    def picture(self, table: Record) -> list[str]:
        """The table, or as much of it as is given besides its `game`, field by field with its captions."""
        shapes = self._fields("table", table["game"])
        return self._parts({name: self._shown(table, name, shapes.get(name, {})) for name in table}, shapes)

    def field(self, table: Record, name: str) -> str:
        """One field of the table, without its caption, which is `say(f"field.{name}")`."""
        shape = self._fields("table", table["game"]).get(name, {})
        return self._word(name, self._shown(table, name, shape), shape)

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

    def _fault(self, errors: Sequence[Record]) -> str | None:
        """What is wrong in a form, by the name that the field has there."""
        for fault in errors:
            name = fault["pointer"].rpartition("/")[2]
            caption = next((key for kind in ("option", "field") if (key := f"{kind}.{name}") in self.labels), None)
            if caption is not None:
                bounds = {"screen.at_least": fault.get("least"), "screen.at_most": fault.get("most")}
                key, number = next((each for each in bounds.items() if each[1] is not None), ("screen.check", None))
                return self.say(key, {"field": self.say(caption), "number": number})
        return None

    def _sentence(self, kind: str, record: Record) -> str | None:
        key = f"{kind}.{record['type'].removeprefix(self.prefix)}"
        if key not in self.labels:
            return None
        if kind == "event":  # A field that holds something may have a sentence of its own to say so.
            key = next((own for name in record if (own := f"{key}.{name}") in self.labels and record[name]), key)
        shapes = self._fields(kind, record["type"])

        def said(name: str) -> str:
            return self._speaker(record) if name == "seat" else self._word(name, record[name], shapes.get(name, {}))

        return BRACES.sub(lambda found: said(found[1]), self.labels[key][self.language])

    def _speaker(self, record: Record) -> str:
        """Whose seat it is, or was then: who is named beside it may have left since."""
        return self.players.get(str(record.get("player_id"))) or self.names[record["seat"]]

    def _shown(self, table: Record, name: str, shape: Record) -> Any:
        """What a field of the table holds, where it is `hidden` for those who have chosen in secret."""
        value = table[name]
        if "phase" not in table or shape.get("x-hidden-in") != table["phase"] or not table["committed"]:
            return value
        return [
            "value.hidden" if shown is None and seat in table["committed"] else shown
            for seat, shown in enumerate(value or [None] * len(self.names))
        ]

    def _spelt(self, name: str, value: Any) -> str | None:
        """The words of this field, or option, for this value of it, if it has some of its own."""
        key = f"{name}.{'none' if value is None else str(value).lower() if isinstance(value, bool) else value}"
        return self.say(key) if key in self.labels else None

    def _parts(self, record: Record, shapes: Record) -> list[str]:
        said = {name: self._word(name, value, shapes[name]) for name, value in record.items() if name in shapes and name != "game"}
        return [f"{self.say(f'field.{name}')}{COLON[self.language]}{words}" for name, words in said.items()]

    def _word(self, name: str, value: Any, given: Record) -> str:
        """A value becomes a word by what it is: a seat is who sits there, a card the label of its component, a list its items."""
        shape = self._resolved(given)
        if not isinstance(value, dict | list) and (own := self._spelt(name, value)):
            return own
        match value:
            case None:
                return self.say("seat.nobody" if shape.get("format") == "seat" else "value.nothing")
            case dict():
                return SEMICOLON[self.language].join(self._parts(value, shape.get("properties", {})))
            case list():
                each = [self._word(name, item, shape.get("items", {})) for item in value]
                if "x-seat-order" in shape:  # One for each seat.
                    each = [f"{who} ({said})" for who, said in zip(self.names, each, strict=False)]
                return ", ".join(each) or self._word("", None, shape.get("items", {}))
            case bool():
                return self.say(f"value.{str(value).lower()}")
            case int() if shape.get("format") == "seat":
                return self.names[value]
        return self.say(self.pieces.get(str(value), str(value)))

    def _fields(self, kind: str, tag: str) -> Record:
        """What the fields hold of the record that this tag names; nothing is known of what is newer than the document."""
        schema = self.schemas[UNIONS[kind]]["discriminator"]["mapping"].get(tag)
        return dict(self._resolved({"$ref": schema})["properties"]) if schema else {}

    def _resolved(self, shape: Record) -> Record:
        """What a field's shape refers to, and what it is when it is not null."""
        shape = shape.get("oneOf", [shape])[0]
        return dict(self.schemas[shape["$ref"].rpartition("/")[2]]) if "$ref" in shape else shape
