"""What the fields of a game's records hold, read off the API's document, so that a number can be told from a player."""

from collections.abc import Mapping
from typing import Any, TypeAlias

Shape: TypeAlias = Mapping[str, Any]
"""The JSON Schema of one field; empty where the document does not know it."""


class Shapes:
    """The records of a document: `MatchTable`, `MatchEvent` and `MatchCommand` are its unions of them."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._schemas: Mapping[str, Shape] = document["components"]["schemas"]

    def fields(self, union: str, tag: str) -> Mapping[str, Shape]:
        """The fields of the record that this tag names in a union, by name."""
        mapping = self._schemas.get(union, {}).get("discriminator", {}).get("mapping", {})
        return self.inside({"$ref": mapping[tag]}) if tag in mapping else {}

    def inside(self, shape: Shape) -> Mapping[str, Shape]:
        """The fields of a record that a field holds, or that may be null there."""
        properties: Mapping[str, Shape] = self._record(shape).get("properties", {})
        return properties

    def item(self, shape: Shape) -> Shape:
        """What a list holds."""
        items: Shape = shape.get("items", {})
        return items

    def _record(self, shape: Shape) -> Shape:
        [shape, *_] = shape.get("oneOf", [shape])
        return self._schemas.get(shape["$ref"].rpartition("/")[2], {}) if "$ref" in shape else shape


def is_seat(shape: Shape) -> bool:
    """Whether a field is a player's place at the table."""
    return shape.get("format") == "seat"


def in_seat_order(shape: Shape) -> bool:
    """Whether a list holds one thing for each seat, as long as it holds anything."""
    return shape.get("x-seat-order", False) is True
