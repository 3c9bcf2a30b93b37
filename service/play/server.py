"""The server to play on when none is named: the local one if it runs, or else one for the length of the play."""

import contextlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from service import settings, tie
from service.cant_run import CantRun
from service.play.api import Api

_PATIENCE_SECONDS = 10
_ROOT = Path(__file__).resolve().parents[2]
_READY = re.compile(r"^Ludicitude is ready +(\S+)$", re.MULTILINE)


@contextlib.contextmanager
def local_server(environment: Mapping[str, str]) -> Iterator[str]:
    """The address of the server at HOST and PORT of this environment if it answers, or of one that ends with the block.

    That one has the same data, and any port that is free. Raises `CantRun` when it does not start.
    """
    chosen = settings.read(environment)
    host = "localhost" if chosen.host in ("0.0.0.0", "::") else chosen.host  # noqa: S104 - it is compared, not bound.
    running = f"http://{f'[{host}]' if ':' in host else host}:{chosen.port}"
    if chosen.port and Api(running).answers():
        yield running
    else:
        print("Starting a server to play on...", file=sys.stderr)
        with _started(environment) as address:
            yield address


@contextlib.contextmanager
def _started(environment: Mapping[str, str]) -> Iterator[str]:
    # Python is told where this package lies, and not to look for another one in the folder that it is started in.
    paths = os.pathsep.join(filter(None, [str(_ROOT), environment.get("PYTHONPATH", "")]))
    own = {"PYTHONPATH": paths, "HOST": "127.0.0.1", "PORT": "0", "LUDICITUDE_LOG_LEVEL": "error", "LUDICITUDE_LOG_FORMAT": "text"}
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "service", "serve"],
            env={**environment, **own},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,  # Ctrl-C reaches us alone, and we end the server when we have left the table.
            preexec_fn=tie.to_this_process(),
        )
        try:
            address = _address(process)
            if not address:
                errors.seek(0)
                raise CantRun(f"A server to play on did not start:\n{errors.read().removeprefix('ludicitude: ').strip()}")
            yield address
        finally:
            process.terminate()
            try:
                process.wait(_PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()  # PostgreSQL ends with it, and loses nothing.
                process.wait()
            assert process.stdout is not None
            process.stdout.close()


def _address(process: "subprocess.Popen[str]") -> str:
    """Where the server says that it is ready; empty when it ends before."""
    assert process.stdout is not None
    for line in process.stdout:
        if found := _READY.match(line):
            return found[1]
    return ""
