"""Channels: bounded queues between tasks."""

from __future__ import annotations

from harnlite.runtime.tasks.clock import waiting_time
from harnlite.runtime.tasks.waiting import WaitList, end_of, seconds_of
from harnlite.values.data_types import type_name
from harnlite.values.errors import type_error
from harnlite.values.iterators import iter_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Iterator, Sequence
    from typing import ClassVar

    from harnlite.runtime.tasks.execution import Execution
    from harnlite.values.data_types import Display
else:
    from _collections import deque

DEFAULT_CAPACITY = 256


class Channel:
    """A bounded queue that several tasks may send to and receive from.

    A woken task checks again whether it can go on. Every task that sends, receives or stops waiting calls `settle`,
    so a wake-up is not lost if the woken task no longer waits.
    """

    __slots__ = ("_run", "_senders", "capacity", "closed", "items", "name", "receivers")
    harn_type: ClassVar[str] = "channel"

    def __init__(self, run: Execution, name: str, capacity: int = DEFAULT_CAPACITY) -> None:
        self._run = run
        self._senders = WaitList()
        self.receivers = WaitList()
        self.items: deque[object] = deque()
        self.name = name
        self.capacity = max(capacity, 1)
        self.closed = False

    def harn_text(self, _display: Display) -> str:
        """Return `<channel:name>`."""
        return f"<channel:{self.name}>"

    def harn_iterate(self) -> Iterator[object]:
        """Yield the received values until the channel is closed and drained."""
        while self.wait_for_item():
            yield self.take()

    def iter(self, *_: object) -> object:
        """Return a lazy iter over the received values; it ends when the channel is closed and drained."""
        return iter_of(self)

    def send(self, value: object) -> bool:
        """Send a value, waiting while the channel is full; return False if the channel is closed."""
        while not self.closed and len(self.items) >= self.capacity:
            self._wait(self._senders)
        if self.closed:
            return False
        self.items.append(value)
        self.settle()
        return True

    def wait_for_item(self) -> bool:
        """Wait until there is an item; return False if the channel is closed and drained."""
        while not self.items:
            if self.closed:
                return False
            self._wait(self.receivers)
        return True

    def take(self) -> object:
        """Remove and return the first item."""
        value = self.items.popleft()
        self.settle()
        return value

    def close(self) -> None:
        """Accept no more values, and wake all waiting tasks."""
        self.closed = True
        self._senders.wake_all(self._run)
        self.receivers.wake_all(self._run)

    def settle(self) -> None:
        """Wake one receiver if there is an item, and one sender if there is space."""
        if self.items and self.receivers:
            self.receivers.wake_one(self._run)
        if self._senders and len(self.items) < self.capacity:
            self._senders.wake_one(self._run)

    def _wait(self, place: WaitList) -> None:
        try:
            place.wait(self._run)
        except BaseException:
            self.settle()
            raise

    harn_methods: ClassVar[dict[str, object]] = {"iter": iter}  # noqa: A003 - the method above


def wait_for_any(run: Execution, channels: Sequence[Channel], until: float | None) -> int:
    """Wait until a channel has an item; return the index of the first such channel, or -1 after the time limit."""
    while True:
        for index, channel in enumerate(channels):
            if channel.items:
                return index
        if until is not None and waiting_time() >= until:
            return -1
        me = run.task
        for channel in channels:
            channel.receivers.add(me)
        try:
            run.scheduler.wait(until)
        except BaseException:
            for channel in channels:
                channel.receivers.remove(me)
                channel.settle()
            raise
        for channel in channels:
            channel.receivers.remove(me)


def receive_any(run: Execution, channels: Sequence[Channel], until: float | None) -> tuple[int, object]:
    """Receive from the first channel that has an item; the index is -1 after the time limit."""
    index = wait_for_any(run, channels, until)
    if index < 0:
        return index, None
    value = channels[index].take()
    for channel in channels:
        channel.settle()
    return index, value


def select(
    run: Execution,
    channels: Sequence[object],
    timeout: object = None,
    has_default: bool = False,  # noqa: FBT001, FBT002 - compiled code calls by position
) -> tuple[int, object]:
    """Run the wait of `select`: return the index of the arm and its value, or -1 for `timeout` and `default`."""
    usable: list[Channel] = []
    for channel in channels:
        if channel.__class__ is not Channel:
            raise type_error(f"select: expected channel, got {type_name(channel)}")
        usable.append(channel)
    return receive_any(run, usable, waiting_time() if has_default else end_of(seconds_of(timeout)))
