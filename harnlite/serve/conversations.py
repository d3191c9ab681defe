"""The conversations of a server: stored sessions that are driven with prompts, injected messages and reminders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.agent.sessions.open_sessions import SessionStore
from harnlite.compiler.program import ProgramMemory
from harnlite.host.host_errors import HostError
from harnlite.host.toolchain import PROGRAM_MEMORY
from harnlite.host.turns import TurnQueues
from harnlite.known_keys import environment_keys
from harnlite.reminders.inbox_entries import ID_BYTES, MESSAGE_PREFIX, USER
from harnlite.reminders.seams import QUEUE, STEER
from harnlite.runtime.tasks.clock import iso_time
from harnlite.serve.conversation_values import (
    Acceptance,
    InjectError,
    ServerClosed,
    SessionInfo,
)
from harnlite.serve.kept_session import AT, BLOCKS, LABEL, META, METADATA, KeptSession, blocks_of
from harnlite.serve.served_sessions import ServedSessions
from harnlite.serve.served_turns import ServedMessageTurns, ServedTurn, TurnRunner
from harnlite.store.event_log import LIMIT_KEY, log_of
from harnlite.store.redaction import Redactor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from harnlite.host.turns import Turn
    from harnlite.reminders.wire import Fields
    from harnlite.serve.conversation_values import Content, Listener, ServerSettings
    from harnlite.serve.turn_outcomes import TurnOutcome
    from harnlite.store.conversation_store import ConversationStore

_GONE = frozenset({"already_delivered", "unknown_reminder_id", "unknown_message_id"})
_RECORDS_IN_MEMORY = 1000
"""The limit of the event log, which lives as long as the server."""


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
        self._settings = settings
        self._store = store
        self._listener = listener
        self._redactor = Redactor(environment_keys())
        self._run = settings.engine.execution(stdout=settings.stderr, stderr=settings.stderr)
        self._sessions = SessionStore()
        self._messages = ServedMessageTurns(self._sessions, self._add_turn)
        self._run.context[LIMIT_KEY] = _RECORDS_IN_MEMORY
        self._log = log_of(self._run)
        context: dict[str, Any] = {
            "sessions": self._sessions,
            "event_log": self._log,
            PROGRAM_MEMORY: ProgramMemory(),
        }
        self._run.context.update(context)
        if bridge is not None:
            context["bridge"] = bridge
        self._runner = TurnRunner(settings, listener, protocol, self._run, context, self._redactor)
        self._queues = TurnQueues(self._runner.run, self._messages.turns_after)
        self._served = ServedSessions(self._run, store, self._sessions, self._messages.adopt)
        self._sessions.listen(self._on_event)

    # Sessions

    def create(
        self, cwd: str, *, session_id: str | None = None, mcp_servers: list[dict[str, Any]] | None = None
    ) -> SessionInfo:
        """Create a session, which is open and claimed by this process."""
        self._require_open()
        return self._served.create(cwd, session_id, mcp_servers)

    def open(
        self, session_id: str, cwd: str | None = None, mcp_servers: list[dict[str, Any]] | None = None
    ) -> SessionInfo:
        """Open a stored session; raise UnknownSession, CwdMismatch or SessionInUse. No turn starts."""
        self._require_open()
        return self._served.open(session_id, cwd, mcp_servers)

    def info(self, session_id: str) -> SessionInfo:
        """Return a stored session, open or not; raise UnknownSession."""
        return self._served.info(session_id)

    def listed(
        self, cwd: str | None = None, after: tuple[str, str] | None = None, limit: int = 50
    ) -> list[SessionInfo]:
        """Return sessions, newest `updated_at` first; `after` is the `(updated_at, id)` of the last one before."""
        return self._served.listed(cwd, after, limit)

    def history(self, session_id: str) -> Iterator[dict[str, Any]]:
        """Return the conversation that people saw, in order, independent of compaction."""
        return self._served.history(session_id)

    def close(self, session_id: str) -> None:
        """Cancel the turn of a session, wait for its end, and release the session; what waits stays stored."""
        with self._messages.closing(session_id):
            self._served.close(session_id, lambda: self._stop(session_id))

    def delete(self, session_id: str) -> None:
        """Close a session if it is open, and remove it from the store; an unknown id is ignored."""
        with self._messages.closing(session_id):
            self._served.delete(session_id, lambda: self._stop(session_id))

    def _stop(self, session_id: str) -> None:
        """Cancel all turns of a session, and wait for their end.

        A request that has begun before may add a turn after the first cancellation.
        """
        self._queues.cancel(session_id, with_messages=True)
        while not self._queues.wait(session_id, _PATIENCE):
            self._queues.cancel(session_id, with_messages=True)

    def shutdown(self, grace: float = 5.0) -> None:
        """Cancel all turns, wait at most `grace` seconds for their cleanup, release all sessions, close the store."""
        self._runner.grace = grace
        self._queues.close(lambda: None)
        self._queues.wait(timeout=grace + _MARGIN)
        self._served.clear()
        self._log.close()
        self._store.close()

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
        new_id = message_id or self._run.ids.uuid7()
        with self._served.held(session_id) as kept:
            turn = ServedTurn(
                kept,
                content,
                new_id,
                self._messages.hold(kept.session),
                on_outcome=on_end,
                metadata=metadata,
                entry=entry,
            )
            try:
                self._queues.add(turn, None if on_accept is None else lambda: on_accept(new_id))
            except HostError:
                turn.release()
                raise ServerClosed("the server is closed") from None
        return new_id

    def cancel(self, session_id: str) -> bool:
        """Cancel the running turn and the prompts that wait for it; return whether a turn was running."""
        return self._queues.cancel(session_id)

    def cancel_prompt(self, session_id: str, message_id: str) -> bool:
        """Cancel one prompt, running or waiting; return whether it was found."""
        return self._queues.cancel_turn(session_id, message_id)

    def is_running(self, session_id: str) -> bool:
        """Return whether a turn of the session runs or waits to run."""
        return self._queues.is_running(session_id)

    def running_sessions(self) -> list[str]:
        """Return the ids of the sessions with a running turn."""
        return self._queues.running()

    def last_used(self) -> str | None:
        """Return the id of the open session that was used last."""
        return self._served.last_used()

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
        if mode not in (QUEUE, STEER):
            raise ValueError(f"mode must be queue or steer, not {mode!r}")
        self._require_open()
        message_id = MESSAGE_PREFIX + self._run.ids.hex(ID_BYTES)
        accept = None if on_accept is None else lambda: on_accept(message_id)
        with self._served.held(session_id) as kept:

            def push() -> None:
                kept.session.inbox.push_message(content.text, mode, message_id, accept, note={BLOCKS: content.blocks})

            if mode == QUEUE:
                push()
            elif not self._queues.while_running(session_id, push, turn):
                raise InjectError("no_running_turn", session_id)
        return message_id

    def replace(
        self, session_id: str, message_id: str, content: Content, *, on_accept: Callable[[str], None] | None = None
    ) -> None:
        """Replace the content of a waiting message; raise InjectError."""
        accept = None if on_accept is None else lambda: on_accept(message_id)
        with self._served.held(session_id) as kept:
            status = kept.session.inbox.replace_message(
                message_id, content.text, accept, note={BLOCKS: content.blocks}, waits=True
            )
        if status != "replaced":
            raise InjectError(status, message_id)

    def revoke_message(
        self, session_id: str, message_id: str, *, on_accept: Callable[[str], None] | None = None
    ) -> str:
        """Withdraw a waiting message; return `revoked` or `already_revoked`, or raise InjectError."""
        with self._served.held(session_id) as kept:
            status = kept.session.inbox.revoke_message(message_id, on_accept, waits=True)
        if status in _GONE:
            raise InjectError(status, message_id)
        return status

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
        self._require_open()
        reminder_id = fields.id or self._run.ids.uuid7()
        accepted: list[Acceptance] = []
        with self._served.held(session_id) as kept:
            at = iso_time(self._run.clock.now())
            note = {META: fields.meta, LABEL: label, METADATA: metadata, AT: at}

            def accept(waiting: int | None) -> None:
                accepted.append(_acceptance(kept, reminder_id, fields, waiting, at))
                if on_accept is not None:
                    on_accept(accepted[0])

            kept.session.inbox.push_reminder(
                fields, reminder_id, accept, note={key: value for key, value in note.items() if value}, turn=turn
            )
        return accepted[0]

    def revoke_reminder(
        self, session_id: str, reminder_id: str, *, on_accept: Callable[[str], None] | None = None
    ) -> str:
        """Withdraw a waiting reminder; return `revoked` or `already_revoked`, or raise InjectError."""
        with self._served.held(session_id) as kept:
            status = kept.session.inbox.revoke(reminder_id, on_accept, waits=True)
        if status in _GONE:
            raise InjectError(status, reminder_id)
        return status

    def pending(self, session_id: str) -> dict[str, Any]:
        """Return the waiting messages and reminders: `{pendingCount, injections}`."""
        with self._served.held(session_id) as kept:
            entries = kept.session.inbox.waiting()
            rows = [entry.row(position) for position, entry in enumerate(entries)]
        rows = [
            {**row, "content": blocks_of(entry)} if entry.kind == USER else self._redactor.value(row)
            for row, entry in zip(rows, entries, strict=True)
        ]
        return {"pendingCount": len(rows), "injections": rows}

    def _require_open(self) -> None:
        if self._queues.closed:
            raise ServerClosed("the server is closed")

    def _add_turn(self, turn: Turn) -> None:
        self._queues.add(turn)

    def _on_event(self, event: dict[str, Any]) -> None:
        kept = self._served.kept(event["session_id"])
        if kept is not None and kept.live is not None:
            kept.live.on_event(event)


_MARGIN, _PATIENCE = 2.0, 0.05


def _acceptance(kept: KeptSession, reminder_id: str, fields: Fields, waiting: int | None, at: str) -> Acceptance:
    """Return the answer to a reminder; `waiting` is None if it was accepted before."""
    if waiting is None:
        stored = kept.store.outcome(kept.id, reminder_id)
        answer = stored.answer if stored is not None else None
        return Acceptance(reminder_id, None if fields.dedupe_key is None else 0, (answer or {}).get(AT, at))
    if fields.dedupe_key is None:
        return Acceptance(reminder_id, None, at)
    pending = len(kept.session.transcript.pending_by_key(fields.dedupe_key))
    return Acceptance(reminder_id, waiting + pending, at)
