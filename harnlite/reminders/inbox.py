"""The inbox of a session: a queue of reminders and user messages that any thread pushes and the loop takes at seams."""

from __future__ import annotations

import _thread

from harnlite.reminders.seams import INTERRUPT_IMMEDIATE, SEAMS
from harnlite.reminders.wire import reused_id, waiting_message, waiting_reminder, waiting_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from harnlite.reminders.wire import Fault, Fields

REMINDER, USER = "reminder", "user"
REVOKED, DELIVERED = 0, 1
REMEMBERED = 10_000
"""The number of delivered or revoked ids that an inbox remembers."""


class Entry:
    """A reminder or a user message in the queue."""

    __slots__ = ("content", "fields", "id", "kind", "meta", "mode")

    def __init__(self, id: str, mode: str, fields: Fields | None, content: object = None) -> None:  # noqa: A002
        self.kind = USER if fields is None else REMINDER
        self.id = id
        self.mode = mode
        self.fields = fields
        self.content = content
        self.meta: dict[str, Any] | None = fields.meta if fields is not None else None

    def row(self, position: int) -> dict[str, Any]:
        """Return the entry as a host sees it."""
        if self.fields is None:
            return waiting_message(self.id, self.mode, position, self.content)
        return waiting_reminder(self.id, self.mode, position, self.fields)


class ReusedId(Exception):
    """Raised for a reminder whose id belongs to another reminder."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class Inbox:
    """The queue of one session. Every method is atomic: an entry is either revoked or delivered, never both."""

    __slots__ = ("_entries", "_lock", "_settled", "_waiting", "on_push")

    def __init__(self) -> None:
        self._lock = _thread.allocate_lock()
        self._entries: list[Entry] = []
        self._waiting: dict[str, int] = {}
        self._settled: dict[str, int] = {}
        """The reminders by their ids, each with the hash of its body, doubled and with 1 added if it was delivered."""
        self.on_push: Callable[[Entry], None] | None = None

    def push_reminder(self, fields: Fields, id: str) -> str:  # noqa: A002 - as the payload calls it
        """Queue a reminder. A reminder whose id was accepted before is not queued again."""
        with self._lock:
            body = hash(fields.body)
            known = self._waiting.get(id)
            if known is None and id in self._settled:
                known = self._settled[id] >> 1
            if known is not None:
                if known != body:
                    raise ReusedId(reused_id(id))
                return id
            self._waiting[id] = body
            entry = Entry(id, fields.mode, fields)
            self._entries.append(entry)
        self._tell(entry)
        return id

    def push_message(self, content: object, mode: str, id: str) -> str:  # noqa: A002 - as the message calls it
        """Queue a user message."""
        entry = Entry(id, mode, None, content)
        with self._lock:
            self._entries.append(entry)
        self._tell(entry)
        return id

    def drain(self, seam: str) -> list[Entry]:
        """Take the entries of all modes that this seam accepts: mode by mode, first in, first out."""
        return self._take(SEAMS[seam])

    def take(self, mode: str) -> list[Entry]:
        """Take the entries of one mode."""
        return self._take((mode,))

    def pending(self) -> dict[str, Any]:
        """Return the queued entries as a host sees them."""
        with self._lock:
            entries = self._entries[:]
        return waiting_rows([entry.row(position) for position, entry in enumerate(entries)])

    def revoke(self, id: str) -> str:  # noqa: A002 - as the payload calls it
        """Remove a reminder that is still queued. Return the outcome."""
        with self._lock:
            if id in self._waiting:
                self._entries = [entry for entry in self._entries if entry.id != id or entry.kind == USER]
                self._settle([id], REVOKED)
                return "revoked"
            state = self._settled.get(id)
        return "unknown_reminder_id" if state is None else _ANSWERS[state & 1]

    def has_immediate(self) -> bool:
        """Return whether an entry that may interrupt is queued."""
        with self._lock:
            return any(entry.mode == INTERRUPT_IMMEDIATE for entry in self._entries)

    def count_by_key(self, dedupe_key: str) -> int:
        """Return the number of queued reminders with this key."""
        with self._lock:
            return sum(entry.fields is not None and entry.fields.dedupe_key == dedupe_key for entry in self._entries)

    def _take(self, modes: tuple[str, ...]) -> list[Entry]:
        if not self._entries or not modes:
            return []
        with self._lock:
            taken = [entry for mode in modes for entry in self._entries if entry.mode == mode]
            if taken:
                self._entries = [entry for entry in self._entries if entry.mode not in modes]
                self._settle((entry.id for entry in taken if entry.kind == REMINDER), DELIVERED)
        return taken

    def _settle(self, ids: Iterable[str], state: int) -> None:
        """Record the outcome for these ids, and forget the oldest outcomes beyond the limit."""
        settled = self._settled
        for id_ in ids:
            settled[id_] = self._waiting.pop(id_) << 1 | state
        if len(settled) > REMEMBERED:
            oldest = iter(settled)
            for id_ in [next(oldest) for _ in range(len(settled) - REMEMBERED)]:
                del settled[id_]

    def _tell(self, entry: Entry) -> None:
        if self.on_push is not None:
            self.on_push(entry)


_ANSWERS = ("already_revoked", "already_delivered")
