"""An append is all or nothing, takes effect once, and only on the version it was decided on."""

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import asyncpg
import pytest
from msgspec.structs import replace

from service.store import Appended, EventStore, KeyReused, Line, NewEvent, RematchTaken, Unstorable, WrongVersion
from tests.store.appends import LINE, Session, an_append_waits, append_within, appending, happened, positions, session


async def test_versions_count_the_events_of_a_stream_from_one(store: EventStore) -> None:
    stream = uuid4()
    first = await store.append(appending(stream, 0, events=2))
    second = await store.append(appending(stream, 2, events=3))
    assert (first.first, first.last, second.first, second.last) == (1, 2, 3, 5)
    assert [event.version for event in await store.events(stream, 0, 10)] == [1, 2, 3, 4, 5]
    assert await store.version(stream) == 5


async def test_an_event_comes_back_as_it_went_in(store: EventStore) -> None:
    stream, event = uuid4(), NewEvent("test.said", 3, b'{"text": "\xc3\xa9\\"\\n"}', b'{"seat": 1}')
    done = await store.append(replace(appending(stream, 0), events=(event,)))
    [stored] = await store.events(stream, 0, 10)
    assert (stored.type, stored.schema_version, stored.data, stored.meta) == (event.type, event.schema_version, event.data, event.meta)
    assert stored.at == done.at
    assert abs(datetime.now(UTC) - done.at) < timedelta(minutes=1)


async def test_twins_of_one_command_take_effect_once(store: EventStore) -> None:
    stream = uuid4()
    append = appending(stream, 0, events=2)
    outcomes = await asyncio.gather(*(store.append(append) for _ in range(12)))
    assert sorted(outcome.duplicate for outcome in outcomes) == [False] + [True] * 11
    assert {(outcome.first, outcome.last, outcome.at) for outcome in outcomes} == {(1, 2, outcomes[0].at)}
    assert await store.version(stream) == 2


async def test_a_command_sent_again_much_later_is_still_known(store: EventStore) -> None:
    stream = uuid4()
    append = appending(stream, 0)
    first = await store.append(append)
    await store.append(appending(stream, 1))
    assert await store.append(append) == replace(first, duplicate=True)


async def test_a_command_id_that_stood_for_something_else_is_refused(store: EventStore) -> None:
    stream = uuid4()
    append = appending(stream, 0)
    await store.append(append)
    with pytest.raises(KeyReused):
        await store.append(replace(append, expected=1, fingerprint=b"something else"))
    assert await store.version(stream) == 1


async def test_the_same_command_id_on_another_stream_is_another_command(store: EventStore) -> None:
    append = appending(uuid4(), 0)
    await store.append(append)
    assert not (await store.append(replace(append, stream=uuid4()))).duplicate


async def test_a_command_that_lost_may_be_sent_again_on_the_new_version(store: EventStore) -> None:
    stream = uuid4()
    await store.append(appending(stream, 0))
    lost = appending(stream, 0)
    with pytest.raises(WrongVersion):
        await store.append(lost)
    assert await store.remembered(stream, lost.command) is None
    assert (await store.append(replace(lost, expected=1))).first == 2


async def test_of_rivals_for_one_version_one_wins_and_no_position_is_lost(store: EventStore, database: Session) -> None:
    stream = uuid4()
    await store.append(appending(stream, 0))
    outcomes = await asyncio.gather(*(store.append(appending(stream, 1, events=2)) for _ in range(24)), return_exceptions=True)
    won = [outcome for outcome in outcomes if isinstance(outcome, Appended)]
    lost = [outcome for outcome in outcomes if isinstance(outcome, WrongVersion)]
    assert (len(won), len(lost)) == (1, 23)
    assert {loser.actual for loser in lost} == {3}
    assert await positions(database) == (3, 3)


async def test_rivals_for_a_new_stream(store: EventStore, database: Session) -> None:
    stream = uuid4()
    outcomes = await asyncio.gather(*(store.append(appending(stream, 0)) for _ in range(24)), return_exceptions=True)
    assert sum(isinstance(outcome, Appended) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, WrongVersion) for outcome in outcomes) == 23
    assert await positions(database) == (1, 1)


async def test_a_thousand_lost_races_leave_no_hole(store: EventStore, database: Session) -> None:
    """Whoever lost had taken positions before it checked, and readers waited at the holes for ever."""
    stream = uuid4()
    await store.append(appending(stream, 0))
    for _ in range(10):
        outcomes = await asyncio.gather(*(store.append(appending(stream, 0)) for _ in range(100)), return_exceptions=True)
        assert all(isinstance(outcome, WrongVersion) for outcome in outcomes)
    await store.append(appending(stream, 1))
    assert await positions(database) == (2, 2)


