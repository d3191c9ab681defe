"""Settings from the environment."""

from __future__ import annotations

import os


def setting(name: str) -> str | None:
    """Return an environment variable of ours (`STATE_DIR`): HARNLITE_ goes before HARN_."""
    return os.environ.get("HARNLITE_" + name, os.environ.get("HARN_" + name))
