"""The time to lint a project, relative to the time to parse it."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from harnlite.diagnostics.source_files import read_source
from harnlite.host.linting import Wishes, lint_files
from harnlite.stack import on_large_stack
from harnlite.syntax.parser import parse
from tests.bench.front_end import PIECE

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
