"""The turns of a host that answer user messages which wait in the inbox of a session."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from harnlite.agent.sessions.live_events import announce_message, emit
from harnlite.host.conversion import to_harn
from harnlite.host.host_errors import HostError, TurnCancelled
from harnlite.host.turns import Turn
from harnlite.reminders.inbox_entries import message_of
from harnlite.reminders.seams import QUEUE

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from harnlite.agent.sessions.open_sessions import SessionStore
    from harnlite.agent.sessions.session import Session
    from harnlite.reminders.inbox_entries import Entry
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.store.redaction import Redactor


class MessageTurns:
    """Adds a turn for each message that is queued in a session of the host."""

    __slots__ = ("_add", "_sessions")

    def __init__(self, sessions: SessionStore, add: Callable[[Turn], None]) -> None:
        self._sessions = sessions
        self._add = add

    def adopt(self, session: Session) -> None:
        """Let turns of the host answer the messages that are queued in a session."""
        if session.is_hosted:
            return
        session.is_hosted = True
        session.inbox.on_push = lambda entry: self._on_push(session, entry)
        # A message that arrives now gets two turns; the second one finds nothing to do.
        for message_id in session.inbox.queued_ids():
            self._add_turn(session, message_id)

    def turns_after(self, ended: Turn) -> list[Turn]:
        """Return the turns for the messages that the ended turn should have received, but has not."""
        inbox = ended.held.inbox
        names = inbox.queue_steers()
        if ended.cancelled and ended.is_queued and ended.message_id in inbox.queued_ids():
            # The turn was cancelled before it began.
            names.append(ended.message_id)
        return [self.turn(ended.held, name) for name in names]

    def _on_push(self, session: Session, entry: Entry) -> None:
        if entry.mode == QUEUE:
            self._add_turn(session, entry.id)

    def _add_turn(self, session: Session, message_id: str) -> None:
        turn = self.turn(session, message_id)
        try:
            self._add(turn)
        except HostError:
            # The host is closed: the message stays in the inbox.
            turn.settle(None, None)

    def turn(self, session: Session, message_id: str) -> Turn:
        """Return the turn of a queued message."""
        return Turn(session, None, message_id, on_end=self.hold(session), is_queued=True)

    def hold(self, session: Session) -> Callable[[], None]:
        """Hold a session for a turn; return the function that releases it."""
        held = self._sessions.hold(session.id)

        def release() -> None:
            if held is not None:
                self._sessions.release(held)

        return release


def answer_message(
    run: Execution, turn: Turn, run_script: Callable[[Turn], object], stderr: TextIO | None, redactor: Redactor
) -> object:
    """Run the turn of a queued message, unless it has been revoked or the script has taken it as a prompt.

    Nobody waits for the result of this turn, so an event reports it, and an error is also printed.
    """
    session, message_id = turn.held, turn.message_id
    taken = session.inbox.take_message(message_id)
    if not taken:
        return None
    turn.content = taken.pop().content
    session.inbox.settle(taken)
    announce_message(run, session, message_of(message_id, turn.content))
    emit(run, session, "turn_started", {"message_id": message_id})
    ending: dict[str, object] = {"status": "failed", "value": None, "error": None}
    try:
        value = run_script(turn)
        ending |= {"status": "completed", "value": to_harn(value)}
    except TurnCancelled:
        ending["status"] = "cancelled"
        raise
    except Exception as error:
        ending["error"] = str(error)
        text = f"[harn] error: the turn of message {message_id} failed: {redactor.text(str(error))}\n"
        (stderr or sys.stderr).write(text)
        raise
    else:
        return value
    finally:
        emit(run, session, "turn_ended", {"message_id": message_id, **ending})
