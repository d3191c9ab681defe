"""Decompression in small steps, which refuses too large an output before it is built."""

from __future__ import annotations

from harnlite.values.errors import runtime_error
from harnlite.values.interrupts import poll_here
from harnlite.values.size_limits import check_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class Decompressor(Protocol):
        """The decompressor of one member of a compressed text."""

        @property
        def eof(self) -> bool:
            """Whether the member is complete."""

        @property
        def unused_data(self) -> bytes:
            """The bytes after the member."""

        def decompress(self, data: bytes, size: int, /) -> bytes:
            """Return at most `size` more bytes of the output; those that remain need no input."""


LARGEST = 100_000_000
SMALL = 1_000_000
RATIO = 200
MOST_MEMBERS = 100_000
"""The members of one file; those of ordinary files have several kilobytes each."""
_INPUT_STEP = 16_384
_OUTPUT_STEP = 4_000_000


def output_limit(options: object, size: int) -> int:
    """Return the bytes that an input of `size` bytes may become: the option `max_bytes`, or the default."""
    given = options.get("max_bytes") if options.__class__ is dict else None
    if given.__class__ is int and given >= 0:
        return given
    return min(max(RATIO * size, SMALL), LARGEST)


class Output:
    """The output of a decompression, which may not exceed a limit."""

    __slots__ = ("_limit", "_parts", "function", "size")

    def __init__(self, function: str, limit: int) -> None:
        self.function = function
        self._limit = limit
        self._parts: list[bytes] = []
        self.size = 0

    @property
    def room(self) -> int:
        """The size of the next part: one byte more than the limit permits shows that it is exceeded."""
        return min(self._limit - self.size + 1, _OUTPUT_STEP)

    def count(self, size: int) -> None:
        """Count bytes of the output, or raise if it exceeds a limit."""
        poll_here()
        self.size += size
        if self.size > self._limit:
            raise runtime_error(
                f"{self.function}: the output has more than {self._limit} bytes; allow more with the option max_bytes"
            )
        check_size(self.size)

    def add(self, part: bytes) -> None:
        """Append a part, or raise if the output exceeds a limit."""
        self.count(len(part))
        if part:
            self._parts.append(part)

    def take(self) -> bytes:
        """Return all parts joined."""
        return b"".join(self._parts)


def decompress_members(data: bytes, start: Callable[[bytes], Decompressor | None], output: Output) -> None:
    """Decompress all members of a text.

    `start` returns a decompressor for a member that starts with the given bytes, or None if nothing but padding is
    left. Raise EOFError if a member is incomplete.
    """
    position = members = 0
    waiting = b""
    member = None
    while waiting or position < len(data):
        if not waiting:
            waiting = data[position : position + _INPUT_STEP]
            position += len(waiting)
        if member is None:
            if (member := start(waiting)) is None:
                waiting = b""
                continue
            members += 1
            if members > MOST_MEMBERS:
                raise runtime_error(f"{output.function}: the data has more than {MOST_MEMBERS} members")
        waiting = _feed(member, waiting, output)
        if member.eof:
            member = None
    if member is not None or not data:
        raise EOFError


def _feed(member: Decompressor, waiting: bytes, output: Output) -> bytes:
    """Feed bytes to a decompressor and collect its output; return the bytes after the end of its member."""
    while True:
        size = output.room
        part = member.decompress(waiting, size)
        output.add(part)
        if member.eof:
            return member.unused_data
        if len(part) < size:
            return b""
        waiting = b""
