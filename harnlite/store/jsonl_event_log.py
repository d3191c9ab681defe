"""The event log in a JSONL file: one record per line, append-only."""

from __future__ import annotations

import os
from array import array
from bisect import bisect_right
from stat import S_ISREG

from harnlite.formats.json.reading import JsonError, read_json
from harnlite.formats.json.writing import json_string
from harnlite.regular_files import regular_file_of_any_size, require_regular
from harnlite.store.file_locks import Alone
from harnlite.store.listened_log import FileLog, write_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.runtime.tasks.clock import Clock
    from harnlite.store.event_log import LogRecord, Text

_RECORD_START, _TOPIC, _RECORD_END = b'{"cursor":', b',"topic":"', b'"}\n'
_STORE_START = b"SQLite format 3\0"
_MODE = 0o644


class JsonlLog(FileLog):
    """A log in a file. A record is passed to the system before its id is returned, so it survives the process.

    Several processes may write to one file: each reads the new records of the others under a lock before it writes.
    """

    __slots__ = ("_file", "_ids", "_offsets", "_path", "_size")

    def __init__(self, path: str, clock: Clock) -> None:
        super().__init__(clock, detailed=True)
        self._path = os.path.abspath(path)
        require_regular(path)
        self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), _MODE)
        reason = _unfit(self._file)
        if reason is not None:
            os.close(self._file)
            raise OSError(None, reason, path)
        self._ids: dict[str, array[int]] = {}
        self._offsets: dict[str, array[int]] = {}
        self._size = 0
        with Alone(self._file):
            self._find_records()

    def append(self, topic: str, texts: Sequence[Text], first: int = 1) -> int:
        """Write records with the next ids, or from `first` on if that is higher; return the id of the first record."""
        with self._lock:
            if self._file < 0:
                raise write_error("the log is closed")
            with Alone(self._file):
                if os.fstat(self._file).st_size > self._size:
                    self._find_records()
                first = max(first, (self.latest(topic) or 0) + 1)
                lines = [_line(topic, number, text) for number, text in enumerate(texts, first)]
                self._write(b"".join(lines))
            for number, line in enumerate(lines, first):
                self._note(topic, number, self._size)
                self._size += len(line)
        return first

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._file, view) :]
        except OSError as error:
            raise write_error(error.strerror) from None

    def _note(self, topic: str, number: int, offset: int) -> None:
        ids = self._ids.get(topic)
        if ids is None:
            ids = self._ids[topic] = array("q")
            self._offsets[topic] = array("q")
        ids.append(number)
        self._offsets[topic].append(offset)

    def latest(self, topic: str) -> int | None:
        """Return the id of the newest record of a topic, or None."""
        ids = self._ids.get(topic)
        return ids[-1] if ids else None

    def read(self, topic: str, after: int = 0, kind_prefix: str = "", limit: int | None = None) -> list[LogRecord]:
        """Return the records of a topic after an id, oldest first."""
        with self._lock:
            ids = self._ids.get(topic, ())
            start = bisect_right(ids, after)
            if start == len(ids):
                return []
            offset, end = self._offsets[topic][start], self._size
        found: list[LogRecord] = []
        with open(self._path, "rb", opener=regular_file_of_any_size) as file:
            file.seek(offset)
            while offset < end and (limit is None or len(found) < limit):
                line = file.readline()
                offset += len(line)
                record = record_in(line)
                if record is not None and record["topic"] == topic and record["kind"].startswith(kind_prefix):
                    found.append(record)
        return found

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            file, self._file = self._file, -1
            if file >= 0:
                os.close(file)

    def _find_records(self) -> None:
        """Index the records of other runs, and repair the end of the file if a run was interrupted."""
        with open(self._path, "rb", opener=regular_file_of_any_size) as file:
            file.seek(self._size)
            line = b""
            for line in file:
                place = _place_of(line) if line.endswith(b"\n") else None
                if place is not None:
                    self._note(*place, self._size)
                self._size += len(line)
        if line and not line.endswith(b"\n"):
            self._end_line(line)

    def _end_line(self, torn: bytes) -> None:
        """Remove an incomplete record, which was never acknowledged, or terminate any other last line."""
        if torn.startswith(_RECORD_START[: len(torn)]) and record_in(torn) is None:
            self._size -= len(torn)
            os.ftruncate(self._file, self._size)
            return
        record = record_in(torn)
        if record is not None:
            self._note(record["topic"], record["id"], self._size - len(torn))
        self._write(b"\n")
        self._size += 1


def _unfit(file: int) -> str | None:
    """Return why a file cannot be a JSONL log, or None if it can."""
    if not S_ISREG(os.fstat(file).st_mode):
        return "it is not a regular file"
    return "it is a SQLite file" if os.read(file, len(_STORE_START)) == _STORE_START else None


def _line(topic: str, number: int, text: Text) -> bytes:
    kind, payload, headers, at = text
    line = (
        f'{{"cursor":{number},"headers":{headers},"id":{number},"kind":{json_string(kind)},'
        f'"occurred_at_ms":{at},"payload":{payload},"topic":{json_string(topic)}}}\n'
    )
    return line.encode("utf-8", "replace")


def _place_of(line: bytes) -> tuple[str, int] | None:
    """Return the topic and id of a line. Lines that this log wrote have them at the ends and need no full parse."""
    if line.startswith(_RECORD_START) and line.endswith(_RECORD_END):
        digits = line[len(_RECORD_START) : line.find(b",")]
        topic = line[line.rfind(_TOPIC) + len(_TOPIC) : -len(_RECORD_END)]
        if digits.isdigit() and topic.isascii() and b'"' not in topic and b"\\" not in topic:
            return topic.decode("ascii"), int(digits)
    record = record_in(line)
    return None if record is None else (record["topic"], record["id"])


def record_in(line: bytes) -> LogRecord | None:
    """Return the record in a line of a log, or None. Missing keys except id, topic and kind get default values."""
    try:
        found = read_json(line.decode("utf-8"))
    except (JsonError, ValueError):
        return None
    if found.__class__ is not dict:
        return None
    number, topic, kind, at = (found.get(key) for key in ("id", "topic", "kind", "occurred_at_ms"))
    if number.__class__ is not int or topic.__class__ is not str or kind.__class__ is not str:
        return None
    headers = found.get("headers")
    return {
        "id": number,
        "cursor": number,
        "topic": topic,
        "kind": kind,
        "payload": found.get("payload"),
        "headers": headers if headers.__class__ is dict else {},
        "occurred_at_ms": at if at.__class__ is int else 0,
    }
