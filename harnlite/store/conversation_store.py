"""The interface of a store of conversations: sessions, what waits for them, what was said in them, and tasks.

A server writes an acknowledgement after the transaction that stores the thing has committed.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass, field
from typing import Any, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from contextlib import AbstractContextManager

MOST_OUTCOMES = 10_000
"""The number of settled entries of a session whose outcomes are remembered."""
WAITING, DELIVERED = "waiting", "delivered"
"""The outcome of an entry that is not settled yet, and of one that a turn has received."""


class StoreError(OSError):
    """Raised if a store cannot be opened, read or written. The text is one line that names the store."""

    def __init__(self, text: str, number: int = errno.EIO) -> None:
        super().__init__(number, text)

    def __str__(self) -> str:
        return str(self.strerror)


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session. Times are texts such as `2026-11-20T12:34:56.789Z`, which sort by time."""

    id: str
    cwd: str
    created_at: str
    title: str | None = None
    updated_at: str | None = None
    meta: dict[str, Any] = field(default_factory=dict)
    turns: int = 0
    cost: float = 0.0
    mcp_servers: list[Any] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)
    has_messages: bool = False
    """Whether its history has a message of the user or of the agent. The store sets it; `add_session` ignores it."""


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """A user message or a reminder that waits for its delivery."""

    id: str
    kind: str
    mode: str
    payload: dict[str, Any]
    position: int
    """Entries are delivered by position, and those of one position in the order of their acceptance."""


