"""The current speed of this machine, which makes absolute figures comparable, and what else it does."""

from __future__ import annotations

import os
import platform
import resource
import sys
import time
from pathlib import Path

from tests.bench.processes import processor_seconds

BARE_SECONDS = 0.010
"""What `python -c pass` took where the gates were set."""
ROUNDS = 8


def pace() -> float:
    """Return how many times slower this machine is than the one where the gates were set, but never less than 1."""
    bare = [sys.executable, "-c", "pass"]
    return max(min(processor_seconds(bare, dict(os.environ)) for _ in range(ROUNDS)) / BARE_SECONDS, 1.0)


def conditions() -> str:
    """Return a line about the machine."""
    load = os.getloadavg()[0]
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{python} on {platform.system()} {platform.machine()}, {os.cpu_count()} processors, load average {load:.1f}"


class Others:
    """The processor time that programs other than this one and its children take from now on; Linux only."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._busy, self._own = _busy_seconds(), _own_seconds()

    def share(self) -> float:
        """Return their share of all processors since the start, or 0 if the system does not tell."""
        passed = (time.monotonic() - self._start) * (os.cpu_count() or 1)
        used = _busy_seconds() - self._busy - (_own_seconds() - self._own)
        return max(used / passed, 0.0) if passed else 0.0


def _busy_seconds() -> float:
    try:
        first = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0]
    except OSError:
        return 0.0
    user, nice, system, _, _, *interrupts = map(int, first.split()[1:8])
    return (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")


def _own_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
