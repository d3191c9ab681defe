"""Subscriptions of a host to events, which are queued for iteration or passed to a callback on a thread."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import deque
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Self

from harnlite.host.host_errors import HostError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

MOST_BEHIND = 10_000


class Subscription:
    """A stream of events, consumed with `for` or `async for` or passed to a callback; `close` ends it.

    A subscription that falls 10,000 events behind ends with a HostError with the reason `lagged`.
    """

    __slots__ = ("_callback", "_changed", "_events", "_lock", "_on_close", "_waking", "closed", "error")

    def __init__(self, callback: Callable[[dict[str, object]], object] | None) -> None:
        self._callback = callback
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._events: deque[dict[str, object]] = deque()
        self._waking: list[Callable[[], None]] = []
        self._on_close: list[Callable[[], object]] = []
        self.closed = False
        self.error: HostError | None = None

    def on_close(self, callback: Callable[[], object]) -> None:
        """Register a callback that is called once when the subscription ends, or at once if it has already ended."""
        with self._lock:
            if not self.closed:
                self._on_close.append(callback)
                return
        callback()

    def put(self, event: dict[str, object]) -> bool:
        """Queue an event; return whether it is to be delivered to a callback."""
        with self._lock:
            if self.closed:
                return False
            if len(self._events) < MOST_BEHIND:
                self._events.append(event)
                self._wake()
                return self._callback is not None
            self.error = HostError("lagged", f"the subscription is {MOST_BEHIND:,} events behind")
        self.end()
        return False

    def deliver(self) -> None:
        """Pass the oldest event to the callback; raise HostError after the last event of a subscription that lagged."""
        with self._lock:
            if not self._events or self._callback is None:
                return
            event = self._events.popleft()
            error = None if self._events else self.error
        self._callback(event)
        if error is not None:
            raise error

    def close(self) -> None:
        """End the subscription; `for` still delivers the events in the queue, a callback gets none of them."""
        self.end()
        if self._callback is not None:
            with self._lock:
                self._events.clear()

    def end(self) -> None:
        """Accept no more events; those in the queue are still delivered."""
        with self._lock:
            if self.closed:
                return
            self.closed = True
            self._wake()
            callbacks, self._on_close = self._on_close, []
        for notify in callbacks:
            notify()

    def _wake(self) -> None:
        self._changed.notify_all()
        for wake in self._waking:
            wake()
        self._waking.clear()

    def _take(self) -> dict[str, object] | None:
        if self._events:
            return self._events.popleft()
        if self.error is not None:
            raise self.error
        return None

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> dict[str, object]:
        with self._changed:
            while True:
                event = self._take()
                if event is not None:
                    return event
                if self.closed:
                    raise StopIteration
                self._changed.wait()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> dict[str, object]:
        loop = asyncio.get_running_loop()
        while True:
            with self._lock:
                event = self._take()
                if event is not None:
                    return event
                if self.closed:
                    raise StopAsyncIteration
                waiting: asyncio.Future[None] = loop.create_future()
                self._waking.append(partial(_wake_up, loop, waiting))
            await waiting

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _wake_up(loop: asyncio.AbstractEventLoop, waiting: asyncio.Future[None]) -> None:
    def wake() -> None:
        if not waiting.done():
            waiting.set_result(None)

    with suppress(RuntimeError):  # raised if the loop is closed
        loop.call_soon_threadsafe(wake)


class Subscriptions:
    """All subscriptions of a host, and the thread that runs their callbacks one at a time, in the order of the events.

    The thread starts with the first event. An exception of a callback is reported on stderr.
    """

    __slots__ = ("_closed", "_lock", "_open", "_started", "_stderr", "_waiting")

    def __init__(self, stderr: TextIO | None = None) -> None:
        self._waiting: SimpleQueue[Subscription | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._open: dict[Subscription, None] = {}
        self._stderr = stderr
        self._started = self._closed = False

    def subscription(self, callback: Callable[[dict[str, object]], object] | None) -> Subscription:
        """Return a new subscription, which ends when all are closed; raise HostError if they are already closed."""
        made = Subscription(callback)
        with self._lock:
            if self._closed:
                raise HostError("closed", "the host is closed")
            self._open[made] = None
        made.on_close(lambda: self._open.pop(made, None))
        return made

    def send(self, subscription: Subscription, event: dict[str, object]) -> None:
        """Send an event to a subscription."""
        if not subscription.put(event):
            return
        with self._lock:
            starts, self._started = not self._started, True
        if starts:
            threading.Thread(target=self._work, name="harnlite-callbacks", daemon=True).start()
        self._waiting.put(subscription)

    def close(self) -> None:
        """End all subscriptions, and the thread after it has delivered all events."""
        with self._lock:
            self._closed = True
            ending = list(self._open)
        for subscription in ending:
            subscription.end()
        self._waiting.put(None)

    def _work(self) -> None:
        while True:
            subscription = self._waiting.get()
            if subscription is None:
                return
            try:
                subscription.deliver()
            except BaseException as error:  # noqa: BLE001 - a failing callback must not stop the thread
                text = f"[harn] error: a callback of a subscription failed: {type(error).__name__}: {error}\n"
                (self._stderr or sys.stderr).write(text)
