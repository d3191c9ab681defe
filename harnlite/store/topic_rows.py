"""The records of one topic of a log in memory: rows, and series that stand for many rows."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from harnlite.store.event_log import Headers, PayloadAt, RepeatedRecords, Row

    Item: TypeAlias = "Row | Series | Repetition"


class Series:
    """Rows whose payloads are built when they are read."""

    __slots__ = ("_at", "_headers", "_kinds", "_payload_at", "count", "weight")

    def __init__(self, kinds: Sequence[str], payload_at: PayloadAt, headers: Headers | None, at: float) -> None:
        self._kinds = kinds
        self._payload_at = payload_at
        self._headers = headers
        self._at = at
        self.count = self.weight = len(kinds)

    def rows(self, start: int, end: int) -> list[Row]:
        """Return some of the rows."""
        return [
            (self._kinds[index], self._payload_at(index), self._headers, self._at)
            for index in range(start, min(end, self.count))
        ]


class Repetition:
    """Rows that may share their parts with other repetitions. The weight is what they need of the limit in memory."""

    __slots__ = ("at", "common", "count", "headers", "is_shared", "records", "weight")

    def __init__(
        self, records: RepeatedRecords, common: dict[str, object], headers: Headers | None, at: float, weight: int
    ) -> None:
        self.records = records
        self.common = common
        self.headers = headers
        self.at = at
        self.count = len(records.parts)
        self.weight = weight
        self.is_shared = False
        """Whether other repetitions have the same records."""

    def rows(self, start: int, end: int) -> list[Row]:
        """Return some of the rows."""
        kind, parts = self.records.kind, self.records.parts[start:end]
        return [(kind, {**self.common, **part}, self.headers, self.at) for part in parts]


class TopicRows:
    """The records of a topic: the id of the last one that was moved to a file, and the newer ones in memory."""

    __slots__ = ("_firsts", "_of_series", "_places", "_removed", "items", "last", "moved", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.moved = 0
        self.last = 0
        """The id of the newest record."""
        self.items: list[Item] = []
        # The id of the first record of each series, and its place in the list of all items, with the removed ones.
        self._firsts: list[int] = []
        self._places: list[int] = []
        self._removed = 0
        self._of_series = 0
        """What the series need of the limit, beyond one for each."""

    def append_series(self, series: Series | Repetition) -> None:
        """Append a series with the next ids."""
        self._firsts.append(self.last + 1)
        self._places.append(self._removed + len(self.items))
        self.items.append(series)
        self.last += series.count
        self._of_series += series.weight - 1

    @property
    def weight(self) -> int:
        """Return what the records need of the limit in memory."""
        return len(self.items) + self._of_series

    def rows(self, number: int, count: int) -> list[Row]:
        """Return at least one and about `count` rows, from the one with this id on; it must be in memory."""
        place, inside = self._place_of(number)
        found: list[Row] = []
        for item in self.items[place : place + count]:
            if isinstance(item, (Series, Repetition)):
                found += item.rows(inside, inside + count)
                if inside + count < item.count:
                    break
            else:
                found.append(item)
            inside = 0
            if len(found) >= count:
                break
        return found

    def _place_of(self, number: int) -> tuple[int, int]:
        """Return the place of the item that contains an id, and the place of the record in this item."""
        low, high = 0, len(self._firsts)
        while low < high:
            middle = (low + high) // 2
            if self._firsts[middle] <= number:
                low = middle + 1
            else:
                high = middle
        if not low:
            return number - self.moved - 1, 0
        place, inside = self._places[low - 1] - self._removed, number - self._firsts[low - 1]
        series = self.items[place]
        beyond = inside - (1 if isinstance(series, tuple) else series.count)
        return (place, inside) if beyond < 0 else (place + 1 + beyond, 0)

    def oldest(self, count: int) -> list[Item]:
        """Return the oldest items, with about `count` records in all, but at least one item."""
        found: list[Item] = []
        if not self._firsts:
            return self.items[:count]
        for item in self.items[:count]:
            found.append(item)
            count -= item.weight if isinstance(item, (Series, Repetition)) else 1
            if count <= 0:
                break
        return found

    def remove_oldest(self, count: int) -> int:
        """Remove the oldest items, which were moved to a file. Return their weight."""
        weight = 0
        if not self._firsts:
            weight = count
            self.moved += count
        for item in self.items[:count] if self._firsts else ():
            if isinstance(item, (Series, Repetition)):
                weight += item.weight
                self._of_series -= item.weight - 1
                self.moved += item.count
            else:
                weight += 1
                self.moved += 1
        del self.items[:count]
        self._removed += count
        series = 0
        while series < len(self._places) and self._places[series] < self._removed:
            series += 1
        del self._firsts[:series], self._places[:series]
        return weight
