"""The older records of a log in memory, in a temporary file without a name."""

from __future__ import annotations

import marshal
from bisect import bisect_right
from tempfile import TemporaryFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any

    from harnlite.store.event_log import RepeatedRecords, Row

_SIZE_BYTES = 8
_REPETITION = 5
"""The length of a stored repetition: the place of its parts, the common payload, headers, time and number of rows."""
_MOST_PLACES = 64


class SpilledRecords:
    """Blocks of rows, each with consecutive records of one topic, and the parts that repetitions share."""

    __slots__ = ("_blocks", "_file", "_places", "_size")

    def __init__(self) -> None:
        self._file: IO[bytes] = TemporaryFile(buffering=0)  # noqa: SIM115 - closed by `close`
        self._blocks: dict[str, tuple[list[int], list[int]]] = {}
        """For each topic, the ids with which its blocks begin, and the places of the blocks."""
        self._places: dict[int, tuple[RepeatedRecords, int]] = {}
        """The places of the parts that were written last. The records are kept, so that no other ones get their id."""
        self._size = 0

    def add(self, topic: str, first: int, data: bytes) -> None:
        """Append the block that begins with an id. Raise OSError if the file cannot take it."""
        place = self._append(data)
        firsts, places = self._blocks.setdefault(topic, ([], []))
        firsts.append(first)
        places.append(place)

    def place_of(self, records: RepeatedRecords) -> int | None:
        """Return the place of the parts of repeated records, or None if they must be written."""
        found = self._places.get(id(records))
        return None if found is None else found[1]

    def add_parts(self, records: RepeatedRecords, data: bytes) -> int:
        """Append the parts of repeated records, and return their place. Raise OSError if the file cannot take them."""
        place = self._append(data)
        self._places[id(records)] = records, place
        if len(self._places) > _MOST_PLACES:
            del self._places[next(iter(self._places))]
        return place

    def _append(self, data: bytes) -> int:
        place = self._size
        self._file.seek(place)
        view = memoryview(len(data).to_bytes(_SIZE_BYTES, "big") + data)
        while view:
            view = view[self._file.write(view) :]
        self._size += _SIZE_BYTES + len(data)
        return place

    def rows(self, topic: str, number: int, count: int) -> list[Row]:
        """Return at least one and at most `count` rows of a topic, from the one with this id on."""
        firsts, places = self._blocks[topic]
        index = bisect_right(firsts, number) - 1
        skipped = number - firsts[index]
        found: list[Row] = []
        for item in self._loaded(places[index]):
            length = item[4] if len(item) == _REPETITION else 1
            if skipped >= length:
                skipped -= length
                continue
            if len(item) == _REPETITION:
                place, common, headers, at, _ = item
                parts = self._loaded(place)[skipped : skipped + count - len(found)]
                found += [(kind, {**common, **part}, headers, at) for kind, part, _, _ in parts]
            else:
                found.append(item)
            skipped = 0
            if len(found) >= count:
                break
        return found

    def _loaded(self, place: int) -> list[Any]:
        self._file.seek(place)
        data = self._exactly(int.from_bytes(self._exactly(_SIZE_BYTES), "big"))
        rows: list[Any] = marshal.loads(data)  # noqa: S302 - own data
        return rows

    def _exactly(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size and (piece := self._file.read(size - len(data))):
            data += piece
        return bytes(data)

    def close(self) -> None:
        """Close the file, which removes it."""
        self._blocks.clear()
        self._places.clear()
        self._file.close()
