"""The entries of an inbox: waiting reminders and user messages, their rows for hosts, and what became of them."""

from __future__ import annotations

from harnlite.digests import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Protocol

    from harnlite.reminders.spec import ReminderSpec
    from harnlite.reminders.wire import Fields

    class Journal(Protocol):
        """Stores what happens in an inbox. An error that it raises undoes the change of the inbox."""

        def add(self, entry: Entry) -> None:
            """Store an accepted entry."""
            ...

        def change(self, entry: Entry) -> None:
            """Store the new mode or content of an entry."""
            ...

        def remove(self, ids: list[str], outcome: str) -> None:
            """Remove entries, and store what became of them."""
            ...

        def outcome(self, id: str) -> tuple[str, str, str | None] | None:  # noqa: A002 - as the payload calls it
            """Return the kind, the state and the digest of the text of an entry that is not in memory, or None."""
            ...


REMINDER, USER = "reminder", "user"
SOURCE = "bridge"
MESSAGE_PREFIX, ID_BYTES = "msg_inj_", 13
"""The ids of user messages: a prefix, and this many random bytes in hexadecimal digits."""
WAITING, REVOKED, DELIVERED, UNKNOWN = "waiting", "revoked", "delivered", "unknown"
REMEMBERED = 10_000
"""The number of delivered or revoked ids that an inbox remembers."""


class Entry:
    """A reminder or a user message in the queue."""

    __slots__ = ("content", "fields", "id", "is_restored", "kind", "meta", "mode", "note", "order", "turn")

    def __init__(
        self,
        id: str,  # noqa: A002 - as the payload calls it
        mode: str,
        fields: Fields | None,
        content: object = None,
        *,
        note: dict[str, Any] | None = None,
        turn: str | None = None,
    ) -> None:
        self.kind = USER if fields is None else REMINDER
        self.id = id
        self.mode = mode
        self.fields = fields
        self.content = content
        self.meta: dict[str, Any] | None = fields.meta if fields is not None else None
        self.note = note
        """What the sender keeps with the entry; the inbox does not read it."""
        self.turn = turn
        """The id of the only turn that may take the entry, or None."""
        self.order = 0
        """The place in the order of acceptance."""
        self.is_restored = False
        """Whether the entry was accepted by an earlier process or before the session was closed."""

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


def waiting_reminder(reminder_id: str, mode: str, position: int, fields: Fields) -> dict[str, Any]:
    """Return the row of a queued reminder, as a host sees it."""
    return {
        "kind": "reminder",
        "id": reminder_id,
        "reminderId": reminder_id,
        "mode": mode,
        "position": position,
        "body": fields.body,
        "tags": list(fields.tags),
        "dedupeKey": fields.dedupe_key,
        "ttlTurns": fields.ttl_turns,
        "preserveOnCompact": fields.preserve_on_compact,
        "propagate": fields.propagate,
        "roleHint": fields.role_hint,
        "source": "bridge",
        "firedAtTurn": fields.fired_at_turn,
        "originatingAgentId": None,
    }


def waiting_message(message_id: str, mode: str, position: int, content: object) -> dict[str, Any]:
    """Return the row of a queued user message, as a host sees it."""
    row = {"kind": "user", "id": message_id, "messageId": message_id}
    return {**row, "mode": mode, "position": position, "content": content}


def waiting_rows(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the rows of all queued entries, oldest first, with their count."""
    return {"pendingCount": len(rows), "injections": rows}


def digest(body: str) -> str:
    """Return a short digest of the text of a reminder, which is the same in each process."""
    return sha256(body.encode("utf-8", "surrogatepass")).hexdigest()[:16] if body else ""


class Outcomes:
    """What became of the entries that were accepted, by id; the oldest outcomes are forgotten.

    Of the text of a reminder only its hash is kept, because a long session accepts many.
    """

    __slots__ = ("_states",)

    def __init__(self) -> None:
        self._states: dict[str, tuple[str, str]] = {}

    def knows(self, id: str) -> bool:  # noqa: A002 - as the payload calls it
        """Return whether an entry was accepted."""
        return id in self._states

    def has_text(self, id: str, body: str) -> bool:  # noqa: A002 - as the payload calls it
        """Return whether an accepted entry has this text."""
        return self._states[id][1] == digest(body)

    def state(self, id: str) -> str:  # noqa: A002 - as the payload calls it
        """Return the state of an entry."""
        return self._states.get(id, (UNKNOWN, ""))[0]

    def add(self, id: str, state: str, body: str) -> None:  # noqa: A002 - as the payload calls it
        """Note the state of an entry and the digest of its text."""
        self._states[id] = (state, body)

    def wait(self, id: str, body: str = "") -> None:  # noqa: A002 - as the payload calls it
        """Note that an entry waits."""
        self._states[id] = (WAITING, digest(body))

    def settle(self, ids: Iterable[str], state: str, waiting: int) -> None:
        """Record the outcome for these ids; with `waiting` entries, forget the oldest outcomes beyond the limit."""
        for id_ in ids:
            _, body = self._states.pop(id_, ("", ""))
            self._states[id_] = (state, body)
        if len(self._states) > REMEMBERED + waiting:
            settled = (id_ for id_, (known, _) in self._states.items() if known != WAITING)
            for id_ in [next(settled) for _ in range(len(self._states) - REMEMBERED - waiting)]:
                del self._states[id_]
