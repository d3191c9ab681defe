"""The lines of a connection: a reader that skips lines that are too long, and a writer that never blocks callers."""

from __future__ import annotations

import io
import os
import sys
import threading
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnlite.runtime.tasks.clock import waiting_time

if sys.platform == "win32":
    import msvcrt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO

    from _typeshed import ReadableBuffer as Buffer

DEFAULT_LIMIT = 64 * 1024 * 1024
_CHUNK = 1 << 16
_BATCH = 1 << 18


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its newline. `is_cut` is set for a last line that ended with the input instead of a newline."""

    data: bytes
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class TooLong:
    """A line that exceeded the limit and was skipped."""


def read_lines(descriptor: int, limit: int) -> Iterator[Line | TooLong]:
    """Yield the lines of an input until its end. No line longer than the limit is kept in memory."""
    parts: list[bytes] = []
    size, is_skipping = 0, False
    while chunk := _read(descriptor):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            if is_skipping or size + len(end) > limit:
                yield TooLong()
            else:
                parts.append(end)
                yield Line(b"".join(parts))
            parts, size, is_skipping = [], 0, False
        if not is_skipping and rest:
            parts.append(rest)
            size += len(rest)
            if size > limit:
                parts, is_skipping = [], True
    if is_skipping:
        yield TooLong()
    elif parts:
        yield Line(b"".join(parts), is_cut=True)


def _read(descriptor: int) -> bytes:
    """Return what can be read, or nothing at the end of the input or if it cannot be read any more."""
    try:
        return os.read(descriptor, _CHUNK)
    except OSError:
        return b""


class Writer:
    """Writes lines on a thread of its own, in the order in which they were added.

    `on_gone` is called on that thread if the reader of the output is gone; lines are dropped from then on.
    """

    __slots__ = (
        "_changed",
        "_descriptor",
        "_is_closing",
        "_is_idle",
        "_lines",
        "_on_gone",
        "_thread",
        "_written",
        "is_gone",
    )

    def __init__(self, descriptor: int, on_gone: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._on_gone = on_gone
        self._lines: deque[bytes] = deque()
        self._changed = threading.Condition()
        self._is_closing = False
        self._is_idle = True
        self._written = 0
        self.is_gone = False
        self._thread = threading.Thread(target=self._work, name="harnlite-acp-writer", daemon=True)
        self._thread.start()

    def write(self, *lines: bytes) -> None:
        """Add lines, which are written one directly after the other; this never waits for the output."""
        with self._changed:
            if self.is_gone:
                return
            self._lines.extend(lines)
            self._is_idle = False
            self._changed.notify_all()

    def wait(self, seconds: float) -> bool:
        """Wait until all lines that were added have been written, but not longer than this; return whether they are."""
        with self._changed:
            return self._changed.wait_for(lambda: self._is_idle, seconds)

    def close(self, patience: float) -> None:
        """Write what has been added, and stop; give up if the other side reads nothing for `patience` seconds."""
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
        seen, deadline = -1, 0.0
        while self._thread.is_alive():
            if self._written != seen:
                seen, deadline = self._written, waiting_time() + patience
            if waiting_time() >= deadline:
                return
            self._thread.join(0.05)

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._lines and not self._is_closing:
                    self._is_idle = True
                    self._changed.notify_all()
                    self._changed.wait()
                batch, size = [], 0
                while self._lines and size < _BATCH:
                    line = self._lines.popleft()
                    batch += [line, b"\n"]
                    size += len(line)
            if not batch:
                return
            if not self._put(b"".join(batch)):
                self._stop()
                return

    def _put(self, data: bytes) -> bool:
        view = memoryview(data)
        try:
            while view:
                count = os.write(self._descriptor, view)
                self._written += count
                view = view[count:]
        except OSError:
            return False
        return True

    def _stop(self) -> None:
        with self._changed:
            self.is_gone = self._is_idle = True
            self._lines.clear()
            self._changed.notify_all()
        self._on_gone()


class _LossyFile(io.FileIO):
    """A file that drops what it cannot write."""

    def write(self, data: Buffer, /) -> int:
        """Write bytes; return their number even if the reader of the file is gone."""
        try:
            return super().write(data) or 0
        except OSError:
            return memoryview(data).nbytes


def standard_error() -> TextIO:
    """Return a stream for standard error whose reader may go away without an effect on those who write."""
    file = io.BufferedWriter(_LossyFile(2, "w", closefd=False))
    return io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", line_buffering=True)


def take_standard_streams() -> tuple[int, int]:
    """Return private descriptors of standard input and output, and redirect the public ones.

    From then on whatever prints, also a program that a tool starts, writes to standard error, and whatever reads
    standard input finds its end.
    """
    incoming, outgoing = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    try:
        os.fstat(2)
    except OSError:  # standard error is closed
        os.dup2(nowhere, 2)
    os.dup2(2, 1)
    os.close(nowhere)
    if sys.platform == "win32":
        for descriptor in (incoming, outgoing):
            msvcrt.setmode(descriptor, os.O_BINARY)
    return incoming, outgoing
