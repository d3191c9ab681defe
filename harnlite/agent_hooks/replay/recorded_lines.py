"""The lines of a recorded session as objects; a file of any size is read as a stream."""

from __future__ import annotations

from harnlite.agent_hooks.calls.json_text import parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

LONGEST = 64 << 20
"""The longest line that is read, in bytes."""
_BOM = b"\xef\xbb\xbf"


class RecordedLines:
    """The objects in a stream with one JSON object a line. Lines that are not objects are counted and passed over."""

    __slots__ = ("_stream", "count", "damaged")

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.count = 0
        """The number of lines that are not empty."""
        self.damaged = 0

    def __iter__(self) -> Iterator[dict[str, object]]:
        is_first = True
        while line := self._stream.readline(LONGEST):
            if is_first:
                line, is_first = line.removeprefix(_BOM), False
            if len(line) == LONGEST and not line.endswith(b"\n"):
                self._skip_line()
                line = b"-"
            if not line.strip():
                continue
            self.count += 1
            value = _value(line)
            if isinstance(value, dict):
                yield value
            else:
                self.damaged += 1

    def _skip_line(self) -> None:
        while (part := self._stream.readline(LONGEST)) and not part.endswith(b"\n"):
            continue


def _value(line: bytes) -> object:
    """Return the JSON value of a line, or None if it is not JSON."""
    try:
        return parsed(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
