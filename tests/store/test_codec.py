"""Entries go into the store and come out the same; events in an older form come out in today's."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from msgspec.structs import replace

from domain.games import GAMES
from domain.match.game import Roll, Shuffle
from domain.match.play import Draw, Entry, Owed, Sealed
from service.store import EventStore, NewEvent, Stored
from service.store.codec import Decoder, Origin, decode, encode
from service.store.upcasters import STEPS, Fields, Steps, UnknownEvent, current_version, upcast
from tests.store.appends import appending


class Dealt(msgspec.Struct, frozen=True, tag_field="type", tag="demo.dealt"):
    seat: int
    cards: tuple[int, ...]
    notes: dict[int, str] = {}


class Scored(msgspec.Struct, frozen=True, tag_field="type", tag="demo.scored"):
    """Its first form held `points`, its second `score`; the third adds the `reason`."""

    score: int
    reason: str


def renamed(fields: Fields) -> Fields:
    return {"score": fields["points"]}


def explained(fields: Fields) -> Fields:
    return {**fields, "reason": "trick" if fields["score"] else "none"}


OLD_FORMS: Steps = {("demo.scored", 1): renamed, ("demo.scored", 2): explained}
ORIGIN = Origin(actor="ply_somebody", command=uuid4())
decoder = Decoder(Dealt | Scored, OLD_FORMS)


def stored(new: NewEvent, version: int = 7) -> Stored:
    return Stored(version, datetime(2026, 1, 2, 3, 4, 5, 678, UTC), new.type, new.schema_version, new.data, new.meta)


ENTRIES = (
    Entry(Dealt(0, ())),
    Entry(Dealt(1, (3, 1, 2), {1: "é"}), seat=1),
    Entry(Scored(2, "trick"), draw=Draw(3, Roll(dice=2, sides=6), (4, 1))),
    Entry(Dealt(0, (1,)), draw=Draw(1, Shuffle(items=(1, "two", 3)), ("two", 1, 3)), owed=(Owed(seat=0, since=4), Owed(seat=2, since=7))),
)


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_comes_back_as_it_went_in(entry: Entry) -> None:
    record = decoder.decode(stored(encode(entry, ORIGIN, OLD_FORMS)))
    assert record.entry == entry
    assert (record.version, record.at) == (7, datetime(2026, 1, 2, 3, 4, 5, 678, UTC))


async def test_also_by_way_of_the_database(store: EventStore) -> None:
    stream = uuid4()
    await store.append(replace(appending(stream, 0), events=tuple(encode(entry, ORIGIN, OLD_FORMS) for entry in ENTRIES)))
    records = [decoder.decode(event) for event in await store.events(stream, 0, 10)]
    assert tuple(record.entry for record in records) == ENTRIES
    assert [record.version for record in records] == [1, 2, 3, 4]


def test_nothing_of_an_entry_is_forgotten() -> None:
    """Whoever adds a field to the entry gets to decide here how it is stored."""
    whole = Entry(
        Dealt(0, ()),
        seat=1,
        draw=Draw(1, Roll(1, 6), (1,)),
        sealed=Sealed("5ea1", {"type": "demo"}),
        owed=(Owed(0, 1),),
        due=datetime(2026, 1, 3, tzinfo=UTC),
    )
    blank = Entry(Dealt(0, ()))
    assert all(getattr(whole, field) != getattr(blank, field) for field in Entry.__struct_fields__ if field != "event")
    assert decoder.decode(stored(encode(whole, ORIGIN))).entry == whole


def test_the_tag_is_the_type_and_stands_nowhere_else() -> None:
    new = encode(Entry(Dealt(2, (5,)), seat=2), ORIGIN, OLD_FORMS)
    assert (new.type, new.schema_version) == ("demo.dealt", 1)
    assert msgspec.json.decode(new.data) == {"seat": 2, "cards": [5], "notes": {}}


def test_beside_the_event_stands_who_and_what_it_came_of() -> None:
    meta = msgspec.json.decode(encode(Entry(Dealt(2, (5,)), seat=2), ORIGIN).meta)
    assert meta.pop("app")
    assert meta == {"actor": "ply_somebody", "command": str(ORIGIN.command), "seat": 2}


@pytest.mark.parametrize(
    ("version", "fields", "event"),
    [
        (1, {"points": 3}, Scored(3, "trick")),
        (2, {"score": 0}, Scored(0, "none")),
        (3, {"score": 3, "reason": "bet"}, Scored(3, "bet")),
    ],
)
def test_every_form_that_ever_was_is_read_as_todays(version: int, fields: Fields, event: Scored) -> None:
    """An upcaster lost what stood around the event."""
    now = encode(Entry(event, seat=1, draw=Draw(1, Roll(1, 6), (5,))), ORIGIN, OLD_FORMS)
    assert now.schema_version == 3
    then = replace(now, schema_version=version, data=msgspec.json.encode(fields))
    assert decoder.decode(stored(then)) == decoder.decode(stored(now))


@pytest.mark.parametrize(("event_type", "version"), [("demo.scored", 4), ("demo.scored", 0), ("demo.dealt", 2), ("demo.unheard_of", 1)])
def test_what_no_release_up_to_this_one_wrote_is_named(event_type: str, version: int) -> None:
    """An older release met an unknown event and failed without saying which."""
    new = replace(encode(ENTRIES[0], ORIGIN), type=event_type, schema_version=version)
    with pytest.raises(UnknownEvent, match=rf"version {version} of the event {event_type}"):
        decoder.decode(stored(new))


def test_a_field_that_is_missing_is_not_made_up() -> None:
    new = replace(encode(ENTRIES[0], ORIGIN), data=b'{"seat": 1}')
    with pytest.raises(msgspec.ValidationError, match="cards"):
        decoder.decode(stored(new))


def test_a_field_with_a_default_may_be_missing() -> None:
    new = replace(encode(ENTRIES[0], ORIGIN), data=b'{"seat": 0, "cards": []}')
    assert decoder.decode(stored(new)).entry == ENTRIES[0]


def test_the_current_version_follows_from_the_steps() -> None:
    assert [current_version(each, OLD_FORMS) for each in ("demo.scored", "demo.dealt")] == [3, 1]
    assert upcast("demo.scored", 1, {"points": 1}, OLD_FORMS) == {"score": 1, "reason": "trick"}


def test_the_steps_of_every_type_make_a_chain_from_its_first_form() -> None:
    for event_type, version in STEPS:
        assert 1 <= version < current_version(event_type, STEPS)


@pytest.mark.parametrize("key", GAMES)
def test_every_game_can_be_read(key: str) -> None:
    """Its log begins with the match's own events, of which the opening carries the game's options."""
    game: Any = GAMES[key]
    data = b'{"seat": 1, "player_id": "ply_a"}'
    new = NewEvent("match.seat_taken", 1, data, b'{"actor": "", "command": "00000000-0000-0000-0000-000000000001", "app": "1"}')
    assert decode(game, stored(new)).entry.event.player_id == "ply_a"
    with pytest.raises(UnknownEvent):
        decode(game, stored(replace(new, type="demo.dealt")))
