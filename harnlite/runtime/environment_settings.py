"""Settings from environment variables."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution


def setting(name: str) -> str | None:
    """Return a setting such as `STATE_DIR`; `HARNLITE_STATE_DIR` takes precedence over `HARN_STATE_DIR`."""
    return os.environ.get("HARNLITE_" + name, os.environ.get("HARN_" + name))


class Settings:
    """The settings of a run; each is read only once."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[str, str | None] = {}

    def __call__(self, name: str) -> str | None:
        """Return a setting; its value is fixed by the first read."""
        known = self._known
        if name not in known:
            known[name] = setting(name)
        return known[name]


def settings_of(run: Execution) -> Settings:
    """Return the settings of a run, for code that reads settings often."""
    return run.state("settings", Settings)
