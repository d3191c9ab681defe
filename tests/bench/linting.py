"""The time to lint a project, relative to the time to parse it, and to the time to compile one of Python."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from harnlite.diagnostics.source_files import read_source
from harnlite.host.linting import Wishes, lint_files
from harnlite.stack import on_large_stack
from harnlite.syntax.parser import parse
from tests.bench.front_end import PIECE, TWIN
from tests.bench.processes import processor_seconds

PIECES = 4
"""So many pieces have a hundred lines."""


def linting_ratio(files: int = 1000, rounds: int = 3) -> float:
    """Return the time to lint files, none of them known, over the time to read and parse them in one process."""
    before = os.environ.get("HARNLITE_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder, f"file_{number:04}.harn")) for number in range(files)]
        for number, path in enumerate(paths):
            pieces = [PIECE.format(i=number * PIECES + i) for i in range(PIECES)]
            Path(path).write_text("".join(pieces), encoding="utf-8")
        try:
            return _best(paths, rounds, folder)
        finally:
            os.environ.pop("HARNLITE_CACHE")
            if before is not None:
                os.environ["HARNLITE_CACHE"] = before


def compiling_ratios(files: int = 1000, rounds: int = 3) -> dict[str, float]:
    """Return the time of `harnlite lint` without a cache over that of Python's `compileall`, which has one process.

    Only the processor time is comparable while the machine has other work.
    """
    environment = {**os.environ, "HARNLITE_CACHE": "off"}
    linting = [sys.executable, "-m", "harnlite", "lint", "--isolated", "harn"]
    compiling = [sys.executable, "-m", "compileall", "-q", "-f", "python"]
    with tempfile.TemporaryDirectory() as folder:
        for name, suffix, piece in (("harn", "harn", PIECE), ("python", "py", TWIN)):
            Path(folder, name).mkdir()
            for number in range(files):
                text = "".join(piece.format(i=number * PIECES + i) for i in range(PIECES))
                Path(folder, name, f"file_{number:04}.{suffix}").write_text(text, encoding="utf-8")
        commands = (linting, compiling)
        rows = [[figure for one in commands for figure in _spent(one, environment, folder)] for _ in range(rounds)]
    linted, linted_cpu, compiled, compiled_cpu = map(min, zip(*rows, strict=True))
    return {"lint / compileall": linted / compiled, "lint / compileall, processor time": linted_cpu / compiled_cpu}


def _spent(command: list[str], environment: dict[str, str], folder: str) -> tuple[float, float]:
    """Return the time that a command takes, and the processor time of all its processes."""
    start = time.perf_counter()
    processor = processor_seconds(command, environment, folder)
    return time.perf_counter() - start, processor


def _best(paths: list[str], rounds: int, folder: str) -> float:
    parsing = linting = float("inf")
    for number in range(rounds):
        os.environ["HARNLITE_CACHE"] = str(Path(folder, f"cache_{number}"))
        start = time.perf_counter()
        on_large_stack(lambda: [parse(read_source(path)) for path in paths])
        parsed = time.perf_counter()
        lint_files(Wishes(), paths)
        parsing = min(parsing, parsed - start)
        linting = min(linting, time.perf_counter() - parsed)
    return linting / parsing
