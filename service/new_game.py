"""`ludicitude new-game`: a room of its own for a new game, made from `template/`, which is the smallest whole game.

The template lies as its files will lie in the checkout, and is called `new-game` and New Game in each of them.
"""

import keyword
import re
from pathlib import Path

from service.cant_run import CantRun

_ROOT = Path(__file__).resolve().parent.parent
_TEMPLATE = _ROOT / "template"
_GAMES = Path("domain/games/__init__.py")

_NAME = re.compile(r"[a-z]+(-[a-z]+)*")
_NAME_MIN, _NAME_MAX, _TITLE_MAX = 3, 24, 30
_IMPORT = re.compile(r"^from domain\.games\.\w+ import GAME as \w+\n", re.MULTILINE)

_MADE = """\
{title} has its room: domain/games/{folder}, tests/games/{folder}, and a line in {games}.
It is a whole game already:

  make bless                   writes its transcript, its samples of events and the API document
  make test                    holds it to everything that is asked of a game
  .venv/bin/ludicitude play {name}

Now make it yours, one clause at a time: RULES.md, the scenario, the event, the rule, the view, the words.
CONTRIBUTING.md says how, under "Add a game".
"""


def new_game(name: str, title: str | None = None) -> str:
    """Make the game `name` (its key, such as `four-winds`), and say what comes next.

    `title` is what it is called on a screen; by default the words of its name. Raises `CantRun`, and makes nothing, when
    this is no checkout, or when the name or the title will not do.
    """
    if not (_TEMPLATE.is_dir() and (_ROOT / _GAMES).is_file()):
        raise CantRun("A new game is made in a checkout of Ludicitude, not where it is installed: clone the repository, and run it there.")
    folder = name.replace("-", "_")
    title = _fit_title(name.replace("-", " ").title() if title is None else title)
    _check_name(name, folder)
    games = (_ROOT / _GAMES).read_text("utf-8")
    if any(re.search(rf"\b{taken}\b", games) for taken in (folder.upper(), f"domain.games.{folder}")):
        raise CantRun(f"{_GAMES} has another use for the name {name!r}. Choose another name.")

    sources = [path for path in sorted(_TEMPLATE.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    made = {_ROOT / _called(path.relative_to(_TEMPLATE).as_posix(), name, title): path for path in sources}
    if there := next((target.parent for target in made if target.parent.exists()), None):
        raise CantRun(f"{there.relative_to(_ROOT)} is there already, and nothing is overwritten. Choose another name.")
    for target, source in made.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_called(source.read_text("utf-8"), name, title), "utf-8")
    (_ROOT / _GAMES).write_text(_with_line(games, f"from domain.games.{folder} import GAME as {folder.upper()}\n"), "utf-8")
    return _MADE.format(title=title, folder=folder, games=_GAMES, name=name)


def _check_name(name: str, folder: str) -> None:
    if not (_NAME.fullmatch(name) and _NAME_MIN <= len(name) <= _NAME_MAX):
        raise CantRun(f"{name!r} will not do: {_NAME_MIN} to {_NAME_MAX} small letters, words joined by a hyphen, such as four-winds.")
    if keyword.iskeyword(folder) or name == "match":
        raise CantRun(f"{name!r} will not do: the word means something else to Python, or in the API. Choose another name.")


def _fit_title(title: str) -> str:
    if not 1 <= len(title) <= _TITLE_MAX or not title.isprintable() or title != title.strip() or set(title) & set('"\\'):
        raise CantRun(f"The title {title!r} will not do: 1 to {_TITLE_MAX} characters without a backslash or double quotes.")
    return title


def _called(text: str, name: str, title: str) -> str:
    """A path or a text of the template, for this game."""
    return text.replace("new_game", name.replace("-", "_")).replace("new-game", name).replace("New Game", title)


def _with_line(games: str, line: str) -> str:
    """The list of games with one more, in the order of their folders."""
    lines = _IMPORT.findall(games)
    return games.replace("".join(lines), "".join(sorted([*lines, line])))
