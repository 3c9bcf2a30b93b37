"""What a player of Schemers can choose."""

from typing import TypeAlias

import msgspec

from domain.games.schemers.options import Face


class Ready(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="schemers.ready"):
    """Say that you are ready to set your die; the talk ends when everyone has said so (rules 2.4 and 2.5)."""


class CommitDie(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="schemers.commit_die"):
    """Turn your die to a face, hidden behind your hand; it is final (rules 3.1 to 3.4)."""

    face: Face


Command: TypeAlias = Ready | CommitDie
