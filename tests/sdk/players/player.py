"""Plays a match of every game with the generated Python client, and tells what it saw, a line of JSON a match."""

import json
import sys
import threading
import uuid
from collections.abc import Iterator
from typing import Any, TypeAlias, TypeVar

import httpx
from ludicitude_client import AuthenticatedClient, Client
from ludicitude_client.api.games import list_games
from ludicitude_client.api.matches import get_match, open_match
from ludicitude_client.api.play import list_events, send_command
from ludicitude_client.api.players import create_player
from ludicitude_client.api.seats import take_seat
from ludicitude_client.models import (
    ByeFrame,
    CommandAnswer,
    CreatedPlayer,
    CreatePlayer,
    EventFrame,
    EventPage,
    GamePage,
    MatchStatus,
    MatchView,
    OpenMatch,
    Problem,
    ResetFrame,
    ResumedFrame,
    SendCommand,
    SnapshotFrame,
    TakeSeat,
)
from ludicitude_client.types import UNSET, Response, Unset

Kind = TypeVar("Kind")
StreamFrame: TypeAlias = SnapshotFrame | ResumedFrame | EventFrame | ResetFrame | ByeFrame


class Refused(Exception):
    """The API said no, and `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.code}: {problem.detail}")
        self.problem = problem


def the(kind: type[Kind], answer: Response[Any]) -> Kind:
    """The body of an answer, which must be of this type."""
    if isinstance(answer.parsed, Problem):
        raise Refused(answer.parsed)
    assert isinstance(answer.parsed, kind), answer
    return answer.parsed


def parsed(text: str) -> StreamFrame:
    """One message of a stream."""
    data: dict[str, Any] = json.loads(text)
    match data["frame"]:
        case "snapshot":
            return SnapshotFrame.from_dict(data)
        case "resumed":
            return ResumedFrame.from_dict(data)
        case "event":
            return EventFrame.from_dict(data)
        case "reset":
            return ResetFrame.from_dict(data)
        case _:
            return ByeFrame.from_dict(data)


def frames(client: AuthenticatedClient, match_id: str) -> Iterator[StreamFrame]:
    """What happens at a match, as it happens."""
    with client.get_httpx_client().stream("GET", f"/v1/matches/{match_id}/stream", timeout=httpx.Timeout(30)) as answer:
        for line in answer.iter_lines():
            if line.startswith("data: "):
                yield parsed(line.removeprefix("data: "))


class Follower(threading.Thread):
    """Follows a match until it is over; `versions` are those of the events it was told, the view it began with first."""

    def __init__(self, client: AuthenticatedClient, match_id: str) -> None:
        super().__init__(daemon=True)
        self._client, self._match_id = client, match_id
        self.began = threading.Event()
        self.versions: list[int] = []
        self.bye = ""

    def run(self) -> None:
        for frame in frames(self._client, self._match_id):
            if isinstance(frame, SnapshotFrame):
                self.versions.append(frame.view.version)
                self.began.set()
            elif isinstance(frame, EventFrame):
                self.versions.append(frame.item.version)
            elif isinstance(frame, ByeFrame):
                self.bye = frame.reason.value


def join(address: str, name: str) -> AuthenticatedClient:
    created = the(CreatedPlayer, create_player.sync_detailed(client=Client(base_url=address), body=CreatePlayer(name)))
    return AuthenticatedClient(base_url=address, token=created.token)


def seen(client: AuthenticatedClient, match_id: str) -> MatchView:
    return the(MatchView, get_match.sync_detailed(match_id, client=client))


def all_events(client: AuthenticatedClient, match_id: str) -> list[int]:
    """The versions of all events, page by page."""
    versions: list[int] = []
    while True:
        page = the(EventPage, list_events.sync_detailed(match_id, client=client, after=len(versions), wait=5))
        versions += [item.version for item in page.items]
        if page.ended and len(versions) == page.version:
            return versions


def send(client: AuthenticatedClient, view: MatchView, key: str | Unset = UNSET, if_match: str | Unset = UNSET) -> CommandAnswer:
    """Makes one of the choices of this view."""
    decision = view.decisions[0]
    body = SendCommand(decision.choices[view.version % len(decision.choices)], decision.decision)
    sent = send_command.sync_detailed(view.match_id, client=client, body=body, idempotency_key=key, if_match=if_match)
    return the(CommandAnswer, sent)


def refused(client: AuthenticatedClient, view: MatchView, if_match: str | Unset = UNSET) -> str:
    """The code of the problem with a choice that was made already."""
    try:
        send(client, view, if_match=if_match)
    except Refused as no:
        return no.problem.code
    return ""


def play(address: str, game: str, seats: int) -> dict[str, object]:
    clients = [join(address, name) for name in ("Ada", "Bob", "Cleo")[:seats]]
    host = clients[0]
    opened = the(MatchView, open_match.sync_detailed(client=host, body=OpenMatch.from_dict({"options": {"game": game}, "seats": seats})))
    match_id = opened.match_id
    follower = Follower(host, match_id)
    follower.start()
    assert follower.began.wait(30)
    for client in clients[1:]:
        the(MatchView, take_seat.sync_detailed(match_id, client=client, body=TakeSeat()))
    codes: list[str] = []
    while seen(host, match_id).status == MatchStatus.PLAYING:
        for client in clients:
            view = seen(client, match_id)
            if not view.decisions:
                continue
            key = str(uuid.uuid4())
            answer = send(client, view, key)
            if not codes:
                assert send(client, view, key).version == answer.version, "The choice was made twice."
                codes = [refused(client, view, '"v1"'), refused(client, view)]
    end = get_match.sync_detailed(match_id, client=host)
    view = the(MatchView, end)
    assert view.result is not None
    unchanged = get_match.sync_detailed(match_id, client=host, if_none_match=end.headers["ETag"])
    follower.join(30)
    return {
        "game": game,
        "match_id": match_id,
        "version": view.version,
        "table": type(view.table).__name__,
        "ranked": len(view.result.ranking),
        "listed": all_events(host, match_id),
        "followed": follower.versions,
        "bye": follower.bye,
        "refused": codes,
        "unchanged": unchanged.status_code.value,
    }


def main(address: str) -> None:
    games = the(GamePage, list_games.sync_detailed(client=Client(base_url=address)))
    for game in games.items:
        print(json.dumps(play(address, game.game, min(seats for seats in game.seats if seats > 1))), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
