"""The conversations of a server: stored sessions that are driven with prompts, injected messages and reminders."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from harnlite.reminders.wire import Fields
    from harnlite.serve.conversation_values import Acceptance, Content, Listener, ServerSettings, SessionInfo
    from harnlite.serve.turn_outcomes import TurnOutcome
    from harnlite.store.conversation_store import ConversationStore


class Conversations:
    """Stored sessions and their turns. Every method may be called from any thread.

    A callback named `on_accept` is called after the commit and before anything that the accepted request causes. It
    must not block, and must not call a method of this object.
    """

    def __init__(
        self,
        settings: ServerSettings,
        store: ConversationStore,
        listener: Listener,
        *,
        protocol: str,
        bridge: object = None,
    ) -> None:
        raise NotImplementedError

    # Sessions

    def create(
        self, cwd: str, *, session_id: str | None = None, mcp_servers: list[dict[str, Any]] | None = None
    ) -> SessionInfo:
        """Create a session, which is open and claimed by this process."""
        raise NotImplementedError

    def open(
        self, session_id: str, cwd: str | None = None, mcp_servers: list[dict[str, Any]] | None = None
    ) -> SessionInfo:
        """Open a stored session; raise UnknownSession, CwdMismatch or SessionInUse. No turn starts."""
        raise NotImplementedError

    def info(self, session_id: str) -> SessionInfo:
        """Return a stored session, open or not; raise UnknownSession."""
        raise NotImplementedError

    def listed(
        self, cwd: str | None = None, after: tuple[str, str] | None = None, limit: int = 50
    ) -> list[SessionInfo]:
        """Return sessions, newest `updated_at` first; `after` is the `(updated_at, id)` of the last one before."""
        raise NotImplementedError

    def history(self, session_id: str) -> Iterator[dict[str, Any]]:
        """Yield the conversation that people saw, in order, independent of compaction."""
        raise NotImplementedError

    def close(self, session_id: str) -> None:
        """Cancel the turn of a session, wait for its end, and release the session; what waits stays stored."""
        raise NotImplementedError

    def delete(self, session_id: str) -> None:
        """Close a session if it is open, and remove it from the store; an unknown id is ignored."""
        raise NotImplementedError

    def shutdown(self, grace: float = 5.0) -> None:
        """Cancel all turns, wait at most `grace` seconds for their cleanup, release all sessions, close the store."""
        raise NotImplementedError

    # Turns

    def prompt(
        self,
        session_id: str,
        content: Content,
        *,
        on_end: Callable[[TurnOutcome], None],
        message_id: str | None = None,
        metadata: dict[str, Any] | None = None,
        on_accept: Callable[[str], None] | None = None,
        entry: str | None = None,
    ) -> str:
        """Queue a prompt and return its message id; `entry` names another public pipeline than the entry."""
        raise NotImplementedError

    def cancel(self, session_id: str) -> bool:
        """Cancel the running turn and the prompts that wait for it; return whether a turn was running."""
        raise NotImplementedError

    def cancel_prompt(self, session_id: str, message_id: str) -> bool:
        """Cancel one prompt, running or waiting; return whether it was found."""
        raise NotImplementedError

    def is_running(self, session_id: str) -> bool:
        """Return whether a turn of the session runs or waits to run."""
        raise NotImplementedError

    def running_sessions(self) -> list[str]:
        """Return the ids of the sessions with a running turn."""
        raise NotImplementedError

    def last_used(self) -> str | None:
        """Return the id of the open session that was used last."""
        raise NotImplementedError

    # User messages that wait

    def inject(
        self,
        session_id: str,
        content: Content,
        mode: str,
        *,
        on_accept: Callable[[str], None] | None = None,
        turn: str | None = None,
    ) -> str:
        """Store a user message with the mode `queue` or `steer` and return its id; raise InjectError.

        With `turn`, a steer is only accepted while the turn with this message id is running.
        """
        raise NotImplementedError

    def replace(
        self, session_id: str, message_id: str, content: Content, *, on_accept: Callable[[str], None] | None = None
    ) -> None:
        """Replace the content of a waiting message; raise InjectError."""
        raise NotImplementedError

    def revoke_message(
        self, session_id: str, message_id: str, *, on_accept: Callable[[str], None] | None = None
    ) -> str:
        """Withdraw a waiting message; return `revoked` or `already_revoked`, or raise InjectError."""
        raise NotImplementedError

    # Reminders

    def remind(
        self,
        session_id: str,
        fields: Fields,
        *,
        on_accept: Callable[[Acceptance], None] | None = None,
        label: str | None = None,
        turn: str | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> Acceptance:
        """Store a reminder; raise ReusedId for an id that belongs to another reminder.

        With `turn`, only the turn with this message id delivers it; when that turn has ended, any turn does.
        """
        raise NotImplementedError

    def revoke_reminder(
        self, session_id: str, reminder_id: str, *, on_accept: Callable[[str], None] | None = None
    ) -> str:
        """Withdraw a waiting reminder; return `revoked` or `already_revoked`, or raise InjectError."""
        raise NotImplementedError

    def pending(self, session_id: str) -> dict[str, Any]:
        """Return the waiting messages and reminders: `{pendingCount, injections}`."""
        raise NotImplementedError
