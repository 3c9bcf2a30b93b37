"""What one can do next with an answer: the links between operations, for readers of the document and for tools that walk it."""

from collections.abc import Mapping
from typing import NamedTuple

from service.http.openapi.schemas import JsonSchema

REF = "#/components/links/"


class Link(NamedTuple):
    """From an answer to the operation that follows: where its parameters are found, and why one would call it."""

    operation: str
    parameters: Mapping[str, str]
    description: str


THIS_MATCH = {"match_id": "$response.body#/match_id"}
ASKED_MATCH = {"match_id": "$request.path.match_id"}
FIRST_MATCH = {"match_id": "$response.body#/items/0/match_id"}

LINKS: Mapping[str, Link] = {
    "SeePlayer": Link("get_player", {"player_id": "$response.body#/player_id"}, "What everybody may know of this player."),
    "RevokeToken": Link("revoke_token", {"token_id": "$response.body#/token_id"}, "End this token, as for a device that is lost."),
    "SeeGame": Link("get_game", {"game": "$response.body#/items/0/game"}, "Everything about a game of the list."),
    "SeeStandings": Link("list_standings", {"game": "$response.body#/game"}, "Who plays it best."),
    "SeeMatch": Link("get_match", THIS_MATCH, "The match again, with this answer's `ETag` as `If-None-Match`."),
    "SeeListedMatch": Link("get_match", FIRST_MATCH, "A match of the list."),
    "SitDown": Link("take_seat", THIS_MATCH, "What another player does to join, with the `invite` where the match is private."),
    "SitDownAtListedMatch": Link("take_seat", FIRST_MATCH, "Join a match of the list that has `seats_open`."),
    "Start": Link("start_match", THIS_MATCH, "Begin play, where the host is to say so."),
    "Choose": Link("send_command", THIS_MATCH, "Send one of the `choices` of a decision as `command`, with the `decision`."),
    "ListEvents": Link(
        "list_events", {**THIS_MATCH, "after": "$response.body#/version"}, "What happens after this view; with `wait`, as soon as it does."
    ),
    "ListMoreEvents": Link("list_events", {**ASKED_MATCH, "after": "$response.body#/version"}, "What happens next."),
    "Follow": Link("stream_events", {**THIS_MATCH, "after": "$response.body#/version"}, "What happens after this view, as it happens."),
    "FollowByTicket": Link(
        "stream_events",
        {"match_id": "$request.body#/match_id", "ticket": "$response.body#/ticket"},
        "The stream that the ticket is for, from a browser's EventSource.",
    ),
    "Resign": Link("resign", THIS_MATCH, "Give up."),
    "PlayAgain": Link("rematch", THIS_MATCH, "When it has ended: the same again."),
    "SeeRecord": Link("get_record", THIS_MATCH, "When it has ended: everything that happened, with nothing hidden."),
    "ReadTalk": Link("list_messages", ASKED_MATCH, "What was said before and since."),
    "Mute": Link("mute_player", {"player_id": "$response.body#/items/0/player_id"}, "Not to read any more what they say."),
    "Unmute": Link("unmute_player", {"player_id": "$response.body#/items/0/player_id"}, "To read again what they say."),
    "SeeProof": Link("get_proof", {"match_id": "$response.body#/match_id"}, "What its dice and secret choices rest on."),
}
"""All links by their names in the document."""

AFTER_A_VIEW = ("SeeMatch", "ListEvents", "Follow")
"""What follows every answer that shows a match."""

AFTER: Mapping[str, tuple[str, ...]] = {
    "create_player": ("SeePlayer", "RevokeToken"),
    "create_token": ("RevokeToken",),
    "list_games": ("SeeGame",),
    "get_game": ("SeeStandings",),
    "list_matches": ("SeeListedMatch", "SitDownAtListedMatch"),
    "look_up_invite": ("SitDown",),
    "open_match": ("SitDown", "Start", "Choose"),
    "take_seat": ("Choose",),
    "start_match": ("Choose",),
    "get_match": ("Choose", "SitDown", "Resign", "PlayAgain", "SeeRecord"),
    "send_command": ("ListMoreEvents",),
    "list_events": ("ListMoreEvents",),
    "get_record": ("SeeProof",),
    "list_turns": ("SeeListedMatch",),
    "create_stream_ticket": ("FollowByTicket",),
    "send_message": ("ReadTalk",),
    "list_messages": ("Mute",),
    "list_mutes": ("Unmute",),
}
"""What follows the success of an operation, by its id."""


def links() -> JsonSchema:
    """The components that operations refer to."""
    return {
        name: {"operationId": link.operation, "parameters": dict(link.parameters), "description": link.description}
        for name, link in sorted(LINKS.items())
    }


def links_after(operation: str, shows_a_match: bool) -> JsonSchema:
    """The member `links` of a success, or nothing."""
    names = (*(AFTER_A_VIEW if shows_a_match else ()), *AFTER.get(operation, ()))
    return {"links": {name: {"$ref": REF + name} for name in sorted(names)}} if names else {}
