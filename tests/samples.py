"""What of a large test runs in `make test`, and what in `make test-slow`, which sets HARNLITE_FULL.

A test marked `slow` runs in `make test-slow` alone; one marked `sampled` runs in both, there with its full numbers and
with real processes where `make test` forks (see `tests/commands.py`).
"""

import os
from collections.abc import Iterable
from typing import Any

import pytest

IS_FULL = "HARNLITE_FULL" in os.environ
sampled = pytest.mark.sampled
slow = pytest.mark.slow


def count(full: int, part: int) -> int:
    """Return how many examples to try: all of them, or a part in `make test`."""
    return full if IS_FULL else part


def thinned(values: Iterable[Any], step: int) -> list[Any]:
    """Return parameters of which `make test` takes each so many-th; the others are slow."""
    return [value if index % step == 0 else pytest.param(value, marks=slow) for index, value in enumerate(values)]
