"""Every word that a screen shows and that is no game's stands in `service/http/labels.json`, in both languages, and nothing else does."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import inspect

import domain.match
from domain.games import GAMES
from domain.match import events
from domain.match.game import Place
from service.http.codes import KINDS
from service.http.routes.lobby import MatchPage
from service.http.routes.matches import OpenMatch
from service.http.routes.players import CreatedPlayer, CreatePlayer
from service.http.routes.standings import PlayerStanding, StandingPage
from service.http.routes.stream import StreamFrame
from service.http.routes.talk import TalkPage
from service.http.routes.turns import TurnPage, TurnStreamFrame
from service.projector import MatchView, SeatView
from service.talk.pledges import PledgeTally
from tests.house.test_labels import fields_of, is_instead, named, words
from tests.rooms import labels, shared_labels
from tests.service.documented import document

SHOWN = (MatchPage, OpenMatch, CreatedPlayer, StandingPage, StreamFrame, TalkPage, TurnPage, TurnStreamFrame)
"""What the API's clients show or ask for; what lies inside of it counts too."""

CAPTIONED = (OpenMatch, events.Clock, CreatePlayer, PlayerStanding, PledgeTally, Place, MatchView, SeatView)
"""What a screen shows as a form or as a table, whose fields therefore have names for people."""

NOT_FOR_PEOPLE = {"testing", "player_id", "seat", "match_id", "ruleset", "version", "decisions", "table", "server_time", "kind"}
"""Fields of these that no screen names: a seat is called by its player's name."""

NO_BUTTON = {"get_labels", "get_me", "get_player", "list_events", "stream_events", "stream_turns", "create_stream_ticket"} | {
    "send_command",
    "move_clock",
    "get_live",
    "get_ready",
}
"""Operations that no person asks for by name; neither do players ask for those of operators."""

WHO = {
    "seat.numbered",
    "seat.bot",
    "seat.nobody",
    "seat.stand_in",
    "seat.resigned",
    "seat.kept",
    "seat.you",
    "seat.host",
    "seat.spectator",
    "player.erased",
}
OF_OUR_OWN = WHO | {
    "value.true",
    "value.false",
    "value.nothing",
    "value.hidden",
    "reason.rate_limited",
    "screen.your_turn",
    "screen.invitation",
    "screen.decline",
    "screen.waiting_for",
    "screen.waiting_for_host",
    "screen.new_host",
    "screen.wins",
    "screen.win_together",
    "screen.says",
    "screen.whisper",
    "screen.whispers",
    "screen.pledge",
    "screen.pledges",
    "screen.reconnected",
    "kept.true",
    "kept.false",
    "kept.none",
    "screen.time_left",
    "screen.days",
    "screen.no_answer",
    "screen.check",
    "screen.at_least",
    "screen.at_most",
    "screen.try_again",
    "screen.back",
    "screen.quit",
    "screen.my_matches",
    "screen.no_tables",
    "screen.number",
    "screen.confirm_resign",
    "screen.proof_good",
    "screen.proof_bad",
}
"""Words for what a view says without a word: who sits on a seat, an empty name, a yes, a null, whose turn it is, a pledge kept; and the
few words that are on every screen and stand for no operation."""

PARAMETERS = {
    "seat.numbered": {"number"},
    "seat.bot": {"number"},
    "seat.stand_in": {"seat"},
    "seat.resigned": {"seat"},
    "seat.kept": {"display_name"},
    "screen.invitation": {"host_name"},
    "screen.waiting_for": {"seats"},
    "screen.new_host": {"seat"},
    "screen.wins": {"seat"},
    "screen.win_together": {"seats"},
    "screen.says": {"seat", "text"},
    "screen.check": {"field"},
    "screen.at_least": {"field", "number"},
    "screen.at_most": {"field", "number"},
    "screen.time_left": {"time"},
    "screen.days": {"days", "hours"},
    "screen.whisper": {"seat"},
    "screen.whispers": {"seat", "to_seat"},
    "screen.pledges": {"seat", "phase", "face"},
}


def test_each_thing_has_its_words_and_each_word_its_thing() -> None:
    named, needed = {key for key in shared_labels() if not is_instead(key)}, set(things())
    missing = "\n".join(f'  "{key}": {{"en": "...", "fr": "..."}},' for key in sorted(needed - named))
    assert not needed - named, f"Add to service/http/labels.json a sentence for players, in English and in French, for each of:\n{missing}"
    assert not named - needed, f"service/http/labels.json has words for what is not there: {', '.join(sorted(named - needed))}"


