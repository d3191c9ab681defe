"""The memory of a run: how much this process uses, and the error of a run that uses more than it may."""

from __future__ import annotations

import gc
import os
import sys

from harnlite.capabilities.limit_table import MEMORY
from harnlite.values.errors import ScriptError
from harnlite.values.limits import limit_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


FINE, RAISE, END, FORCE = "fine", "raise", "end", "force"
MOST_ERRORS = 10
"""The number of errors after which a run ends if it does not get below its limit."""
MOST_UNHEEDED = 50
"""The number of looks after which a run ends if it raises no error, for example because it waits."""


_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 0


class OutOfMemory(ScriptError):
    """The error of a run that uses more memory than it may."""

    holds_memory = True


class MemoryGauge:
    """Measures the memory that a run uses in addition to the memory at its start.

    A thread calls `look`; the run itself raises the error. `has_ended_run` says that the run had to be stopped, because
    it went on to use more memory, or did not get below the limit in spite of several errors.
    """

    __slots__ = ("_base", "_errors", "_level", "_measure", "_unheeded", "has_ended_run", "is_exceeded", "limit")

    def __init__(self, limit: int) -> None:
        self._measure = _meter()
        self._base = self._measure()
        self._level = self._errors = self._unheeded = 0
        self.limit = limit
        self.is_exceeded = False
        self.has_ended_run = False

    def used(self) -> int:
        """Return the bytes in use."""
        return self._measure() - self._base

    def expect(self, count: int) -> None:
        """Raise an error if the memory does not suffice for that many more bytes."""
        if self.used() + count > self.limit:
            _release()
            used = self.used()
            if used + count > self.limit:
                self._note(used)
                raise OutOfMemory(limit_text(MEMORY))

    def poll(self) -> None:
        """Raise an error if a look has shown that too much memory is in use, and it still is."""
        if self.is_exceeded:
            self.is_exceeded = False
            self._unheeded = 0
            self.expect(0)

    def _note(self, used: int) -> None:
        """Note an error if it is about memory that is in use, not about an estimate."""
        if used > self.limit:
            self._errors += 1
            self._level = self._level or used

    def _is_deaf(self, used: int) -> bool:
        """Return whether the run does not raise the error, for example because it waits for a program."""
        return self._unheeded > MOST_UNHEEDED or (self._unheeded > 0 and used > self.limit * 3 // 2)

    def look(self) -> str:
        """Return what the run has to do now: nothing, to raise the error, to end, or to end without its cleanup."""
        used = self.used()
        if used <= self.limit:
            self._level = self._errors = self._unheeded = 0
            return FINE
        self._unheeded += self.is_exceeded
        self.is_exceeded = True
        more = used - self._level if self._level else 0
        if self.has_ended_run:
            return FORCE if more > self.limit // 2 else FINE
        if more > self.limit // 4 or self._errors >= MOST_ERRORS or self._is_deaf(used):
            self.has_ended_run = True
            return END
        return RAISE


def is_measurable() -> bool:
    """Return whether the memory of a process can be measured on this system."""
    return sys.platform in {"linux", "darwin"}


def _meter() -> Callable[[], int]:
    """Return a function that returns the resident memory of this process, in bytes."""
    if sys.platform == "darwin":
        return _mach_meter()
    return lambda: _pages(1)


def data_bytes() -> int:
    """Return the memory for data of this process that the system has granted, used or not; only on Linux."""
    return _pages(5)


def _pages(field: int) -> int:
    """Return a field of the table of this process's memory, in bytes."""
    file = os.open("/proc/self/statm", os.O_RDONLY)
    try:
        return int(os.read(file, 100).split()[field]) * _PAGE
    finally:
        os.close(file)


def _mach_meter() -> Callable[[], int]:
    """Return the meter for macOS: `task_info` of Mach with the flavour MACH_TASK_BASIC_INFO."""
    import ctypes

    flavour, words, resident = 20, 12, 1
    library = ctypes.CDLL("/usr/lib/libSystem.dylib")
    task = ctypes.c_uint32.in_dll(library, "mach_task_self_")

    def measure() -> int:
        found = (ctypes.c_uint64 * (words // 2))()
        count = ctypes.c_uint32(words)
        library.task_info(task, flavour, ctypes.byref(found), ctypes.byref(count))
        return int(found[resident])

    return measure


def _release() -> None:
    """Return unused memory to the system."""
    gc.collect()
    if sys.platform == "linux":
        import ctypes

        try:
            ctypes.CDLL(None).malloc_trim(0)
        except (AttributeError, OSError):
            return  # not the C library of GNU
