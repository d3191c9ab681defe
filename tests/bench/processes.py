"""What a whole process costs in processor time, against a Python that does nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROUNDS = 15


def processor_seconds(command: list[str], environment: dict[str, str]) -> float:
    """Return the processor time of a command."""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime


def starts() -> tuple[float, float, float]:
    """Return the milliseconds that a cached and an uncached run take more than a bare Python, and the cached ratio."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "hello.harn")
        script.write_text('println("hello")\n')
        cached = {**os.environ, "XDG_CACHE_HOME": folder, "PYTHONPYCACHEPREFIX": str(Path(folder, "pyc"))}
        cached.pop("PYTHONDONTWRITEBYTECODE", None)
        uncached = {**cached, "HARNLITE_CACHE": "off"}
        installed = Path(sys.executable).with_name("harnlite")
        command = [str(installed)] if installed.exists() else [sys.executable, "-m", "harnlite"]
        run = [*command, "run", str(script)]
        bare = [sys.executable, "-c", "pass"]
        for environment in (cached, uncached):
            processor_seconds(run, environment)
        rounds = [
            (processor_seconds(bare, cached), processor_seconds(run, cached), processor_seconds(run, uncached))
            for _ in range(ROUNDS)
        ]
    nothing, quick, slow = (median(column) for column in zip(*rounds, strict=True))
    return (quick - nothing) * 1000, (slow - nothing) * 1000, quick / nothing
