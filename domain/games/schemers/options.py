"""What the players agree on before a match of Schemers, and the faces of a die."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

import msgspec

Stakes: TypeAlias = Literal["100-200", "50-100"]
Face: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=6, description="A face of a die, by its number.")]
Die: TypeAlias = Literal["first", "second"]
"""A player's two dice of a round: `first` makes the target, `second` the final total."""

FACES = range(1, 7)


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="game", tag="schemers"):
    """What the players agree on before a match of Schemers."""

    stakes: Annotated[
        Stakes,
        msgspec.Meta(description="The points that everyone starts with, and the goal that must be passed to win. Rules 1.3 to 1.5."),
    ] = "100-200"
    rounds_max: Annotated[
        Annotated[int, msgspec.Meta(ge=5, le=200)] | None,
        msgspec.Meta(description="The round after which the highest score wins; null for no such limit. Rules 1.6 and 7.5."),
    ] = None
    whispers: Annotated[bool, msgspec.Meta(description="Whether two players may also talk in private. Rule 1.7.")] = False


START: Mapping[Stakes, int] = {"100-200": 100, "50-100": 50}  # 1.3, 1.5
"""The points that everyone starts with."""

GOAL: Mapping[Stakes, int] = {"100-200": 200, "50-100": 100}  # 1.4, 1.5
"""The score that must be passed to win."""
