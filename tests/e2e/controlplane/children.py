"""Processes of the tests' own, which are gone when the tests are, however these end: a time-out, a signal, a crash."""

from __future__ import annotations

import ctypes
import signal
import sys

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
"""Loaded before any fork: a child must not load anything."""


def die_with_us() -> None:
    """For `preexec_fn`: the kernel ends the child with the thread that made it. Elsewhere than on Linux it may stay."""
    if LIBC is not None:
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
