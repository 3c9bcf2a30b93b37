"""Two matches that differ only in what a viewer may not know are the same to that viewer, to the last byte, in all they can reach.

Viewers are every other seat, who has resigned, a spectator where there may be any, a stranger where there may not, nobody, and the
operator; bots are viewers too, by what they choose. What twins count and log is the same as well.
"""

import pytest

from tests.twins.stories import OTHER_REQUESTS, STORIES, Story
from tests.twins.worlds import Note, World, world


async def twins(story: Story, urls: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> tuple[World, World, bool]:
    """Both twins after the story, and whether it answered the same."""
    lived, answers = [], []
    for other, url in enumerate(urls):
        async with world(url, monkeypatch) as one:
            answers.append(await story(one, bool(other)))
        lived.append(one)
    return lived[0], lived[1], answers[0] == answers[1]


def unlike(one: World, other: World) -> list[tuple[Note, Note]]:
    """Where a viewer of one twin was told something else than that of the other."""
    return [(left, right) for left, right in zip(one.notes, other.notes, strict=True) if left != right]


def kept(numbers: dict[str, float]) -> dict[str, float]:
    """All but how much was asked for and done."""
    return {name: value for name, value in numbers.items() if "http_request" not in name and "append" not in name}


@pytest.mark.parametrize("story", STORIES)
async def test_twins_are_alike(story: str, database_url: str, other_database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other, same = await twins(STORIES[story], (database_url, other_database_url), monkeypatch)
    for left, right in unlike(one, other):
        assert left == right
    assert same, "what the bots chose"
    if story in OTHER_REQUESTS:
        assert kept(one.numbers) == kept(other.numbers)
    else:
        assert one.numbers == other.numbers
        assert one.logs == other.logs
    assert {200, 401, 409} <= {note.status for note in one.notes}, "somebody looked, and tried"
