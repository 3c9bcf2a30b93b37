"""How snapshots are kept, and which of them this release may trust."""

import hashlib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

SAVE_SNAPSHOT = """
INSERT INTO es.snapshots AS n (stream_id, state_schema, version, state)
SELECT stream_id, $2, $3, $4 FROM es.streams WHERE stream_id = $1 AND version >= $3
ON CONFLICT (stream_id, state_schema) DO UPDATE
SET version = excluded.version, state = excluded.state WHERE n.version < excluded.version
"""

SAVE_MILESTONE = """
INSERT INTO es.milestones (stream_id, state_schema, version, state)
SELECT stream_id, $2, $3, $4 FROM es.streams WHERE stream_id = $1 AND version >= $3
ON CONFLICT DO NOTHING
"""


@cache
def state_schema() -> int:
    """A number that stands for the rules as they are in this release, 31 bits of a hash of their source.

    A snapshot is a state that some rules made. Under other rules the same events may lead to another state, so a release
    only reads snapshots that bear its own number, and folds the events where there is none.
    """
    digest = hashlib.sha256()
    for name, source in sorted(_sources(files("domain"), "domain")):
        digest.update(f"{name} {len(source)} ".encode() + source)
    return int.from_bytes(digest.digest()[:4], "big") >> 1


def _sources(folder: Traversable, name: str) -> list[tuple[str, bytes]]:
    found = []
    for item in folder.iterdir():
        path = f"{name}/{item.name}"
        if item.is_dir():
            found += _sources(item, path)
        elif item.name.endswith(".py"):
            found.append((path, item.read_bytes()))
    return found
