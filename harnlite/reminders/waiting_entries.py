"""The entries that wait in an inbox: how they are accepted, listed, replaced and revoked, from any thread."""

from __future__ import annotations

import _thread

from harnlite.reminders.inbox_entries import (
    DELIVERED,
    REMINDER,
    REVOKED,
    UNKNOWN,
    USER,
    WAITING,
    Entry,
    Outcomes,
    waiting_rows,
)
from harnlite.reminders.seams import INTERRUPT_IMMEDIATE, QUEUE, STEER
from harnlite.reminders.wire import reused_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from harnlite.reminders.inbox_entries import Journal
    from harnlite.reminders.wire import Fault, Fields

_WAKING = frozenset({INTERRUPT_IMMEDIATE, STEER, QUEUE})


class ReusedId(Exception):
    """Raised for a reminder whose id belongs to another reminder."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class WaitingEntries:
    """The queue of an inbox, as those see it who send to a session.

    A callback named `accept` is called once the request is stored and before its effects are visible to other threads.
    """

    __slots__ = (
        "_cleared",
        "_entering",
        "_entries",
        "_lock",
        "_messages",
        "_order",
        "_reminders",
        "_waiters",
        "_withdrawn",
        "journal",
        "on_push",
        "turn",
    )

    def __init__(self) -> None:
        self._lock = _thread.allocate_lock()
        self._entries: list[Entry] = []
        self._entering: list[tuple[list[Entry], frozenset[str]]] = []
        self._withdrawn: list[Entry] = []
        self._cleared: set[str] = set()
        self._reminders, self._messages = Outcomes(), Outcomes()
        self._order = 0
        self._waiters: list[_thread.LockType] = []
        self.journal: Journal | None = None
        self.on_push: Callable[[Entry], None] | None = None
        self.turn: str | None = None
        """The id of the running turn, for entries that only one turn may take."""

    def push_reminder(
        self,
        fields: Fields,
        id: str,  # noqa: A002 - as the payload calls it
        accept: Callable[[int | None], object] | None = None,
        *,
        note: dict[str, Any] | None = None,
        turn: str | None = None,
    ) -> str:
        """Queue a reminder. A reminder whose id was accepted before is not queued again.

        `accept` receives the number of queued reminders with the same key, or None for a reminder accepted before.
        """
        entry = Entry(id, fields.mode, fields, note=note, turn=turn)
        with self._lock:
            # An id that the sender has not chosen is new, so that there is no need to search the journal for it.
            is_known = self._knows(self._reminders, REMINDER, id) if fields.id else self._reminders.knows(id)
            if is_known:
                if not self._reminders.has_text(id, fields.body):
                    raise ReusedId(reused_id(id))
                if accept is not None:
                    accept(None)
                return id
            self._order = entry.order = self._order + 1
            if self.journal is not None:
                self.journal.add(entry)
            if accept is not None:
                accept(self._count_by_key(fields.dedupe_key))
            self._reminders.wait(id, fields.body)
            self._entries.append(entry)
        self._tell(entry)
        return id

    def push_message(
        self,
        content: object,
        mode: str,
        id: str,  # noqa: A002 - as the message calls it
        accept: Callable[[], object] | None = None,
        *,
        note: dict[str, Any] | None = None,
    ) -> str:
        """Queue a user message."""
        entry = Entry(id, mode, None, content, note=note)
        with self._lock:
            self._order = entry.order = self._order + 1
            if self.journal is not None:
                self.journal.add(entry)
            if accept is not None:
                accept()
            self._messages.wait(id)
            self._entries.append(entry)
        self._tell(entry)
        return id

    def restore(self, entries: Iterable[Entry]) -> None:
        """Queue entries that were accepted earlier and are stored."""
        with self._lock:
            for entry in entries:
                entry.is_restored = True
                self._order = entry.order = self._order + 1
                if entry.fields is None:
                    self._messages.wait(entry.id)
                else:
                    self._reminders.wait(entry.id, entry.fields.body)
                self._entries.append(entry)

    def _knows(self, outcomes: Outcomes, kind: str, id: str) -> bool:  # noqa: A002 - as the payload calls it
        """Return whether an entry was accepted; the outcomes of older entries are read from the journal."""
        if outcomes.knows(id):
            return True
        found = self.journal.outcome(id) if self.journal is not None else None
        if found is None or found[0] != kind:
            return False
        outcomes.add(id, found[1], found[2] or "")
        return True

    def waiting(self) -> list[Entry]:
        """Return the queued entries in the order of acceptance."""
        with self._lock:
            return sorted(self._entries, key=_order)

    def pending(self) -> dict[str, Any]:
        """Return the queued entries as a host sees them, in the order of acceptance."""
        return waiting_rows([entry.row(position) for position, entry in enumerate(self.waiting())])

    def revoke(
        self,
        id: str,  # noqa: A002 - as the payload calls it
        accept: Callable[[str], object] | None = None,
        *,
        waits: bool = False,
    ) -> str:
        """Remove a reminder that is still queued. Return the outcome.

        With `waits`, wait for the end of a delivery that has begun. `accept` is called if the reminder is revoked.
        """
        return self._revoke(self._reminders, REMINDER, id, accept, waits=waits)

    def revoke_message(
        self,
        id: str,  # noqa: A002 - as the message calls it
        accept: Callable[[str], object] | None = None,
        *,
        waits: bool = False,
    ) -> str:
        """Remove a user message that is still queued, as `revoke` does. Return the outcome."""
        return self._revoke(self._messages, USER, id, accept, waits=waits)

    def _revoke(
        self,
        outcomes: Outcomes,
        kind: str,
        id: str,  # noqa: A002 - as the payload calls it
        accept: Callable[[str], object] | None,
        *,
        waits: bool,
    ) -> str:
        with self._lock:
            if waits:
                self._wait_for_delivery(id)
            state = outcomes.state(id) if self._knows(outcomes, kind, id) else UNKNOWN
            if state == WAITING:
                self._forget([id], REVOKED)
            if accept is not None and state in (WAITING, REVOKED):
                accept(_ANSWERS[state])
            if state == WAITING:
                self._entries = [entry for entry in self._entries if entry.id != id or entry.kind != kind]
                outcomes.settle([id], REVOKED, len(self._entries))
        return _ANSWERS.get(state, f"unknown_{'message' if kind == USER else 'reminder'}_id")

    def replace_message(
        self,
        id: str,  # noqa: A002 - as the message calls it
        content: object,
        accept: Callable[[], object] | None = None,
        *,
        note: dict[str, Any] | None = None,
        waits: bool = False,
    ) -> str:
        """Replace the content of a user message that is still queued; mode and place stay. Return the outcome."""
        with self._lock:
            if waits:
                self._wait_for_delivery(id)
            state = self._messages.state(id) if self._knows(self._messages, USER, id) else UNKNOWN
            if state != WAITING:
                return _ANSWERS.get(state, "unknown_message_id")
            for entry in self._entries:
                if entry.kind == USER and entry.id == id:
                    self._change(entry, content, note)
            if accept is not None:
                accept()
        return "replaced"

    def _change(self, entry: Entry, content: object, note: dict[str, Any] | None) -> None:
        before = entry.content, entry.note
        entry.content, entry.note = content, note
        if self.journal is not None:
            try:
                self.journal.change(entry)
            except BaseException:
                entry.content, entry.note = before
                raise

    def _wait_for_delivery(self, id: str) -> None:  # noqa: A002 - as the payload calls it
        """Wait, without the lock, until the delivery of an entry that has been taken is settled."""
        while any(id in ids for _, ids in self._entering):
            waiter = _thread.allocate_lock()
            waiter.acquire()
            self._waiters.append(waiter)
            self._lock.release()
            try:
                waiter.acquire()
            finally:
                self._lock.acquire()

    def _forget(self, ids: list[str], outcome: str) -> None:
        if self.journal is not None and ids:
            self.journal.remove(ids, outcome)

    def has_work(self) -> bool:
        """Return whether an entry is queued that wakes a daemon: any but those that wait for the end of a step."""
        with self._lock:
            return any(entry.mode in _WAKING for entry in self._entries)

    @property
    def is_empty(self) -> bool:
        """Return whether nothing waits."""
        return not self._entries

    def count_by_key(self, dedupe_key: str) -> int:
        """Return the number of queued reminders with this key."""
        with self._lock:
            return self._count_by_key(dedupe_key)

    def _count_by_key(self, dedupe_key: str | None) -> int:
        if dedupe_key is None:
            return 0
        return sum(entry.fields is not None and entry.fields.dedupe_key == dedupe_key for entry in self._entries)

    def _tell(self, entry: Entry) -> None:
        if self.on_push is not None:
            self.on_push(entry)


def _order(entry: Entry) -> int:
    return entry.order


_ANSWERS = {
    WAITING: "revoked",
    REVOKED: "already_revoked",
    DELIVERED: "already_delivered",
}
