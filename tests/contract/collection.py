"""The collection for HTTP clients: `openapi/ludicitude.http`, every operation in an order in which all of them succeed.

It is in the format of JetBrains' editors, which httpYac reads too, in VS Code and on the command line. Paths, words and bodies come
from the document; what is written here is the order, who asks, and what is kept of an answer for the requests after it.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.contract.rules import operations

SERVER = "http://localhost:8000"

HEAD = f"""\
# Every operation of Ludicitude, in an order in which all of them succeed. Made from the document; do not edit.
# Start the service with `make run`, open this file in an editor of JetBrains or in VS Code with httpYac, and run it from top to bottom.
# Without an editor: npx httpyac send openapi/ludicitude.http --all

@host = {SERVER}
"""


@dataclass(frozen=True)
class Step:
    """One request: what is asked, by whom, with which parameters and body, and what is kept under which name.

    `keep` holds an expression in JavaScript by name; `body` is the example of the document unless it is given.
    """

    operation: str
    who: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    keep: Mapping[str, str] = field(default_factory=dict)


MATCH, FRIENDS = {"match_id": "{{match_id}}"}, {"match_id": "{{friends_id}}"}
SEAT = {**MATCH, "seat": "1"}
CHOICE = {
    "choice": "JSON.stringify(response.body.decisions[0].choices[0])",
    "decision": "response.body.decisions[0].decision",
}

STEPS = (
    Step("get_live"),
    Step("get_ready"),
    Step("get_labels"),
    Step("list_games"),
    Step("get_game", parameters={"game": "pico"}),
    Step("create_player", keep={"ada": "response.body.token", "ada_id": "response.body.player_id"}),
    Step("create_player", body={"display_name": "Bob"}, keep={"bob": "response.body.token", "bob_id": "response.body.player_id"}),
    Step("get_me", "ada"),
    Step("update_me", "ada"),
    Step("get_player", parameters={"player_id": "{{bob_id}}"}),
    Step("create_token", "ada", keep={"token_id": "response.body.token_id"}),
    Step("list_tokens", "ada"),
    Step("revoke_token", "ada", {"token_id": "{{token_id}}"}),
    Step("open_match", "ada", body={"options": {"game": "pico"}, "start": "by_host"}, keep={"match_id": "response.body.match_id"}),
    Step("list_matches", "bob", {"game": "pico", "open_seats": "true"}),
    Step("seat_bot", "ada", SEAT),
    Step("remove_bot", "ada", SEAT),
    Step("take_seat", "bob", MATCH, body={}),
    Step("leave_seat", "bob", MATCH),
    Step("take_seat", "bob", MATCH, body={"seat": 1}),
    Step("remove_player", "ada", SEAT),
    Step("take_seat", "bob", MATCH, body={"seat": 1}),
    Step("start_match", "ada", MATCH, body={}),
    Step("list_turns", "ada"),
    Step("get_match", "ada", MATCH, keep=CHOICE),
    Step("send_command", "ada", MATCH, body={"command": "{{choice}}", "decision": "{{decision}}"}),
    Step("list_events", "bob", {**MATCH, "after": "0", "limit": "20"}),
    Step("send_message", "bob", MATCH, body={"text": "Well played."}),
    Step("list_messages", "ada", MATCH),
    Step("mute_player", "ada", {"player_id": "{{bob_id}}"}),
    Step("list_mutes", "ada"),
    Step("unmute_player", "ada", {"player_id": "{{bob_id}}"}),
    Step("resign", "bob", MATCH),
    Step("create_stream_ticket", "ada", body={"match_id": "{{match_id}}"}, keep={"ticket": "response.body.ticket"}),
    Step("stream_events", None, {**MATCH, "ticket": "{{ticket}}"}),
    Step("get_record", "ada", MATCH),
    Step("get_proof", "ada", MATCH),
    Step("list_standings", parameters={"game": "pico"}),
    Step("rematch", "ada", MATCH, keep={"rematch_id": "response.body.match_id"}),
    Step("list_turns", "bob"),
    Step("leave_seat", "bob", {"match_id": "{{rematch_id}}"}),
    Step(
        "open_match",
        "ada",
        body={"options": {"game": "pico"}, "visibility": "private"},
        keep={"friends_id": "response.body.match_id"},
    ),
    Step("renew_invite", "ada", FRIENDS, keep={"invite": "response.body.invite"}),
    Step("look_up_invite", "bob", body={"invite": "{{invite}}"}),
    Step("close_match", "ada", FRIENDS),
    Step("erase_me", "bob"),
)

LEFT_OUT = {
    "stream_turns": "goes on for ten minutes",
    "move_clock": "needs a server in test mode",
    **dict.fromkeys(("erase_player", "inspect_match", "list_actions", "sign_out_player", "stop_match"), "needs an operator's token"),
}
"""Operations that a person cannot simply run from top to bottom, and why."""


def collection(document: Mapping[str, Any]) -> str:
    """The text of the file."""
    known = {operation["operationId"]: (method, path, operation) for path, method, operation in operations(document)}
    return HEAD + "".join("\n" + "\n".join(_request(step, *known[step.operation])) + "\n" for step in STEPS)


def _request(step: Step, method: str, path: str, operation: Mapping[str, Any]) -> Iterator[str]:
    yield f"### {operation['summary']} ({step.operation})"
    query = {name: value for name, value in step.parameters.items() if f"{{{name}}}" not in path}
    asked = re.sub(r"\{(\w+)\}", lambda name: step.parameters[name[1]], path)
    yield f"{method.upper()} {{{{host}}}}{asked}" + ("?" + "&".join(f"{name}={value}" for name, value in query.items()) if query else "")
    if step.who:
        yield f"Authorization: Bearer {{{{{step.who}}}}}"
    if "requestBody" in operation:
        body = operation["requestBody"]["content"]["application/json"]["example"] if step.body is None else step.body
        yield "Content-Type: application/json"
        yield ""
        # The choice is an object already, in its own JSON.
        yield json.dumps(body, ensure_ascii=False, indent=2).replace('"{{choice}}"', "{{choice}}")
    [status] = [
        each for each in operation["responses"] if each in ("200", "201") or (each == "204" and "200" not in operation["responses"])
    ]
    yield ""
    yield "> {%"
    yield f'client.test("It answers {status}", () => client.assert(response.status === {status}));'
    yield from (f'client.global.set("{name}", {expression});' for name, expression in step.keep.items())
    yield "%}"
