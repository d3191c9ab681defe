"""The start of a loop: opening its session, choosing its tools, submitting the prompt, and running start hooks."""

from __future__ import annotations

from harnlite.agent.hooks.firing import fire_session, has_hooks
from harnlite.agent.loop.features.offering import offer_tools
from harnlite.agent.loop.state.loop_options import RESUME_OPTION, SENTINEL, read_options
from harnlite.agent.loop.state.loop_state import BLOCKED, Loop
from harnlite.agent.loop.state.session_claim import begin_loop, claim_tool_format, open_for_loop
from harnlite.agent.loop.turn.prompt import summary_message
from harnlite.agent.reminder_providers.evaluation import fire, is_wanted
from harnlite.agent.sessions.recording import record_system_prompt
from harnlite.llm.offered_tools import tool_entries
from harnlite.llm.options import read_options as check_call_options
from harnlite.llm.routes import capabilities_of_route, settled
from harnlite.llm.system_text import system_parts
from harnlite.reminders.capabilities import NATIVE, TEXT
from harnlite.reminders.hook_events import SESSION_START, USER_PROMPT_SUBMIT, WORKER_RESUMED
from harnlite.reminders.messages import content_text
from harnlite.runtime.environment_settings import settings_of
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.agent.loop.state.feature_slots import WorkerSupport
    from harnlite.runtime.tasks.execution import Execution

SUBMIT_BLOCKED = "user_prompt_submit_blocked"


def open_loop(run: Execution, task: object, system: object, given: dict[str, Any], workers: WorkerSupport) -> Loop:
    """Check the options, open the session and return a loop that has not run yet.

    Without a task, the oldest user message in the inbox of the session becomes the prompt.
    """
    options = read_options(run, given)
    check_call_options(given, settings_of(run))
    session_id = given.get("session_id")
    tools = tool_entries(given.get("tools"))
    session = open_for_loop(run, session_id if isinstance(session_id, str) and session_id else None)
    loop = Loop(run, session, display(task), options, workers)
    loop.system = system_parts(system, given).primary
    session.loop = loop
    try:
        _choose_tools(loop, tools)
    except BaseException:
        session.loop = None
        raise
    if (task is None or task == "") and given.get("initial_user_content") is None:
        loop.prompt = session.inbox.take_prompt()
        if loop.prompt:
            loop.task = content_text(loop.prompt[0].content)
    return loop


def _choose_tools(loop: Loop, own: list[dict[str, Any]]) -> None:
    """Choose the tool format, the sentinel that ends the loop, and the offered tools."""
    run, options, session = loop.run, loop.options, loop.session
    given = {**options.given, **options.llm_options}
    route = settled(run, given)
    loop.wire = capabilities_of_route(run, route).message_wire_format
    requested = given.get("tool_format")
    if requested in (NATIVE, TEXT):
        loop.tool_format = loop.mode = requested
    elif own:
        loop.mode = route.tool_format if given.get("model") is not None else ""
        loop.tool_format = loop.mode or TEXT
    else:
        loop.tool_format = loop.mode = TEXT
    if session.tool_format is not None and loop.mode and session.tool_format != loop.mode:
        raise runtime_error(
            f"agent session '{session.id}' is locked to tool_format='{session.tool_format}', but this run requested "
            f"tool_format='{loop.mode}'. Start a new session or fork/reset the transcript before changing tool mode."
        )
    loop.sentinel = options.sentinel
    if loop.sentinel is None and (options.loop_until_done or options.done_judge is not None):
        loop.sentinel = None if own and loop.tool_format == NATIVE else SENTINEL
    loop.has_own_tools = bool(own)
    if given.get("skills") is not None:
        from harnlite.agent.loop.features.loop_skills import open_skills

        open_skills(loop)
    offer_tools(loop, own)


def submit_prompt(loop: Loop) -> bool:
    """Run the hooks on the prompt, which may change or block it. Return whether the loop may continue."""
    run, session = loop.run, loop.session
    if not has_hooks(run, USER_PROMPT_SUBMIT):
        return True
    payload: dict[str, object] = {"session": {"id": session.id}, "prompt": loop.task, "system": loop.system}
    verdict = fire_session(run, session, USER_PROMPT_SUBMIT, payload)
    if verdict.is_veto:
        error = {"category": "hook_denied", "event": USER_PROMPT_SUBMIT, "reason": verdict.reason}
        loop.end(BLOCKED, SUBMIT_BLOCKED, error=error)
        # The hook has rejected the message: it must not wait for the next loop.
        if session.keeper is not None and loop.prompt:
            session.keeper.rejected(loop.prompt)
        loop.prompt.clear()
        return False
    prompt = verdict.payload.get("prompt")
    if prompt is not None and prompt is not payload["prompt"]:
        loop.task = display(prompt)
        loop.is_task_changed = True
    return True


def record_start(loop: Loop) -> None:
    """Record the composed system prompt and the user's message. From here on, turns are counted from 0."""
    run, session, given = loop.run, loop.session, loop.options.given
    if loop.options.is_daemon:
        from harnlite.agent.loop.features.daemon import open_daemon

        open_daemon(loop)
    composed = system_parts(loop.system, given).text()
    if composed is None:
        loop.system = session.system_prompt
    else:
        record_system_prompt(run, session, composed)
    if loop.mode:
        claim_tool_format(session, loop.mode)
    loop.summary = summary_message(loop)
    content = loop.prompt[0].content if loop.prompt else given.get("initial_user_content")
    begin_loop(run, session, loop, loop.task if content is None or loop.is_task_changed else content)


def announce_start(loop: Loop) -> None:
    """Run the hooks and reminder providers for the start of a session and for a worker that resumes after a pause."""
    run, session, options = loop.run, loop.session, loop.options
    payload: dict[str, object] = {
        "event": SESSION_START,
        "session": {"id": session.id},
        "task": loop.task,
        "system": loop.system,
        "max_iterations": loop.budget.settings.max,
    }
    fire_session(run, session, SESSION_START, payload)
    if is_wanted(run, SESSION_START, options.enabled):
        fire(run, session, SESSION_START, payload, options.given, options.enabled)
    resumed = options.given.get(RESUME_OPTION)
    if isinstance(resumed, dict):
        fire(run, session, WORKER_RESUMED, {"event": WORKER_RESUMED, **resumed}, options.given, options.enabled)
    if options.given.get("mcp_servers") is not None:
        from harnlite.agent.loop.features.mcp import connect_servers

        connect_servers(loop)
        offer_tools(loop, tool_entries(options.given.get("tools")))
    elif run.context.get("mcp_servers") is not None:
        from harnlite.agent.loop.features.mcp import connect_default_servers

        connect_default_servers(loop)
        offer_tools(loop, tool_entries(options.given.get("tools")))
    if options.given.get("llm_transcript_dir") is not None:
        from harnlite.agent.loop.features.llm_transcript import open_transcript

        open_transcript(loop)
