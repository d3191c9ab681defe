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


class OutOfMemory(ScriptError):
    """The error of a run that uses more memory than it may."""

    holds_memory = True


class MemoryGauge:
    """Measures the memory that a run uses in addition to the memory at its start.

    A thread sets `is_exceeded`; the run itself raises the error. `has_ended_run` says that the run had to be stopped.
    """

    __slots__ = ("_base", "_measure", "has_ended_run", "is_exceeded", "limit")

    def __init__(self, limit: int) -> None:
        self._measure = _meter()
        self._base = self._measure()
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
            if self.used() + count > self.limit:
                raise OutOfMemory(limit_text(MEMORY))

    def poll(self) -> None:
        """Raise an error if a look has shown that too much memory is in use, and it still is."""
        if self.is_exceeded:
            self.expect(0)
            self.is_exceeded = False


def is_measurable() -> bool:
    """Return whether the memory of a process can be measured on this system."""
    return sys.platform in {"linux", "darwin"}


def _meter() -> Callable[[], int]:
    """Return a function that returns the resident memory of this process, in bytes."""
    if sys.platform == "darwin":
        return _mach_meter()
    page = os.sysconf("SC_PAGE_SIZE")

    def measure() -> int:
        file = os.open("/proc/self/statm", os.O_RDONLY)
        try:
            return int(os.read(file, 100).split()[1]) * page
        finally:
            os.close(file)

    return measure


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
