"""The older records of a log in memory, in a temporary file without a name."""

from __future__ import annotations

from bisect import bisect_right
from tempfile import TemporaryFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

_SIZE_BYTES = 8


class SpilledRecords:
    """Blocks of data, each about consecutive records of one topic."""

    __slots__ = ("_blocks", "_file", "_size")

    def __init__(self) -> None:
        self._file: IO[bytes] = TemporaryFile(buffering=0)  # noqa: SIM115 - closed by `close`
        self._blocks: dict[str, tuple[list[int], list[int]]] = {}
        """For each topic, the ids with which its blocks begin, and the places of the blocks."""
        self._size = 0

    def add(self, topic: str, first: int, data: bytes) -> None:
        """Append the block that begins with an id. Raise OSError if the file cannot take it."""
        self._file.seek(self._size)
        view = memoryview(len(data).to_bytes(_SIZE_BYTES, "big") + data)
        while view:
            view = view[self._file.write(view) :]
        firsts, places = self._blocks.setdefault(topic, ([], []))
        firsts.append(first)
        places.append(self._size)
        self._size += _SIZE_BYTES + len(data)

    def find(self, topic: str, number: int) -> tuple[int, bytes]:
        """Return the first id and the data of the block that contains an id."""
        firsts, places = self._blocks[topic]
        index = bisect_right(firsts, number) - 1
        self._file.seek(places[index])
        return firsts[index], self._exactly(int.from_bytes(self._exactly(_SIZE_BYTES), "big"))

    def _exactly(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size and (piece := self._file.read(size - len(data))):
            data += piece
        return bytes(data)

    def close(self) -> None:
        """Close the file, which removes it."""
        self._blocks.clear()
        self._file.close()
