"""What a load brings back: a snapshot that may be trusted, and exactly the events after it."""

from uuid import UUID, uuid4

import msgspec
import pytest
import pytest_asyncio
from msgspec.structs import replace

from service.store import EventStore, Loaded, Remembered, Snapshot
from service.store.snapshots import state_schema
from tests.store.appends import Session, appending, happened

LENGTH, SCHEMA = 30, 5


@pytest_asyncio.fixture
async def stream(store: EventStore) -> UUID:
    """A stream of thirty events, each of which adds its own number."""
    new = uuid4()
    for version in range(0, LENGTH, 3):
        events = tuple(happened(b'{"adds": %d}' % number) for number in range(version + 1, version + 4))
        await store.append(replace(appending(new, version), events=events, seed=b"s" * 32 if version == 0 else None))
    return new


def total(loaded: Loaded | None) -> int:
    """The state that a load leads to, in these tests the sum of all numbers."""
    assert loaded is not None
    state = msgspec.json.decode(loaded.snapshot.state, type=dict[str, int])["total"] if loaded.snapshot else 0
    return state + sum(msgspec.json.decode(event.data, type=dict[str, int])["adds"] for event in loaded.tail)


def sum_to(version: int) -> int:
    return version * (version + 1) // 2


def snapshot_of(version: int) -> bytes:
    return b'{"total": %d}' % sum_to(version)


async def test_without_a_snapshot_it_is_all_events(store: EventStore, stream: UUID) -> None:
    loaded = await store.load(stream, SCHEMA)
    assert loaded is not None
    assert (loaded.game, loaded.snapshot, loaded.seed, loaded.version) == ("pico", None, b"s" * 32, LENGTH)
    assert [event.version for event in loaded.tail] == list(range(1, LENGTH + 1))
    assert list(loaded.tail) == await store.events(stream, 0, LENGTH)


@pytest.mark.parametrize("saved", [1, 7, 29, 30])
async def test_a_snapshot_and_the_rest_lead_to_the_same_state(store: EventStore, stream: UUID, saved: int) -> None:
    await store.save_snapshot(stream, SCHEMA, saved, snapshot_of(saved))
    loaded = await store.load(stream, SCHEMA)
    assert loaded is not None
    assert loaded.snapshot == Snapshot(saved, snapshot_of(saved))
    assert [event.version for event in loaded.tail] == list(range(saved + 1, LENGTH + 1))
    assert (loaded.version, total(loaded), loaded.seed) == (LENGTH, sum_to(LENGTH), b"s" * 32)


async def test_a_match_as_it_stood_earlier(store: EventStore, stream: UUID) -> None:
    await store.save_snapshot(stream, SCHEMA, 12, snapshot_of(12))
    for version in (1, 11, 12, 13, LENGTH):
        loaded = await store.load(stream, SCHEMA, upto=version)
        assert loaded is not None
        assert (loaded.version, total(loaded)) == (version, sum_to(version))


async def test_a_snapshot_of_other_rules_is_not_seen(store: EventStore, stream: UUID) -> None:
    """A state made by other rules was taken for one of these."""
    await store.save_snapshot(stream, SCHEMA - 1, 20, b'{"other": "shape"}')
    loaded = await store.load(stream, SCHEMA)
    assert loaded is not None
    assert loaded.snapshot is None
    assert total(loaded) == sum_to(LENGTH)


async def test_an_older_snapshot_never_replaces_a_newer_one(store: EventStore, stream: UUID) -> None:
    for version in (10, 20, 15):
        await store.save_snapshot(stream, SCHEMA, version, snapshot_of(version))
    loaded = await store.load(stream, SCHEMA)
    assert loaded is not None
    assert loaded.snapshot == Snapshot(20, snapshot_of(20))


async def test_a_snapshot_ahead_of_its_stream_is_neither_saved_nor_believed(store: EventStore, stream: UUID, database: Session) -> None:
    """It comes of a restore to an earlier time, after which other events took those versions."""
    await store.save_snapshot(stream, SCHEMA, LENGTH + 1, snapshot_of(LENGTH + 1))
    await store.save_snapshot(uuid4(), SCHEMA, 1, snapshot_of(1))
    assert await database.fetchval("SELECT count(*) FROM es.snapshots") == 0
    await database.execute("INSERT INTO es.snapshots VALUES ($1, $2, $3, $4)", stream, SCHEMA, LENGTH + 1, b"{}")
    loaded = await store.load(stream, SCHEMA)
    assert loaded is not None
    assert loaded.snapshot is None
    assert total(loaded) == sum_to(LENGTH)


async def test_a_snapshot_comes_back_byte_for_byte(store: EventStore, stream: UUID) -> None:
    state = b'{"longer": {"b": 1, "a": 2}, "z": "\\u0000", "a": [1, 2]}'
    await store.save_snapshot(stream, SCHEMA, 3, state)
    loaded = await store.load(stream, SCHEMA)
    assert loaded is not None
    assert loaded.snapshot == Snapshot(3, state)


async def test_pages_of_a_stream(store: EventStore, stream: UUID) -> None:
    async def versions(after: int, limit: int, upto: int | None = None) -> list[int]:
        return [event.version for event in await store.events(stream, after, limit, upto)]

    assert await versions(0, 4) == [1, 2, 3, 4]
    assert await versions(4, 4) == [5, 6, 7, 8]
    assert await versions(28, 4) == [29, 30]
    assert await versions(30, 4) == []
    assert await versions(4, 100, upto=6) == [5, 6]
    assert await versions(4, 1, upto=6) == [5]
    assert await versions(6, 100, upto=6) == []


async def test_versions_of_many_streams(store: EventStore, stream: UUID) -> None:
    other, unknown = uuid4(), uuid4()
    await store.append(appending(other, 0, events=2))
    assert await store.versions([stream, other, unknown]) == {stream: LENGTH, other: 2}
    assert await store.versions([]) == {}


async def test_what_a_command_did_is_remembered(store: EventStore, stream: UUID) -> None:
    append = appending(stream, LENGTH, events=4, fingerprint=b"what was asked")
    assert await store.remembered(stream, append.command) is None
    await store.append(append)
    assert await store.remembered(stream, append.command) == Remembered(b"what was asked", LENGTH + 1, LENGTH + 4)
    assert await store.remembered(uuid4(), append.command) is None


def test_the_rules_of_a_release_have_one_number() -> None:
    assert 0 <= state_schema() < 2**31
    assert state_schema() == state_schema.__wrapped__()
