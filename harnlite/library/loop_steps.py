"""Builtins for the steps of a loop, for scripts that drive a loop themselves (std/agent/state)."""

from __future__ import annotations

from harnlite.agent.loop import stepwise
from harnlite.agent.loop.state.loop_state import Loop
from harnlite.agent.sessions.feedback import inject_feedback
from harnlite.agent.sessions.live_events import emit
from harnlite.agent.sessions.open_sessions import require_session, sessions_of
from harnlite.agent.sessions.recording import pop_last_assistant
from harnlite.agent.workers.loop_support import LOOP_SUPPORT
from harnlite.library.argument_types import (
    dict_argument,
    expect,
    expect_list,
    int_argument,
    optional_text,
    text_argument,
)
from harnlite.library.native import native
from harnlite.llm.run_trace import trace_of
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.runtime.tasks.execution import Execution


def _loop(run: Execution, function: str, session_id: object) -> Loop:
    """Return the loop of a session, which exists between init and finalize."""
    session = sessions_of(run).get(text_argument(function, "id", session_id))
    if session is None or not isinstance(session.loop, Loop):
        raise runtime_error(f"__host_{function}: unknown agent session `{session_id}`")
    return session.loop


@native("__host_agent_session_init")
def session_init(run: Execution, task: object = None, system: object = None, opts: object = None) -> dict[str, object]:
    """Start a loop on a session."""
    function = "agent_session_init"
    primary = optional_text(function, "system", system)
    return stepwise.begin_loop(run, task, primary, dict_argument(function, "opts", opts), LOOP_SUPPORT)


@native("__host_agent_session_finalize")
def session_finalize(run: Execution, session_id: object = None, ending: object = None) -> object:
    """End a loop and return its result."""
    function = "agent_session_finalize"
    loop = _loop(run, function, session_id)
    return stepwise.end_loop(loop, dict_argument(function, "ending", ending))


@native("__host_agent_session_messages")
def session_messages(run: Execution, session_id: object = None) -> list[dict[str, Any]]:
    """Return the messages of a session."""
    function = "agent_session_messages"
    return require_session(run, function, text_argument(function, "id", session_id)).transcript.messages()


@native("__host_agent_session_record_assistant")
def session_record_assistant(run: Execution, session_id: object = None, reply: object = None) -> None:
    """Append the answer of a model to the transcript."""
    function = "agent_session_record_assistant"
    loop = _loop(run, function, session_id)
    stepwise.take_reply(loop, dict_argument(function, "llm_result", reply))


@native("__host_agent_session_record_tool_results")
def session_record_tool_results(run: Execution, session_id: object = None, dispatch: object = None) -> None:
    """Append the results of tool calls to the transcript."""
    function = "agent_session_record_tool_results"
    loop = _loop(run, function, session_id)
    expect(function, "dispatch", dispatch, "dict", "list")
    stepwise.take_results(loop, dispatch)


@native("__host_agent_session_record_usage")
def session_record_usage(
    run: Execution,
    session_id: object = None,
    reply: object = None,
    opts: object = None,
    iteration: object = None,
) -> dict[str, object]:
    """Add the usage of a model call to the totals of the loop."""
    function = "agent_session_record_usage"
    loop = _loop(run, function, session_id)
    answer = dict_argument(function, "llm_result", reply)
    dict_argument(function, "opts", opts)
    return stepwise.take_usage(loop, answer, int_argument(function, "iteration", iteration, 0))


@native("__host_agent_session_totals")
def session_totals(run: Execution, session_id: object = None) -> dict[str, object]:
    """Return the totals of a loop."""
    return _loop(run, "agent_session_totals", session_id).totals.as_dict()


@native("__host_agent_session_pop_last_assistant")
def session_pop_last_assistant(run: Execution, session_id: object = None) -> bool:
    """Remove the last answer of the model from the transcript."""
    return pop_last_assistant(_loop(run, "agent_session_pop_last_assistant", session_id).session)


@native("__host_agent_session_inject_feedback")
def session_inject_feedback(
    run: Execution, session_id: object = None, kind: object = None, content: object = None
) -> None:
    """Append feedback to the transcript immediately."""
    function = "agent_session_inject_feedback"
    target_id, name = text_argument(function, "id", session_id), text_argument(function, "kind", kind)
    inject_feedback(run, require_session(run, function, target_id), name, display(content))


# Skills, and records of the script's own actions


@native("__host_agent_session_set_active_skills")
def session_set_active_skills(run: Execution, session_id: object = None, skills: object = None) -> None:
    """Set the skills that are active on a session."""
    function = "agent_session_set_active_skills"
    loop = _loop(run, function, session_id)
    loop.session.active_skills = [*expect_list(function, "skills", skills)]


@native("__host_agent_session_active_skills")
def session_active_skills(run: Execution, session_id: object = None) -> list[object]:
    """Return the skills that are active on a session."""
    return list(_loop(run, "agent_session_active_skills", session_id).session.active_skills)


@native("__host_agent_session_record_skill_event")
def session_record_skill_event(
    run: Execution, session_id: object = None, kind: object = None, payload: object = None
) -> None:
    """Record and emit an event of a skill."""
    function = "agent_session_record_skill_event"
    loop = _loop(run, function, session_id)
    name, fields = text_argument(function, "kind", kind), dict_argument(function, "payload", payload)
    loop.session.lifecycle(run, name, name, fields)
    emit(run, loop.session, name, fields)


@native("__host_agent_record_compaction")
def record_compaction(run: Execution, session_id: object = None, payload: object = None) -> None:
    """Record a compaction that the script has performed."""
    _record(run, "agent_record_compaction", session_id, "context_compaction", "compaction", payload)


@native("__host_agent_record_native_tool_fallback")
def record_native_tool_fallback(run: Execution, session_id: object = None, payload: object = None) -> None:
    """Record that the model of a native loop wrote its tool calls as text."""
    kind = "native_tool_fallback"
    _record(run, "agent_record_native_tool_fallback", session_id, kind, kind, payload)


def _record(run: Execution, function: str, session_id: object, entry: str, kind: str, payload: object) -> None:
    """Record an action of the script in the transcript and in the trace."""
    loop = _loop(run, function, session_id)
    fields = dict_argument(function, "payload", payload)
    loop.session.lifecycle(run, kind, kind, fields)
    trace_of(run).add(entry, **{key: value for key, value in fields.items() if key != "type"})
