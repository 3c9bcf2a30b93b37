"""The service as it is shipped, in processes of its own, on a database of the bench's own server."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from bench.processors import seconds_of_family


class Served(msgspec.Struct, frozen=True):
    """A running service, and where it answers."""

    process: "subprocess.Popen[str]"
    host: str
    port: int

    @property
    def seconds(self) -> float:
        """The processor seconds that it has used."""
        return seconds_of_family(self.process.pid)


@contextmanager
def served(database_url: str, folder: Path, *arguments: str, **environment: str) -> Iterator[Served]:
    """`ludicitude serve` until the end of the block, which begins when it says that it is ready."""
    given = os.environ | {"DATABASE_URL": database_url, "HOST": "127.0.0.1", "PORT": "0", "LUDICITUDE_ADDRESS_ACCOUNTS": "1000000"}
    given |= environment
    with (folder / "service.log").open("ab") as said:
        command = [sys.executable, "-m", "service", "serve", *arguments]
        process = subprocess.Popen(command, env=given, stdout=subprocess.PIPE, stderr=said, text=True, cwd=Path(__file__).parents[1])
        try:
            yield Served(process, "127.0.0.1", _port(process))
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=30)


def _port(process: "subprocess.Popen[str]") -> int:
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"http://[^:]+:(\d+)", line):
            return int(found[1])
    raise RuntimeError(f"the service ended before it was ready: exit code {process.wait()}")
