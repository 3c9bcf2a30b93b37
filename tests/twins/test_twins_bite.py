"""A test of twins that cannot fail is none: on each way out of the service a leak is planted here, and the twins are no longer alike."""

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
import pytest
import structlog
from msgspec.structs import replace
from prometheus_client import Counter
from sqlalchemy import text

import domain.match.table
import service.bots
import service.http.conditions
import service.http.problems
import service.http.routes.lobby
import service.http.routes.log
import service.http.routes.stream
import service.http.routes.talk
import service.http.views
import service.projector
import service.readmodels.lobby
import service.talk.messages
import service.turns
from domain.games import GAMES
from domain.match.game import Result
from tests.twins.stories import STORIES, Story, secret_choice
from tests.twins.test_twins import twins, unlike
from tests.twins.worlds import World

CHOICES = Counter("ludicitude_test_leak", "What was chosen; the leak of one test.", ["choice"])
WORTH = Counter("ludicitude_test_worth", "How much all that was chosen is worth; the leak of another one.")

known: list[str] = []
"""What Ada chose last. Whoever asks for it here is a leak."""


class Leak(NamedTuple):
    """A leak: how it is planted, and where the twins differ then: in what is asked so, or in these of the two worlds' own books."""

    plant: Callable[[pytest.MonkeyPatch], None]
    where: str
    story: Story


LEAKS: list[Leak] = []
PICO = secret_choice("pico", spectators="public")


def leaks(where: str, story: Story = PICO) -> Callable[[Callable[[pytest.MonkeyPatch], None]], Callable[[pytest.MonkeyPatch], None]]:
    def plant(function: Callable[[pytest.MonkeyPatch], None]) -> Callable[[pytest.MonkeyPatch], None]:
        LEAKS.append(Leak(function, where, story))
        return function

    return plant


def around(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, wrap: Callable[..., Any]) -> None:
    """Put `wrap` in the place of a function, which it gets as its first argument."""
    inner = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *given, **named: wrap(inner, *given, **named))


@leaks("GET /v1/matches/mat_")
def a_view_through_another_seat_s_eyes(monkeypatch: pytest.MonkeyPatch) -> None:
    def shown(inner: Any, match: Any, viewer: Any, *more: Any, **named: Any) -> Any:
        table = None if match.table is None else GAMES["pico"].view(match.table, 0)
        return replace(inner(match, viewer, *more, **named), table=table)

    around(monkeypatch, service.http.views, "view", shown)


@leaks("GET /v1/operator/matches/")
def an_operator_who_sees_hidden_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    async def public(self: Any, match: Any) -> Any:
        return await self._shown(match, 0, None, may_invite=False)

    monkeypatch.setattr(service.http.views.Views, "public", public)


@leaks("/events?")
def events_without_a_veil(monkeypatch: pytest.MonkeyPatch) -> None:
    around(monkeypatch, service.http.routes.log, "feed", lambda inner, match, records, viewer: inner(match, records, 0))


@leaks("/stream?")
def frames_without_a_veil(monkeypatch: pytest.MonkeyPatch) -> None:
    around(monkeypatch, service.http.routes.stream, "feed", lambda inner, match, records, viewer: inner(match, records, 0))


@leaks("GET /v1/matches/mat_")
def a_tag_of_more_than_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    around(monkeypatch, service.http.views, "etag", lambda inner, content, *more: inner(content + "".join(known).encode(), *more))


@leaks("GET /v1/players/me/turns")
def a_header_that_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    def tagged(inner: Any, content: Any, tag: Any, asked: Any, headers: Any) -> Any:
        return inner(content, tag, asked, {**headers, "X-Chosen": "".join(known) or "nothing"})

    monkeypatch.setattr("service.http.routes.turns.tagged", lambda *given: tagged(service.http.conditions.tagged, *given))


@leaks("POST")
def an_error_that_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    init = service.http.problems.Trouble.__init__

    def told(self: Any, *given: Any, **named: Any) -> None:
        init(self, *given, **named)
        self.detail += "".join(known)

    monkeypatch.setattr(service.http.problems.Trouble, "__init__", told)


@leaks("GET /v1/matches")
def a_version_in_a_list_that_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    around(monkeypatch, service.http.routes.lobby, "shown_version", lambda inner, *given: inner(*given) + sum("".join(known).encode()))


@leaks("/record")
def a_record_before_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    around(monkeypatch, service.http.views.Views, "seen", _over)


async def _over(inner: Any, *given: Any) -> Any:
    match, viewer = await inner(*given)
    return replace(match, result=match.result or Result((), "resigned")), viewer


@leaks("/proof")
def a_proof_before_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    around(monkeypatch, service.http.views.Views, "seen", _over)


