"""`harnlite` in a process that reports its live memory: `SIGUSR1` writes the number of bytes to a file.

The resident memory of a process is of little use to a test: it includes garbage that was not collected yet, and the
free parts of the allocator. This process collects its garbage before it counts the bytes that are in use. Start it
with `PYTHONMALLOC=malloc`, so that the C library knows about the objects of Python, too.
"""

import ctypes
import gc
import os
import runpy
import signal

PATH_KEY = "HARNLITE_TESTS_LIVE_MEMORY"
"""The environment variable with the path of the file."""
FIELDS = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"


class Mallinfo(ctypes.Structure):
    """The `struct mallinfo2` of the GNU C library."""

    _fields_ = [(name, ctypes.c_size_t) for name in FIELDS.split()]


def live_bytes() -> int:
    """Return the bytes that this process has allocated and not freed."""
    gc.collect()
    count = ctypes.CDLL(None).mallinfo2
    count.restype = Mallinfo
    found = count()
    return int(found.uordblks + found.hblkhd)


def _report(_signal: int, _frame: object) -> None:
    path = os.environ[PATH_KEY]
    with open(f"{path}.new", "w", encoding="ascii") as file:
        file.write(str(live_bytes()))
    os.replace(f"{path}.new", path)


if __name__ == "__main__":
    signal.signal(signal.SIGUSR1, _report)
    runpy.run_module("harnlite", run_name="__main__", alter_sys=True)
