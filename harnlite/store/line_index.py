"""The index of a log in lines: where the records of each topic are."""

from __future__ import annotations

from array import array
from bisect import bisect_right

from harnlite.store.stored_records import LARGEST_USUAL_ID, WIDEST_GAP, place_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    from harnlite.durable_files import LineFile

    Place: TypeAlias = tuple[int, int, int]

_COMPARED = 1_000


class LineIndex:
    """The ids, offsets and lengths of the records in the first `size` bytes of a file, by topic.

    The ids of a topic increase. A record of the file that breaks this order is not in the index.
    """

    __slots__ = ("_last", "_topics", "size")

    def __init__(self) -> None:
        self._topics: dict[str, tuple[array[int], array[int], array[int]]] = {}
        self._last = (0, b"")
        self.size = 0

    def extend(self, file: LineFile) -> None:
        """Add the complete lines that the file has after those in the index."""
        offset, last = self.size, b""
        for line in file.lines(self.size):
            if not line.endswith(b"\n"):
                break
            place = place_of(line)
            if place is not None and self._continues(*place):
                self._note(*place, len(line))
            offset, last = self.size, line
            self.size += len(line)
        if last:
            self._last = (offset, last[:_COMPARED])

    def add(self, topic: str, first: int, lines: Iterable[bytes]) -> None:
        """Add records with consecutive ids that have been appended to the file."""
        offset, line = self._last
        for number, line in enumerate(lines, first):
            self._note(topic, number, len(line))
            offset = self.size
            self.size += len(line)
        self._last = (offset, line[:_COMPARED])

    def _continues(self, topic: str, number: int) -> bool:
        """Return whether a record of the file has an id that can follow those before it."""
        newest = self.newest(topic)
        return number > newest and (number <= LARGEST_USUAL_ID or number - newest < WIDEST_GAP)

    def _note(self, topic: str, number: int, length: int) -> None:
        columns = self._topics.get(topic)
        if columns is None:
            columns = self._topics[topic] = (array("q"), array("q"), array("q"))
        ids, offsets, lengths = columns
        ids.append(number)
        offsets.append(self.size)
        lengths.append(length)

    def is_of(self, file: LineFile) -> bool:
        """Return whether the file still has the lines of the index, judged by its size and the last of these lines."""
        offset, start = self._last
        return file.size() >= self.size and file.read(offset, len(start)) == start

    def ends(self, file: LineFile) -> bool:
        """Return whether the file has the lines of the index and nothing else, if one read can tell it."""
        offset, start = self._last
        return offset + len(start) == self.size == file.size() > 0 and file.read(offset, len(start)) == start

    def append(self, file: LineFile, topic: str, number: int, line: bytes, now: float) -> bool:
        """Append a record to the file if it has the lines of the index and nothing else, and if one read can tell it.

        Return whether the record was appended.
        """
        offset, start = self._last
        columns = self._topics.get(topic)
        size = self.size
        if columns is None or offset + len(start) != size or not file.append_after(offset, start, line, now):
            return False
        length = len(line)
        columns[0].append(number)
        columns[1].append(size)
        columns[2].append(length)
        self._last = (size, line[:_COMPARED])
        self.size = size + length
        return True

    def newest(self, topic: str) -> int:
        """Return the largest id of a topic, or 0."""
        columns = self._topics.get(topic)
        return columns[0][-1] if columns else 0

    def newest_ids(self) -> dict[str, int]:
        """Return the largest id of each topic."""
        return {topic: ids[-1] for topic, (ids, _, _) in self._topics.items()}

    def after(self, topic: str, number: int, count: int) -> list[Place]:
        """Return id, offset and length of the first `count` records of a topic after an id."""
        columns = self._topics.get(topic)
        if columns is None:
            return []
        start = bisect_right(columns[0], number)
        ids, offsets, lengths = (column[start : start + count] for column in columns)
        return list(zip(ids, offsets, lengths, strict=True))
