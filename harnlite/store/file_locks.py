"""Lets one process at a time change a file."""

from __future__ import annotations

import os


class Alone:
    """A block in which no other process changes a file, where the system knows such locks."""

    __slots__ = ("_file",)

    def __init__(self, file: int) -> None:
        self._file = file

    def __enter__(self) -> None:
        _lock(self._file, "LOCK_EX")

    def __exit__(self, *_: object) -> None:
        _lock(self._file, "LOCK_UN")


class AloneIn:
    """A block in which no other process changes what is in a folder; for POSIX only."""

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
        return  # A file system without locks: then one process writes, or two may do so at once.
