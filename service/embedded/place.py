"""Where everything of the embedded server lies.

    <folder>/lock         held by the process that owns the server; whoever finds it held is a guest
    <folder>/elsewhere    a link to the folder that holds what follows, if the server's account can't enter this one
    <home>/cluster/       the data of PostgreSQL
    <home>/server.log     what the server wrote
    <home>/socket/        where it listens, unless that path is too long for a socket
    <home>/binaries/      a copy of its programs, if the server's account can't reach the installed ones

No folder that somebody else made is ever opened to others.
"""

import contextlib
import hashlib
import os
import stat
import tempfile
from pathlib import Path

from service.cant_run import CantRun
from service.embedded.account import Account

PORT = 5432
"""Of the socket's name only; nothing listens on the network."""

_LONGEST_SOCKET_PATH = 103  # 107 bytes on Linux, 103 on macOS.
SHELTER = Path("/var/lib/ludicitude")  # Survives a restart of the machine, unlike the folder for temporary files.


def make_folder(folder: Path) -> None:
    """Make `folder` and its missing parents, so that others can pass through them; what was there stays as it is."""
    if not folder.is_dir():
        make_folder(folder.parent)
        with contextlib.suppress(FileExistsError):
            folder.mkdir()
            folder.chmod(0o711)


def known_home(folder: Path) -> Path:
    """Where the data of `folder` lies now. Raises `CantRun` when it was elsewhere and is gone."""
    link = folder / "elsewhere"
    if not link.is_symlink():
        return folder
    if not link.is_dir():
        raise CantRun(f"The data of {folder} was kept in {link.readlink()}, which is gone. Remove {link} to begin anew.")
    return link.resolve()


def reachable_home(folder: Path, account: Account) -> Path:
    """Where the data of `folder` lies, or shall: in a new folder below `SHELTER` if `account` can't enter this one.

    That happens to root with a checkout below a closed folder such as its own home.
    """
    home = known_home(folder)
    if home != folder or not account.switch or account.can_enter(folder):
        return home
    try:
        make_folder(SHELTER)
        home = Path(tempfile.mkdtemp(prefix="data-", dir=SHELTER))
        home.chmod(0o711)
        (folder / "elsewhere").symlink_to(home)
    except OSError as failed:
        raise CantRun(
            f"The user {account.name!r}, who runs PostgreSQL for root, can't enter {folder}, and no folder could be made below {SHELTER}"
            f" ({failed.strerror}). Set LUDICITUDE_DATA to a folder that this user can enter."
        ) from failed
    return home


def socket_folder(home: Path, account: Account) -> Path:
    """The folder that the server listens in, made if need be, closed to all but `account`: the socket asks no password."""
    folder = home / "socket"
    if len(os.fsencode(folder / f".s.PGSQL.{PORT}")) > _LONGEST_SOCKET_PATH or "," in str(folder):
        mark = hashlib.sha256(os.fsencode(home)).hexdigest()[:12]
        folder = Path(tempfile.gettempdir()) / f"ludicitude-{mark}"
    with contextlib.suppress(FileExistsError):
        account.make_private(folder)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != account.uid or stat.S_IMODE(found.st_mode) != 0o700:
        raise CantRun(f"{folder} should be a folder that only the user with id {account.uid} can enter. Remove what is there.")
    return folder
