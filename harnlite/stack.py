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
        try:
            outcome.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            failure.append(error)
        finally:
            finished.release()

    if sys.getrecursionlimit() < PYTHON_FRAMES:
        sys.setrecursionlimit(PYTHON_FRAMES)
    previous = _thread.stack_size(STACK_BYTES)
    try:
        _thread.start_new_thread(body, ())
    finally:
        _thread.stack_size(previous)
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
