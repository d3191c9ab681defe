"""The host: sessions that persist between turns and are driven from Python with prompts, reminders and events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from harnlite.agent.sessions.current import entering
from harnlite.agent.sessions.live_events import USER_MESSAGE
from harnlite.agent.sessions.open_sessions import SessionStore
from harnlite.agent.sessions.reminding import carry_out_clears, request_clear
from harnlite.agent.sessions.workspace_anchors import read_anchor
from harnlite.compiler.program import ProgramMemory
from harnlite.diagnostics.errors import LanguageError
from harnlite.host import toolchain
from harnlite.host.conversion import convert_deeply, to_harn, to_python
from harnlite.host.engine import Engine
from harnlite.host.host_errors import HostError, ReminderError, TurnCancelled
from harnlite.host.message_turns import MessageTurns, answer_message
from harnlite.host.programs import source_of
from harnlite.host.script_turns import Stopper, entry_arguments, keep_pace
from harnlite.host.subscriptions import Subscription, Subscriptions
from harnlite.host.turns import Turn, TurnQueues
from harnlite.known_keys import environment_keys
from harnlite.reminders.inbox_entries import ID_BYTES, MESSAGE_PREFIX, REMINDER, USER
from harnlite.reminders.seams import QUEUE, STEER
from harnlite.reminders.waiting_entries import ReusedId
from harnlite.reminders.wire import BRIDGE, PAYLOAD, check_reminder, check_selector
from harnlite.store.event_log import check_topic, log_of
from harnlite.store.redaction import Redactor
from harnlite.values.data_types import type_name
from harnlite.values.display import display

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from typing import TextIO

    from harnlite.agent.sessions.session import Session
    from harnlite.diagnostics.source import Source
    from harnlite.reminders.wire import Fault
    from harnlite.runtime.modules import Program
    from harnlite.runtime.tasks.execution import Execution

REMIND, PROTOCOL = "session/remind", "python"
BUILT_IN = "pipeline default(task) {\n  return agent_loop(task)\n}\n"
_GONE = frozenset({"already_delivered", "unknown_reminder_id", "unknown_message_id"})


class Host:
    """Sessions, and the script that answers their prompts. Every method may be called from any thread.

    The script is given as its text or as the path of its file, which is read again for each turn. Without a script,
    each prompt becomes the task of an `agent_loop`.
    """

    __slots__ = (
        "_context",
        "_engine",
        "_log",
        "_messages",
        "_queues",
        "_redactor",
        "_script",
        "_sessions",
        "_shared_run",
        "_stderr",
        "_stdout",
        "_subscriptions",
    )

    def __init__(
        self,
        engine: Engine | None = None,
        script: str | os.PathLike[str] | None = None,
        *,
        stdout: TextIO | None = None,
        stderr: TextIO | None = None,
        bridge: object = None,
    ) -> None:
        self._engine = engine or Engine()
        self._script = BUILT_IN if script is None else script
        self._stdout = stdout
        self._stderr = stderr
        self._subscriptions = Subscriptions(stderr)
        self._redactor = Redactor(environment_keys())
        self._shared_run = self._engine.execution(stdout=stdout, stderr=stderr)
        self._sessions = SessionStore()
        self._messages = MessageTurns(self._sessions, self._add_turn)
        self._queues = TurnQueues(self._run_turn, self._messages.turns_after)
        self._log = log_of(self._shared_run)
        self._context: dict[str, object] = {
            "sessions": self._sessions,
            "event_log": self._log,
            toolchain.PROGRAM_MEMORY: ProgramMemory(),
        }
        self._shared_run.context.update(self._context)
        if bridge is not None:
            self._context["bridge"] = bridge

    def open(self, session: str | None = None, *, workspace_anchor: Mapping[str, object] | None = None) -> str:
        """Open a session and return its id; create the session if it does not exist."""
        self._require_open()
        opened = self._sessions.open(self._shared_run, session)
        self._messages.adopt(opened)
        if workspace_anchor is not None:
            opened.workspace_anchor = read_anchor(self._shared_run, opened, "open", to_harn(workspace_anchor))
        return opened.id

    def prompt(self, session: str, content: object) -> Turn:
        """Let the script answer a prompt, after all earlier turns of the session; return the turn without waiting."""
        held = _found(self._sessions.hold(session), session)
        self._messages.adopt(held)
        turn = Turn(held, content, self._shared_run.ids.uuid7(), on_end=lambda: self._sessions.release(held))
        self._queues.add(turn)
        return turn

    def inject(self, session: str, content: object, mode: str = QUEUE) -> str:
        """Queue a user message and return its id.

        With the mode `queue`, it becomes the prompt of a turn of its own, after the running turn and the turns in front
        of it. With `steer`, the running turn receives it after the current step; if no turn runs, raise HostError.
        """
        self._require_open()
        target = self._session(session)
        message = _content(content)
        if mode not in (QUEUE, STEER):
            raise HostError("unsupported_mode", f"mode must be queue or steer, not {mode!r}")
        self._messages.adopt(target)
        message_id = MESSAGE_PREFIX + self._shared_run.ids.hex(ID_BYTES)

        def push() -> None:
            target.inbox.push_message(message, mode, message_id)

        if mode == QUEUE:
            push()
        elif not self._queues.while_running(session, push):
            raise HostError("no_running_turn", f"no turn of session {session!r} is running")
        return message_id

    def replace(self, session: str, message_id: str, content: object) -> str:
        """Replace the content of a user message that is not delivered yet; return its id, which stays the same."""
        target, message = self._session(session), _content(content)
        status = target.inbox.replace_message(message_id, message)
        if status != "replaced":
            raise HostError(status, f"message {message_id}: {status.replace('_', ' ')}")
        return message_id

    def remind(self, session: str, fields: Mapping[str, object]) -> str:
        """Queue a reminder for the session's agent and return its id; raise ReminderError if it is not well formed."""
        self._require_open()
        target = self._session(session)
        payload = _converted(fields)
        checked, findings = check_reminder(payload, type_name, BRIDGE)
        if checked is None:
            raise _error(findings[0])
        try:
            return target.inbox.push_reminder(checked, checked.id or self._shared_run.ids.uuid7())
        except ReusedId as reused:
            raise _error(reused.fault) from None

    def pending(self, session: str) -> dict[str, object]:
        """Return the contents of a session's inbox: `{pendingCount, injections}`."""
        waiting = self._session(session).inbox.pending()
        rows = [row if row["kind"] == USER else self._redactor.value(row) for row in waiting["injections"]]
        return {**waiting, "injections": to_python(rows)}

    def revoke(self, session: str, entry_id: str) -> dict[str, object]:
        """Withdraw a reminder or a message that is not delivered yet; raise HostError if it is delivered or unknown."""
        inbox = self._session(session).inbox
        status = inbox.revoke(entry_id)
        kind = REMINDER
        if status == "unknown_reminder_id" and entry_id.startswith(MESSAGE_PREFIX):
            status, kind = inbox.revoke_message(entry_id), "message"
        if status in _GONE:
            raise HostError(status, f"{kind} {entry_id}: {status.replace('_', ' ')}")
        return {"status": status, f"{kind}Id": entry_id}

    def clear(self, session: str, selector: Mapping[str, object]) -> int:
        """Remove the reminders that a selector matches, pending ones and those in the inbox, and return their number.

        No prompt that is built after this shows them. Raise ReminderError if the selector is not well formed.
        """
        self._require_open()
        target = self._session(session)
        chosen, findings = check_selector(_converted(selector), type_name)
        if chosen is None:
            raise _error(findings[0])
        count = request_clear(target, chosen)
        self._clear_between_turns(target)
        return count

    def cancel(self, session: str) -> bool:
        """Cancel the running turn of a session and the waiting prompts; return whether a turn was running.

        The inbox keeps its reminders and messages; each queued message starts its turn as usual.
        """
        if self._queues.cancel(session):
            return True
        self._session(session)
        return False

    def subscribe(
        self,
        session: str | None = None,
        callback: Callable[[dict[str, object]], object] | None = None,
        *,
        topic: str | None = None,
        kind_prefix: str = "",
        after: int | None = None,
    ) -> Subscription:
        """Subscribe to the live events of one or all sessions or, with `topic`, to the records of that topic."""
        if session is not None:
            self._session(session)
        if topic is not None:
            check_topic(topic)
        if after is not None and after < 0:
            raise ValueError("after must be the cursor of a record, or None for all records")
        subscription = self._subscriptions.subscription(callback)

        def deliver(event: dict[str, object]) -> None:
            found = to_python(event)
            if isinstance(found, dict):
                self._subscriptions.send(subscription, found)

        if topic is not None:
            subscription.on_close(self._log.subscribe(topic, after or 0, kind_prefix, deliver))
            return subscription

        def on_event(event: dict[str, object]) -> None:
            if session is None or event.get("session_id") == session:
                # A message of the user is returned to the user unchanged; the log has already redacted its records.
                deliver(event if event["type"] == USER_MESSAGE else self._redactor.value(event))

        subscription.on_close(self._sessions.listen(on_event))
        return subscription

    def close(self) -> None:
        """End all turns and subscriptions; after the last turn, close the event log and drop the conversations."""
        self._subscriptions.close()
        self._queues.close(self._end)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _end(self) -> None:
        self._log.close()
        self._sessions.drop_transcripts()

    def _session(self, session: str) -> Session:
        return _found(self._sessions.get(session), session)

    def _require_open(self) -> None:
        if self._queues.closed:
            raise HostError("closed", "the host is closed")

    def _clear_between_turns(self, session: Session) -> None:
        """Carry out the requests to clear reminders if no turn runs; a running turn carries them out itself."""
        while session.is_hosted and session.inbox.has_cleared and session.turns.acquire(blocking=False):
            try:
                carry_out_clears(self._shared_run, session)
            finally:
                session.turns.release()

    def _add_turn(self, turn: Turn) -> None:
        self._queues.add(turn)

    def _run_turn(self, turn: Turn) -> object:
        try:
            with turn.held.turns:
                if not turn.is_queued:
                    return self._run_script(turn)
                return answer_message(self._shared_run, turn, self._run_script, self._stderr, self._redactor)
        finally:
            self._clear_between_turns(turn.held)

    def _run_script(self, turn: Turn) -> object:
        outcome = toolchain.run(
            self._engine,
            self._source(),
            params=lambda program: _arguments(program, turn),
            stdout=self._stdout,
            stderr=self._stderr,
            observer=Stopper(turn, lambda: self._engine.grace),
            prepare=lambda run: self._prepare(run, turn.session),
        )
        if outcome.interrupted:
            grace = f", and its cleanup was stopped after {self._engine.grace:g} s" if outcome.is_cut_short else ""
            raise TurnCancelled(f"the turn was cancelled{grace}")
        if outcome.failure is not None:
            finding = outcome.failure.diagnostic()
            raise LanguageError(outcome.failure.text, [finding] if finding else [])
        if outcome.findings and outcome.error is not None:
            raise LanguageError(outcome.error, outcome.findings)
        try:
            return convert_deeply(to_python, outcome.value)
        except ValueError as error:
            raise LanguageError(str(error)) from None

    def _source(self) -> Source:
        return source_of(self._script, "<script>")

    def _prepare(self, run: Execution, session: str) -> None:
        keep_pace(run)
        run.context.update(self._context)
        entering(run, session_id=session).__enter__()


