"""The values that the servers pass to the conversations and receive from them, and the errors of requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import os
    from typing import Any, TextIO

    from harnlite.host.engine import Engine


@dataclass(frozen=True, slots=True)
class Content:
    """The content that a user wrote: the text for the script and the model, and the blocks as they arrived."""

    text: str
    blocks: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session as a list of sessions shows it."""

    id: str
    cwd: str
    title: str | None
    updated_at: str | None
    meta: dict[str, Any]
    is_open: bool
    has_messages: bool


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The answer to a reminder: `deduped_count` is None for a reminder without a dedupe key."""

    reminder_id: str
    deduped_count: int | None
    accepted_at: str


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The settings of a server. The script is the path of a file, which is read again for each turn."""

    engine: Engine
    script: str | os.PathLike[str] | None = None
    stderr: TextIO | None = None
    max_cost: float | None = None
    max_turns: int | None = None
    notices: list[str] = field(default_factory=list)


class Listener(Protocol):
    """Receives the live events of all sessions of the server."""

    def on_event(self, session_id: str, event: dict[str, Any]) -> None:
        """Receive an event, on the thread of the turn."""
        ...


class RequestRefused(Exception):
    """The base class of the errors of requests."""


class UnknownSession(RequestRefused):
    """Raised for a session that does not exist or is not open."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"there is no session {session_id!r}")
        self.session_id = session_id


class CwdMismatch(RequestRefused):
    """Raised when a session is opened with another folder than the one it was created with."""

    def __init__(self, expected: str) -> None:
        super().__init__(f"the folder of the session is {expected}")
        self.expected = expected


class SessionInUse(RequestRefused):
    """Raised for a session that is open in another process."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"session {session_id!r} is open in another process")
        self.session_id = session_id


class ServerClosed(RequestRefused):
    """Raised when the server accepts no more requests."""


class InjectError(RequestRefused):
    """Raised for a message or a reminder that cannot be injected, replaced or revoked.

    The reason is `no_running_turn`, `already_delivered`, `already_revoked`, `unknown_message_id` or
    `unknown_reminder_id`. The subject is the id of the message, the reminder, or the session.
    """

    def __init__(self, reason: str, subject: str) -> None:
        super().__init__(f"{subject}: {reason.replace('_', ' ')}")
        self.reason = reason
        self.subject = subject
