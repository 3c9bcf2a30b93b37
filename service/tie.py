"""Ends a process that this one has started together with this one, however this one ends."""

import ctypes
import signal
import sys
import threading
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1


def to_this_process() -> Callable[[], object] | None:
    """What makes the kernel interrupt the new process when this one is killed, or None where that can't be had.

    Give it to `subprocess.Popen` as `preexec_fn`. Linux alone can. It watches the thread that started the process, so only the
    main thread, which lives as long as the process, can be tied to.
    """
    if sys.platform != "linux" or threading.current_thread() is not threading.main_thread():
        return None
    prctl = ctypes.CDLL(None).prctl
    return lambda: prctl(_PR_SET_PDEATHSIG, signal.SIGINT)