@dataclass(frozen=True, slots=True)
class StoredOutcome:
    """What became of an entry: `waiting`, or the outcome that `take_entries` was called with."""

    id: str
    kind: str
    outcome: str
    body_hash: str | None
    answer: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class TranscriptChange:
    """The number of rows of a transcript that are kept, the rows that replace the others, and the fields if changed."""

    kept: int
    rows: Sequence[str]
    fields: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task of the A2A protocol; `changed_ms` is the time of its last status in milliseconds since 1970."""

    id: str
    context_id: str
    state: str
    changed_ms: int
    document: dict[str, Any]


class ConversationStore(Protocol):
    """A store of conversations. Its methods may be called by all threads. Those that fail raise StoreError.

    Each method that writes is a transaction of its own, or a part of the one that its thread has begun. Methods with
    the id of a session that is not stored raise LookupError if they write, and find nothing if they read.
    """

    def transaction(self) -> AbstractContextManager[None]:
        """Return a context manager whose writes are committed together at its end, and none of them on an error.

        A transaction within another one of the same thread joins it: if an error ends the inner one, the outer one
        cannot be committed anymore and raises StoreError at its end. Other threads that write wait for the end.
        """
        ...

    # Sessions

    def add_session(self, row: StoredSession) -> None:
        """Add a session. Raise ValueError if its id exists."""
        ...

    def session(self, session: str) -> StoredSession | None:
        """Return a session, or None."""
        ...

    def update_session(self, session: str, **changed: Any) -> None:  # noqa: ANN401 - the values of the fields
        """Change fields of a session by the names of StoredSession."""
        ...

    def delete_session(self, session: str) -> None:
        """Delete a session with everything that belongs to it, except tasks. Do nothing if there is none."""
        ...

    def sessions(
        self,
        *,
        cwd: str | None = None,
        after: tuple[str | None, str] | None = None,
        limit: int = 50,
        opened: Collection[str] = (),
    ) -> list[StoredSession]:
        """Return a page of the sessions that have messages or are named in `opened`.

        The newest `updated_at` comes first; for equal ones, the greater id. Sessions without the time come last.
        `after` has the `updated_at` and the id of the last session of the page before.
        """
        ...

    # Claims

    def claim(self, session: str) -> bool:
        """Note that this store has a session open. Return False if that of another living process has it open.

        Claims end with the process, also if it is killed. The session need not be stored yet.
        """
        ...

    def release(self, session: str) -> None:
        """Give a claim of this store up. Do nothing if it has none."""
        ...

    # What waits

    def add_entry(
        self,
        session: str,
        entry: str,
        kind: str,
        mode: str,
        payload: dict[str, Any],
        *,
        body_hash: str | None = None,
        answer: dict[str, Any] | None = None,
    ) -> None:
        """Add an entry after all that wait. Raise ValueError if its id has an outcome.

        `body_hash` and `answer` are kept with the outcome, for repeats of the request.
        """
        ...

    def update_entry(
        self,
        session: str,
        entry: str,
        *,
        mode: str | None = None,
        payload: dict[str, Any] | None = None,
        order: int | None = None,
    ) -> bool:
        """Change the mode, the payload or the position of an entry. Return whether it waits; if not, do nothing."""
        ...

    def take_entries(self, session: str, ids: Iterable[str], outcome: str) -> list[str]:
        """Remove entries, and remember the outcome of each. Return the ids of those that have been waiting.

        The outcomes of the newest 10,000 settled entries of a session are remembered.
        """
        ...

    def entries(self, session: str) -> list[StoredEntry]:
        """Return the entries that wait, in their order."""
        ...

    def outcome(self, session: str, entry: str) -> StoredOutcome | None:
        """Return the outcome of one entry, or None if its id is unknown or forgotten."""
        ...

    def outcomes(self, session: str) -> list[StoredOutcome]:
        """Return the remembered outcomes in the order of `take_entries`, and then those of the entries that wait."""
        ...

    # What was said

    def save_transcript(
        self, session: str, *, kept: int, rows: Sequence[str], fields: dict[str, Any] | None = None
    ) -> None:
        """Keep the first rows of the transcript of a session, replace the others, and replace the fields if given.

        The costs depend on the rows that are new or removed. Raise ValueError if there are fewer than `kept` rows.
        """
        ...

    def transcript(self, session: str) -> tuple[dict[str, Any], list[str]] | None:
        """Return the fields and rows of the transcript of a session, or None if none has been saved."""
        ...

    def append_history(self, session: str, item: dict[str, Any]) -> int:
        """Append an item to the history that people see, and return its number. The first one is 1."""
        ...

    def history(self, session: str, after: int = 0, limit: int = 500) -> list[tuple[int, dict[str, Any]]]:
        """Return items after a number with their numbers, in order."""
        ...

    def save(
        self,
        session: str,
        *,
        transcript: TranscriptChange | None = None,
        items: Sequence[dict[str, Any]] = (),
        taken: Sequence[str] = (),
        **changed: Any,  # noqa: ANN401 - the values of the fields
    ) -> None:
        """Store what a turn has changed, as `save_transcript`, `append_history` and `update_session` do.

        The entries in `taken` get the outcome `delivered`. All of it is one transaction, and one statement if possible.
        """
        ...

    # Tasks

    def save_task(self, row: TaskRow) -> None:
        """Add a task, or replace the one with its id."""
        ...

    def task(self, task: str) -> TaskRow | None:
        """Return a task, or None."""
        ...

    def tasks(
        self,
        *,
        context: str | None = None,
        states: Collection[str] | None = None,
        changed_after: int | None = None,
        after: tuple[int, str] | None = None,
        limit: int = 50,
    ) -> list[TaskRow]:
        """Return a page of tasks, the newest `changed_ms` first, and for equal ones the greater id.

        The context and the state must match if given, and `changed_ms` must not be less than `changed_after`.
        `after` has the `changed_ms` and the id of the last task of the page before.
        """
        ...

    def count_tasks(
        self, *, context: str | None = None, states: Collection[str] | None = None, changed_after: int | None = None
    ) -> int:
        """Return the number of tasks that match, on all pages."""
        ...

    def close(self) -> None:
        """Give up all claims and close the store. Nothing happens if it is closed already."""
        ...
