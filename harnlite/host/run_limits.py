"""The limits on the time, the nested calls, the output and the memory of a run."""

from __future__ import annotations

import _thread
import sys

from harnlite.capabilities.limit_table import OUTPUT
from harnlite.runtime.tasks.clock import waiting_time
from harnlite.stack import CALLS
from harnlite.values.errors import Interrupted, ScriptError
from harnlite.values.interrupts import BUILTINS, FLAG, TICK_SECONDS
from harnlite.values.limits import limit_text

UNCOUNTED_CALLS = sys.implementation.name == "cpython" and sys.version_info[:2] == (3, 13)

_SLACK = 60
"""The nested calls that builtins and the runtime need in addition to those of a script."""


RESERVE_BYTES = 64_000_000
"""Addresses, not memory in use, that a run without memory gives up so that its error can be reported."""
OWNS_PROCESS = "owns_process"
"""The key of the context of a run that is alone in its process."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO, TypeVar

    from harnlite.runtime.tasks.execution import Execution

    T = TypeVar("T")


class Deadline:
    """A timer that interrupts a run when its time limit expires, and then gives it the grace for its cleanup."""

    __slots__ = ("_ended", "_grace", "_passed")

    def __init__(self, seconds: float, grace: float, run: Execution) -> None:
        self._passed = False
        self._grace = grace
        run.ends_at = waiting_time() + seconds
        self._ended = _thread.allocate_lock()
        self._ended.acquire()
        _thread.start_new_thread(self._wait, (seconds, run))

    def _wait(self, seconds: float, run: Execution) -> None:
        if not self._ended.acquire(timeout=seconds):
            self._passed = True
            run.interrupt(self._grace)

    def stop(self) -> bool:
        """Stop the timer; return whether it has already expired."""
        self._ended.release()
        return self._passed


class DepthTicker:
    """A thread that makes the running code call a plain function every few milliseconds.

    CPython 3.13 does not count calls of functions with variable arguments, and all compiled functions have them. Any
    other call detects that the limit is exceeded.
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
    """Run some work with at most this many nested calls, or more if a run on another thread has a higher limit."""
    if frames is None:
        return work()
    before = CALLS.ask(_depth() + frames + _SLACK)
    ticker = DepthTicker() if UNCOUNTED_CALLS else None
    try:
        return work()
    finally:
        CALLS.ask(before)
        if ticker is not None:
            ticker.stop()


_usual = [0]
"""How deep the last run began; most begin as deep as the one before them."""


def _depth() -> int:
    """Return the number of active calls. Python creates an object for each of those that are looked at."""
    depth = _usual[0]
    try:
        here = sys._getframe(depth)  # noqa: SLF001 - the only way to count the active calls
    except ValueError:
        depth, here = 0, sys._getframe()  # noqa: SLF001 - as above
    while here.f_back is not None:
        depth, here = depth + 1, here.f_back
    _usual[0] = depth
    return depth


class Reserve:
    """The reserve of all runs of the process, which is kept while there are any, or threads on which they follow.

    A run without memory assigns `b""` to `memory`, which frees the reserve until the next run starts. A method for
    that would not do: binding and calling it take memory.
    """

    __slots__ = ("_lock", "_users", "memory")

    def __init__(self) -> None:
        self.memory = b""
        self._lock = _thread.allocate_lock()
        self._users = 0

    def __enter__(self) -> None:
        with self._lock:
            if not self.memory:
                self.memory = bytes(RESERVE_BYTES)
            self._users += 1

    def __exit__(self, *_: object) -> None:
        self.release()

    def keep(self) -> None:
        """Keep the reserve from run to run until `release` is called: making it takes as long as a part of a run."""
        with self._lock:
            self._users += 1

    def release(self) -> None:
        """Free the reserve if nothing else keeps it."""
        with self._lock:
            self._users -= 1
            if not self._users:
                self.memory = b""


RESERVE = Reserve()


class OutputLimit:
    """A text file that ends the run when more characters than allowed are written to it."""

    __slots__ = ("_file", "_left", "exceeded")

    def __init__(self, file: TextIO | None, limit: int) -> None:
        self._file = file or sys.stdout
        self._left = limit
        self.exceeded = False

    def write(self, text: str) -> int:
        """Write the text up to the limit, and end the run if the text exceeds it."""
        self._file.write(text[: self._left])
        self._left -= len(text)
        if self._left < 0:
            self._left = 0
            self.exceeded = True
            raise Interrupted
        return len(text)

    def isatty(self) -> bool:
        """Return whether the underlying file is a terminal."""
        return self._file.isatty()

    def flush(self) -> None:
        """Flush the underlying file."""
        self._file.flush()


class OutputBudget:
    """The bytes that a run may still write to its streams, all together."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left

    def wrap(self, file: TextIO) -> TextIO:
        """Return a text file that takes what is written from the budget."""
        return _BudgetedFile(file, self)  # type: ignore[return-value]  # only `write`, `flush` and `isatty` are used


class _BudgetedFile:
    """A text file that throws an error when the budget of its run is used up; a shorter text can still be written."""

    __slots__ = ("_budget", "_file")

    def __init__(self, file: TextIO, budget: OutputBudget) -> None:
        self._file = file
        self._budget = budget

    def write(self, text: str) -> int:
        size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        if size > self._budget.left:
            raise ScriptError(limit_text(OUTPUT))
        self._budget.left -= size
        return self._file.write(text)

    def isatty(self) -> bool:
        return self._file.isatty()

    def flush(self) -> None:
        self._file.flush()


def enforce(run: Execution) -> None:
    """Make a run that starts keep to the limits on its memory and its output."""
    limits = run.limits
    if limits.output_bytes is not None:
        run.wrap_output(OutputBudget(limits.output_bytes).wrap)
    if limits.max_memory is not None:
        from harnlite.host.memory_watch import watch_memory

        watch_memory(run, limits.max_memory, owns_process=OWNS_PROCESS in run.context)
