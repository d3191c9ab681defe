"""Runs deep work: a thread with a large stack and a high recursion limit."""

from __future__ import annotations

import _thread
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

STACK_BYTES = 512 * 1024 * 1024
PYTHON_FRAMES = 120_000

_inside = _thread._local()  # noqa: SLF001 - `threading` would cost a millisecond at start


class CallLimit:
    """How many calls may be nested. Python has one limit for all threads: the highest that one of them has asked for.

    Once nobody asks for any, it is what it was before.
    """

    __slots__ = ("_asked", "_lock", "_usual")

    def __init__(self) -> None:
        self._lock = _thread.allocate_lock()
        self._asked: dict[int, int] = {}
        self._usual = 0

    def ask(self, limit: int | None) -> int | None:
        """Ask for a limit for what this thread does next, None for none; return what it has asked for before."""
        thread = _thread.get_ident()
        with self._lock:
            if not self._asked:
                self._usual = sys.getrecursionlimit()
            before = self._asked.pop(thread, None)
            if limit is not None:
                self._asked[thread] = limit
            sys.setrecursionlimit(max(self._asked.values(), default=self._usual))
        return before


CALLS = CallLimit()
_STACK_SIZE = _thread.allocate_lock()
"""Held while threads are started: how large their stacks become is a setting of the process."""


def on_large_stack(work: Callable[[], T], interrupted: Callable[[], None] | None = None) -> T:
    """Run work on a large stack and return its result; Ctrl-C meanwhile calls interrupted."""
    if getattr(_inside, "deep", False):
        return work()
    outcome: list[T] = []
    failure: list[BaseException] = []
    finished = _thread.allocate_lock()
    finished.acquire()

    def body() -> None:
        _inside.deep = True
        CALLS.ask(PYTHON_FRAMES)
        try:
            outcome.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            failure.append(error)
        finally:
            CALLS.ask(None)
            finished.release()

    _start(body)
    while True:
        try:
            finished.acquire()
            break
        except KeyboardInterrupt:
            if interrupted is None:
                raise
            interrupted()
    if failure:
        raise failure[0]
    return outcome[0]


def _start(body: Callable[[], None]) -> None:
    with _STACK_SIZE:
        previous = _thread.stack_size(STACK_BYTES)
        try:
            _thread.start_new_thread(body, ())
        finally:
            _thread.stack_size(previous)
