"""Memory: records in namespaces. Each namespace is an append-only file of events.

A line of the file is `{"type": "store", "record": {…}}` or `{"type": "forget", …, "forgotten_ids": […]}`.
"""

from __future__ import annotations

import os

from harnlite.durable_files import LineFile, open_file, read_all
from harnlite.file_places import as_place
from harnlite.formats.json.reading import JsonError, read_json
from harnlite.formats.json.writing import data_text, json_text
from harnlite.store.json_lines import is_torn
from harnlite.store.path_parts import path_parts
from harnlite.store.ranking import Ranking, terms_of
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeAlias

    from harnlite.file_places import FilePlace

    MemoryRecord: TypeAlias = dict[str, Any]
    Hit: TypeAlias = tuple[MemoryRecord, float]

FILE = "events.jsonl"
_END_BYTES = 64
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
    """The records of one file. Other processes may write to the file, too.

    The file stays open while it is read, so that a file that replaces it never has the same inode. `_end` are the last
    bytes that were read: a file without them there was truncated and written anew.
    """

    __slots__ = (
        "_alive",
        "_done",
        "_end",
        "_file",
        "_folder",
        "_identity",
        "_line_file",
        "_lines",
        "_path",
        "_place",
        "_ranking",
        "_unranked",
    )

    def __init__(self, path: str | FilePlace) -> None:
        self._place = as_place(path)
        self._path = self._place.path
        self._folder = self._place.folder()
        self._file = -1
        self._identity = (0, 0)
        self._line_file: LineFile | None = None
        self._ranking: Ranking | None = None
        self._forget_all()

    def _forget_all(self) -> None:
        if self._ranking is not None:
            self._ranking.close()
        if self._file >= 0:
            os.close(self._file)
        self._alive: dict[int, MemoryRecord] = {}
        self._unranked: list[int] = []
        self._ranking = None
        self._file = -1
        self._done = 0
        self._end = b""
        self._lines = 0

    # The file

    def refresh(self) -> None:
        """Read the events since the last refresh."""
        try:
            status = self._place.status()
            if self._file < 0 or not self._is_continued(status):
                self._forget_all()
                self._file = open_file(self._place)
                status = os.fstat(self._file)
                self._identity = status.st_dev, status.st_ino
            if status.st_size == self._done:
                return
            os.lseek(self._file, self._done, os.SEEK_SET)
            data = read_all(self._file)
        except (FileNotFoundError, NotADirectoryError):
            self._forget_all()
            return
        except OSError as error:
            raise runtime_error(f"memory: cannot read {self._path}: {error.strerror}") from None
        for line in _lines_of(data):
            if not self._take(line):
                break

    def _is_continued(self, status: os.stat_result) -> bool:
        """Return whether the file at the path is still the open one, and has what was read from it."""
        if (status.st_dev, status.st_ino) != self._identity or status.st_size < self._done:
            return False
        if status.st_size == self._done or not self._end:
            return True
        os.lseek(self._file, self._done - len(self._end), os.SEEK_SET)
        return os.read(self._file, len(self._end)) == self._end

    def _take(self, line: bytes) -> bool:
        """Apply the event in a line. Return whether the line was complete."""
        is_rest = line == b"\n" and self._end != b"" and not self._end.endswith(b"\n")
        try:
            event = read_json(line.decode("utf-8")) if line.strip() else None
        except (JsonError, ValueError) as error:
            if is_torn(line):
                return False
            raise runtime_error(
                f"memory: failed to parse line {self._lines + 1} from {self._path}: {error}",
            ) from None
        self._apply(event)
        self._lines += not is_rest
        self._done += len(line)
        self._end = line[-_END_BYTES:]
        return True

    def _apply(self, event: Any) -> None:  # noqa: ANN401 - any JSON value
        if event.__class__ is not dict:
            return
        if event.get("type") == "store" and is_record(event.get("record")):
            self._alive[self._lines] = event["record"]
            self._unranked.append(self._lines)
        elif event.get("type") == "forget":
            ids = event.get("forgotten_ids")
            self._drop({known for known in ids if known.__class__ is str} if ids.__class__ is list else set())

    def _drop(self, ids: set[str]) -> None:
        gone = [number for number, record in self._alive.items() if record["id"] in ids]
        ranked = set(gone).difference(self._unranked)
        for number in gone:
            del self._alive[number]
        self._unranked = [number for number in self._unranked if number in self._alive]
        if self._ranking is not None:
            self._ranking.remove(ranked)

    def _append(self, make_event: Callable[[], dict[str, object]]) -> None:
        """Append an event, which is made from all earlier events; no other process writes to the file meanwhile."""
        try:
            with self._opened() as lines:
                self.refresh()
                lines.repair_end(is_torn)
                if lines.size() != self._done:
                    self.refresh()
                line = data_text(make_event()).encode("utf-8", "replace") + b"\n"
                lines.append(line)
                self._take(line)
        except OSError as error:
            raise runtime_error(f"memory: cannot write {self._path}: {error.strerror}") from None

    def _opened(self) -> LineFile:
        if not self._folder.is_folder(follow=True):
            self._folder.make_folders()
        if self._line_file is None:
            self._line_file = LineFile(self._place)
        return self._line_file

    # The records

    def store(self, record: MemoryRecord) -> None:
        """Store a record."""
        self._append(lambda: {"type": "store", "record": record})

    def forget(self, event: dict[str, object], is_meant: Callable[[MemoryRecord], bool]) -> list[str]:
        """Forget the matching records, append the event, and return their ids."""
        ids: list[str] = []

        def forgetting() -> dict[str, object]:
            ids.extend(record["id"] for record in self._alive.values() if is_meant(record))
            return {**event, "type": "forget", "forgotten_ids": ids}

        self._append(forgetting)
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
        """Close the search index and the file."""
        self._forget_all()
        if self._line_file is not None:
            self._line_file.close()


class Memory:
    """The namespaces that a run has used."""

    __slots__ = ("_namespaces",)

    def __init__(self) -> None:
        self._namespaces: dict[tuple[str, str | None], Namespace] = {}

    def namespace(self, place: FilePlace) -> Namespace:
        """Return the namespace with a file; it is another one when links lead elsewhere."""
        known = place.path, place.real
        found = self._namespaces.get(known)
        if found is None:
            found = self._namespaces[known] = Namespace(place)
        return found

    def close(self) -> None:
        """Close the search indexes and the files."""
        for namespace in self._namespaces.values():
            namespace.close()


def _lines_of(data: bytes) -> Iterator[bytes]:
    """Yield the lines of a text with their ends; unlike for `splitlines`, only a line feed ends a line."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        yield data[start:end]
        start = end


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
