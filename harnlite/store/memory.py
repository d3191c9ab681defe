"""Memory: records in namespaces. Each namespace is an append-only file of events.

A line of the file is `{"type": "store", "record": {…}}` or `{"type": "forget", …, "forgotten_ids": […]}`.
"""

from __future__ import annotations

import os

from harnlite.formats.json.reading import JsonError, read_json
from harnlite.formats.json.writing import data_text, json_text
from harnlite.store.path_parts import path_parts
from harnlite.store.ranking import Ranking, terms_of
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    MemoryRecord: TypeAlias = dict[str, Any]
    Hit: TypeAlias = tuple[MemoryRecord, float]

FILE = "events.jsonl"
_MODE = 0o644
_KEY_BONUS, _TAG_BONUS = 0.4, 0.25


def namespace_path(root: str, namespace: str) -> str:
    """Return the file of a namespace below a root."""
    if os.path.isabs(namespace):
        raise runtime_error("memory namespace must be relative")
    parts = path_parts(namespace)
    if parts is None:
        raise runtime_error("memory namespace must not escape the memory root")
    return os.path.join(root, *parts, FILE)


def searchable(record: MemoryRecord) -> str:
    """Return the text of a record that queries search."""
    tags = " ".join(record["tags"])
    return f"{record['key']}\n{record['text']}\n{tags}\n{json_text(record['value'])}"


class Namespace:
    """The records of one file. Other processes may write to the file, too."""

    __slots__ = ("_alive", "_done", "_file_id", "_lines", "_path", "_ranking", "_unranked")

    def __init__(self, path: str) -> None:
        self._path = path
        self._forget_all()

    def _forget_all(self) -> None:
        self._alive: dict[int, MemoryRecord] = {}
        self._unranked: list[int] = []
        self._ranking: Ranking | None = None
        self._file_id: int | None = None
        self._done = 0
        self._lines = 0

    # The file

    def refresh(self) -> None:
        """Read the events since the last refresh."""
        try:
            with open(self._path, "rb") as file:
                state = os.fstat(file.fileno())
                if state.st_size < self._done or self._file_id not in {None, state.st_ino}:
                    self.close()
                    self._forget_all()
                self._file_id = state.st_ino
                if state.st_size == self._done:
                    return
                file.seek(self._done)
                for line in file:
                    if not self._take(line):
                        break
        except FileNotFoundError:
            self.close()
            self._forget_all()
        except OSError as error:
            raise runtime_error(f"memory: cannot read {self._path}: {error.strerror}") from None

    def _take(self, line: bytes) -> bool:
        """Apply the event in a line. Return whether the line was complete."""
        try:
            event = read_json(line.decode("utf-8")) if line.strip() else None
        except (JsonError, ValueError) as error:
            if is_torn(line):
                return False
            raise runtime_error(
                f"memory: failed to parse line {self._lines + 1} from {self._path}: {error}",
            ) from None
        self._apply(event)
        self._lines += 1
        self._done += len(line)
        return True

    def _apply(self, event: Any) -> None:  # noqa: ANN401 - any JSON value
        if event.__class__ is not dict:
            return
        if event.get("type") == "store" and is_record(event.get("record")):
            self._alive[self._lines] = event["record"]
            self._unranked.append(self._lines)
        elif event.get("type") == "forget":
            self._drop(set(event.get("forgotten_ids") or ()))

    def _drop(self, ids: set[str]) -> None:
        gone = [number for number, record in self._alive.items() if record["id"] in ids]
        ranked = set(gone).difference(self._unranked)
        for number in gone:
            del self._alive[number]
        self._unranked = [number for number in self._unranked if number in self._alive]
        if self._ranking is not None:
            self._ranking.remove(ranked)

    def _append(self, event: dict[str, object]) -> None:
        line = data_text(event).encode("utf-8", "replace") + b"\n"
        try:
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            file = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, _MODE)
            try:
                repair_end(file)
                os.write(file, line)
            finally:
                os.close(file)
        except OSError as error:
            raise runtime_error(f"memory: cannot write {self._path}: {error.strerror}") from None
        self.refresh()

    # The records

    def store(self, record: MemoryRecord) -> None:
        """Store a record."""
        self.refresh()
        self._append({"type": "store", "record": record})

    def forget(self, event: dict[str, object], is_meant: Callable[[MemoryRecord], bool]) -> list[str]:
        """Forget the matching records, append the event, and return their ids."""
        self.refresh()
        ids = [record["id"] for record in self._alive.values() if is_meant(record)]
        self._append({**event, "type": "forget", "forgotten_ids": ids})
        return ids

    def ids_of(self, is_meant: Callable[[MemoryRecord], bool]) -> set[str]:
        """Return the ids of the matching records."""
        self.refresh()
        return {record["id"] for record in self._alive.values() if is_meant(record)}

    def newest(self) -> list[MemoryRecord]:
        """Return all records, newest first."""
        self.refresh()
        return [record for _, record in sorted(self._alive.items(), key=_age, reverse=True)]

    def oldest_first(self, records: Iterable[MemoryRecord]) -> list[MemoryRecord]:
        """Return records of this namespace, oldest first; records of the same time in the order of storage."""
        wanted = {id(record) for record in records}
        return [record for _, record in sorted(self._alive.items(), key=_age) if id(record) in wanted]

    def recall(self, query: str, limit: int, *, with_unscored: bool = False) -> list[Hit]:
        """Return the records that match a query, best first; equal scores are ordered newest first.

        A query without usable terms matches all records. Records without a match are left out, or come last if
        `with_unscored` is set.
        """
        self.refresh()
        if not self._alive:
            return []
        terms = dict.fromkeys(terms_of(query))
        scores = self._scores(terms) if terms else {}
        hits = sorted(self._alive.items(), key=_age, reverse=True)
        if terms and not with_unscored:
            hits = [hit for hit in hits if scores.get(hit[0], 0.0) > 0]
        hits.sort(key=lambda hit: scores.get(hit[0], 0.0), reverse=True)
        return [(record, scores.get(number, 0.0)) for number, record in hits[:limit]]

    def _scores(self, terms: Iterable[str]) -> dict[int, float]:
        if self._ranking is None:
            self._ranking = Ranking()
        self._ranking.add((number, searchable(self._alive[number])) for number in self._unranked)
        self._unranked = []
        scores = self._ranking.scores(terms)
        for number in scores:
            record = self._alive[number]
            in_key, in_tags = set(terms_of(record["key"])), set(terms_of(" ".join(record["tags"])))
            scores[number] += sum((term in in_key) * _KEY_BONUS + (term in in_tags) * _TAG_BONUS for term in terms)
        return scores

    def close(self) -> None:
        """Close the search index."""
        if self._ranking is not None:
            self._ranking.close()


