"""What the service asks again and again costs the same however much is stored."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import make_url

from service.invites import with_code
from service.store import event_store, fitness
from tests.store.appends import Session

MATCHES = 2_000
DUE = 3

FILL = f"""
CREATE TEMP TABLE made ON COMMIT DROP AS SELECT n, gen_random_uuid() AS stream_id FROM generate_series(1, {MATCHES}) n;
INSERT INTO es.streams SELECT stream_id, 'match', 4, 0, n::text::xid8, NULL FROM made;
INSERT INTO es.events SELECT stream_id, v, 0, n::text::xid8, 4 * n + v, gen_random_uuid(), 't', 1, '{{}}', '{{}}', now()
FROM made, generate_series(1, 4) v;
INSERT INTO es.commands (stream_id, command_id, fingerprint, first_version, last_version)
SELECT stream_id, gen_random_uuid(), 'x', v, v FROM made, generate_series(1, 4) v;
INSERT INTO public.match_talk (stream_id, messages) SELECT stream_id, 1 FROM made;
INSERT INTO public.match_invites (stream_id, code) SELECT stream_id, 'code' || n FROM made;
INSERT INTO public.match_current (stream_id, version, game, status, visibility, seats, seats_open, players, waits_for, opened_at,
    updated_at, due_at, bots_at, shown)
SELECT stream_id, 4, 'pico', 'playing', 'public', 2, 0, ARRAY['ply_' || n], ARRAY['ply_' || n], now(), now(),
    now() + CASE WHEN n <= {DUE} THEN -1 ELSE n END * interval '1 second',
    now() + CASE WHEN n <= {DUE} THEN -1 ELSE n END * interval '1 second', '{{}}'
FROM made;
ANALYZE es.streams; ANALYZE es.events; ANALYZE es.commands; ANALYZE public.match_talk; ANALYZE public.match_invites;
ANALYZE public.match_current;
"""

SOME = [uuid4() for _ in range(5)]
NOBODY = UUID(int=0)

_LOOK_UP = with_code("code7").compile(dialect=make_url("postgresql+asyncpg://").get_dialect()())

STATEMENTS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "clocks": (event_store.TAKE_DUE.format(column="due_at"), (timedelta(seconds=2), 50)),
    "bots": (event_store.TAKE_DUE.format(column="bots_at"), (timedelta(seconds=2), 50)),
    "versions": (event_store.VERSIONS, (SOME,)),
    "talk": (event_store.MESSAGES, (SOME,)),
    "remembered": (event_store.REMEMBERED, (SOME[0], SOME[1])),
    "successor": (event_store.SUCCESSOR, (SOME[0],)),
    "turns": (event_store.TURNS, ("ply_7", datetime(1, 1, 1, tzinfo=UTC), NOBODY, 50)),
    "marks of turns": (event_store.TURN_MARKS, (["ply_7", "ply_8"],)),
    "events": (event_store.EVENTS, (SOME[0], 0, 100, 2**62)),
    "following": (event_store.FOLLOWING, (SOME, [0] * len(SOME), 100)),
    "load": (event_store.LOAD, (SOME[0], 1, 2**62, 100)),
    "an invitation": (str(_LOOK_UP), tuple(_LOOK_UP.params[name] for name in _LOOK_UP.positiontup or ())),
    "the fence": (fitness.FENCE_LAG, ()),
}


async def test_statements_read_only_what_they_answer(database: Session) -> None:
    """Every row that one of them looks at and leaves out is one more for each match that is stored."""
    async with database.transaction():
        await database.execute(FILL)
        for name, (statement, arguments) in STATEMENTS.items():
            [explained] = json.loads(await database.fetchval("EXPLAIN (ANALYZE, FORMAT JSON) " + statement, *arguments))
            looked_at = [node.get("Actual Rows", 0) + node.get("Rows Removed by Filter", 0) for node in _nodes(explained["Plan"])]
            assert max(looked_at) <= (DUE if name in ("clocks", "bots") else len(SOME)), f"{name}: {explained}"


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for each in plan.get("Plans", ()):
        yield from _nodes(each)
