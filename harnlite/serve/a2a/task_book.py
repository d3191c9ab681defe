"""The tasks of the server: those in memory, and those that only the store has."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from harnlite.runtime.tasks.clock import iso_time_of_ms
from harnlite.serve.a2a.artifacts import TaskArtifacts
from harnlite.serve.a2a.live_task import LiveTask
from harnlite.serve.a2a.states import ACTIVE, FAILED
from harnlite.serve.a2a.times import now_ms
from harnlite.store.conversation_store import TaskRow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.store.conversation_store import ConversationStore

CAPACITY = 256
"""The number of tasks that are kept in memory although nothing happens in them."""
INTERRUPTION = "interrupted by a server restart"
_TRIES = 16


class TaskBook:
    """Finds tasks by their ids. At any time there is at most one object for a task."""

    def __init__(self, store: ConversationStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, LiveTask] = OrderedDict()
        self._all: WeakValueDictionary[str, LiveTask] = WeakValueDictionary()

    def in_memory(self, task_id: str) -> LiveTask | None:
        """Return a task that is in memory, without waiting for the store."""
        return self._all.get(task_id)

    def get(self, task_id: str) -> LiveTask | None:
        """Return a task, from the store if necessary."""
        found = self._all.get(task_id)
        if found is not None:
            return found
        row = self._store.task(task_id)
        if row is None:
            return None
        with self._lock:
            found = self._all.get(task_id)
            if found is None:
                found = self.restored(row)
                self._all[task_id] = found
                if found.is_settled:
                    self._keep(found)
        return found

    def add(self, task: LiveTask) -> bool:
        """Add a new task; return False if its id is taken."""
        if self._store.task(task.id) is not None:
            return False
        with self._lock:
            if task.id in self._all:
                return False
            self._all[task.id] = task
            self._keep(task)
        return True

    def remove(self, task: LiveTask) -> None:
        """Remove a task that was not accepted."""
        with self._lock:
            self._all.pop(task.id, None)
            self._kept.pop(task.id, None)

    def _keep(self, task: LiveTask) -> None:
        self._kept[task.id] = task
        for _ in range(_TRIES):
            if len(self._kept) <= CAPACITY:
                return
            oldest_id, oldest = self._kept.popitem(last=False)
            if oldest.is_busy:
                self._kept[oldest_id] = oldest

    def save(self, row: TaskRow) -> None:
        """Store a task."""
        self._store.save_task(row)

    def restored(self, row: TaskRow) -> LiveTask:
        """Return the task of a row of the store."""
        document = row.document
        task = document["task"]
        return LiveTask(
            row.id,
            row.context_id,
            self.save,
            made_by=document.get("madeBy", "1.0"),
            entry=document.get("entry"),
            status=task["status"],
            changed_ms=row.changed_ms,
            history=task.get("history"),
            artifacts=TaskArtifacts(task.get("artifacts"), document.get("turns", 0)),
            reminders=task.get("metadata", {}).get("harn", {}).get("reminders"),
        )

    def busy(self) -> list[LiveTask]:
        """Return the tasks in memory that run or wait, and those with subscribers."""
        with self._lock:
            return [task for task in self._kept.values() if task.is_busy]

    def fail_interrupted(self, message_id: Iterator[str]) -> int:
        """Fail the tasks that a server which no longer lives has left running; return their number."""
        count = 0
        after: tuple[int, str] | None = None
        while rows := self._store.tasks(states=ACTIVE, after=after, limit=100):
            after = rows[-1].changed_ms, rows[-1].id
            for row in rows:
                if self._store.claim(row.context_id):
                    try:
                        self._fail(row, next(message_id))
                    finally:
                        self._store.release(row.context_id)
                    count += 1
        return count

    def _fail(self, row: TaskRow, message_id: str) -> None:
        changed_ms = max(now_ms(), row.changed_ms)
        message = agent_message(row.id, row.context_id, message_id, [{"text": INTERRUPTION}])
        status = {"state": FAILED, "timestamp": iso_time_of_ms(changed_ms), "message": message}
        document = {**row.document, "task": {**row.document["task"], "status": status}}
        self.save(TaskRow(row.id, row.context_id, FAILED, changed_ms, document))


def agent_message(task_id: str, context_id: str, message_id: str, parts: list[dict[str, object]]) -> dict[str, object]:
    """Return a message of the agent."""
    ids = {"taskId": task_id, "contextId": context_id}
    return {"messageId": message_id, "role": "ROLE_AGENT", "parts": parts, **ids}
