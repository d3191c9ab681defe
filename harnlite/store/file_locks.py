"""Locks that allow only one process at a time to change a file or a folder."""

from __future__ import annotations

import os


class Alone:
    """A context manager that locks a file against other processes, if the system supports it."""

    __slots__ = ("_file",)

    def __init__(self, file: int) -> None:
        self._file = file

    def __enter__(self) -> None:
        _lock(self._file, "LOCK_EX")

    def __exit__(self, *_: object) -> None:
        _lock(self._file, "LOCK_UN")


class AloneIn:
    """A context manager that locks a folder against other processes. It has an effect on POSIX only."""

    __slots__ = ("_file", "_folder")

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._file: int | None = None

    def __enter__(self) -> None:
        if os.name == "posix":
            self._file = os.open(self._folder, os.O_RDONLY)
            _lock(self._file, "LOCK_EX")

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            os.close(self._file)


def _lock(file: int, operation: str) -> None:
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(file, getattr(fcntl, operation))
    except OSError:
        return  # The file system has no locks: concurrent writers are not prevented.
