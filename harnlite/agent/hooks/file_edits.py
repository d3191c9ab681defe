"""The queue of file edits of a run, which the next agent loop reports to the hooks."""

from __future__ import annotations

from harnlite.reminders.hook_events import FILE_EDITED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.agent.sessions.session import Session
    from harnlite.runtime.tasks.execution import Execution

_KEY = "file_edits"
_MOST = 10_000


class FileEdits:
    """A queue of edits in chronological order; if it grows too long, the oldest edits are discarded."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: list[tuple[str, dict[str, object]]] = []

    def add(self, path: str, metadata: dict[str, object]) -> None:
        """Append an edit."""
        if len(self._waiting) >= 2 * _MOST:
            del self._waiting[:_MOST]
        self._waiting.append((path, metadata))

    @property
    def count(self) -> int:
        """Return the number of queued edits."""
        return len(self._waiting)

    def take(self) -> tuple[str, dict[str, object]]:
        """Remove and return the oldest edit."""
        return self._waiting.pop(0)


def queue_file_edit(run: Execution, path: str, metadata: Mapping[str, object] | None = None) -> None:
    """Queue an edit of a file; the path has to be resolved."""
    run.state(_KEY, FileEdits).add(path, dict(metadata or {}))


def flush_file_edits(run: Execution, session: Session) -> None:
    """Fire file_edited for all queued edits; an edit made by one of these hooks stays queued for the next call."""
    edits = run.peek(_KEY)
    if edits is None or not edits.count:
        return
    # The builtins that change files import this module, and most programs that call them register no hooks.
    from harnlite.agent.hooks.hook_registry import has_hooks
    from harnlite.agent.hooks.session_hooks import fire_session

    for _ in range(edits.count):
        path, metadata = edits.take()
        if has_hooks(run, FILE_EDITED):
            named = {"session": {"id": session.id}, "session_id": session.id}
            fire_session(run, session, FILE_EDITED, {**named, "path": path, "metadata": metadata})