class Memory:
    """The namespaces that a run has used."""

    __slots__ = ("_namespaces",)

    def __init__(self) -> None:
        self._namespaces: dict[str, Namespace] = {}

    def namespace(self, root: str, name: str) -> Namespace:
        """Return a namespace below a root."""
        path = namespace_path(root, name)
        found = self._namespaces.get(path)
        if found is None:
            found = self._namespaces[path] = Namespace(path)
        return found

    def close(self) -> None:
        """Close the search indexes."""
        for namespace in self._namespaces.values():
            namespace.close()


def _age(entry: tuple[int, MemoryRecord]) -> tuple[str, int]:
    return entry[1]["stored_at"], entry[0]


_TEXTS = ("id", "key", "stored_at", "text")


def is_record(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Return whether a value from a file is a record."""
    return (
        value.__class__ is dict
        and all(value.get(name).__class__ is str for name in _TEXTS)
        and value.get("tags").__class__ is list
        and all(tag.__class__ is str for tag in value["tags"])
        and "value" in value
    )


def is_torn(line: bytes) -> bool:
    """Return whether a line is the start of an incompletely written event."""
    if line.endswith(b"\n") or not line.startswith(b"{"):
        return False
    try:
        read_json(line.decode("utf-8"))
    except (JsonError, ValueError):
        return True
    return False


def repair_end(file: int) -> None:
    """Make sure that the next write starts a new line. An incomplete event at the end is removed."""
    size = os.fstat(file).st_size
    start, tail = size, b""
    while start and b"\n" not in tail:
        step = min(start, 1 << 12)
        start -= step
        os.lseek(file, start, os.SEEK_SET)
        tail = os.read(file, step) + tail
    torn = tail.rpartition(b"\n")[2]
    if torn and is_torn(torn):
        os.ftruncate(file, size - len(torn))
    elif torn:
        os.write(file, b"\n")
