"""The inbox of a session: a queue of reminders and user messages that any thread pushes and the loop takes at seams."""

from __future__ import annotations

import _thread

from harnlite.reminders.seams import FINISH_STEP, INTERRUPT_IMMEDIATE, QUEUE, SEAMS, STEER
from harnlite.reminders.wire import reused_id, waiting_message, waiting_reminder, waiting_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from harnlite.reminders.selector import Selector
    from harnlite.reminders.spec import ReminderSpec
    from harnlite.reminders.wire import Fault, Fields

REMINDER, USER = "reminder", "user"
SOURCE = "bridge"
MESSAGE_PREFIX, ID_BYTES = "msg_inj_", 13
"""The ids of user messages: a prefix, and this many random bytes in hexadecimal digits."""
WAITING, REVOKED, DELIVERED, UNKNOWN = "waiting", "revoked", "delivered", "unknown"
_PROMPTING = (INTERRUPT_IMMEDIATE, FINISH_STEP, STEER, QUEUE)
"""The modes of the user messages that a loop without a prompt may take as its prompt, in this order."""
_WAKING = frozenset({INTERRUPT_IMMEDIATE, STEER, QUEUE})
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

    def spec(self, turn: int) -> ReminderSpec | None:
        """Return the reminder that enters the session at a turn, or None for a user message."""
        if self.fields is None:
            return None
        return self.fields.spec(id=self.id, source=SOURCE, fired_at_turn=turn)

    def row(self, position: int) -> dict[str, Any]:
        """Return the entry as a host sees it."""
        if self.fields is None:
            return waiting_message(self.id, self.mode, position, self.content)
        return waiting_reminder(self.id, self.mode, position, self.fields)


def message_of(message_id: str, content: object) -> dict[str, object]:
    """Return the message that enters a transcript."""
    return {"role": "user", "content": content, "messageId": message_id}


