"""The small state file of a session, and the lock of a session."""

from __future__ import annotations

import os
import time

from harnlite.agent_hooks.calls.json_text import NotJson, read_object, written
from harnlite.agent_hooks.counters import FORMAT, Counters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

LOCK, DRAFT = "lock", ".draft"
_MOST_BYTES = 1_000_000
_MODE = 0o600
_PAUSE, _LONGEST_PAUSE = 0.000_5, 0.01


class Busy(OSError):
    """Raised if other processes keep a session locked for too long."""


class SessionLock:
    """A context manager: one process at a time reads, runs and saves a session. The folder must exist."""

    __slots__ = ("_file", "_folder", "_patience")

    def __init__(self, folder: str, patience: float) -> None:
        self._folder = folder
        self._patience = patience
        self._file = -1

    def __enter__(self) -> Self:
        try:
            import fcntl
        except ImportError:
            return self
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
        self._file = os.open(os.path.join(self._folder, LOCK), flags, _MODE)
        end, pause = time.monotonic() + self._patience, _PAUSE
        while True:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= end:
                    os.close(self._file)
                    raise Busy("other processes keep the session locked") from None
                time.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
            except OSError:
                return self  # The file system has no locks.
            else:
                return self

    def __exit__(self, *_: object) -> None:
        if self._file >= 0:
            os.close(self._file)


def read_counters(path: str) -> Counters | None:
    """Return the counters in a file, or None if it is missing or damaged."""
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    try:
        fields = read_object(os.read(file, _MOST_BYTES))
    except (OSError, NotJson):
        return None
    finally:
        os.close(file)
    return Counters(fields) if fields.get("format") == FORMAT else None


def write_counters(path: str, counters: Counters) -> None:
    """Replace the file of counters. Raise OSError on failure; then the file is as it was before."""
    # The name is always the same, so that killed processes do not add up their drafts. The session is locked.
    draft = path + DRAFT
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), _MODE)
    try:
        data = written({"format": FORMAT, **counters.fields()}).encode()
        try:
            if os.write(file, data) != len(data):
                raise OSError("the disk is full")
        finally:
            os.close(file)
        os.replace(draft, path)
    except OSError:
        remove_file(draft)
        raise


def remove_file(path: str) -> None:
    """Remove a file if it exists. Raise OSError if it exists and cannot be removed."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
