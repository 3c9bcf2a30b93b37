"""What is kept of accounts is never older than a second, and is asked for once by all who need it at the same time."""

import asyncio
from collections.abc import AsyncIterator, Collection

import asyncpg
import pytest
import pytest_asyncio

from service.accounts import lately
from service.accounts.lately import KEPT_MAX, Changes, Lately
from service.accounts.players import Players
from service.accounts.tickets import Tickets
from service.accounts.tokens import Revoked, held_token
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


class Unchanged(Changes):
    """Nothing ever changes, and everybody knows."""

    def __init__(self) -> None:
        self._forgetful = []

    @property
    def known(self) -> bool:
        return True


def remembering(asked: Asked) -> Lately[str, str]:
    return Lately(asked, lambda key, _: f"player of {key}", Unchanged())


async def test_what_is_asked_in_one_moment_is_asked_together_and_once() -> None:
    asked = Asked()
    known = remembering(asked)
    first, second = await asyncio.gather(known.get(["a", "b"]), known.get(["b", "c"]))
    assert (first, second) == ({"a": "A", "b": "B"}, {"b": "B", "c": "C"})
    assert await known.get(["a", "c"]) == {"a": "A", "c": "C"}
    assert asked.times == [["a", "b", "c"]]


async def test_who_asks_while_an_answer_is_on_its_way_gets_one_that_is_newer_than_the_question() -> None:
    asked = Asked()
    known = remembering(asked)
    first = asyncio.create_task(known.get(["a"]))
    while not asked.times:  # noqa: ASYNC110 - the very moment is wanted.
        await asyncio.sleep(0)
    await known.get(["a"])
    await first
    assert asked.times == [["a"], ["a"]]


async def test_what_is_not_there_is_asked_again_and_so_is_what_has_changed() -> None:
    asked = Asked()
    known = remembering(asked)
    assert await known.get(["nobody"]) == await known.get(["nobody"]) == {}
    await known.get(["a", "b"])
    known.forget({"player of a"})
    assert (known.known("a"), known.known("b")) == (None, "B")
    assert asked.times == [["nobody"], ["nobody"], ["a", "b"]]


async def test_what_changes_while_it_is_asked_for_is_not_kept() -> None:
    """The answer may be of before the change, and the next question has to get the one of after it."""
    asked = Asked()
    known = remembering(asked)
    first = asyncio.create_task(known.get(["a"]))
    while not asked.times:  # noqa: ASYNC110 - the very moment is wanted.
        await asyncio.sleep(0)
    known.forget({"player of a"})
    assert await first == {"a": "A"}
    assert known.known("a") is None


async def test_an_answer_grows_old(monkeypatch: pytest.MonkeyPatch) -> None:
    known = remembering(Asked())
    await known.get(["a"])
    assert known.known("a") == "A"
    monkeypatch.setattr(lately, "KEPT_SECONDS", 0.0)
    assert known.known("a") is None


async def test_a_failure_concerns_all_who_asked_and_nobody_else() -> None:
    asked = Asked()
    known = remembering(asked)
    asked.fails = True
    answers = await asyncio.gather(known.get(["a"]), known.get(["b"]), return_exceptions=True)
    assert [type(answer) for answer in answers] == [ConnectionError, ConnectionError]
    asked.fails = False
    assert await known.get(["a"]) == {"a": "A"}


async def test_what_one_player_changes_does_not_cost_a_look_at_all_others() -> None:
    """Who changes their name all the time would else keep the process from everybody."""
    looked_at = list[str]()

    def about(key: str, _: str) -> str:
        looked_at.append(key)
        return f"player of {key[0]}"

    known = Lately(Asked(), about, Unchanged())
    await known.get(["a1", "a2", *map(str, range(1_000, 2_000))])
    looked_at.clear()
    known.forget({"player of a", "player of nobody"})
    assert looked_at == []
    assert (known.known("a1"), known.known("a2"), known.known("1234")) == (None, None, "1234")
    known.forget({"player of 1"})
    assert known.known("1234") is None


async def test_it_keeps_no_more_than_so_many() -> None:
    known = remembering(Asked())
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


async def test_what_outlives_the_moment_is_not_to_be_had_by_a_token_that_has_ended_elsewhere(
    database_url: str, here: Players, elsewhere: Players
) -> None:
    """Whoever stole it would else keep the account by asking for tokens all the time, whoever signs the player out."""
    ada, token, secret = await here.create("Ada", "")
    tickets = Tickets(elsewhere._engine)
    kept, _ = await tickets.issue(ada.player_id, held_token(secret), None)
    assert await elsewhere.by_token(secret) == ada
    await here.revoke_token(ada.player_id, token.token_id)
    for late in (elsewhere.create_token(ada.player_id, held_token(secret)), tickets.issue(ada.player_id, held_token(secret), None)):
        with pytest.raises(Revoked):
            await late
    assert await tickets.redeem(kept, None) is None
    assert await elsewhere.tokens(ada.player_id) == ()


