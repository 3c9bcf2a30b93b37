"""The words of a game and those that all games share, as the catalogue has them, and the few of our own, in English or in French."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from service.play.shapes import Shape, Shapes, in_seat_order, is_seat

Language: TypeAlias = Literal["en", "fr"]

OWN: Mapping[str, Mapping[Language, str]] = {
    "keys": {
        "en": "Type a number to choose; r shows the rules, q gives up, Ctrl-C leaves.",
        "fr": "Tapez un numéro pour choisir ; r montre les règles, q abandonne, Ctrl-C quitte la table.",
    },
    "number": {"en": "A number from 1 to {last}, r, or q.", "fr": "Un numéro de 1 à {last}, r ou q."},
    "colon": {"en": ": ", "fr": " : "},
    "left": {"en": "You have left the table.", "fr": "Vous avez quitté la table."},
}

TOLD = ("match.resigned", "match.returned", "match.timed_out")
"""The events of the match itself that are worth a line; the others are plain to see."""


class Words:
    """How a match is told: `game` is what the catalogue says of its game, `shared` what it says of all, `document` the API's document."""

    def __init__(self, game: Mapping[str, Any], shared: Mapping[str, Any], document: Mapping[str, Any], language: Language) -> None:
        self.shapes = Shapes(document)
        self.title: str = game["title"][language]
        self.summary: str = game["sentence"][language]
        self.rules: str = game["rules"][language]
        self._language: Language = language
        self.seats: Sequence[str] = ()
        """The names of those who sit, in seat order."""
        self._labels: Mapping[str, Mapping[str, str]] = {**shared["labels"], **game["labels"]}
        self._prefix = f"{game['game']}."
        self._pieces = {piece["id"]: piece["label"] for piece in game["components"]}

    def own(self, key: str) -> str:
        """One of our own."""
        return OWN[key][self._language]

    def label(self, key: str) -> str | None:
        """The words for this key, if there are any."""
        return self._labels[key][self._language] if key in self._labels else None

    def caption(self, field: str) -> str:
        """What a field is called."""
        return self.label(f"field.{field}") or field.replace("_", " ").capitalize()

    def numbered(self, key: str, number: int) -> str:
        """The words for this key, of a seat or a bot on it, with its number, counted from 1."""
        return str(self.label(key)).replace("{number}", str(number))

    def sentence(self, event: Mapping[str, Any]) -> str | None:
        """What happened, or None where there are no words for it."""
        tag = event["type"]
        key = f"event.{tag.removeprefix(self._prefix)}"
        instead = (self.label(f"{key}.{name}") for name, value in event.items() if value)
        told = next(filter(None, instead), None) or self.label(key)
        if told is None or (not tag.startswith(self._prefix) and tag not in TOLD):
            return None
        return self._filled(told, event, self.shapes.fields("MatchEvent", tag))

    def choice(self, command: Mapping[str, Any]) -> str:
        """What a person does who makes this choice; its name for programs where there are no words for it."""
        tag = command["type"]
        return self._filled(
            self.label(f"command.{tag.removeprefix(self._prefix)}") or tag, command, self.shapes.fields("MatchCommand", tag)
        )

    def _filled(self, sentence: str, record: Mapping[str, Any], fields: Mapping[str, Shape]) -> str:
        """The sentence with the words for those fields of the record that it has in braces."""
        return re.sub(r"\{(\w+)\}", lambda found: self.value(found[1], record.get(found[1]), fields.get(found[1], {})), sentence)

    def value(self, name: str, value: Any, shape: Shape) -> str:
        """The value of the field `name` in words, on one line."""
        match value:
            case None:
                return self.label(f"{name}.none") or self._nothing(shape)
            case bool():
                word = str(value).lower()
                return self.label(f"{name}.{word}") or str(self.label(f"value.{word}"))
            case list():
                each = [self.value(name, item, self.shapes.item(shape)) for item in value]
                if in_seat_order(shape) and len(value) == len(self.seats):
                    each = [f"{seat} ({said})" for seat, said in zip(self.seats, each, strict=True)]
                return ", ".join(each) or self._nothing(self.shapes.item(shape))
            case {"seat": int(), **rest} if len(rest) == 1:
                inside = self.shapes.inside(shape)
                who, what = (self.value(part, value[part], inside.get(part, {})) for part in ("seat", *map(str, rest)))
                return f"{who} ({what})"
            case dict():
                return " · ".join(self.parts(value, self.shapes.inside(shape)))
            case int() if is_seat(shape) and value < len(self.seats):
                return self.seats[value]
        return self._word(name, value)

    def _nothing(self, shape: Shape) -> str:
        return str(self.label("seat.nobody" if is_seat(shape) else "value.nothing"))

    def option(self, name: str, value: Any) -> str:
        """What was agreed on."""
        key = "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        return self.label(f"option.{name}.{key}") or key

    def reason(self, reason: str) -> str:
        """Why a match ended."""
        return self.label(f"end.{reason}") or reason

    def parts(self, record: Mapping[str, Any], fields: Mapping[str, Shape]) -> list[str]:
        """A record field by field: whose it is, and what there is, with its caption."""
        there = {name: value for name, value in record.items() if value is not None and value is not False and value != []}
        return [self._part(name, value, fields.get(name, {})) for name, value in there.items()]

    def _part(self, name: str, value: Any, shape: Shape) -> str:
        if name == "seat" or value is True:
            return self.caption(name) if value is True else self.value(name, value, shape)
        said = self.value(name, value, shape)
        return f"{self.caption(name)} ({said})" if isinstance(value, dict) else f"{self.caption(name)} {said}"

    def _word(self, name: str, value: str | int) -> str:
        """What a screen calls this value of a field: a word of its own, that of a piece, or what stands there."""
        last = name.rpartition("_")[2]
        keys = [f"{kind}.{value}" for kind in (name, last, last.removesuffix("s"))]
        if isinstance(value, str) and value in self._pieces:
            keys.append(self._pieces[value])
        return next(filter(None, map(self.label, keys)), str(value))
