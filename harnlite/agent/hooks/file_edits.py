"""Files that a run has changed, until the next loop tells its hooks of them."""

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
    """Edits in the order in which they were made; what no loop takes for long is forgotten, oldest first."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: list[tuple[str, dict[str, object]]] = []

    def add(self, path: str, metadata: dict[str, object]) -> None:
        """Put an edit at the end."""
        if len(self._waiting) >= 2 * _MOST:
            del self._waiting[:_MOST]
        self._waiting.append((path, metadata))

    @property
    def count(self) -> int:
        """Return how many edits wait."""
        return len(self._waiting)

    def take(self) -> tuple[str, dict[str, object]]:
        """Take the oldest edit out."""
        return self._waiting.pop(0)


def queue_file_edit(run: Execution, path: str, metadata: Mapping[str, object] | None = None) -> None:
    """Remember that a file was changed; a resolved path."""
    run.state(_KEY, FileEdits).add(path, dict(metadata or {}))


def flush_file_edits(run: Execution, session: Session) -> None:
    """Tell the hooks for file_edited of all edits that wait; one that a hook makes waits for the next time."""
    edits = run.peek(_KEY)
    if edits is None or not edits.count:
        return
    # The builtins that change files load this module, and most programs that call them have no hooks.
    from harnlite.agent.hooks.hook_registry import has_hooks
    from harnlite.agent.hooks.session_hooks import fire_session

    for _ in range(edits.count):
        path, metadata = edits.take()
        if has_hooks(run, FILE_EDITED):
            named = {"session": {"id": session.id}, "session_id": session.id}
            fire_session(run, session, FILE_EDITED, {**named, "path": path, "metadata": metadata})
