"""The event log in a JSONL file: one record per line, append-only."""

from __future__ import annotations

import os

from harnlite.durable_files import LineFile
from harnlite.formats.json.writing import json_string
from harnlite.runtime.tasks.clock import waiting_time
from harnlite.store.line_index import LineIndex
from harnlite.store.listened_log import LARGEST_ID, FileLog, next_ids, read_error, write_error
from harnlite.store.stored_records import is_torn, record_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harnlite.runtime.tasks.clock import Clock
    from harnlite.store.event_log import LogRecord, Text

_STORE_START = b"SQLite format 3\0"


class JsonlLog(FileLog):
    """A log in a file. A record is passed to the system before its id is returned, so it survives the process.

    Several processes may write to one file: each reads the new records of the others under a lock before it writes.
    The file may be truncated, renamed, replaced or deleted meanwhile; the ids continue. A record that is emitted at
    least RECHECK_SECONDS after such a change is in the file at the path; an earlier one may be in the former file.
    """

    __slots__ = ("_file", "_index", "_is_closed", "_largest", "_opened", "_path")

    def __init__(self, path: str, clock: Clock) -> None:
        super().__init__(clock, detailed=True)
        self._path = path
        self._file = LineFile(os.path.abspath(path))
        self._opened = 0
        self._index = LineIndex()
        self._largest: dict[str, int] = {}
        self._is_closed = False
        try:
            with self._file:
                self._check_file()
            self._update_index()  # without the lock, because a long file takes time
            with self._file:
                self._catch_up()
        except OSError as error:
            self._file.close()
            raise OSError(error.errno, error.strerror, path) from None

    def append(
        self, topic: str, texts: Sequence[Text], first: int = 1, assign: Callable[[int], int] | None = None
    ) -> int:
        """Write records with the next ids, or from `first` on if that is higher; return the id of the first record.

        `assign` is given the lowest free id while the file is locked, and returns the one to use.
        """
        with self._lock:
            if self._is_closed:
                raise write_error(self._path, "the log is closed")
            try:
                try:
                    return self._append(topic, texts, first, assign)
                except FileNotFoundError:
                    os.makedirs(os.path.dirname(os.path.abspath(self._path)), exist_ok=True)
                    return self._append(topic, texts, first, assign)
            except OSError as error:
                raise write_error(self._path, error.strerror) from None

    def _append(self, topic: str, texts: Sequence[Text], first: int, assign: Callable[[int], int] | None) -> int:
        if assign is None and len(texts) == 1 and self._file.opened == self._opened:
            number = self._next(topic, first)
            line = _line(topic, number, texts[0])
            if number < LARGEST_ID and self._index.append(self._file, topic, number, line, waiting_time()):
                return number
        with self._file as file:
            if file.opened != self._opened or not self._index.ends(file):
                self._catch_up()
            first = self._next(topic, first)
            if assign is not None:
                first = assign(first)
            lines = [_line(topic, number, text) for number, text in next_ids(self._path, topic, first, texts)]
            file.append(b"".join(lines))
        self._index.add(topic, first, lines)
        return first

    def _next(self, topic: str, first: int) -> int:
        """Return the lowest free id of a topic that is not below `first`."""
        newest = self._index.newest(topic)
        if self._largest:
            newest = max(newest, self._largest.get(topic, 0))
        return newest + 1 if newest >= first else first

    def latest(self, topic: str) -> int | None:
        """Return the largest id of a topic that this log has given or seen, or None."""
        return max(self._index.newest(topic), self._largest.get(topic, 0)) or None

    def _after(self, topic: str, after: int, count: int, kind_prefix: str) -> list[tuple[int, bytes]]:  # noqa: ARG002 - lines are not searched for their kind
        if self._is_closed:
            raise read_error(self._path, "the log is closed")
        try:
            places = self._index.after(topic, after, count)
            return [(number, self._file.read(offset, length)) for number, offset, length in places]
        except OSError as error:
            raise read_error(self._path, error.strerror) from None

    def _record(self, topic: str, number: int, stored: bytes) -> LogRecord | None:
        record = record_in(stored)
        if record is None or (record["topic"], record["id"]) != (topic, number):
            return None  # the file has changed since it was indexed
        return record

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._is_closed = True
            self._file.close()

    def _catch_up(self) -> None:
        """Bring the index up to date with the locked file, and repair the end if a writer was killed."""
        if self._file.opened != self._opened:
            self._check_file()
        self._file.repair_end(is_torn)
        self._update_index()

    def _check_file(self) -> None:
        """Start the index of a file that has been opened. Raise OSError if the file cannot be a JSONL log."""
        self._forget()
        reason = _unfit(self._file)
        if reason is not None:
            raise OSError(None, reason, self._path)
        self._opened = self._file.opened

    def _update_index(self) -> None:
        if not self._index.is_of(self._file):
            self._forget()
        if self._file.size() > self._index.size:
            self._index.extend(self._file)

    def _forget(self) -> None:
        """Start a new index. The largest ids are kept: ids never go down, because subscribers remember them."""
        self._largest |= {
            topic: number for topic, number in self._index.newest_ids().items() if number > self._largest.get(topic, 0)
        }
        self._index = LineIndex()


def _unfit(file: LineFile) -> str | None:
    """Return why a file cannot be a JSONL log, or None if it can."""
    return "it is a SQLite file" if file.read(0, len(_STORE_START)) == _STORE_START else None


def _line(topic: str, number: int, text: Text) -> bytes:
    kind, payload, headers, at = text
    line = (
        f'{{"cursor":{number},"headers":{headers},"id":{number},"kind":{_NAMES.get(kind) or _name(kind)},'
        f'"occurred_at_ms":{at},"payload":{payload},"topic":{_NAMES.get(topic) or _name(topic)}}}\n'
    )
    try:
        return line.encode()
    except UnicodeEncodeError:  # half a surrogate pair
        return line.encode("utf-8", "replace")


_MOST_NAMES = 1_000
_NAMES: dict[str, str] = {}
"""The JSON of topics and kinds, most of which occur again and again."""


def _name(text: str) -> str:
    if len(_NAMES) >= _MOST_NAMES:
        _NAMES.clear()
    found = _NAMES[text] = json_string(text)
    return found