class ReusedId(Exception):
    """Raised for a reminder whose id belongs to another reminder."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class _Outcomes:
    """What became of the entries that were accepted, by id; the oldest outcomes are forgotten.

    Of the text of a reminder only its hash is kept, because a long session accepts many.
    """

    __slots__ = ("_states",)

    def __init__(self) -> None:
        self._states: dict[str, tuple[str, int]] = {}

    def knows(self, id: str) -> bool:  # noqa: A002 - as the payload calls it
        """Return whether an entry was accepted."""
        return id in self._states

    def has_text(self, id: str, body: str) -> bool:  # noqa: A002 - as the payload calls it
        """Return whether an accepted entry has this text."""
        return self._states[id][1] == hash(body)

    def state(self, id: str) -> str:  # noqa: A002 - as the payload calls it
        """Return the state of an entry."""
        return self._states.get(id, (UNKNOWN, 0))[0]

    def wait(self, id: str, body: str = "") -> None:  # noqa: A002 - as the payload calls it
        """Note that an entry waits."""
        self._states[id] = (WAITING, hash(body))

    def settle(self, ids: Iterable[str], state: str, waiting: int) -> None:
        """Record the outcome for these ids; with `waiting` entries, forget the oldest outcomes beyond the limit."""
        for id_ in ids:
            _, body = self._states.pop(id_, ("", 0))
            self._states[id_] = (state, body)
        if len(self._states) > REMEMBERED + waiting:
            settled = (id_ for id_, (known, _) in self._states.items() if known != WAITING)
            for id_ in [next(settled) for _ in range(len(self._states) - REMEMBERED - waiting)]:
                del self._states[id_]


class Inbox:
    """The queue of one session. Every method is atomic: an entry is either revoked or delivered, never both.

    What a drain returns counts as entering until `settle` is called: what has not entered by then is queued again.
    """

    __slots__ = ("_cleared", "_entering", "_entries", "_lock", "_messages", "_reminders", "_withdrawn", "on_push")

    def __init__(self) -> None:
        self._lock = _thread.allocate_lock()
        self._entries: list[Entry] = []
        self._entering: list[list[Entry]] = []
        self._withdrawn: list[Entry] = []
        self._cleared: set[str] = set()
        self._reminders, self._messages = _Outcomes(), _Outcomes()
        self.on_push: Callable[[Entry], None] | None = None

    def push_reminder(self, fields: Fields, id: str) -> str:  # noqa: A002 - as the payload calls it
        """Queue a reminder. A reminder whose id was accepted before is not queued again."""
        with self._lock:
            if self._reminders.knows(id):
                if not self._reminders.has_text(id, fields.body):
                    raise ReusedId(reused_id(id))
                return id
            self._reminders.wait(id, fields.body)
            entry = Entry(id, fields.mode, fields)
            self._entries.append(entry)
        self._tell(entry)
        return id

    def push_message(self, content: object, mode: str, id: str) -> str:  # noqa: A002 - as the message calls it
        """Queue a user message."""
        entry = Entry(id, mode, None, content)
        with self._lock:
            self._messages.wait(id)
            self._entries.append(entry)
        self._tell(entry)
        return id

    def drain(self, seam: str) -> list[Entry]:
        """Take the entries of all modes that this seam accepts: mode by mode, first in, first out.

        The caller removes each entry from the list when it has entered the session, and then calls `settle`.
        """
        return self._take(SEAMS[seam])

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
        self._entries.remove(entry)
        taken = [entry]
        self._entering.append(taken)
        self._messages.settle([entry.id], DELIVERED, len(self._entries))
        return taken

    def queued_ids(self) -> list[str]:
        """Return the ids of the queued user messages."""
        with self._lock:
            return [entry.id for entry in self._entries if entry.mode == QUEUE]

    def queue_steers(self) -> list[str]:
        """Queue the steering messages that no seam has delivered, before those that are queued; return their ids."""
        with self._lock:
            steers = [entry for entry in self._entries if entry.mode == STEER]
            if not steers:
                return []
            self._entries = [*steers, *(entry for entry in self._entries if entry.mode != STEER)]
            for entry in steers:
                entry.mode = QUEUE
        return [entry.id for entry in steers]

    def settle(self, taken: list[Entry]) -> None:
        """End a delivery. The entries that are still in the list have not entered; they are queued again, in front."""
        with self._lock:
            self._entering = [entries for entries in self._entering if entries is not taken]
            for entry in reversed(taken):
                if entry.fields is None:
                    self._messages.wait(entry.id)
                elif entry.id in self._cleared:
                    self._cleared.discard(entry.id)
                    self._reminders.settle([entry.id], REVOKED, len(self._entries))
                    self._withdrawn.append(entry)
                    continue
                else:
                    self._reminders.wait(entry.id, entry.fields.body)
                self._entries.insert(0, entry)

    # Clearing

    def clear(self, selector: Selector, transcript: Callable[[], Iterable[str]]) -> int:
        """Withdraw the queued reminders that match, and request the removal of those that are in the transcript.

        `transcript` returns the ids of the matching reminders in the transcript of the session. The thread that may
        change the transcript takes the requests with `take_cleared`. Return the number of cleared reminders.
        """
        with self._lock:
            withdrawn = [entry for entry in self._entries if _is_meant(entry, selector)]
            if withdrawn:
                self._entries = [entry for entry in self._entries if entry not in withdrawn]
                self._reminders.settle((entry.id for entry in withdrawn), REVOKED, len(self._entries))
                self._withdrawn += withdrawn
            # An entry is removed from these lists after it has entered the transcript, so it is found in one of them.
            found = {entry.id for entries in self._entering for entry in entries[:] if _is_meant(entry, selector)}
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
        return {entry.id for entries in self._entering for entry in entries[:]}

    def pending(self) -> dict[str, Any]:
        """Return the queued entries as a host sees them."""
        with self._lock:
            entries = self._entries[:]
        return waiting_rows([entry.row(position) for position, entry in enumerate(entries)])

    def revoke(self, id: str) -> str:  # noqa: A002 - as the payload calls it
        """Remove a reminder that is still queued. Return the outcome."""
        with self._lock:
            state = self._reminders.state(id)
            if state == WAITING:
                self._entries = [entry for entry in self._entries if entry.id != id or entry.kind == USER]
                self._reminders.settle([id], REVOKED, len(self._entries))
        return _ANSWERS.get(state, "unknown_reminder_id")

    def revoke_message(self, id: str) -> str:  # noqa: A002 - as the message calls it
        """Remove a user message that is still queued. Return the outcome."""
        with self._lock:
            state = self._messages.state(id)
            if state == WAITING:
                self._entries = [entry for entry in self._entries if entry.id != id or entry.kind == REMINDER]
                self._messages.settle([id], REVOKED, len(self._entries))
        return _ANSWERS.get(state, "unknown_message_id")

    def replace_message(self, id: str, content: object) -> str:  # noqa: A002 - as the message calls it
        """Replace the content of a user message that is still queued; mode and place stay. Return the outcome."""
        with self._lock:
            state = self._messages.state(id)
            if state != WAITING:
                return _ANSWERS.get(state, "unknown_message_id")
            for entry in self._entries:
                if entry.kind == USER and entry.id == id:
                    entry.content = content
        return "replaced"

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
            return sum(entry.fields is not None and entry.fields.dedupe_key == dedupe_key for entry in self._entries)

    def _take(self, modes: tuple[str, ...]) -> list[Entry]:
        if not self._entries or not modes:
            return []
        with self._lock:
            taken = [entry for mode in modes for entry in self._entries if entry.mode == mode]
            if taken:
                self._entries = [entry for entry in self._entries if entry.mode not in modes]
                self._entering.append(taken)
                count = len(self._entries)
                self._reminders.settle((entry.id for entry in taken if entry.kind == REMINDER), DELIVERED, count)
                self._messages.settle((entry.id for entry in taken if entry.kind == USER), DELIVERED, count)
        return taken

    def _tell(self, entry: Entry) -> None:
        if self.on_push is not None:
            self.on_push(entry)


def _is_meant(entry: Entry, selector: Selector) -> bool:
    spec = entry.spec(0)
    return spec is not None and selector.matches(spec)


_ANSWERS = {
    WAITING: "revoked",
    REVOKED: "already_revoked",
    DELIVERED: "already_delivered",
}