@leaks("/players/me/turns")
def a_question_whose_id_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    around(monkeypatch, service.turns, "decision_id", lambda inner, owed: inner(owed) + "".join(known))


@leaks("numbers")
def a_number_that_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    def choose(inner: Any, game: Any, match: Any, player_id: Any, command: Any, *more: Any) -> Any:
        CHOICES.labels(str(command)).inc()
        return inner(game, match, player_id, command, *more)

    around(monkeypatch, domain.match.table, "choose", choose)


@leaks("numbers")
def a_number_that_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    def choose(inner: Any, game: Any, match: Any, player_id: Any, command: Any, *more: Any) -> Any:
        WORTH.inc(sum(str(command).encode()))
        return inner(game, match, player_id, command, *more)

    around(monkeypatch, domain.match.table, "choose", choose)


@leaks("GET /v1/matches/mat_", STORIES["black-sheep, the latest cards, delayed"])
def play_without_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service.http.views, "shown_version", lambda spectators, status, began, version, viewer: version)


@leaks("GET /v1/matches?", STORIES["a private match beside"])
def a_list_that_holds_private_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    lists = service.readmodels.lobby
    of_all = text(lists.FOR_NOBODY.text.replace("visibility = 'public'", "true")).bindparams(*lists._LISTS)
    monkeypatch.setattr(lists, "FOR_NOBODY", of_all)


@leaks("logs")
def a_log_that_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    def choose(inner: Any, game: Any, match: Any, player_id: Any, command: Any, *more: Any) -> Any:
        structlog.get_logger().info("chosen", choice=str(command))
        return inner(game, match, player_id, command, *more)

    around(monkeypatch, domain.match.table, "choose", choose)


@leaks("/messages", STORIES["schemers, words aside"])
def a_count_of_whispers(monkeypatch: pytest.MonkeyPatch) -> None:
    async def heard(inner: Any, *given: Any) -> Any:
        one = await inner(*given)
        return one and (replace(one[0], text="x" * len(said)), *one[1:])

    def say(inner: Any, *given: Any) -> Any:
        said.append(given)
        return inner(*given)

    said: list[Any] = []
    around(monkeypatch, service.talk.messages.Talk, "say", say)
    around(monkeypatch, service.talk.messages.Talk, "heard", heard)


@leaks("GET /v1/matches/mat_", STORIES["little-train, dice to come"])
def dice_that_can_be_foretold(monkeypatch: pytest.MonkeyPatch) -> None:
    def shown(inner: Any, match: Any, *given: Any, **named: Any) -> Any:
        seen = inner(match, *given, **named)
        return replace(seen, host=f"{seen.host} {match.fixed}")

    around(monkeypatch, service.http.views, "view", shown)


@leaks("/events?", STORIES["wolves, entropy"])
def entropy_before_everybody_sits(monkeypatch: pytest.MonkeyPatch) -> None:
    around(monkeypatch, service.projector, "veil", lambda inner, game, event, viewer: event)


@leaks("bots", STORIES["wolves, a card, delayed"])
def a_bot_that_looks_into_another_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    def bot_choice(inner: Any, game: Any, match: Any, seat: int, world: Any) -> Any:
        choices = game.choices(match.table, seat)
        return choices[sum("".join(known).encode()) % len(choices)]

    around(monkeypatch, service.bots, "bot_choice", bot_choice)


@leaks("GET /v1/matches/mat_", STORIES["black-sheep, hands"])
def a_hand_of_somebody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def shown(inner: Any, match: Any, viewer: Any, *more: Any, **named: Any) -> Any:
        seen = inner(match, viewer, *more, **named)
        return seen if match.table is None else replace(seen, host=msgspec.json.encode(GAMES["black-sheep"].view(match.table, 2)).decode())

    around(monkeypatch, service.http.views, "view", shown)


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps what is chosen where the leaks find it."""
    known.clear()

    def choose(inner: Any, game: Any, match: Any, player_id: Any, command: Any, *more: Any) -> Any:
        chosen = inner(game, match, player_id, command, *more)
        known[:] = [str(command)]
        return chosen

    around(monkeypatch, domain.match.table, "choose", choose)


def found(one: World, other: World, same: bool) -> set[str]:
    """Where the twins differ."""
    asked = {left.asked for left, _ in unlike(one, other)}
    books = {"bots": same, "numbers": one.numbers == other.numbers, "logs": one.logs == other.logs}
    return asked | {book for book, alike in books.items() if not alike}


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.plant.__name__)
async def test_a_planted_leak_is_found(leak: Leak, database_url: str, other_database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(world: World, other: bool) -> Any:
        known.clear()
        return await leak.story(world, other)

    leak.plant(monkeypatch)
    where = found(*await twins(story, (database_url, other_database_url), monkeypatch))
    assert any(leak.where in each for each in where), f"the leak is seen nowhere but in {sorted(where)}"