async def test_writers_of_different_matches_never_meet(store: EventStore) -> None:
    """Under SERIALIZABLE unrelated writers failed each other."""

    async def write() -> list[int]:
        stream = uuid4()
        return [(await store.append(appending(stream, version))).last for version in range(5)]

    assert await asyncio.gather(*(write() for _ in range(64))) == [[1, 2, 3, 4, 5]] * 64


async def test_what_happened_since_an_earlier_load_is_a_conflict(store: EventStore) -> None:
    """A second load replaced the version that the first one had promised."""
    stream = uuid4()
    await store.append(appending(stream, 0))
    first = await store.load(stream, 1)
    await store.append(appending(stream, 1))
    second = await store.load(stream, 1)
    assert first is not None
    assert second is not None
    with pytest.raises(WrongVersion) as lost:
        await store.append(appending(stream, first.version))
    assert lost.value.actual == second.version == 2


async def test_a_stream_that_is_not_there_is_at_version_zero(store: EventStore) -> None:
    stream = uuid4()
    with pytest.raises(WrongVersion) as lost:
        await store.append(appending(stream, 4))
    assert lost.value.actual == 0
    assert await store.version(stream) == 0
    assert await store.load(stream, 1) is None
    assert await store.events(stream, 0, 10) == []


async def test_an_append_without_events_is_a_mistake(store: EventStore) -> None:
    with pytest.raises(asyncpg.InvalidParameterValueError):
        await store.append(appending(uuid4(), 0, events=0))


async def test_an_archived_stream_takes_no_more_events(store: EventStore, database: Session) -> None:
    stream = uuid4()
    await store.append(appending(stream, 0))
    await database.execute("UPDATE es.streams SET archived_at = now()")
    with pytest.raises(asyncpg.PostgresError) as refused:
        await store.append(appending(stream, 1))
    assert refused.value.sqlstate == "ES002"


@pytest.mark.parametrize("text", [rb'{"name": "a\u0000b"}', rb'{"name": "\\\u0000"}', rb'{"\u0000": 1}'])
async def test_the_character_that_postgresql_cannot_hold_is_refused_before_it_gets_there(store: EventStore, text: bytes) -> None:
    stream = uuid4()
    for event in (happened(text), replace(happened(), meta=text)):
        with pytest.raises(Unstorable):
            await store.append(replace(appending(stream, 0), events=(happened(), event)))
    assert await store.version(stream) == 0


async def test_a_text_that_only_looks_like_it_is_stored(store: EventStore) -> None:
    stream, text = uuid4(), rb'{"name": "\\u0000"}'
    await store.append(replace(appending(stream, 0), events=(happened(text),)))
    assert [event.data for event in await store.events(stream, 0, 1)] == [text]


async def test_an_inversion_inside_a_stream_is_refused(store: EventStore, database_url: str) -> None:
    """A transaction that got its number early must not write after one that got it later."""
    stream = uuid4()
    await store.append(appending(stream, 0))
    async with session(database_url) as early, early.transaction():
        await early.execute("SELECT pg_current_xact_id()")
        await store.append(appending(stream, 1))
        with pytest.raises(asyncpg.SerializationError):
            await append_within(early, appending(stream, 2))
    assert await store.version(stream) == 2


async def test_an_append_that_would_be_an_inversion_is_sent_again(store: EventStore, database_url: str, database: Session) -> None:
    """Here the append gets its number, has to wait for a twin, and is overtaken meanwhile."""
    stream = uuid4()
    await store.append(appending(stream, 0))
    append = appending(stream, 2)
    async with session(database_url) as twin:
        held = twin.transaction()
        await held.start()
        await twin.execute("INSERT INTO es.commands VALUES ($1, $2, '', 0, 0)", stream, append.command)
        waiting = asyncio.create_task(store.append(append))
        await an_append_waits(database)
        await store.append(appending(stream, 1))
        await held.rollback()
    assert (await waiting).first == 3
    numbers = await database.fetch("SELECT tx_id::text::bigint FROM es.events ORDER BY version")
    assert [row[0] for row in numbers] == sorted(row[0] for row in numbers)


@pytest.mark.parametrize("change", ["UPDATE es.events SET type = ''", "DELETE FROM es.events", "TRUNCATE es.events"])
async def test_events_are_written_once(store: EventStore, database: Session, change: str) -> None:
    await store.append(appending(uuid4(), 0))
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await database.execute(change)


