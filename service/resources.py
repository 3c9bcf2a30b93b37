"""Where the files lie that the house needs at run time and that are not Python."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def folder(name: str) -> Path:
    """The folder `name` (`migrations`, `openapi`, `docs` and others): inside the package once installed, beside it in a checkout.

    Raises `FileNotFoundError` when it is in neither place.
    """
    for place in (_PACKAGE / "_data" / name, _PACKAGE.parent / name):
        if place.is_dir():
            return place
    raise FileNotFoundError(f"The folder {name!r} is neither in {_PACKAGE / '_data'} nor in {_PACKAGE.parent}.")
