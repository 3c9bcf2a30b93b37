"""Types as schemas: each shape that the API uses, and what it becomes."""

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta

from domain.match.game import Result
from service.http.openapi.naming import public_name
from service.http.openapi.schemas import REF, JsonSchema, Schemas, standalone

Size = Annotated[Literal["small", "large"], Meta(description="Of things.")]


class Text(msgspec.Struct):
    """What is said."""

    words: str


class Terms(msgspec.Struct, tag_field="game", tag="one", forbid_unknown_fields=True):
    """The terms of one."""

    rounds: Annotated[int, Meta(ge=1, le=9, description="How many rounds.")] = 3


class Others(msgspec.Struct, tag_field="game", tag="two", forbid_unknown_fields=True):
    """The terms of the other, which are the same thing asked and shown."""

    fast: bool


class Ask(msgspec.Struct, forbid_unknown_fields=True):
    """What is asked."""

    terms: Terms | Others
    note: str | None = None
    sizes: tuple[Size, ...] = ()


class Shown(msgspec.Struct):
    """What is shown."""

    terms: Terms | Others
    plain: Text | None
    at: Annotated[datetime, Meta(tz=True)] | None
    level: Annotated[Literal["low", "high"] | None, Meta(description="How high.")]
    size: Annotated[Size, Meta(description="How large.")]
    numbers: tuple[int | None, ...]
    anything: dict[str, Any]
    heard: Annotated[Text, Meta(description="What was heard of it.")]
    tone: Annotated[Literal["loud", "soft"], Meta(description="How loud.")]
    mixed: tuple[int | str, ...] = ()
    fixed: Literal["always"] = "always"


UNIONS = {"Choice": (Terms | Others, "One of two."), "Mixed": (int | str, "A number or a word.")}


@pytest.fixture
def schemas() -> Schemas:
    return Schemas([Ask, int], [Shown], UNIONS, {"Size": Size})


def properties(schemas: Schemas, name: str) -> dict[str, JsonSchema]:
    return dict(schemas.components[name]["properties"])


def test_a_body_is_a_reference_and_a_scalar_is_not(schemas: Schemas) -> None:
    assert schemas.request(Ask) == {"$ref": REF + "Ask"}
    assert schemas.response(Shown) == {"$ref": REF + "Shown"}
    assert schemas.request(int) == {"type": "integer"}


def test_what_is_sent_holds_everything_and_what_is_asked_may_leave_out_defaults(schemas: Schemas) -> None:
    assert schemas.components["Terms"]["required"] == ["game", "rounds"]
    assert "default" not in properties(schemas, "Terms")["rounds"]
    assert schemas.components["TermsInput"]["required"] == ["game"]
    assert properties(schemas, "TermsInput")["rounds"] == {
        "description": "How many rounds. Default: `3`.",
        "type": "integer",
        "minimum": 1,
        "maximum": 9,
    }
    assert schemas.components["Shown"]["required"] == list(properties(schemas, "Shown"))
    assert schemas.components["Ask"]["required"] == ["terms"]


def test_a_union_has_a_name_and_tells_its_members_apart(schemas: Schemas) -> None:
    assert properties(schemas, "Shown")["terms"] == {"$ref": REF + "Choice"}
    assert properties(schemas, "Ask")["terms"] == {"$ref": REF + "ChoiceInput"}
    assert schemas.components["ChoiceInput"] == {
        "description": "One of two.",
        "type": "object",
        "oneOf": [{"$ref": REF + "TermsInput"}, {"$ref": REF + "OthersInput"}],
        "discriminator": {"propertyName": "game", "mapping": {"one": REF + "TermsInput", "two": REF + "OthersInput"}},
        "title": "ChoiceInput",
    }
    assert properties(schemas, "Terms")["game"] == {"type": "string", "const": "one", "description": "Always `one`."}


def test_all_members_of_a_union_are_called_alike_whether_or_not_they_have_a_default(schemas: Schemas) -> None:
    asked, shown = schemas.components["OthersInput"], schemas.components["Others"]
    assert asked["properties"] == shown["properties"]
    assert asked["required"] == shown["required"]


def test_a_union_without_a_name_is_noticed() -> None:
    with pytest.raises(AssertionError, match="needs a name"):
        Schemas([Ask], [], {})


def test_null_is_a_type_of_scalars_and_stands_beside_names(schemas: Schemas) -> None:
    shown = properties(schemas, "Shown")
    assert shown["at"] == {"type": ["string", "null"], "format": "date-time"}
    assert shown["plain"] == {"oneOf": [{"$ref": REF + "Text"}, {"type": "null"}]}
    assert shown["level"] == {"description": "How high.", "oneOf": [{"$ref": REF + "ShownLevel"}, {"type": "null"}]}
    assert schemas.components["ShownLevel"] == {
        "description": "What `level` can be.",
        "type": "string",
        "enum": ["high", "low"],
        "title": "ShownLevel",
    }
    assert shown["size"] == {"description": "How large.", "$ref": REF + "Size"}
    assert properties(schemas, "Ask")["sizes"] == {"type": "array", "items": {"description": "Of things.", "$ref": REF + "Size"}}
    assert schemas.components["Size"] == {"description": "Of things.", "type": "string", "enum": ["large", "small"], "title": "Size"}
    assert shown["numbers"]["items"] == {"type": ["integer", "null"]}


def test_an_enum_without_words_is_told_as_it_is_where_it_stands(schemas: Schemas) -> None:
    assert properties(schemas, "Shown")["tone"] == {"description": "How loud.", "$ref": REF + "ShownTone"}
    assert schemas.components["ShownTone"]["description"] == "How loud."
    assert schemas.components["Text"]["description"] == "What is said.", "a type has words of its own"


def test_scalars_that_mix_have_a_name_and_a_single_value_is_a_constant(schemas: Schemas) -> None:
    shown = properties(schemas, "Shown")
    assert shown["mixed"]["items"] == {"$ref": REF + "Mixed"}
    assert schemas.components["Mixed"] == {
        "description": "A number or a word.",
        "oneOf": [{"$ref": REF + "MixedInteger"}, {"$ref": REF + "MixedString"}],
        "title": "Mixed",
    }
    assert schemas.components["MixedInteger"] == {"description": "Mixed as a whole number.", "type": "integer", "title": "MixedInteger"}
    assert shown["fixed"] == {"type": "string", "const": "always", "description": "Always `always`."}


def test_a_map_of_anything_says_so(schemas: Schemas) -> None:
    assert properties(schemas, "Shown")["anything"] == {"type": "object", "additionalProperties": True}


def test_a_type_is_called_by_its_room() -> None:
    def called(name: str, module: str) -> str:
        return public_name(type(name, (), {"__module__": module}))

    assert called("View", "domain.games.little_train.views") == "LittleTrainView"
    assert called("Opened", "domain.match.events") == "MatchOpened"
    assert called("Place", "domain.match.game") == "Place"
    assert public_name(Result) == "MatchResult"
    assert called("Player", "service.accounts.players") == "Player"


def test_two_types_of_one_public_name_are_noticed() -> None:
    other: Any = msgspec.defstruct("Text", [("other", int)], module=__name__)
    with pytest.raises(AssertionError, match="share a public name"):
        Schemas([], [Shown, other], UNIONS)


def test_a_form_stands_by_itself() -> None:
    form = standalone(Terms)
    assert form["$schema"].endswith("2020-12/schema")
    assert form["properties"]["game"] == {"type": "string", "const": "one", "description": "Always `one`."}
    assert form["properties"]["rounds"]["default"] == 3
    assert form["additionalProperties"] is False
