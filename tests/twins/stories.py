"""What happens in twins: the same story twice, but for one secret. `other` tells whether it is the second twin, with another secret.

Each story looks whenever no viewer may know of the difference. It answers what must be the same in both, such as what bots chose.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import httpx

from tests.twins.worlds import World

Story = Callable[[World, bool], Awaitable[Any]]

SECRET = frozenset({"pico.commit_card", "wolves.commit_card", "schemers.commit_die", "black-sheep.commit_bet"})
SEATS = {"pico": 2}
OPTIONS: dict[str, dict[str, Any]] = {"black-sheep": {"bets": True}, "schemers": {"whispers": True}}

DECK = [f"{colour}-{number}" for colour in ("beige", "white", "ochre", "black") for number in range(1, 8)] + ["super"] * 4


def secret_choice(game: str, **terms: Any) -> Story:
    """Ada chooses in secret. In a game of more than two, Cid resigns then, and a bot chooses for them."""

    async def story(world: World, other: bool) -> Any:
        ada, path = await _seated(world, game, ["ada", "bob", "cid"][: SEATS.get(game, 3)], **terms)
        await _talked_out(world, path)
        choices = (await _decision(ada, path))["choices"]
        await world.done(ada, "POST", f"{path}/commands", {"command": choices[-1 if other else 0]})
        await world.look(path, "ada")
        if "cid" in world.viewers:
            await world.done(world.viewers["cid"], "POST", f"{path}/resign")
            await _without_bots_turns(world, path, 2)
            await world.look(path, "ada")
        for name in ("bob", "ada"):
            await world.done(world.viewers[name], "POST", f"{path}/resign")
            if (await ada.get(path)).json()["status"] == "ended":
                break
        return [seal["command"] for seal in (await ada.get(f"{path}/record")).json()["proof"]["seals"] if seal["seat"] == 2][:1]

    return story


async def hidden_hands(world: World, other: bool) -> Any:
    """Ada and Bob hold each other's card. Cid leads, and a bot plays after them."""
    deck = list(DECK)
    if other:
        deck[17], deck[25] = deck[25], deck[17]
    terms = {"seats": 4, "bots": ["normal"], "testing": {"outcomes": [deck, [1]]}}
    cid, path = await _seated(world, "black-sheep", ["cid", "ada", "bob"], order=[0, 2, 3], bets=False, **terms)
    await world.look(path, "ada", "bob")
    await world.done(cid, "POST", f"{path}/commands", {"command": (await _decision(cid, path))["choices"][0]})
    await _without_bots_turns(world, path, 1)
    await world.look(path, "ada", "bob")
    return (await cid.get(path)).json()["table"]


async def words_aside(world: World, other: bool) -> Any:
    """Ada whispers to Bob and mutes Cid, or does not. Later they play another match, and Ada is erased."""
    ada, path = await _seated(world, "schemers", ["ada", "bob", "cid"])
    if other:
        cid = (await ada.get(path)).json()["seats"][2]["player_id"]
        for number in range(3):
            said = await ada.post(f"{path}/messages", json={"text": "Let Cid pay", "to_seat": 1}, headers={"Idempotency-Key": f"w{number}"})
            assert said.status_code == 201, said.text
        assert (await ada.put(f"/v1/players/me/mutes/{cid}")).status_code == 204
    await world.look(path, "ada", "bob")
    await world.done(world.viewers["bob"], "POST", f"{path}/messages", {"text": "Ready?"})
    await world.look(path, "ada", "bob")
    for seat, name in ((2, "cid"), (1, "bob"), (0, "ada")):
        await world.done(world.viewers[name], "POST", f"{path}/resign")
        await _without_bots_turns(world, path, seat)
    again = f"/v1/matches/{(await world.done(ada, 'POST', f'{path}/rematch'))['match_id']}"
    await world.look(path, "ada", "bob")
    await world.look(again, "ada", "bob")
    await world.done(world.viewers.pop("ada"), "DELETE", "/v1/players/me")
    await world.look(path, "bob")
    await world.look(again)


async def entropy_before_the_start(world: World, other: bool) -> Any:
    """Ada adds entropy of another kind, or none, while others wait for players."""
    ada, cid = await world.join("ada"), await world.join("cid")
    await world.join("eve")
    entropy = {"entropy": "ab" * 16} if other else {}
    path, _ = await world.opened(ada, {"game": "wolves"}, seats=3, **entropy)
    await world.done(cid, "POST", f"{path}/seats", {})
    await world.look(path, "ada")


