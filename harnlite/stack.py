"""Run deeply recursive work on a thread with a large stack and a high recursion limit."""

from __future__ import annotations

import _thread
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

STACK_BYTES = 512 * 1024 * 1024
PYTHON_FRAMES = 120_000
_SIGNAL_SECONDS = 0.1
"""The longest delay of a signal that the system delivers just before the main thread waits, or to another thread.

Python runs handlers on the main thread only, and such a signal does not end the wait.
"""

_inside = _thread._local()  # noqa: SLF001 - `threading` would add a millisecond to the start-up time


class CallLimit:
    """The limit on nested calls: Python has one for all threads, so the highest request of any thread applies.

    Once no thread requests a limit, the original limit is restored.
    """

    __slots__ = ("_counts", "_lock", "_original", "_requested")

    def __init__(self) -> None:
        self._lock = _thread.allocate_lock()
        self._requested: dict[int, int] = {}
        self._counts: dict[int, int] = {}
        """How many threads request a limit. Many threads request few different ones."""
        self._original = 0

    def ask(self, limit: int | None) -> int | None:
        """Request a limit for this thread, or withdraw the request with None; return the thread's previous request."""
        thread = _thread.get_ident()
        with self._lock:
            if not self._requested:
                self._original = sys.getrecursionlimit()
            before = self._requested.pop(thread, None)
            if before is not None:
                self._counts[before] -= 1
                if not self._counts[before]:
                    del self._counts[before]
            if limit is not None:
                self._requested[thread] = limit
                self._counts[limit] = self._counts.get(limit, 0) + 1
            highest = max(self._counts, default=self._original)
            if highest != sys.getrecursionlimit():
                sys.setrecursionlimit(highest)
        return before


CALLS = CallLimit()
_STACK_SIZE = _thread.allocate_lock()
"""Held while a thread is started, because the stack size of new threads is a setting of the whole process."""


def has_large_stack() -> bool:
    """Return whether this thread has a stack for as many calls as the limit allows."""
    return getattr(_inside, "deep", False)


def on_large_stack(work: Callable[[], T], interrupted: Callable[[], None] | None = None) -> T:
    """Run work on a large stack and return its result; Ctrl-C in the meantime calls `interrupted`."""
    if has_large_stack():
        return work()
    outcome: list[T] = []
    failure: list[BaseException] = []
    finished = _thread.allocate_lock()
    finished.acquire()

    def body() -> None:
        try:
            outcome.append(within_large_stack(work))
        except BaseException as error:  # noqa: BLE001 - raised again in the waiting thread
            failure.append(error)
        finally:
            finished.release()

    start_thread(lambda: _thread.start_new_thread(body, ()))
    while True:
        try:
            # Not the lock tells the end: an exception may be raised just after it was acquired.
            while not (outcome or failure):
                wait_for(finished)
            break
        except KeyboardInterrupt:
            if interrupted is None:
                raise
            interrupted()
    if failure:
        raise failure[0]
    return outcome[0]


def wait_for(lock: LockType) -> None:
    """Acquire a lock that another thread releases, and run the handlers of signals meanwhile.

    A signal that arrives when this thread is about to wait does not interrupt the wait. Its handler runs after the
    wait, so a wait without an end would keep Ctrl-C from the program.
    """
    while not lock.acquire(True, _SIGNAL_SECONDS):  # noqa: FBT003 - positional only
        pass


def within_large_stack(work: Callable[[], T]) -> T:
    """Return the result of work on a thread that `start_thread` has started."""
    with _STACK_SIZE:
        pass  # the starter restores the size of stacks first: threads that the work starts would take it over
    _inside.deep = True
    CALLS.ask(PYTHON_FRAMES)
    try:
        return work()
    finally:
        CALLS.ask(None)


def start_thread(start: Callable[[], object]) -> None:
    """Call a function that starts a thread, which gets a large stack."""
    with _STACK_SIZE:
        previous = _thread.stack_size(STACK_BYTES)
        try:
            start()
        except RuntimeError:
            raise MemoryError from None  # the system has no memory for the stack
        finally:
            _thread.stack_size(previous)
