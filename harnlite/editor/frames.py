"""The frames of messages on standard input: a header with a length, then so many bytes.

What follows a header that makes no sense cannot be told from a message. It is skipped up to the next line that ends in
a length, so that one bad header costs one message. No header makes the server reserve more memory than a message needs.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

LONGEST_MESSAGE = 64 * 1024 * 1024
_LONGEST_LINE, _MOST_LINES = 4096, 64
_LONGEST_NUMBER, _LONGEST_FIELD, _LONGEST_SHOWN = 12, 64, 40
_FIELD = re.compile(rb"content-length[ \t]*:(.*)", re.IGNORECASE | re.DOTALL)
_NEXT_FRAME = re.compile(rb"content-length[ \t]*:[ \t]*\d{1,12}[ \t]*\r?\n\Z", re.IGNORECASE)


class FrameError(ValueError):
    """A header that does not say how long its message is."""


class Frames:
    """A binary stream in which every header is sound; the others are refused and left out."""

    __slots__ = ("_is_lost", "_lines", "_refuse", "_source")

    def __init__(self, source: BinaryIO, refuse: Callable[[FrameError], object]) -> None:
        self._source = source
        self._refuse = refuse
        self._lines: list[bytes] = []
        self._is_lost = False

    def readline(self) -> bytes:
        """Return the next line of a header, or nothing at the end of the input."""
        while not self._lines:
            first = self._next_frame() if self._is_lost else self._line()
            if not first:
                return b""
            if first.strip():
                self._read_header(first)
        return self._lines.pop()

    def read(self, size: int) -> bytes:
        """Return the message that follows a header."""
        return self._source.read(size)

    def _line(self) -> bytes:
        return self._source.readline(_LONGEST_LINE)

    def _read_header(self, first: bytes) -> None:
        """Keep the lines of a sound header; refuse another one, after which the next frame has to be found."""
        try:
            size = _size_in(self._header_from(first))
        except FrameError as error:
            self._is_lost = True
            self._refuse(error)
        else:
            self._is_lost = False
            self._lines = [b"\r\n", b"Content-Length: %d\r\n" % size] if size else []

    def _header_from(self, first: bytes) -> list[bytes]:
        """Return the lines of a header up to the empty one."""
        lines, line = [], first
        while line.strip():
            lines.append(line)
            if len(lines) > _MOST_LINES or not line.endswith(b"\n"):
                raise FrameError("the header of a message is too long or ends too early")
            line = self._line()
        return lines

    def _next_frame(self) -> bytes:
        """Skip the input up to a line that ends in a length, and return that end; return nothing if there is none."""
        before = b""
        while line := self._line():
            found = _NEXT_FRAME.search(before + line)
            if found is not None:
                return found[0]
            before = b"" if line.endswith(b"\n") else line[-_LONGEST_FIELD:]
        return b""


def _size_in(header: list[bytes]) -> int:
    """Return the length that a header names."""
    said = next((found[1].strip() for found in map(_FIELD.match, header) if found is not None), None)
    if said is None:
        raise FrameError("the header of a message has no Content-Length")
    if not (said.isascii() and said.isdigit()):
        raise FrameError(f"the Content-Length of a message must be a number of bytes; got {said[:_LONGEST_SHOWN]!r}")
    if len(said) > _LONGEST_NUMBER or int(said) > LONGEST_MESSAGE:
        shown = said[:_LONGEST_SHOWN].decode()
        raise FrameError(f"a message of {shown} bytes is too long; at most {LONGEST_MESSAGE} bytes are read")
    return int(said)
