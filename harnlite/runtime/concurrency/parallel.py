"""The parallel forms: they run one body for many items, each in its own task."""

from __future__ import annotations

from harnlite.runtime.tasks.generators import Generator
from harnlite.runtime.tasks.task import Task
from harnlite.runtime.tasks.task_errors import uncaught_text
from harnlite.values.data_types import err, ok, type_name
from harnlite.values.errors import type_error
from harnlite.values.interrupts import BUILTINS, FLAG
from harnlite.values.iteration import iterate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Iterable
    from collections.abc import Generator as Generation

    from harnlite.runtime.tasks.execution import Execution

    Body = Callable[..., object]
else:
    from _collections import deque

COUNT, EACH, STREAM, SETTLE = "parallel", "parallel_each", "parallel_each_stream", "parallel_settle"
RACE = "parallel_race"

_NAMES = {
    COUNT: "parallel",
    EACH: "parallel each",
    STREAM: "parallel each as stream",
    SETTLE: "parallel settle",
    RACE: RACE,
}


class Group:
    """The tasks of one parallel form."""

    __slots__ = ("_active", "_form", "_id", "_left", "_parent", "_run", "_waiting", "ended", "tasks")

    def __init__(self, run: Execution, form: str) -> None:
        parent = run.task
        parent.parallels += 1
        self._run = run
        self._parent = parent
        self._form = form
        self._id = f"{parent.id}:{form}:{parent.parallels}"
        self._active = 0
        self._waiting: Task | None = None
        self._left: Callable[[], object] | None = None
        self.tasks: list[Task] = []
        self.ended: deque[Task] = deque()

    def start(self, body: Body, item: object) -> None:
        """Start a task that runs the body for an item."""
        task = Task(self._parent.id, _NAMES[self._form], len(self.tasks), self._id)
        task.watcher = self._note_end
        recorder = self._run.peek("tracing")
        if recorder is not None:
            recorder.inherit(task, self._parent)
        # A task that the scheduler refuses does not belong to the group: it never ends.
        self._run.scheduler.begin(task, body, item, parent=self._parent)
        self.tasks.append(task)
        self._active += 1

    def _note_end(self, task: Task) -> None:
        self._active -= 1
        self.ended.append(task)
        if self._left is not None:
            self._left()
        if self._waiting is not None:
            self._run.scheduler.wake(self._waiting)

    def start_as_others_end(self, body: Body, items: Iterable[object], limit: int) -> None:
        """Start the body for all items, with at most `limit` tasks running at a time; do not wait for them."""
        left = iter(items)

        def start_next() -> bool:
            for item in left:
                self.start(body, item)
                return True
            return False

        while start_next():
            if self._active == limit:
                self._left = start_next
                return

    def wait_until_below(self, limit: int) -> None:
        """Wait until fewer than `limit` tasks are running."""
        self._waiting = self._run.task
        while self._active >= limit:
            self._run.scheduler.park()
        self._waiting = None

    def next_ended(self) -> Task | None:
        """Wait for the next task to end and return it, or None if all have been returned."""
        self._waiting = self._run.task
        while not self.ended and self._active:
            self._run.scheduler.wait()
        self._waiting = None
        return self.ended.popleft() if self.ended else None

    def cancel(self) -> None:
        """Cancel the running tasks, and start no more."""
        self._left = None
        for task in self.tasks:
            self._run.scheduler.cancel(task)

    def run_all(self, items: Iterable[object], body: Body, limit: int) -> None:
        """Run the body for all items, at most `limit` at a time (0: all), and write the output in item order."""
        try:
            known = BUILTINS
            for item in items:
                if known[FLAG]:
                    # Bodies may be too short to poll.
                    self._run.poll_entry()
                self.start(body, item)
                if limit > 0:
                    self.wait_until_below(limit)
            self.wait_until_below(1)
        except BaseException:
            self.cancel()
            self.wait_until_below(1)
            raise
        finally:
            for task in self.tasks:
                if task.output:
                    self._run.write("".join(task.output))

    def values(self) -> list[object]:
        """Return the values in the order of the items, or raise the first error in that order."""
        error = next((task.error for task in self.tasks if task.error is not None), None)
        if error is not None:
            for task in self.tasks:
                task.error = None
            raise error
        return [task.value for task in self.tasks]


def _limit_of(limit: object) -> int:
    if limit.__class__ is not int:
        raise type_error(f"parallel max_concurrent must be an int; got {type_name(limit)}")
    return limit


def parallel_count(run: Execution, count: object, body: Body, limit: object = 0) -> list[object]:
    """Run `parallel n { i -> … }`; a limit of 0 means no limit."""
    most = _limit_of(limit)
    numbers = range(count) if count.__class__ is int else ()
    recorder = run.peek("tracing")
    span = recorder and recorder.begin("parallel", "parallel", run.task)
    group = Group(run, COUNT)
    try:
        group.run_all(numbers, body, most)
    finally:
        if span:
            recorder.end(span)
    return group.values()


def parallel_each(run: Execution, items: object, body: Body, limit: object = 0) -> list[object]:
    """Run `parallel each xs { x -> … }`."""
    most = _limit_of(limit)
    group = Group(run, EACH)
    group.run_all(iterate(items), body, most)
    return group.values()


def parallel_settle(run: Execution, items: object, body: Body, limit: object = 0) -> dict[str, object]:
    """Run `parallel settle xs { x -> … }`."""
    most = _limit_of(limit)
    group = Group(run, SETTLE)
    group.run_all(iterate(items), body, most)
    results: list[object] = [
        ok(task.value) if task.error is None else err(uncaught_text(task.error)) for task in group.tasks
    ]
    failed = sum(task.error is not None for task in group.tasks)
    return {"results": results, "succeeded": len(results) - failed, "failed": failed}


def parallel_stream(run: Execution, items: object, body: Body, limit: object = 0) -> Generator:
    """Run `parallel each xs { x -> … } as stream`."""
    group = Group(run, STREAM)
    group.start_as_others_end(body, list(iterate(items)), _limit_of(limit))
    return Generator(_read(run, group), True, run)  # noqa: FBT003 - positional, as in compiled code


def _read(run: Execution, group: Group) -> Generation[object, None, None]:
    try:
        while (task := group.next_ended()) is not None:
            yield task.claim(run.write)
    finally:
        group.cancel()
