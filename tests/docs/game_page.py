"""The page of a game: what the catalogue and the document say of it, excerpts of a match, and between them notes written by hand."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from service.play.shapes import in_seat_order, is_seat
from tests.docs.recorded import Pair

WIDE = 170
"""So many characters does a line of JSON take before it is broken."""

ENUM_MAX = 12
"""A field that can be more than so many things is told by the name of its enum."""

MOVING = ("status", "version", "waiting_for", "decisions", "table", "result")
"""What moves in a view while a match is played."""

_MADE = """\
# {title}

{sentence}

<!-- Made by `make bless` from the game itself, a match played over the API, and tests/games/{folder}/page.md: change those. -->
"""


_LISTING = """\
# The games

All games are played by the same few operations. What differs is the `table` of the view, the commands among the `choices`, and the
events of the log; a client that goes by the [words](../words.md) and the choices plays them all, also one that is not there yet.

| game | key | players | |
| --- | --- | --- | --- |"""


def page(
    game: Mapping[str, Any], refusals: Sequence[tuple[str, str]], schemas: Mapping[str, Any], notes: str, pairs: Sequence[Pair]
) -> str:
    """The page as Markdown. `game` is what `get_game` answers, `refusals` its codes and clauses, `schemas` the document's components."""
    said = dict(re.findall(r"^## (\S+)\n+(.*?)\s*(?=^## |\Z)", notes, re.MULTILINE | re.DOTALL))
    parts = [
        _MADE.format(title=game["title"]["en"], sentence=game["sentence"]["en"], folder=game["game"].replace("-", "_")),
        said.get("rules", ""),
        "The whole rulebook, in English and in French, is `rules` of `GET /v1/games/" + game["game"] + "`.",
        "\n".join(_glance(game)),
        "## Options\n\n" + "\n".join(_options(game)),
        "## The table\n\n" + said.get("table", "What `table` of the view holds.") + "\n\n" + "\n".join(_table(game, schemas)),
        "\n".join(_phases(game, said)),
        "## Commands\n\n" + "\n\n".join(_records(game, schemas, "MatchCommand", said)),
        "## Events\n\n" + "\n\n".join(_records(game, schemas, "MatchEvent", said)),
        "## Pieces\n\n" + "\n".join(_pieces(game)),
        "## Chance\n\n" + said["chance"] if "chance" in said else "",
        "## Refusals and ends\n\n" + "\n".join(_words(game, refusals)),
        "## A match in excerpts\n\n" + "\n\n".join(_match(said, pairs)),
    ]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def listing(games: Sequence[Mapping[str, Any]]) -> str:
    """The page that leads to those of the games; `games` is what `list_games` answers."""
    rows = [
        f"| [{each['title']['en']}]({each['game']}.md) | `{each['game']}` | {_players(each)} | {each['sentence']['en']} |" for each in games
    ]
    return "\n".join([_LISTING, *rows]) + "\n"


def notes_of(notes: str) -> set[str]:
    """What the notes are about."""
    return set(re.findall(r"^## (\S+)$", notes, re.MULTILINE))


def _glance(game: Mapping[str, Any]) -> Iterator[str]:
    yield "| key | players | ruleset | bots |"
    yield "| --- | --- | --- | --- |"
    yield f"| `{game['game']}` | {_players(game)} | {game['ruleset']} | {', '.join(f'`{level}`' for level in game['bot_levels'])} |"


def _players(game: Mapping[str, Any]) -> str:
    seats = game["seats"]
    return f"{seats[0]}-{seats[-1]}" if len(seats) > 1 else str(seats[0])


def _options(game: Mapping[str, Any]) -> Iterator[str]:
    options = {name: shape for name, shape in game["options_schema"]["properties"].items() if name != "game"}
    if not options:
        yield f'There are none: `{{"game": "{game["game"]}"}}`.'
        return
    yield "| option | values | default | |"
    yield "| --- | --- | --- | --- |"
    for name, shape in options.items():
        yield f"| `{name}` | {_kind(shape, {})} | `{json.dumps(shape['default'])}` | {shape.get('description', '')} |"


