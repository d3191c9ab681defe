"""The inbox of a session: a queue of reminders and user messages that any thread pushes and the loop takes at seams."""

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
from harnlite.reminders.seams import FINISH_STEP, INTERRUPT_IMMEDIATE, QUEUE, SEAMS, STEER
from harnlite.reminders.wire import reused_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from harnlite.reminders.inbox_entries import Journal
    from harnlite.reminders.selector import Selector
    from harnlite.reminders.wire import Fault, Fields

_PROMPTING = (INTERRUPT_IMMEDIATE, FINISH_STEP, STEER, QUEUE)
"""The modes of the user messages that a loop without a prompt may take as its prompt, in this order."""
_WAKING = frozenset({INTERRUPT_IMMEDIATE, STEER, QUEUE})


class ReusedId(Exception):
    """Raised for a reminder whose id belongs to another reminder."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class Inbox:
    """The queue of one session. Every method is atomic: an entry is either revoked or delivered, never both.

    What a drain returns counts as entering until `settle` is called: what has not entered by then is queued again.
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
            if self._knows(self._reminders, REMINDER, id):
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

    def drain(self, seam: str) -> list[Entry]:
        """Take the entries of all modes that this seam accepts: mode by mode, first in, first out.

        The caller removes each entry from the list when it has entered the session, and then calls `settle`.
        """
        return self._take(SEAMS[seam])

    def take_restored(self) -> list[Entry]:
        """Take the user messages of all modes that were accepted before the session was opened, as `drain` does."""
        with self._lock:
            return self._begin([entry for entry in self._entries if entry.kind == USER and entry.is_restored])

    def take(self, mode: str) -> list[Entry]:
        """Take the entries of one mode, as `drain` does."""
        return self._take((mode,))

    def take_queued(self) -> list[Entry]:
        """Take the oldest queued user message, as `drain` does."""
        with self._lock:
            return self._take_message(lambda entry: entry.mode == QUEUE)

    def take_prompt(self) -> list[Entry]:
        """Take the user message that becomes the prompt of a loop, as `drain` does; those that are queued come last."""
        with self._lock:
            modes = [entry.mode for entry in self._entries if entry.kind == USER]
            wanted = next((mode for mode in _PROMPTING if mode in modes), None)
            return [] if wanted is None else self._take_message(lambda entry: entry.mode == wanted)

    def take_message(self, id: str) -> list[Entry]:  # noqa: A002 - as the message calls it
        """Take one user message, as `drain` does; return an empty list if it no longer waits."""
        with self._lock:
            return self._take_message(lambda entry: entry.id == id)

    def _take_message(self, is_meant: Callable[[Entry], bool]) -> list[Entry]:
        entry = next((one for one in self._entries if one.kind == USER and is_meant(one)), None)
        if entry is None:
            return []
        return self._begin([entry])

    def queued_ids(self) -> list[str]:
        """Return the ids of the queued user messages."""
        with self._lock:
            return [entry.id for entry in self._entries if entry.mode == QUEUE and not entry.is_restored]

    def queue_steers(self) -> list[str]:
        """Queue the steering messages that no seam has delivered, before those that are queued; return their ids."""
        with self._lock:
            steers = [entry for entry in self._entries if entry.mode == STEER]
            if not steers:
                return []
            self._entries = [*steers, *(entry for entry in self._entries if entry.mode != STEER)]
            for entry in steers:
                entry.mode = QUEUE
            if self.journal is not None:
                for entry in steers:
                    self.journal.change(entry)
        return [entry.id for entry in steers]

    def settle(self, taken: list[Entry]) -> None:
        """End a delivery. The entries that are still in the list have not entered; they are queued again, in front."""
        with self._lock:
            self._entering = [pair for pair in self._entering if pair[0] is not taken]
            for entry in reversed(taken):
                if entry.fields is None:
                    self._messages.wait(entry.id)
                elif entry.id in self._cleared:
                    self._cleared.discard(entry.id)
                    self._forget([entry.id], REVOKED)
                    self._reminders.settle([entry.id], REVOKED, len(self._entries))
                    self._withdrawn.append(entry)
                    continue
                else:
                    self._reminders.wait(entry.id, entry.fields.body)
                self._entries.insert(0, entry)
            waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            waiter.release()

    def end_turn(self, turn: str) -> None:
        """End the running turn: the entries that only it could take are now open to all turns."""
        with self._lock:
            if self.turn == turn:
                self.turn = None
            for entry in self._entries:
                if entry.turn == turn:
                    entry.turn = None

    # Clearing

    def clear(self, selector: Selector, transcript: Callable[[], Iterable[str]]) -> int:
        """Withdraw the queued reminders that match, and request the removal of those that are in the transcript.

        `transcript` returns the ids of the matching reminders in the transcript of the session. The thread that may
        change the transcript takes the requests with `take_cleared`. Return the number of cleared reminders.
        """
        with self._lock:
            withdrawn = [entry for entry in self._entries if _is_meant(entry, selector)]
            if withdrawn:
                self._forget([entry.id for entry in withdrawn], REVOKED)
                self._entries = [entry for entry in self._entries if entry not in withdrawn]
                self._reminders.settle((entry.id for entry in withdrawn), REVOKED, len(self._entries))
                self._withdrawn += withdrawn
            # An entry is removed from these lists after it has entered the transcript, so it is found in one of them.
            found = {entry.id for entries, _ in self._entering for entry in entries[:] if _is_meant(entry, selector)}
            found.update(transcript())
            found -= self._cleared
            self._cleared |= found
        return len(withdrawn) + len(found)

    @property
    def has_cleared(self) -> bool:
        """Return whether `take_cleared` would return anything that can be carried out now."""
        if not self._cleared and not self._withdrawn:
            return False
        with self._lock:
            return bool(self._withdrawn or self._cleared - self._entering_ids())

    def take_cleared(self) -> tuple[list[Entry], set[str]]:
        """Return the reminders that were withdrawn from the queue, and the ids to remove from the transcript.

        The ids of reminders that are entering are kept for the next call.
        """
        with self._lock:
            withdrawn, self._withdrawn = self._withdrawn, []
            cleared = self._cleared
            self._cleared = self._entering_ids() & cleared
        return withdrawn, cleared - self._cleared

    def _entering_ids(self) -> set[str]:
        return {entry.id for entries, _ in self._entering for entry in entries[:]}

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

    def _take(self, modes: tuple[str, ...]) -> list[Entry]:
        if not self._entries or not modes:
            return []
        with self._lock:
            return self._begin(
                [entry for mode in modes for entry in self._entries if entry.mode == mode and self._may_take(entry)]
            )

    def _may_take(self, entry: Entry) -> bool:
        return entry.turn is None or entry.turn == self.turn

    def _begin(self, taken: list[Entry]) -> list[Entry]:
        """Remove entries from the queue; they are entering until `settle` is called with this list."""
        if taken:
            wanted = frozenset(entry.id for entry in taken)
            gone = set(map(id, taken))
            self._entries = [entry for entry in self._entries if id(entry) not in gone]
            self._entering.append((taken, wanted))
            count = len(self._entries)
            self._reminders.settle((entry.id for entry in taken if entry.kind == REMINDER), DELIVERED, count)
            self._messages.settle((entry.id for entry in taken if entry.kind == USER), DELIVERED, count)
        return taken

    def _tell(self, entry: Entry) -> None:
        if self.on_push is not None:
            self.on_push(entry)


def _order(entry: Entry) -> int:
    return entry.order


def _is_meant(entry: Entry, selector: Selector) -> bool:
    spec = entry.spec(0)
    return spec is not None and selector.matches(spec)


_ANSWERS = {
    WAITING: "revoked",
    REVOKED: "already_revoked",
    DELIVERED: "already_delivered",
}
