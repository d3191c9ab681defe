"""The current speed of this machine, which makes absolute figures comparable."""

from __future__ import annotations

import os
import sys

from tests.bench.processes import processor_seconds

BARE_SECONDS = 0.010
"""What `python -c pass` took where the gates were set."""
ROUNDS = 8


def pace() -> float:
    """Return how many times slower this machine is than the one where the gates were set, but never less than 1."""
    bare = [sys.executable, "-c", "pass"]
    return max(min(processor_seconds(bare, dict(os.environ)) for _ in range(ROUNDS)) / BARE_SECONDS, 1.0)
