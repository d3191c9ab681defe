"""Builtins for the live events of a session, feedback to it, and the trace of all loops."""

from __future__ import annotations

from harnlite.agent.sessions.feedback import POST_SOURCE, inject_feedback
from harnlite.agent.sessions.live_events import LIVE_KINDS, RECORDED_KINDS, capturing, emit, record, redacted, subscribe
from harnlite.agent.sessions.open_sessions import sessions_of, unknown_session
from harnlite.agent.tools.cancellation import cancel_call
from harnlite.library.argument_types import dict_argument, expect_closure, optional_text, text_argument
from harnlite.library.native import native
from harnlite.llm.run_trace import trace_of
from harnlite.store.redaction import redactor_of
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution

_OWN_FIELDS = frozenset({"type", "session_id"})
_EMIT = "agent_emit_event"


@native("agent_subscribe")
def agent_subscribe(run: Execution, session_id: object = None, callback: object = None) -> None:
    """Subscribe a closure to the live events of a session."""
    wanted = text_argument("agent_subscribe", "session_id", session_id)
    closure = expect_closure("agent_subscribe", "callback", callback)
    sessions_of(run).open(run, wanted)
    subscribe(run, wanted, closure)


@native("__host_agent_emit_event")
def host_agent_emit_event(
    run: Execution,
    session_id: object = None,
    kind: object = None,
    payload: object = None,
) -> None:
    """Emit a live event of one of the kinds that scripts may emit."""
    target = text_argument(_EMIT, "session_id", session_id)
    name = text_argument(_EMIT, "type", kind)
    given = dict_argument(_EMIT, "payload", payload)
    fields = {key: value for key, value in given.items() if key not in _OWN_FIELDS}
    session = sessions_of(run).get(target)
    if name in RECORDED_KINDS and session is not None:
        record(run, session, name, fields)
    elif name in RECORDED_KINDS or LIVE_KINDS.get(name) == name:
        emit(run, target, name, fields)
    elif name in LIVE_KINDS:
        emit(run, target, LIVE_KINDS[name], {**fields, "kind": name})
    else:
        raise runtime_error(f"__host_{_EMIT}: unsupported event type `{name}`")


@native("__host_agent_capture_events")
def host_agent_capture_events(run: Execution, session_id: object = None, body: object = None) -> dict[str, object]:
    """Run a closure and collect the live events of a session."""
    target = text_argument("agent_capture_events", "session_id", session_id)
    closure = expect_closure("agent_capture_events", "body", body)
    with capturing(run, target) as events:
        result = closure()
    redactor = redactor_of(run)
    return {"result": result, "events": [redacted(redactor, event) for event in events]}


# Feedback


@native("agent_inject_feedback")
def agent_inject_feedback(
    run: Execution,
    session_id: object = None,
    kind: object = None,
    content: object = None,
) -> None:
    """Append feedback to a session immediately."""
    function = "agent_inject_feedback"
    target = text_argument(function, "session_id", session_id)
    name = text_argument(function, "kind", kind)
    session = sessions_of(run).get(target)
    if session is None:
        raise runtime_error(unknown_session("agent_session_inject", target))
    inject_feedback(run, session, name, display(content))


@native("agent_session_post_event")
def agent_session_post_event(
    run: Execution,
    session_id: object = None,
    kind: object = None,
    content: object = None,
    source: object = None,
) -> None:
    """Queue feedback for the next compaction seam."""
    function = "agent_session_post_event"
    target = text_argument(function, "id", session_id)
    name = text_argument(function, "kind", kind)
    origin = optional_text(function, "source", source) or POST_SOURCE
    sessions_of(run).feedback.post(run, target, name, display(content), origin)


@native("__host_agent_session_post_event")
def host_agent_session_post_event(
    run: Execution,
    session_id: object = None,
    kind: object = None,
    content: object = None,
    source: object = None,
) -> None:
    """Queue feedback on behalf of a host."""
    agent_session_post_event(run, session_id, kind, content, source)


@native("agent_session_drain_inbox")
def agent_session_drain_inbox(run: Execution, session_id: object = None) -> list[dict[str, object]]:
    """Remove all queued feedback from a session and return it."""
    return sessions_of(run).feedback.drain(text_argument("agent_session_drain_inbox", "id", session_id))


# The trace


@native("agent_trace")
def agent_trace(run: Execution) -> list[dict[str, object]]:
    """Return the trace entries of all loops that this program has run."""
    return trace_of(run).entries()


@native("agent_trace_summary")
def agent_trace_summary(run: Execution) -> dict[str, object]:
    """Return the totals over the trace entries of all loops."""
    return trace_of(run).summary()


# Running calls


@native("cancel_in_flight_tool_call")
def cancel_in_flight_tool_call(
    run: Execution,
    session_id: object = None,
    call_id: object = None,
    opts: object = None,
) -> dict[str, object]:
    """Cancel a tool call that is running; its loop continues."""
    function = "cancel_in_flight_tool_call"
    target = text_argument(function, "session_id", session_id)
    wanted = text_argument(function, "call_id", call_id)
    return cancel_call(run, target, wanted, dict_argument(function, "opts", opts))
