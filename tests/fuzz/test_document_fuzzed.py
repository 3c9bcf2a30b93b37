"""The whole document, fuzzed by schemathesis: requests as it describes them and as it forbids them, one by one and in chains.

All checks of schemathesis hold: no status, header, media type or shape that the document does not declare, nothing accepted that it
forbids, no error of the server. What is switched off says why.
"""

from collections import Counter
from copy import deepcopy
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, assume
from hypothesis import settings as how
from hypothesis.stateful import run_state_machine_as_test
from schemathesis.checks import response_schema_conformance

from tests.service.documented import document

ANSWERS_THAT_NAME = {
    "open_match": "match_id",
    "take_seat": "match_id",
    "rematch": "match_id",
    "create_player": "player_id",
    "create_token": "token_id",
}
"""Operations whose success names something that other operations are about."""


def linked() -> dict[str, Any]:
    """The document with a link from each of these answers to every operation on what it names."""
    whole = deepcopy(document())
    operations = [(path, operation) for path, item in whole["paths"].items() for operation in item.values()]
    for _, source in operations:
        if name := ANSWERS_THAT_NAME.get(source["operationId"]):
            about = [operation["operationId"] for path, operation in operations if "{" + name + "}" in path]
            links = {each: {"operationId": each, "parameters": {f"path.{name}": f"$response.body#/{name}"}} for each in about}
            next(response for status, response in source["responses"].items() if status.startswith("2"))["links"] = links
    return whole


CHECKS = {
    # A request of the right shape may still be one that the rules, the state or a cursor's origin do not allow.
    "positive_data_acceptance": {"expected-statuses": ["2xx", 304, 400, 401, 403, 404, 409, 412, 422]},
}
SCHEMA = schemathesis.openapi.from_dict(linked(), config=schemathesis.Config.from_dict({"checks": CHECKS}))

FEW = how(
    max_examples=5,
    stateful_step_count=10,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
MANY = how(FEW, max_examples=400, stateful_step_count=30, derandomize=False)


@pytest.fixture(scope="module")
def token(address: str) -> str:
    return new_token(address)


def new_token(address: str) -> str:
    return str(httpx.post(f"{address}/v1/players", json={"display_name": "Ada"}).json()["token"])


def name_of(case: Any) -> str:
    return str(case.operation.definition.raw["operationId"])


def ask(case: Any, address: str, token: str) -> None:
    """Send the request of this case, and check its answer."""
    require_fair(case)
    if name_of(case) == "erase_me":
        token = new_token(address)
    case.call_and_validate(base_url=address, headers={"Authorization": f"Bearer {token}"}, excluded_checks=excluded(case))


def require_fair(case: Any) -> None:
    """Leave out what would only take time, or what schemathesis and the framework read in two ways."""
    query = case.query or {}
    query.pop("wait", None)
    for value in query.values():
        # In a query everything is text, and the framework takes the text `null` for nothing.
        assume("null" not in (value if isinstance(value, list) else [value]))


def excluded(case: Any) -> list[Any]:
    """Of a stream the document shows the frames, as generated clients want them; schemathesis looks for the lines around them."""
    return [response_schema_conformance] if name_of(case).startswith("stream_") else []


@SCHEMA.parametrize()
@FEW
def test_every_operation_as_the_document_has_it(case: Any, address: str, token: str) -> None:
    ask(case, address, token)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@SCHEMA.parametrize()
@MANY
def test_every_operation_as_the_document_has_it_for_long(case: Any, address: str, token: str) -> None:
    ask(case, address, token)


def chains(address: str, settings: how) -> Counter[tuple[str, int]]:
    """Chains of requests, in which one answer gives what the next request is about. Counts what was asked and answered.

    Each chain is of a player of its own, since one that finds its token in a list may revoke it.
    """
    seen: Counter[tuple[str, int]] = Counter()

    class Chain(SCHEMA.as_state_machine()):  # type: ignore[misc]
        def setup(self) -> None:
            self.token = new_token(address)

        def before_call(self, case: Any) -> None:
            require_fair(case)

        def get_call_kwargs(self, case: Any) -> dict[str, Any]:
            bearer = new_token(address) if name_of(case) == "erase_me" else self.token
            return {"base_url": address, "headers": {"Authorization": f"Bearer {bearer}"}}

        def validate_response(self, response: Any, case: Any, **_: Any) -> None:
            seen[name_of(case), response.status_code] += 1
            case.validate_response(response, excluded_checks=excluded(case))

    run_state_machine_as_test(Chain, settings=settings)
    return seen


def test_chains_of_requests(address: str) -> None:
    done = {name for name, status in chains(address, how(FEW, max_examples=20)) if status < 300}
    assert len(done) > 5, f"a chain in which nothing succeeds leads nowhere, and only these did: {sorted(done)}"


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_long_chains_of_requests(address: str) -> None:
    assert chains(address, MANY)["get_match", 200]