async def test_no_token_is_made_while_all_are_ended(here: Players, elsewhere: Players) -> None:
    for _ in range(5):
        ada, _, secret = await here.create("Ada", "")
        making = [elsewhere.create_token(ada.player_id, held_token(secret)) for _ in range(6)]
        await asyncio.gather(*making[:3], here.revoke_all(ada.player_id), *making[3:], return_exceptions=True)
        assert await here.tokens(ada.player_id) == ()


async def test_a_new_name_is_seen_at_once_where_it_was_given(here: Players) -> None:
    ada, _, secret = await here.create("Ada", "")
    assert await here.by_token(secret) == ada
    assert await here.names([ada.player_id]) == {ada.player_id: "Ada"}
    renamed = await here.rename(ada.player_id, "Ada Lovelace")
    assert await here.by_token(secret) == renamed
    assert await here.names([ada.player_id]) == {ada.player_id: "Ada Lovelace"}


class Heard:
    """Remembers what it was told to forget."""

    def __init__(self) -> None:
        self.told: list[Collection[str] | None] = []

    def forget(self, players: Collection[str] | None) -> None:
        self.told.append(None if players is None else sorted(players))


@pytest_asyncio.fixture
async def changes(database_url: str) -> AsyncIterator[tuple[Changes, Heard]]:
    """What changes, as a process learns of it that knows everything until now."""
    engine = sqlalchemy_engine(database_url, pool_size=2)
    changes, heard = Changes(engine), Heard()
    changes.tell(heard)
    await changes.look()
    heard.told.clear()
    yield changes, heard
    await engine.dispose()


async def test_only_what_concerns_who_remembers_is_a_change(here: Players, changes: tuple[Changes, Heard]) -> None:
    looks, heard = changes
    ada, token, secret = await here.create("Ada", "")
    bob, *_ = await here.create("Bob", "")
    further, _ = await here.create_token(ada.player_id, held_token(secret))
    await here.by_token(secret)  # Writes that the token is in use.
    await looks.look()
    assert heard.told == []
    await here.rename(ada.player_id, "Ada Lovelace")
    await looks.look()
    await here.revoke_token(ada.player_id, token.token_id)
    await here.erase(bob.player_id)
    await looks.look()
    await here.revoke_all(ada.player_id)
    await looks.look()
    await looks.look()
    assert heard.told == [[ada.player_id], sorted([ada.player_id, bob.player_id]), [ada.player_id]]
    assert further.token_id != token.token_id


async def test_all_who_ask_meanwhile_share_one_look(changes: tuple[Changes, Heard], monkeypatch: pytest.MonkeyPatch) -> None:
    looks, _ = changes
    learnt = []
    learn = Changes._learn

    async def counted(self: Changes) -> None:
        learnt.append(self)
        await learn(self)

    monkeypatch.setattr(Changes, "_learn", counted)
    await asyncio.gather(*(looks.look() for _ in range(50)))
    assert len(learnt) == 1


async def test_more_changes_than_are_read_or_kept_make_one_forget_everything(
    here: Players, changes: tuple[Changes, Heard], database_url: str
) -> None:
    looks, heard = changes
    ada, *_ = await here.create("Ada", "")
    connection = await asyncpg.connect(database_url)
    try:
        await connection.execute("INSERT INTO player_changes SELECT n, 'somebody' FROM generate_series(1, 1000) n")
        await looks.look()
        assert heard.told == [["somebody"]]
        await connection.execute("INSERT INTO player_changes SELECT n, 'somebody' FROM generate_series(1001, 2001) n")
        await looks.look()
        await here.rename(ada.player_id, "Eve")
        await looks.look()
        assert heard.told[1:] == [None, [ada.player_id]]
        # The next change takes away what lies ten thousand back, of which this process has not heard.
        await connection.execute("INSERT INTO player_changes SELECT n, 'somebody' FROM generate_series(2003, 12100) n")
        await here.rename(ada.player_id, "Ada")
        assert await connection.fetchval("SELECT min(number) FROM player_changes") == 2102
        await looks.look()
        assert heard.told[3:] == [None]
    finally:
        await connection.close()


async def test_no_change_becomes_visible_after_a_later_one(here: Players, changes: tuple[Changes, Heard], database_url: str) -> None:
    """Otherwise whoever has seen the later one would never look back for the earlier one."""
    looks, heard = changes
    (ada, *_), (bob, *_) = await here.create("Ada", ""), await here.create("Bob", "")
    slow = await asyncpg.connect(database_url)
    try:
        transaction = slow.transaction()
        await transaction.start()
        await slow.execute("UPDATE players SET display_name = 'Slow' WHERE player_id = $1", ada.player_id)
        await slow.execute("SET CONSTRAINTS ALL IMMEDIATE")  # It has its number, and is not over yet.
        renaming = asyncio.create_task(here.rename(bob.player_id, "Fast"))
        await asyncio.wait({renaming}, timeout=0.2)
        await looks.look()
        assert heard.told == []
        await transaction.commit()
        await renaming
        await looks.look()
        assert heard.told == [sorted([ada.player_id, bob.player_id])]
    finally:
        await slow.close()
