"""Who the embedded server runs as. PostgreSQL refuses to run as root, so root lends it another account."""

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service.cant_run import CantRun

DEFAULT_USER = "nobody"
"""On every system, owner of nothing, and with a name, which PostgreSQL insists on."""


@dataclass(frozen=True)
class Account:
    """An account of the operating system; `switch` says whether a process of ours must change to it."""

    name: str
    uid: int
    gid: int
    switch: bool

    def as_subprocess(self) -> dict[str, Any]:
        """The arguments that make `subprocess` run a program as this account, with none of our groups."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.switch else {}

    def can_enter(self, folder: Path) -> bool:
        """Whether this account can reach what lies in `folder`. Asked of the system, which also knows access lists."""
        asked = subprocess.run(["/bin/sh", "-c", 'test -x "$0"', folder], cwd="/", check=False, **self.as_subprocess())
        return asked.returncode == 0

    def make_private(self, folder: Path) -> None:
        """Make `folder`, open to this account alone. Raises `FileExistsError` when it is there."""
        folder.mkdir(mode=0o700)
        if self.switch:
            os.chown(folder, self.uid, self.gid)


def for_data(cluster: Path, user: str) -> Account:
    """The account that serves the data in `cluster`: its owner; where there is none yet, `user` if we are root, else ourselves.

    Raises `CantRun` when that account can't be used.
    """
    owner = cluster.stat().st_uid if cluster.exists() else None
    if os.geteuid() != 0:
        if owner not in (None, os.geteuid()):
            raise CantRun(f"The data in {cluster} belongs to another user (id {owner}). Set LUDICITUDE_DATA to a folder of your own.")
        return Account("", os.geteuid(), os.getegid(), switch=False)
    if owner == 0:
        raise CantRun(f"The data in {cluster} belongs to root, and PostgreSQL does not run as root. Give it to another user.")
    try:
        entry = pwd.getpwnam(user) if owner is None else pwd.getpwuid(owner)
    except KeyError:
        who = f"{user!r} (LUDICITUDE_POSTGRES_USER)" if owner is None else f"with id {owner}, owner of {cluster},"
        raise CantRun(f"The user {who} is not known on this machine, and PostgreSQL needs one that is.") from None
    if entry.pw_uid == 0:
        raise CantRun("PostgreSQL does not run as root. Set LUDICITUDE_POSTGRES_USER to another user.")
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid, switch=True)
