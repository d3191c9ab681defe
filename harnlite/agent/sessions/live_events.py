"""Live events, which a session emits to its subscribers and to the host while it runs."""

from __future__ import annotations

from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.reminders.seams import ITERATION_END, ITERATION_START, LOOP_CHECKPOINT
from harnlite.runtime.tasks.task_errors import reported_text, uncaught_text
from harnlite.store.redaction import redactor_of
from harnlite.values.catching import CATCHABLE, script_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.agent.sessions.session import Session
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.store.redaction import Redactor

_KEY = "agent_subscribers"
USER_MESSAGE = "user_message"

LIVE_KINDS: dict[str, str] = {
    kind: kind
    for kind in (
        "artifact",
        ITERATION_END,
        ITERATION_START,
        "judge_decision",
        "loop_control_decision",
        "session_info_update",
        "step_judge_decision",
    )
}
"""The kinds that a script may emit besides the recorded kinds, with the types of the emitted events."""

LIVE_KINDS["completion_confirmation_nudge"] = "feedback_injected"

RECORDED_KINDS: dict[str, str] = dict.fromkeys(
    (
        "agent_loop_stall_warning",
        "budget_circuit_breaker",
        "budget_exhausted",
        LOOP_CHECKPOINT,
        "skill_narrow",
        "tool_search_query",
        "typed_checkpoint",
    ),
    "assistant",
)
"""The kinds of live events that are also stored as internal transcript events, with the roles of those."""

RECORDED_KINDS |= {"tool_call_audit": "tool", "tool_search_result": "tool"}


class Subscribers:
    """The subscribers of a run to live events, by session: closures of the script, and lists that collect events."""

    __slots__ = ("_of_session",)

    def __init__(self) -> None:
        self._of_session: dict[str, tuple[Callable[..., object], ...]] = {}

    def of(self, session_id: str) -> tuple[Callable[..., object], ...]:
        """Return the callbacks for the events of a session."""
        return self._of_session.get(session_id, ())

    def add(self, session_id: str, callback: Callable[..., object]) -> None:
        """Subscribe a callback to the events of a session."""
        self._of_session[session_id] = (*self.of(session_id), callback)

    def remove(self, session_id: str, callback: Callable[..., object]) -> None:
        """Unsubscribe a callback from the events of a session."""
        self._of_session[session_id] = tuple(other for other in self.of(session_id) if other is not callback)


def subscribe(run: Execution, session_id: str, closure: Callable[..., object]) -> None:
    """Subscribe a closure to the live events of a session; its errors are only written to stderr."""
    subscribers = run.state(_KEY, Subscribers)
    redactor = redactor_of(run)

    def notify(event: dict[str, object]) -> None:
        try:
            closure(redacted(redactor, event))
        except CATCHABLE as error:
            failure = script_error(error)
            if failure is None:
                raise
            text = redactor.text(reported_text(uncaught_text(failure)))
            run.write_error(f"[harn] warning: agent_subscribe: the subscriber of '{session_id}' failed: {text}\n")

    subscribers.add(session_id, notify)


def redacted(redactor: Redactor, event: dict[str, object]) -> dict[str, object]:
    """Return an event with its secrets replaced; a message of the user is returned to the user unchanged."""
    if event["type"] == USER_MESSAGE:
        return event
    return {key: redactor.within(value) for key, value in event.items()}


class capturing:  # noqa: N801 - reads as a statement: with capturing(run, id) as events
    """A context manager that collects the live events of one session into a list."""

    __slots__ = ("_add", "_events", "_session_id", "_subscribers")

    def __init__(self, run: Execution, session_id: str) -> None:
        self._subscribers = run.state(_KEY, Subscribers)
        self._session_id = session_id
        self._events: list[dict[str, object]] = []
        self._add = self._events.append

    def __enter__(self) -> list[dict[str, object]]:
        self._subscribers.add(self._session_id, self._add)
        return self._events

    def __exit__(self, *_: object) -> None:
        self._subscribers.remove(self._session_id, self._add)


def is_heard(run: Execution, session: Session | str) -> bool:
    """Return whether a session has listeners or subscribers; if not, the caller can skip building the event."""
    if sessions_of(run).listeners:
        return True
    subscribers = run.peek(_KEY)
    return subscribers is not None and bool(subscribers.of(session if isinstance(session, str) else session.id))


def emit(run: Execution, session: Session | str, kind: str, fields: dict[str, object]) -> None:
    """Call the listeners and the subscribers of a session with an event."""
    session_id = session if isinstance(session, str) else session.id
    listeners = sessions_of(run).listeners
    subscribers = run.peek(_KEY)
    callbacks = subscribers.of(session_id) if subscribers is not None else ()
    if not listeners and not callbacks:
        return
    event = {"type": kind, "session_id": session_id, **fields}
    for listener in listeners:
        listener(event)
    for callback in callbacks:
        callback(event)


def record(run: Execution, session: Session, kind: str, fields: dict[str, object]) -> None:
    """Append an event of a recorded kind to the transcript, and emit it."""
    session.lifecycle(run, kind, kind, fields, role=RECORDED_KINDS.get(kind, "system"))
    emit(run, session, kind, fields)


def announce_message(run: Execution, session: Session, message: dict[str, object]) -> None:
    """Emit an event for a user message with a message id; it tells the sender that the message was delivered."""
    message_id = message.get("messageId")
    if message_id is None or message.get("role") != "user" or not is_heard(run, session):
        return
    content = message.get("content")
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    emit(run, session, USER_MESSAGE, {"message_id": message_id, "content": blocks})
