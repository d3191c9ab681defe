"""The log of hooks, for commands that show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.agent_hooks.calls.json_text import NotJson, read_object
from harnlite.agent_hooks.hook_log import OLD
from harnlite.agent_hooks.state_folder import log_file
from harnlite.regular_files import regular_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def entries(agent: str | None = None, *, path: str | None = None) -> list[dict[str, Any]]:
    """Return the entries of the log, oldest first; damaged lines are skipped.

    Each has `time`, `agent`, `session` (a digest), `event`, `native`, `ms` and `outcome`; `reminders` (what was said),
    `waiting` and `error` are there if they have something to tell.
    """
    chosen = path or log_file()
    found = [*_entries_in(chosen + OLD), *_entries_in(chosen)]
    return found if agent is None else [entry for entry in found if entry.get("agent") == agent]


def last_entry(agent: str) -> dict[str, Any] | None:
    """Return the newest entry of an agent, or None."""
    found = entries(agent)
    return found[-1] if found else None


def _entries_in(path: str) -> Iterator[dict[str, Any]]:
    try:
        with open(path, "rb", opener=regular_file) as file:
            lines = file.read().split(b"\n")
    except OSError:
        return
    for line in lines:
        try:
            yield read_object(line)
        except NotJson:
            continue
