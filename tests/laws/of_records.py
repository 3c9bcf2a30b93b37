"""Laws about what is stored and sent: it survives the way to JSON and back, and events alone make the state."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from domain.match.game import AnyGame, Over, Viewer, Waiting, over
from domain.match.play import fold
from tests.laws import samples
from tests.laws.matches import some
from tests.table import Match


def stored_events_lead_to_the_live_state(matches: Sequence[Match]) -> None:
    for match in matches:
        stored = [msgspec.json.encode(event) for event in match.events]
        read = [msgspec.json.decode(event, type=match.game.event) for event in stored]
        assert read == match.events
        assert fold(match.game, match.game.initial, read) == match.now.state


def states_and_views_survive_json(matches: Sequence[Match]) -> None:
    for match in matches:
        for moment in some(match):
            assert moment.state == back(moment.state, type(match.game.initial))
            for viewer in match.viewers:
                view = match.game.view(moment.state, viewer)
                assert view == back(view, match.game.view_type)


def options_and_commands_survive_json(matches: Sequence[Match]) -> None:
    game = matches[0].game
    assert all(options == back(options, game.options) for options in samples.options(game))
    assert all(command == back(command, game.command) for command in samples.commands(game))


def veiled_events_survive_json(matches: Sequence[Match]) -> None:
    for match in matches:
        for event in match.events:
            for viewer in match.viewers:
                veiled = match.game.veil(event, viewer)
                assert veiled == back(veiled, match.game.event)


def evolve_changes_nothing_but_what_it_returns(matches: Sequence[Match]) -> None:
    for match in matches:
        state = match.game.initial
        for event in match.events:
            before = msgspec.json.encode(state)
            after = match.game.evolve(state, event)
            assert msgspec.json.encode(state) == before
            assert match.game.evolve(state, event) == after
            state = after


def every_event_leaves_a_table_to_look_at(matches: Sequence[Match]) -> None:
    """A reader may go back to any version of a match, also to one between two events of a single choice."""
    for match in matches:
        state = match.game.initial
        for event in match.events:
            state = match.game.evolve(state, event)
            for viewer in match.viewers:
                assert match.game.view(state, viewer)
            assert match.game.standing(state)


def what_is_marked_as_a_seat_is_one(matches: Sequence[Match]) -> None:
    """And a list that is marked to stand in seat order holds one thing for each seat, or nothing."""
    game = matches[0].game
    _, components = msgspec.json.schema_components([game.view_type, game.event], ref_template="{name}")
    for match in matches:
        seats = len(match.viewers) - 1
        for moment in some(match):
            for viewer in match.viewers:
                seated(game.view(moment.state, viewer), components[game.view_type.__name__], components, seats)
        for event in match.events:
            seated(event, components[type(event).__name__], components, seats)


def a_match_that_is_over_asks_for_nothing(matches: Sequence[Match]) -> None:
    """However it ended, also where the game would go on: as a game that came to its own end shows its table by itself."""
    game = matches[0].game
    moments = [(moment.state, viewer) for match in matches for moment in some(match) for viewer in match.viewers]
    asked = [(min(owed.seats), view) for owed, view in _open(game, moments)]
    # A field that names whoever is to choose, whenever one seat is, says whose turn it is.
    whose = [name for name in game.view_type.__struct_fields__ if asked and all(getattr(view, name) == seat for seat, view in asked)]
    for state, viewer in moments:
        seen = over(game.view(state, viewer))
        assert seen.phase == "over"
        assert [getattr(seen, name) for name in whose] == [None] * len(whose), f"it is a turn's: {whose}"
        assert seen == back(seen, game.view_type)
        assert not isinstance(game.advance(state), Over) or seen == game.view(state, viewer)


def _open(game: AnyGame, moments: Sequence[tuple[Any, Viewer]]) -> Iterator[tuple[Waiting, Any]]:
    """What one seat owes to be done in the open, and what is seen then."""
    for state, viewer in moments:
        owed = game.advance(state)
        if isinstance(owed, Waiting) and not owed.secret and len(owed.seats) == 1:
            yield owed, game.view(state, viewer)


def seated(value: Any, shape: Any, components: Mapping[str, Any], seats: int) -> None:
    """Raises AssertionError for a value of this shape that has no seat where it should."""
    for member in shape.get("anyOf", ()):
        seated(value, member, components, seats)
    if "$ref" in shape:
        seated(value, components[shape["$ref"]], components, seats)
    if shape.get("format") == "seat" and value is not None:
        assert value in range(seats), f"{value} is no seat: {shape}"
    if isinstance(value, tuple):
        assert not shape.get("x-seat-order") or len(value) in (0, seats), f"{value} is not one for each seat: {shape}"
        for each in value:
            seated(each, shape.get("items", {}), components, seats)
    for name, inside in shape.get("properties", {}).items() if isinstance(value, msgspec.Struct) else ():
        seated(getattr(value, name, None), inside, components, seats)


def back(value: Any, kind: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value), type=kind)


LAWS = (
    stored_events_lead_to_the_live_state,
    states_and_views_survive_json,
    options_and_commands_survive_json,
    veiled_events_survive_json,
    evolve_changes_nothing_but_what_it_returns,
    what_is_marked_as_a_seat_is_one,
    every_event_leaves_a_table_to_look_at,
    a_match_that_is_over_asks_for_nothing,
)