def _table(game: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[str]:
    name = schemas["MatchTable"]["discriminator"]["mapping"][game["game"]].rpartition("/")[2]
    yield "| field | holds | |"
    yield "| --- | --- | --- |"
    yield from _fields(schemas[name], schemas)


def _phases(game: Mapping[str, Any], notes: Mapping[str, str]) -> Iterator[str]:
    yield "| `phase` | words | |"
    yield "| --- | --- | --- |"
    for key, words in game["labels"].items():
        if key.startswith("phase."):
            yield f"| `{key.removeprefix('phase.')}` | {words['en']} / {words['fr']} | {notes.get(key, '')} |"


def _fields(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[str]:
    """A line for each field, with those of the records that it holds below it, where such a record first comes."""
    first = dict[str, str]()

    def told(schema: Mapping[str, Any], inside: tuple[str, ...]) -> Iterator[str]:
        for name, shape in schema["properties"].items():
            if name in ("game", "type"):
                continue
            where, record = ".".join((*inside, name)), _record(shape, schemas)
            alike = first.setdefault(record["title"], where) if record else where
            has = [shape.get("description", ""), *([f"Fields as in `{alike}`."] if alike != where else [])]
            yield f"| `{where}` | {_kind(shape, schemas, name)} | {' '.join(has).strip()} |"
            if record and alike == where:
                yield from told(record, (*inside, name))

    return told(schema, ())


def _record(shape: Mapping[str, Any], schemas: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The record that a field holds, in a list or not, or may be null there."""
    shape = shape.get("items", shape)
    [shape, *_] = shape.get("oneOf", [shape])
    record: Mapping[str, Any] | None = schemas[shape["$ref"].rpartition("/")[2]] if "$ref" in shape else None
    return record if record is not None and "properties" in record else None


def _kind(shape: Mapping[str, Any], schemas: Mapping[str, Any], name: str = "", many: str = "") -> str:
    """The type of a field of this name in a few words; `many` is the ending of those that a list is of."""
    for union in ("oneOf", "anyOf"):
        if union in shape:
            return " or ".join(_kind(each, schemas, name, many) for each in shape[union])
    if "$ref" in shape:
        shape = schemas[shape["$ref"].rpartition("/")[2]]
        if "enum" not in shape:
            return f"record{many}"
        if len(shape["enum"]) > ENUM_MAX:
            return f"text{many} (`{shape['title']}`)"
    if "enum" in shape:
        return " ".join(f"`{json.dumps(each)}`" for each in shape["enum"])
    types = shape["type"] if isinstance(shape["type"], list) else [shape["type"]]
    return " or ".join(_one_type(each, shape, schemas, name, many) for each in types)


def _one_type(kind: str, shape: Mapping[str, Any], schemas: Mapping[str, Any], name: str, many: str) -> str:
    match kind:
        case "array":
            return f"list{many} of {_kind(shape['items'], schemas, name, 's')}" + (" by seat" if in_seat_order(shape) else "")
        case "integer" if is_seat(shape):
            return f"seat{many}"
        case "integer" if "minimum" in shape and "maximum" in shape:
            return f"{shape['minimum']} to {shape['maximum']}"
        case "integer":
            return f"number{many}" + (f" from {shape['minimum']}" if "minimum" in shape else "")
        case "string":
            return f"text{many}"
        case "boolean":
            return "`true` or `false`"
    return f"`{kind}`"


def _records(game: Mapping[str, Any], schemas: Mapping[str, Any], union: str, notes: Mapping[str, str]) -> Iterator[str]:
    for tag, reference in schemas[union]["discriminator"]["mapping"].items():
        if tag.startswith(f"{game['game']}."):
            schema, name = schemas[reference.rpartition("/")[2]], tag.partition(".")[2]
            words = game["labels"][f"{union.removeprefix('Match').lower()}.{name}"]
            fields = list(_fields(schema, schemas))
            head = ["", "| field | holds | |", "| --- | --- | --- |"] if fields else []
            told = [schema["description"], "", *([notes[tag], ""] if tag in notes else [])]
            said = [f'> "{words["en"]}" / « {words["fr"]} »']
            for field in schema["properties"]:
                if instead := game["labels"].get(f"event.{name}.{field}") if union == "MatchEvent" else None:
                    said += [">", f'> With `{field}`: "{instead["en"]}" / « {instead["fr"]} »']
            yield "\n".join([f"### `{tag}`", "", *told, *said, *head, *fields])


def _pieces(game: Mapping[str, Any]) -> Iterator[str]:
    """A line for each piece; one that is alike in several sets stands once."""
    lines = dict[str, list[str]]()
    for each in game["components"]:
        name, values = game["labels"][each["label"]], ", ".join(f"{what} {number}" for what, number in each["values"].items())
        line = f"| {each['count']} | {values} | {name['en']} / {name['fr']} |"
        lines.setdefault(f"| `{each['id']}` | {{sets}} {line}", []).append(f"`{each['set']}`")
    yield "| id | set | how many | worth | name |"
    yield "| --- | --- | --- | --- | --- |"
    for line, sets in lines.items():
        yield line.replace("{sets}", " ".join(sets))


def _words(game: Mapping[str, Any], refusals: Sequence[tuple[str, str]]) -> Iterator[str]:
    yield "| refusal | clause | sentence |"
    yield "| --- | --- | --- |"
    for code in sorted({code for code, _ in refusals}):
        clauses, label = ", ".join(sorted({clause for each, clause in refusals if each == code})), game["labels"][f"refusal.{code}"]
        yield f"| `{code}` | {clauses} | {label['en']} / {label['fr']} |"
    yield "\n| `result.reason` | |\n| --- | --- |"
    for key, label in game["labels"].items():
        if key.startswith("end."):
            yield f"| `{key.removeprefix('end.')}` | {label['en']} / {label['fr']} |"
    yield "| `resigned`, `abandoned`, `closed`, `expired`, `stopped` | the same in every game: see [clocks](../clocks.md) |"


def _match(notes: Mapping[str, str], pairs: Sequence[Pair]) -> Iterator[str]:
    yield (
        "How the requests and answers of a match look; the choices were drawn by lot. `…` stands for what is left out, moments are all"
        " one, and hashes are cut short. [The tutorial](../tutorial.md) plays a whole match in a minute, and"
        " `GET /v1/matches/{match_id}/record` tells one."
    )
    for pair in _excerpt(pairs):
        yield f"### {pair.who}: {_what(pair)}"
        if note := notes.get(_operation(pair)):
            yield note
        yield f"```http\n{pair.method} {pair.path}{_body(pair.body)}\n```"
        yield f"```json\n{laid_out(_shown(pair))}\n```"
    yield notes.get("record", "")


def _excerpt(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """How it begins, the first choice, what others are told of it, and the first choice of which more follows than the choice itself."""
    opened, *rest = pairs
    commands = [pair for pair in rest if _operation(pair) == "commands"]
    yield opened
    yield from [pair for pair in rest if _operation(pair) == "seats"][-1:]
    yield commands[0]
    yield from [pair for pair in rest if _operation(pair) == "events"][:1]
    yield from [pair for pair in commands[1:] if len(pair.answer["events"]) > 2][:1]


def _operation(pair: Pair) -> str:
    return pair.path.partition("?")[0].rpartition("/")[2]


def _what(pair: Pair) -> str:
    if _operation(pair) == "commands":
        return f"`{pair.body['command']['type']}`"
    return {"matches": "opens a match", "seats": "sits down", "events": "sees of it"}[_operation(pair)]


def _body(body: Any) -> str:
    return "" if body is None else f"\n\n{laid_out(body)}"


def _shown(pair: Pair) -> Any:
    """The answer: of a match only that it is open before there is a table, of a choice what may have changed in the view."""
    answer = dict(pair.answer)
    if "view" in answer:
        answer["view"] = {name: each for name, each in answer["view"].items() if name in MOVING} | {"…": "…"}
    elif _operation(pair) == "matches" and answer["table"] is None:
        answer = {name: answer[name] for name in ("match_id", "status", "version", "you")} | {"…": "…"}
    return answer


def laid_out(value: Any, indent: str = "", room: int = WIDE) -> str:
    """JSON in which what fits on a line stands on one."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= room or not isinstance(value, dict | list) or not value:
        return line
    deeper = indent + "  "
    if isinstance(value, dict):
        parts = [f"{json.dumps(name, ensure_ascii=False)}: {laid_out(each, deeper, room - len(name) - 4)}" for name, each in value.items()]
    else:
        parts = [laid_out(each, deeper, room) for each in value]
    inside = ",\n".join(deeper + part for part in parts)
    return f"{'{['[isinstance(value, list)]}\n{inside}\n{indent}{'}]'[isinstance(value, list)]}"
