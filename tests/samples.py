"""The marks that decide which tests run in `make test` and which in `make test-slow`, which sets HARNLITE_FULL.

A test marked `slow` runs only in `make test-slow`. A test marked `sampled` runs in both: in `make test-slow` with all
of its examples, and with real processes where `make test` forks (see `tests/commands.py`).
"""

import os
from collections.abc import Iterable
from typing import Any

import pytest

IS_FULL = "HARNLITE_FULL" in os.environ
sampled = pytest.mark.sampled
slow = pytest.mark.slow


def count(full: int, part: int) -> int:
    """Return the number of examples to try: all of them, or only a part in `make test`."""
    return full if IS_FULL else part


def thinned(values: Iterable[Any], step: int) -> list[Any]:
    """Return the parameters, of which `make test` runs one in `step`; the others are marked slow."""
    return [value if index % step == 0 else pytest.param(value, marks=slow) for index, value in enumerate(values)]
