"""Sources that can be polled, so that a reader can wait for several of them at once."""

from __future__ import annotations

from harnlite.runtime.concurrency.channels import Channel
from harnlite.runtime.tasks.clock import waiting_time
from harnlite.runtime.tasks.task import Task
from harnlite.runtime.tasks.waiting import join
from harnlite.values.iteration import iterable_or_none

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Protocol

    from harnlite.runtime.tasks.execution import Execution

    class Source(Protocol):
        """A source of items that can be asked whether its next item is ready."""

        def prepare(self) -> bool:
            """Start reading the next item; return whether this call started the read."""

        def is_ready(self) -> bool:
            """Return whether `take` would return without waiting."""

        def take(self) -> object:
            """Return the next item, or END."""

        def watch(self, task: Task) -> None:
            """Wake a task when the source is ready."""

        def unwatch(self, task: Task) -> None:
            """Stop waking a task."""

        def close(self) -> None:
            """Stop reading."""


END = object()

_AT_HAND = frozenset({"list", "dict", "set", "string", "range"})
_READ_NAME = "stream read"


class _AtHand:
    """A source that never waits, such as a list."""

    __slots__ = ("_items",)

    def __init__(self, items: Iterator[object]) -> None:
        self._items = items

    def prepare(self) -> bool:
        return False

    def is_ready(self) -> bool:
        return True

    def take(self) -> object:
        return next(self._items, END)

    def watch(self, task: Task) -> None:
        pass

    def unwatch(self, task: Task) -> None:
        pass

    def close(self) -> None:
        pass


class _FromChannel:
    """A channel; it is ready if it has an item or is closed."""

    __slots__ = ("_channel",)

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def prepare(self) -> bool:
        return False

    def is_ready(self) -> bool:
        return bool(self._channel.items) or self._channel.closed

    def take(self) -> object:
        return self._channel.take() if self._channel.wait_for_item() else END

    def watch(self, task: Task) -> None:
        self._channel.receivers.add(task)

    def unwatch(self, task: Task) -> None:
        self._channel.receivers.remove(task)
        self._channel.settle()

    def close(self) -> None:
        pass


class _InTask:
    """A source that may wait, such as a generator; a separate task reads the next item."""

    __slots__ = ("_items", "_run", "_task")

    def __init__(self, run: Execution, items: Iterator[object]) -> None:
        self._run = run
        self._items = items
        self._task: Task | None = None

    def prepare(self) -> bool:
        if self._task is not None:
            return False
        self._begin()
        return True

    def _begin(self) -> Task:
        parent = self._run.task
        task = Task(parent.id, _READ_NAME, 0, parent.group_id or parent.id)
        self._run.scheduler.begin(task, next, self._items, END)
        self._task = task
        return task

    def is_ready(self) -> bool:
        return self._task is not None and self._task.done

    def take(self) -> object:
        task = self._task or self._begin()
        join(self._run, task)
        self._task = None
        return task.claim(self._run.write)

    def watch(self, task: Task) -> None:
        if self._task is not None:
            self._task.waiters.append(task)

    def unwatch(self, task: Task) -> None:
        if self._task is not None and task in self._task.waiters:
            self._task.waiters.remove(task)

    def close(self) -> None:
        if self._task is not None:
            self._run.scheduler.cancel(self._task)


def source_of(run: Execution, value: object) -> Source | None:
    """Return a source over a value, or None if it is not iterable."""
    if value.__class__ is Channel:
        return _FromChannel(value)
    items = iterable_or_none(value)
    if items is None:
        return None
    at_hand = value.__class__ in {list, dict, str} or getattr(value, "harn_type", "") in _AT_HAND
    return _AtHand(items) if at_hand else _InTask(run, items)


def first_ready(run: Execution, sources: Sequence[Source], until: float | None = None) -> int:
    """Wait until a source is ready; return the index of the first ready one, or -1 after the time limit."""
    if sum(source.prepare() for source in sources):
        run.scheduler.yield_now()
    me = run.task
    while True:
        for index, source in enumerate(sources):
            if source.is_ready():
                return index
        if until is not None and waiting_time() >= until:
            return -1
        for source in sources:
            source.watch(me)
        try:
            run.scheduler.wait(until)
        finally:
            for source in sources:
                source.unwatch(me)


def close_all(sources: Sequence[Source]) -> None:
    """Close all sources."""
    for source in sources:
        source.close()
