"""Event logs in files: the choice between JSONL, SQLite and both."""

from __future__ import annotations

from harnlite.store.jsonl_event_log import JsonlLog
from harnlite.store.tee_event_log import TeeLog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.clock import Clock
    from harnlite.store.event_log import EventLog


def open_files(clock: Clock, events: str | None, store: str | None) -> EventLog:
    """Open a log in a JSONL file, in a SQLite file, or in both. Raise OSError on failure."""
    if store is None:
        return JsonlLog(events or "", clock)
    from harnlite.store.sqlite_event_log import SqliteLog

    kept = SqliteLog(store, clock)
    return kept if events is None else TeeLog(kept, JsonlLog(events, clock), clock)