async def test_the_row_of_a_match_is_written_with_its_events(store: EventStore, database: Session) -> None:
    stream, due = uuid4(), datetime.now(UTC) + timedelta(days=3)
    shown, old = rb'{"host": "ply_a"}', uuid4()
    opened = Line("wolves", "open", "private", 4, 3, ("ply_a",), due, bots_owe=True, shown=shown, rematch_of=old, waits_for=("ply_a",))
    first = await store.append(appending(stream, 0, events=2, line=opened, seed=b"s" * 32))
    row = await database.fetchrow("SELECT * FROM match_current")
    assert row is not None
    assert dict(row) == {
        "stream_id": stream,
        "version": 2,
        "game": "wolves",
        "status": "open",
        "visibility": "private",
        "seats": 4,
        "seats_open": 3,
        "players": ["ply_a"],
        "waits_for": ["ply_a"],
        "opened_at": first.at,
        "updated_at": first.at,
        "ended_at": None,
        "due_at": due,
        "bots_at": first.at + timedelta(seconds=1),
        "shown": shown,
        "rematch_of": old,
    }
    ended = replace(opened, status="ended", seats_open=0, players=("ply_a", "ply_b"), due_at=None, bots_owe=False, waits_for=())
    second = await store.append(appending(stream, 2, line=ended))
    row = await database.fetchrow("SELECT * FROM match_current")
    assert row is not None
    assert (row["version"], row["status"], row["players"], row["due_at"]) == (3, "ended", ["ply_a", "ply_b"], None)
    assert (row["bots_at"], row["waits_for"]) == (None, [])
    assert (row["opened_at"], row["updated_at"], row["ended_at"]) == (first.at, second.at, second.at)


async def test_a_match_has_one_rematch(store: EventStore) -> None:
    old = uuid4()
    answers = await asyncio.gather(
        *(store.append(appending(uuid4(), 0, line=replace(LINE, rematch_of=old))) for _ in range(8)), return_exceptions=True
    )
    assert sum(isinstance(answer, Appended) for answer in answers) == 1
    assert sum(isinstance(answer, RematchTaken) for answer in answers) == 7
    assert await store.successor(old) is not None
    assert await store.successor(uuid4()) is None


async def test_a_match_that_is_due_is_given_to_one_at_a_time(store: EventStore, database: Session) -> None:
    due, later = datetime.now(UTC) - timedelta(seconds=1), datetime.now(UTC) + timedelta(hours=1)
    stream = uuid4()
    await store.append(appending(stream, 0, line=replace(LINE, due_at=due)))
    await store.append(appending(uuid4(), 0, line=replace(LINE, due_at=later)))
    taken = await asyncio.gather(*(store.take_due("due_at", timedelta(minutes=30), 10) for _ in range(8)))
    assert sorted(map(len, taken)) == [0] * 7 + [1]
    await database.execute("UPDATE match_current SET due_at = due_at - interval '30 minutes'")
    assert await store.take_due("due_at", timedelta(minutes=30), 10) == [stream], "it is due again after that time"


async def test_a_seed_is_opened_by_the_end_of_its_match_and_by_nothing_else(store: EventStore, database: Session) -> None:
    stream, other = uuid4(), uuid4()
    for match in (stream, other):
        await store.append(appending(match, 0, seed=match.bytes))
        await store.append(appending(match, 1))
    assert [row["opened_at"] for row in await database.fetch("SELECT opened_at FROM match_seeds")] == [None, None]
    ended = await store.append(appending(stream, 2, line=replace(LINE, status="ended")))
    await store.append(appending(stream, 3, line=replace(LINE, status="ended")))
    opened = await database.fetch("SELECT seed, opened_at FROM match_seeds ORDER BY opened_at")
    assert [tuple(row) for row in opened] == [(stream.bytes, ended.at), (other.bytes, None)]


async def test_a_match_never_gets_a_second_seed(store: EventStore) -> None:
    stream = uuid4()
    await store.append(appending(stream, 0, seed=b"s" * 32))
    with pytest.raises(asyncpg.UniqueViolationError):
        await store.append(appending(stream, 1, seed=b"t" * 32))
    assert await store.version(stream) == 1


async def test_an_older_row_never_replaces_a_newer_one(store: EventStore, database: Session) -> None:
    """Version 7 was delivered, then 6."""
    stream = uuid4()
    await store.append(appending(stream, 0))
    await database.execute("UPDATE match_current SET version = 7, status = 'ended'")
    await store.append(appending(stream, 1))
    assert await database.fetchval("SELECT (version, status)::text FROM match_current") == "(7,ended)"
