"""Reads all records of an event log in a file, for those who look at it after the run or during it."""

from __future__ import annotations

import os
from dataclasses import dataclass

from harnlite.regular_files import regular_log
from harnlite.store.stored_records import record_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.store.event_log import LogRecord

_SQLITE = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class StoredLog:
    """The records of a log, and the number of those that cannot be read."""

    records: list[LogRecord]
    skipped: int


def read_log(path: str) -> StoredLog:
    """Read a log in a SQLite or JSONL file. Raise OSError if it is neither.

    A last line without an end does not count as skipped: a writer is writing it, or was killed.
    """
    with open(path, "rb", opener=regular_log) as file:
        start = file.read(len(_SQLITE))
        if start == _SQLITE:
            from harnlite.store.sqlite_event_log import read_store

            return StoredLog(*read_store(path))
        file.seek(0)
        records, skipped, size = [], 0, os.fstat(file.fileno()).st_size
        for line in file:
            record = record_in(line)
            if record is not None:
                records.append(record)
            elif line.endswith(b"\n") and not line.isspace():
                skipped += 1
            size -= len(line)
            if size <= 0:
                break  # a writer may go on for ever
    if not records and not start.startswith(b"{") and start.strip():
        raise OSError(None, "it is not an event log", path)
    return StoredLog(records, skipped)
