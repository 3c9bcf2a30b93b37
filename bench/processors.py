"""Who used the processors: seconds of user and system time, by process."""

import os
from contextlib import suppress
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")


def seconds_of(pid: int) -> float:
    """What this process and those of its children that have ended have used."""
    return sum(map(int, _stat(pid)[11:15])) / _TICK


def seconds_of_family(pid: int) -> float:
    """What this process and all its descendants have used."""
    used = 0.0
    for child in children(pid):
        with suppress(ProcessLookupError, FileNotFoundError):  # One that has just ended counts with its parent.
            used += seconds_of_family(child)
    return used + seconds_of(pid)


def children(pid: int) -> list[int]:
    """The living children of a process."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += [int(child) for child in (task / "children").read_text().split()]
    return [child for child in found if Path(f"/proc/{child}").exists()]


def resident_bytes(pid: int) -> int:
    """The memory that this process holds, shared pages included."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _stat(pid: int) -> list[str]:
    # The name of the program stands in brackets and may hold spaces.
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
