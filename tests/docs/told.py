"""What a page tells of matches, sentence by sentence, held against their records.

The sentences that should stand there are made by the words of the front end in the terminal, which is a program of its own.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from service.play.opening import seat_names
from service.play.words import Words


def untrue(printed: str, address: str, games: Sequence[str]) -> str | None:
    """The first sentence of a page that is not what happened, and what happened; None when all are.

    The page has played the latest match of each of these games, in this order, and tells its events in French.
    """
    with httpx.Client(base_url=f"{address}/v1") as client:
        matches = [_latest(client, game) for game in games]
    happened = [sentence for sentences, _ in matches for sentence in sentences]
    told = [line for line in printed.splitlines() if any(re.fullmatch(form, line) for _, forms in matches for form in forms)]
    longest = max(len(happened), len(told))
    pairs = zip(told + ["nothing"] * longest, happened + ["nothing"] * longest, strict=False)
    return next((f"The page tells {mine!r}, where it was {right!r}." for mine, right in list(pairs)[:longest] if mine != right), None)


def _latest(client: httpx.Client, game: str) -> tuple[list[str], list[str]]:
    """What happened in the latest match of a game, and the forms of all sentences that its events can have."""
    details = client.get(f"/games/{game}").json()
    words = Words(details, client.get("/labels").json(), client.get("/openapi.json", follow_redirects=True).json(), "fr")
    [match] = client.get("/matches", params={"game": game, "status": "ended", "limit": 1}).json()["items"]
    view: Mapping[str, Any] = client.get(f"/matches/{match['match_id']}").json()
    words.seats = seat_names(view, words)
    events = [item["event"] for item in client.get(f"/matches/{match['match_id']}/record").json()["events"]]
    said = [words.sentence(event) for event in events if event["type"].startswith(f"{game}.")]
    labels = [label["fr"] for key, label in details["labels"].items() if key.startswith("event.")]
    return [sentence for sentence in said if sentence], [re.sub(r"\\\{\w+\\\}", ".+", re.escape(label)) for label in labels]
