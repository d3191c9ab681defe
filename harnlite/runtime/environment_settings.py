"""Settings from the environment."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution


def setting(name: str) -> str | None:
    """Return an environment variable of ours (`STATE_DIR`): HARNLITE_ goes before HARN_."""
    return os.environ.get("HARNLITE_" + name, os.environ.get("HARN_" + name))


class Settings:
    """The settings of a run; each is looked up once."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[str, str | None] = {}

    def __call__(self, name: str) -> str | None:
        """Return a setting as it was when the run first asked for it."""
        known = self._known
        if name not in known:
            known[name] = setting(name)
        return known[name]


def settings_of(run: Execution) -> Settings:
    """Return the settings of a run, for what asks often."""
    return run.state("settings", Settings)
