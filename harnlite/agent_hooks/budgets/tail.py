"""The last lines of a file, in reverse, without reading the whole file."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST_BYTES = 256 << 10
MOST_BYTES = 4 << 20

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class Tail:
    """An open transcript. Opening raises OSError if it is not a regular file, or the path leads to it by a link."""

    __slots__ = ("_descriptor", "mtime", "size")

    def __init__(self, path: str) -> None:
        if os.name == "nt" and os.path.islink(path):
            raise OSError("a symbolic link")
        descriptor = os.open(path, _FLAGS | getattr(os, "O_BINARY", 0))
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            os.close(descriptor)
            raise OSError("not a regular file")
        self._descriptor = descriptor
        self.size = status.st_size
        self.mtime = status.st_mtime_ns

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)

    def lines(self, since: int = 0) -> Iterator[bytes]:
        """Yield the lines after a position from the last to the first, at most those of the last `MOST_BYTES`.

        Blocks are read as they are needed. The part of a line in front of the last `MOST_BYTES` is not a line.
        """
        since = self._start_of_line(since)
        end, block = self.size, FIRST_BYTES
        first = max(since, end - MOST_BYTES)
        rest: list[bytes] = []  # the parts of the line that begins in a block before, from the last to the first
        while end > first:
            start = max(first, end - block)
            data = self._read(start, end)
            if data is None:
                return
            lines = data.split(b"\n")
            rest.append(lines.pop())
            if lines:
                yield b"".join(reversed(rest))
                rest = [lines[0]]
                yield from reversed(lines[1:])
            end, block = start, block * 2
        if first == since and rest:
            yield b"".join(reversed(rest))

    def _start_of_line(self, position: int) -> int:
        """Return where the line begins that was half written when the file had a certain size."""
        before = self._read(max(0, position - FIRST_BYTES), position) or b""
        return position - len(before) + before.rfind(b"\n") + 1 if b"\n" in before else max(0, position - len(before))

    def _read(self, start: int, end: int) -> bytes | None:
        """Return the bytes between two positions, or None if they are not there any more."""
        os.lseek(self._descriptor, start, os.SEEK_SET)
        parts, left = [], end - start
        while left:
            part = os.read(self._descriptor, left)
            if not part:
                return None
            parts.append(part)
            left -= len(part)
        return b"".join(parts)
