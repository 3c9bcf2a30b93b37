"""Every problem code the service answers with by itself: one table, so a code means one thing everywhere.

The refusals of a game are not here: their codes and sentences belong to the game's room.
"""

from typing import NamedTuple


class Kind(NamedTuple):
    """What is the same for every problem of one code: its HTTP status and its title, a sentence for people."""

    status: int
    title: str


REFUSED = Kind(422, "The rules of the game do not allow this")
"""Stands for all refusals of all games; their own code and clause say which rule spoke."""

KINDS: dict[str, Kind] = {
    "refused": REFUSED,
    # The request itself
    "malformed_request": Kind(400, "The request is malformed"),
    "malformed_json": Kind(400, "The body is not JSON that can be read"),
    "invalid_parameter": Kind(400, "A parameter is missing, invalid or unknown"),
    "not_authenticated": Kind(401, "A valid token is needed"),
    "not_found": Kind(404, "Nothing is here"),
    "method_not_allowed": Kind(405, "This address does not know this method"),
    "request_timeout": Kind(408, "The request did not come in time"),
    "key_in_flight": Kind(409, "A request with this Idempotency-Key is still being worked on"),
    "precondition_failed": Kind(412, "The state has moved on"),
    "body_too_large": Kind(413, "The body is too large"),
    "uri_too_long": Kind(414, "The address is too long"),
    "unsupported_media_type": Kind(415, "The body must be JSON"),
    "invalid_body": Kind(422, "The body does not have the shape that is asked for"),
    "key_reused": Kind(422, "This Idempotency-Key came with another request before"),
    "ticket_not_valid": Kind(401, "The ticket is not valid, or not valid any more"),
    "too_many_streams": Kind(429, "You have as many streams open as one can have"),
    "headers_too_large": Kind(431, "The headers are too large, or too many"),
    "rate_limited": Kind(429, "Too many requests"),
    "too_many_at_once": Kind(429, "Too many of your requests are under way"),
    "too_many_long_polls": Kind(429, "You have as many long-polls open as one can have"),
    "internal_error": Kind(500, "The service failed"),
    "too_many_connections": Kind(503, "The server has as many connections open as it can hold"),
    "unavailable": Kind(503, "The service cannot answer right now"),
    # Players
    "player_not_found": Kind(404, "There is no such player"),
    "token_not_found": Kind(404, "There is no such token"),
    "too_many_tokens": Kind(409, "This player has as many tokens as one can have"),
    "invalid_display_name": Kind(422, "The display name cannot be used"),
    "invalid_text": Kind(422, "The text cannot be said"),
    "too_many_mutes": Kind(409, "This player has muted as many others as one can mute"),
    "too_many_matches": Kind(409, "You host as many matches that have not ended as one can"),
    "too_many_messages": Kind(409, "You have said as much at this match as one can"),
    "mute_yourself": Kind(422, "You cannot mute yourself"),
    # Games
    "game_not_found": Kind(404, "There is no such game"),
    # Matches: known, but not yours to do
    "not_seated": Kind(403, "You have no seat at this match"),
    "not_operator": Kind(403, "Only those who run the service may do this"),
    "not_host": Kind(403, "Only the host may do this"),
    "test_mode_off": Kind(403, "The server is not in test mode"),
    "no_spectators": Kind(403, "This match is not shown to spectators"),
    # Matches: unknown, or private and not yours
    "match_not_found": Kind(404, "There is no such match"),
    "invite_not_found": Kind(404, "There is no such invitation, or not any more"),
    # Matches: not now
    "no_bot_there": Kind(409, "No bot sits there"),
    "not_private": Kind(409, "The match is public and needs no invitation"),
    "own_seat": Kind(409, "This is your own seat; leave it instead"),
    "resigned": Kind(409, "You have resigned; take your seat again first"),
    "seat_open": Kind(409, "Nobody sits there"),
    "already_seated": Kind(409, "You have a seat at this match already"),
    "decision_closed": Kind(409, "This decision is closed"),
    "match_busy": Kind(503, "The match is too busy to take this right now"),
    "match_full": Kind(409, "Every seat is taken"),
    "match_not_over": Kind(409, "The match is not over yet"),
    "match_not_started": Kind(409, "The match has not started"),
    "match_over": Kind(409, "The match is over"),
    "match_started": Kind(409, "The match has started already"),
    "not_your_turn": Kind(409, "You owe no choice now"),
    "seat_kept": Kind(409, "The seat is kept for another player"),
    "seat_taken": Kind(409, "The seat is taken"),
    "seats_open": Kind(409, "Some seats are still open"),
    "no_player_there": Kind(409, "No player sits there"),
    "pledge_closed": Kind(409, "Your seat cannot pledge this now"),
    "talk_over": Kind(409, "The talk at this match is over"),
    # Matches: does not fit this match or its game
    "command_of_another_game": Kind(422, "The command belongs to another game"),
    "clock_needed": Kind(422, "Only a private match can do without a clock"),
    "no_such_level": Kind(422, "The game has no bots of this level"),
    "outcome_does_not_fit": Kind(422, "An outcome does not fit the draw it is for"),
    "too_many_bots": Kind(422, "There are more bots than seats"),
    "no_such_seat": Kind(422, "The match has no such seat"),
    "seats_not_allowed": Kind(422, "The game is not played by this many"),
    "no_pledges": Kind(422, "There is nothing to pledge in this game"),
    "no_such_face": Kind(422, "This face cannot be pledged"),
    "whisper_to_yourself": Kind(422, "You cannot whisper to yourself"),
    "whispers_not_allowed": Kind(422, "Whispers were not agreed on for this match"),
}