def _found(session: Session | None, name: str) -> Session:
    if session is None:
        raise HostError("unknown_session", f"there is no session {name!r}")
    return session


def _converted(value: Mapping[str, object]) -> object:
    try:
        return to_harn(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise ReminderError(PAYLOAD, str(error), None) from None


def _content(content: object) -> object:
    """Return the content of a message as a script sees it: a text, or a list of blocks."""
    if not isinstance(content, (str, list)) or not content:
        raise HostError("invalid_content", "content must be a non-empty string or list of blocks")
    try:
        return to_harn(content)
    except (TypeError, ValueError, RecursionError) as error:
        raise HostError("invalid_content", str(error)) from None


def _error(fault: Fault) -> ReminderError:
    return ReminderError(fault.code, fault.message, fault.key)


def _arguments(program: Program, turn: Turn) -> dict[str, object]:
    """Return the arguments of the entry pipeline: the prompt and, for a second parameter, a dict that describes it."""
    content = to_harn(turn.content)
    about = {"protocol": PROTOCOL, "cwd": None, "content": content, "metadata": {}}
    return entry_arguments(program.facts["params"], _text(content), turn, about)


def _text(content: object) -> str:
    """Return the text of a prompt: the string itself, or the texts of its blocks joined by newlines."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else [content]
    texts = [block.get("text") if isinstance(block, dict) else block for block in blocks]
    return "\n".join(display(text) for text in texts if text is not None)