async def the_latest_cards(world: World, other: bool) -> Any:
    """Those who see the play with a delay see none of the last twenty events, which are other cards in the other twin."""
    names = ("ada", "bob", "cid")
    _, path = await _seated(world, "black-sheep", [*names], bets=False, spectators="delayed", testing={"outcomes": [DECK, [1]]})
    for trick in range(7):
        for _ in names:
            for player in [world.viewers[name] for name in names]:
                if decisions := (await player.get(path)).json()["decisions"]:
                    at = -1 if other and trick > 1 else 0
                    await world.done(player, "POST", f"{path}/commands", {"command": decisions[0]["choices"][at]})
                    break
    version = (await world.viewers["ada"].get(path)).json()["version"]
    await world.look(path, *names, "operator")
    return version


async def a_private_match_beside(world: World, other: bool) -> Any:
    """Ada has opened a match for friends beside the public one, on other terms, and Bob sits there, or has only been asked."""
    ada, bob = await world.join("ada"), await world.join("bob")
    await world.join("eve")
    path, _ = await world.opened(ada, {"game": "wolves"}, seats=3)
    options = {"game": "schemers", "whispers": True} if other else {"game": "pico", "edition": "pico1"}
    aside, invite = await world.opened(ada, options, visibility="private", seats=4 if other else 2, start="by_host")
    if other:
        sat = await bob.post(f"{aside}/seats", json={"invite": invite}, headers={"Request-Id": "aside"})
        assert sat.status_code == 200, sat.text
    for each in (path, aside):
        await world.look(each, "ada", "bob", "operator")


async def dice_to_come(world: World, other: bool) -> Any:
    """The next roll will be another one. Nobody at all may know."""
    first, *later = [1, 2, 3, 4, 4], [1, 1, 1, 1, 1] if other else [2, 2, 2, 2, 2]
    terms = {"seats": 3, "bots": ["normal"], "testing": {"outcomes": [first, *later]}}
    ada, path = await _seated(world, "little-train", ["ada", "bob"], order=[0, 2], **terms)
    for _ in range(2):
        await world.done(ada, "POST", f"{path}/commands", {"command": (await _decision(ada, path))["choices"][0]})
        await world.look(path)


async def _seated(world: World, game: str, names: list[str], order: list[int] | None = None, **terms: Any) -> tuple[httpx.AsyncClient, str]:
    """A match in play with these players, of whom the first is its host, and a stranger beside it who is a viewer too."""
    options = {"game": game, **OPTIONS.get(game, {})}
    if "bets" in terms:
        options["bets"] = terms.pop("bets")
    host, *others = [await world.join(name) for name in names]
    await world.join("eve")
    terms = {"seats": len(names), **terms}
    if "testing" in terms:
        view = await world.done(host, "POST", "/v1/matches", {"options": options, **terms})
        path, invite = f"/v1/matches/{view['match_id']}", view["invite"] or ""
    else:
        path, invite = await world.opened(host, options, **terms)
    for seat, other in zip((order or [*range(len(names))])[1:], others, strict=True):
        view = await world.done(other, "POST", f"{path}/seats", {"seat": seat, "invite": invite})
    assert view["status"] == "playing", view
    return host, path


async def _decision(player: httpx.AsyncClient, path: str) -> Any:
    return (await player.get(path)).json()["decisions"][0]


async def _talked_out(world: World, path: str) -> None:
    """Everybody is ready, until what is asked is a secret."""
    players = [client for name, client in world.viewers.items() if name in ("ada", "bob", "cid")]
    while {choice["type"] for choice in (await _decision(players[0], path))["choices"]}.isdisjoint(SECRET):
        for player in players:
            await world.done(player, "POST", f"{path}/commands", {"command": (await _decision(player, path))["choices"][0]})


async def _without_bots_turns(world: World, path: str, seat: int) -> None:
    """Wait until the bot on this seat has chosen."""
    while seat in (view := (await world.viewers["ada"].get(path)).json())["waiting_for"]:
        await world.viewers["ada"].get(f"{path}/events", params={"after": view["version"], "wait": 10})


STORIES: dict[str, Story] = {
    "pico, a card, public": secret_choice("pico", spectators="public"),
    "wolves, a card, delayed": secret_choice("wolves", spectators="delayed"),
    "schemers, a die, no spectators": secret_choice("schemers", spectators="none"),
    "black-sheep, a bet, private": secret_choice("black-sheep", visibility="private"),
    "black-sheep, hands": hidden_hands,
    "schemers, words aside": words_aside,
    "black-sheep, the latest cards, delayed": the_latest_cards,
    "a private match beside": a_private_match_beside,
    "wolves, entropy": entropy_before_the_start,
    "little-train, dice to come": dice_to_come,
}

OTHER_REQUESTS = ("schemers, words aside", "a private match beside", "black-sheep, the latest cards, delayed")
"""In these, those who know the secret ask for other things in one twin than in the other."""
