"""The pieces of streamed answers: lines and server-sent events, read from chunks that may end anywhere."""

from __future__ import annotations

_MARK = b"\xef\xbb\xbf"


class LineTooLongError(Exception):
    """A line is longer than the limit."""


class Lines:
    """Splits chunks into lines. A line is decoded when it is complete, so no chunk can cut a character.

    The codec must be one in which line breaks are the bytes of ASCII.
    """

    __slots__ = ("_codec", "_is_first", "_limit", "_parts", "_size")

    def __init__(self, limit: int, codec: str = "utf-8") -> None:
        self._limit = limit
        self._codec = codec
        self._parts: list[bytes] = []
        self._size = 0
        self._is_first = True

    def feed(self, chunk: bytes) -> list[str]:
        """Return the lines that a chunk completes."""
        if b"\n" not in chunk and b"\r" not in chunk and not (self._parts and self._parts[-1].endswith(b"\r")):
            self._keep(chunk)
            return []
        whole = b"".join([*self._parts, chunk])
        # The line feed that belongs to a carriage return may be in the next chunk.
        held = whole.endswith(b"\r")
        lines = whole.splitlines()
        rest = lines.pop() + (b"\r" if held else b"") if held or not whole.endswith(b"\n") else b""
        self._parts, self._size = [], 0
        self._keep(rest)
        return [self._text(line) for line in lines]

    def rest(self) -> tuple[list[str], str]:
        """Return the lines that the end of the answer completes, and the text after the last line."""
        whole = b"".join(self._parts)
        self._parts, self._size = [], 0
        if whole.endswith(b"\r"):
            return [self._text(whole[:-1])], ""
        return [], self._text(whole) if whole else ""

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._limit:
            raise LineTooLongError
        if part:
            self._parts.append(part)

    def _text(self, line: bytes) -> str:
        if len(line) > self._limit:
            raise LineTooLongError
        if self._is_first:
            self._is_first = False
            line = line.removeprefix(_MARK)
        return line.decode(self._codec, "replace")


class Events:
    """Forms server-sent events of lines: the name, or None, and the data."""

    __slots__ = ("_data", "_limit", "_name", "_size")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._name: str | None = None
        self._data: list[str] = []
        self._size = 0

    def feed(self, line: str) -> tuple[str | None, str] | None:
        """Return the event that a line completes, or None."""
        if not line:
            return self.rest()
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._size += len(value)
            if self._size > self._limit:
                raise LineTooLongError
            self._data.append(value)
        elif field == "event":
            self._name = value
        return None

    def rest(self) -> tuple[str | None, str] | None:
        """Return the event of the lines so far, or None if they have no data."""
        name, data = self._name, self._data
        self._name, self._data, self._size = None, [], 0
        return (name, "\n".join(data)) if data else None