def test_words_are_in_both_languages_and_hold_what_they_are_given() -> None:
    fields = {f"event.{event.__struct_config__.tag}": set(event.__struct_fields__) for event in own_events()}
    for key, label in shared_labels().items():
        assert list(label) == ["en", "fr"], key
        assert all(text.strip() == text != "" for text in label.values()), key
        english, french = (set(re.findall(r"\{(\w+)\}", text)) for text in label.values())
        if is_instead(key):
            key, _, field = key.rpartition(".")
            assert field in fields[key], f"{key} has no {field}"
        assert english == french, f"{key} names other fields in French"
        if key.startswith("problem."):
            waits = KINDS[key.removeprefix("problem.")].status in (429, 503)
            assert english == ({"seconds"} if waits else set()), (
                f"{key}: a problem that says when to come back has {{seconds}}, others nothing"
            )
        else:
            assert english <= fields.get(key, PARAMETERS.get(key, set())), f"{key} names {sorted(english)}, which it does not have"
            assert english >= PARAMETERS.get(key, set()), f"{key} does not name what it is given"


def test_what_sentences_name_is_a_seat_or_a_number() -> None:
    """A word for programs, such as a bot's level, has no words of its own here, so no sentence says it."""
    for event in own_events():
        for field in fields_of(event):
            if field.name in named(shared_labels()[f"event.{event.__struct_config__.tag}"]["en"]):
                kind = field.type
                while isinstance(kind, inspect.Metadata | inspect.VarTupleType):
                    kind = kind.type if isinstance(kind, inspect.Metadata) else kind.item_type
                assert isinstance(kind, inspect.IntType), f"{event.__name__}.{field.name}"


def test_no_game_says_in_its_own_words_what_all_games_share() -> None:
    shared = {key for key in shared_labels() if not key.startswith("field.")}
    for game in GAMES.values():
        assert not shared & set(labels(game)), f"{game.key} has words for what service/http/labels.json names for all games"


def things() -> Iterator[str]:
    """The key of everything a screen has to name, but for what belongs to one game."""
    yield from OF_OUR_OWN
    yield from (f"operation.{name}" for name in pressed())
    yield from (f"event.{event.__struct_config__.tag}" for event in own_events())
    yield from (f"end.{reason}" for reason in ends())
    yield from (f"problem.{code}" for code in KINDS if code != "refused")
    for struct in CAPTIONED:
        yield from (f"field.{field.name}" for field in fields_of(struct) if field.name not in NOT_FOR_PEOPLE)
    for kind in inspect.multi_type_info(SHOWN):
        yield from literals(kind, set())


def pressed() -> set[str]:
    """The operations that a player asks for by a button or a link."""
    paths = document()["paths"]
    every = [each for operations in paths.values() for each in operations.values() if isinstance(each, dict) and "operationId" in each]
    return {each["operationId"] for each in every if "operators" not in each["tags"]} - NO_BUTTON


def own_events() -> Iterable[Any]:
    """The events of a match around its game."""
    structs = [each for each in vars(events).values() if isinstance(each, type) and issubclass(each, msgspec.Struct)]
    return [each for each in structs if str(each.__struct_config__.tag).startswith("match.")]


def ends() -> set[str]:
    """The reasons, as they are written out where a match is ended around its game."""
    found = set[str]()
    for path in Path(domain.match.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("Ended", "_end"):
                found |= {str(argument.value) for argument in node.args if isinstance(argument, ast.Constant)}
    return found


def literals(kind: inspect.Type, known: set[type]) -> Iterator[str]:
    """The words that fields can say, in a type and all that lies in it, as `<field>.<word>`; not those of games."""
    match kind:
        case inspect.StructType(cls, fields) if cls not in known and not cls.__module__.startswith("domain.games."):
            known.add(cls)
            for field in fields:
                yield from (f"{field.name}.{word}" for word in words(field.type))
                yield from literals(field.type, known)
        case inspect.Metadata(inner) | inspect.VarTupleType(inner):
            yield from literals(inner, known)
        case inspect.UnionType(types):
            for each in types:
                yield from literals(each, known)
