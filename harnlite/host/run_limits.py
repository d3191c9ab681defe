"""What ends a run that takes too long or writes too much."""

from __future__ import annotations

import _thread
import sys

from harnlite.stack import CALLS
from harnlite.values.errors import Interrupted
from harnlite.values.interrupts import BUILTINS, FLAG, TICK_SECONDS

UNCOUNTED_CALLS = sys.implementation.name == "cpython" and sys.version_info[:2] == (3, 13)

_SLACK = 60
"""What builtins and the runtime need on top of the calls of a script."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import TextIO, TypeVar

    from harnlite.runtime.tasks.execution import Execution

    T = TypeVar("T")


class Deadline:
    """Interrupts a run once its time is over."""

    __slots__ = ("_ended", "_passed")

    def __init__(self, seconds: float, run: Execution) -> None:
        self._passed = False
        self._ended = _thread.allocate_lock()
        self._ended.acquire()
        _thread.start_new_thread(self._wait, (seconds, run))

    def _wait(self, seconds: float, run: Execution) -> None:
        if not self._ended.acquire(timeout=seconds):
            self._passed = True
            run.interrupt()

    def stop(self) -> bool:
        """Stop watching; say whether the time was over before."""
        self._ended.release()
        return self._passed


class DepthTicker:
    """Makes running code call a plain function every few milliseconds.

    CPython 3.13 does not count the calls of functions that take any number of arguments, as all of ours do, but every
    other call notices that the limit is passed.
    """

    __slots__ = ("_ended",)

    def __init__(self) -> None:
        self._ended = _thread.allocate_lock()
        self._ended.acquire()
        _thread.start_new_thread(self._tick, ())

    def _tick(self) -> None:
        while not self._ended.acquire(timeout=TICK_SECONDS):
            BUILTINS[FLAG] = True

    def stop(self) -> None:
        """Stop ticking."""
        self._ended.release()


def within_depth(frames: int | None, work: Callable[[], T]) -> T:
    """Do work with at most this many nested calls, or with more if a run on another thread may have more."""
    if frames is None:
        return work()
    here: FrameType | None = sys._getframe()  # noqa: SLF001 - the only way to count the calls we are inside of
    depth = 0
    while here is not None:
        depth += 1
        here = here.f_back
    before = CALLS.ask(depth + frames + _SLACK)
    ticker = DepthTicker() if UNCOUNTED_CALLS else None
    try:
        return work()
    finally:
        CALLS.ask(before)
        if ticker is not None:
            ticker.stop()


class OutputLimit:
    """A text file that ends the run when it has written more characters than allowed."""

    __slots__ = ("_file", "_left", "exceeded")

    def __init__(self, file: TextIO | None, limit: int) -> None:
        self._file = file or sys.stdout
        self._left = limit
        self.exceeded = False

    def write(self, text: str) -> int:
        """Write what is still allowed."""
        self._file.write(text[: self._left])
        self._left -= len(text)
        if self._left < 0:
            self._left = 0
            self.exceeded = True
            raise Interrupted
        return len(text)

    def isatty(self) -> bool:
        """Say whether the file behind is a terminal."""
        return self._file.isatty()

    def flush(self) -> None:
        """Flush the file behind."""
        self._file.flush()
