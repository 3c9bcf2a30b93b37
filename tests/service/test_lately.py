"""What is kept of accounts is never older than a second, and is asked for once by all who need it at the same time."""

import asyncio
from collections.abc import AsyncIterator, Collection

import pytest
import pytest_asyncio

from service import lately
from service.lately import KEPT_MAX, Lately
from service.players import Players
from service.store.address import sqlalchemy_engine


class Asked:
    """Answers every key but "nobody" with its capitals, and remembers what it was asked for."""

    def __init__(self) -> None:
        self.times: list[Collection[str]] = []
        self.fails = False

    async def __call__(self, keys: Collection[str]) -> dict[str, str]:
        self.times.append(sorted(keys))
        await asyncio.sleep(0)
        if self.fails:
            raise ConnectionError
        return {key: key.upper() for key in keys if key != "nobody"}


async def test_what_is_asked_in_one_moment_is_asked_together_and_once() -> None:
    asked = Asked()
    known: Lately[str, str] = Lately(asked)
    first, second = await asyncio.gather(known.get(["a", "b"]), known.get(["b", "c"]))
    assert (first, second) == ({"a": "A", "b": "B"}, {"b": "B", "c": "C"})
    assert await known.get(["a", "c"]) == {"a": "A", "c": "C"}
    assert asked.times == [["a", "b", "c"]]


async def test_who_asks_while_an_answer_is_on_its_way_gets_one_that_is_newer_than_the_question() -> None:
    asked = Asked()
    known: Lately[str, str] = Lately(asked)
    first = asyncio.create_task(known.get(["a"]))
    while not asked.times:  # noqa: ASYNC110 - the very moment is wanted.
        await asyncio.sleep(0)
    await known.get(["a"])
    await first
    assert asked.times == [["a"], ["a"]]


async def test_what_is_not_there_is_asked_again_and_so_is_what_has_changed() -> None:
    asked = Asked()
    known: Lately[str, str] = Lately(asked)
    assert await known.get(["nobody"]) == await known.get(["nobody"]) == {}
    await known.get(["a", "b"])
    known.forget(lambda key, answer: answer == "A")
    assert (known.known("a"), known.known("b")) == (None, "B")
    assert asked.times == [["nobody"], ["nobody"], ["a", "b"]]


async def test_what_changes_while_it_is_asked_for_is_not_kept() -> None:
    """The answer may be of before the change, and the next question has to get the one of after it."""
    asked = Asked()
    known: Lately[str, str] = Lately(asked)
    first = asyncio.create_task(known.get(["a"]))
    while not asked.times:  # noqa: ASYNC110 - the very moment is wanted.
        await asyncio.sleep(0)
    known.forget(lambda key, _: key == "a")
    assert await first == {"a": "A"}
    assert known.known("a") is None


async def test_an_answer_grows_old(monkeypatch: pytest.MonkeyPatch) -> None:
    known: Lately[str, str] = Lately(Asked())
    await known.get(["a"])
    assert known.known("a") == "A"
    monkeypatch.setattr(lately, "FRESH_SECONDS", 0.0)
    assert known.known("a") is None


async def test_a_failure_concerns_all_who_asked_and_nobody_else() -> None:
    asked = Asked()
    known: Lately[str, str] = Lately(asked)
    asked.fails = True
    answers = await asyncio.gather(known.get(["a"]), known.get(["b"]), return_exceptions=True)
    assert [type(answer) for answer in answers] == [ConnectionError, ConnectionError]
    asked.fails = False
    assert await known.get(["a"]) == {"a": "A"}


async def test_it_keeps_no_more_than_so_many() -> None:
    known: Lately[str, str] = Lately(Asked())
    await known.get(map(str, range(KEPT_MAX)))
    assert await known.get(["one more"]) == {"one more": "ONE MORE"}
    assert known.known("one more") is None
    assert known.known("7") == "7"


@pytest_asyncio.fixture
async def elsewhere(database_url: str) -> AsyncIterator[Players]:
    """The accounts as another process sees them."""
    engine = sqlalchemy_engine(database_url, pool_size=2)
    yield Players(engine)
    await engine.dispose()


@pytest_asyncio.fixture
async def here(database_url: str) -> AsyncIterator[Players]:
    engine = sqlalchemy_engine(database_url, pool_size=2)
    yield Players(engine)
    await engine.dispose()


async def test_what_ends_in_one_process_ends_within_a_second_in_all(here: Players, elsewhere: Players) -> None:
    ada, token, secret = await here.create("Ada", "")
    bob, _, other = await here.create("Bob", "")
    for players in (here, elsewhere):
        assert await players.by_token(secret) == ada
        assert await players.by_token(other) == bob
        assert await players.names([ada.player_id, bob.player_id]) == {ada.player_id: "Ada", bob.player_id: "Bob"}
    await here.revoke_token(ada.player_id, token.token_id)
    await here.erase(bob.player_id)
    assert await here.by_token(secret) is await here.by_token(other) is None
    assert await here.names([ada.player_id, bob.player_id]) == {ada.player_id: "Ada"}
    # Not a wait for something to happen: the second is the promise.
    await asyncio.sleep(1)
    assert await elsewhere.by_token(secret) is await elsewhere.by_token(other) is None
    assert await elsewhere.names([ada.player_id, bob.player_id]) == {ada.player_id: "Ada"}


async def test_a_new_name_is_seen_at_once_where_it_was_given(here: Players) -> None:
    ada, _, secret = await here.create("Ada", "")
    assert await here.by_token(secret) == ada
    assert await here.names([ada.player_id]) == {ada.player_id: "Ada"}
    renamed = await here.rename(ada.player_id, "Ada Lovelace")
    assert await here.by_token(secret) == renamed
    assert await here.names([ada.player_id]) == {ada.player_id: "Ada Lovelace"}
