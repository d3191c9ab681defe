"""A task: its body, its output and its result."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextvars import Context
    from typing import ClassVar

    from greenlet import greenlet

    from harnlite.values.data_types import Display

ROOT_ID = "task_root"
SPAWN = "spawn"


class Task:
    """A concurrently running part of a script; in scripts, the handle that `await` takes."""

    __slots__ = (
        "_id",
        "abandoned",
        "args",
        "away",
        "blocking",
        "body",
        "cancelled",
        "context",
        "done",
        "error",
        "facts",
        "greenlet",
        "group_id",
        "kind",
        "number",
        "output",
        "parallels",
        "parent",
        "parent_id",
        "parked",
        "pending",
        "python_context",
        "serial",
        "spawns",
        "started",
        "taken",
        "value",
        "waiters",
        "watcher",
        "write",
    )
    harn_type: ClassVar[str] = "task_handle"

    def __init__(self, parent_id: str | None, kind: str, number: int, group_id: str | None) -> None:
        self._id: str | None = None
        self.parent_id = parent_id
        self.group_id = group_id
        self.kind = kind
        self.number = number
        self.serial = 0
        self.spawns = 0
        self.parallels = 0
        self.body: Callable[..., object] | None = None
        self.args: tuple[object, ...] = ()
        self.value: object = None
        self.error: BaseException | None = None
        self.pending: BaseException | None = None
        self.output: list[str] = []
        self.write: Callable[[str], object] = self.output.append
        self.context: dict[str, object] = {}
        self.facts: dict[str, object] = {}
        self.parent: Task | None = None
        self.greenlet: greenlet | None = None
        self.python_context: Context | None = None
        self.waiters: list[Task] = []
        self.watcher: Callable[[Task], object] | None = None
        self.parked = self.away = self.blocking = self.abandoned = self.started = self.done = self.taken = (
            self.cancelled
        ) = False

    @classmethod
    def main(cls, write: Callable[[str], object]) -> Task:
        """Create the task of the main program, which writes directly to the output of the run."""
        task = cls(None, "root", 0, None)
        task._id = ROOT_ID
        task.write = write
        task.started = True
        return task

    @property
    def id(self) -> str:
        """Return the id of the task, which is its path from the main program."""
        if self._id is None:
            below = f"{self.parent_id}:{SPAWN}" if self.kind == SPAWN else self.group_id
            self._id = f"{below}:{self.number}"
        return self._id

    def end(self) -> None:
        """Mark the task as done, and release everything that only a running task needs."""
        self.done = self.away = True
        self.body = self.greenlet = self.python_context = self.parent = None
        self.args = ()

    def harn_text(self, _display: Display) -> str:
        """Return `<task:vm_task_1>`, numbered within its parent."""
        return f"<task:vm_task_{self.number}>"

    def claim(self, write: Callable[[str], object]) -> object:
        """Write the output of the task, and return its value or raise its error; the task then releases all three."""
        if self.output:
            write("".join(self.output))
            self.output.clear()
        value, self.value = self.value, None
        if self.error is not None:
            error, self.error = self.error, None
            raise error
        return value
