"""How a loop claims a session: choosing it, locking its tool format, and appending the first message."""

from __future__ import annotations

from harnlite.agent.sessions.current import SESSION, current_session_id, entering
from harnlite.agent.sessions.live_events import announce_message
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.sessions.reminding import inherit, restart_turns
from harnlite.reminders.propagation import inheritable
from harnlite.values.errors import runtime_error, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.loop.state.loop_state import Loop
    from harnlite.agent.sessions.session import Session
    from harnlite.runtime.tasks.execution import Execution


def open_for_loop(run: Execution, session_id: str | None) -> Session:
    """Return the session for a loop: the named one, else the current one if it is free, else a new one."""
    store = sessions_of(run)
    current = current_session_id(run)
    outer = store.get(current) if current is not None else None
    if session_id is None:
        if outer is not None and outer.loop is None:
            return outer
        if outer is None and current is not None and SESSION not in run.task.facts:
            # The session of the host's turn has not been opened yet. Only the outermost loop may use it.
            return store.open(run, current)
        return _open_new(run, "agent_session_" + run.ids.uuid7(), outer)
    session = store.get(session_id)
    if session is None:
        return _open_new(run, session_id, outer)
    if session.loop is not None:
        raise thrown(f"agent_loop: session '{session_id}' is already running a loop")
    return session


def _open_new(run: Execution, session_id: str, outer: Session | None) -> Session:
    """Open a session. Inside a running loop it is a child of the loop's session, whose reminders it inherits."""
    if outer is None or outer.loop is None:
        return sessions_of(run).open(run, session_id)
    child = sessions_of(run).open(run, session_id, parent_id=outer.id)
    with entering(run, session_id=child.id):
        inherit(run, child, inheritable(outer.transcript.pending(), outer.id))
    return child


def claim_tool_format(session: Session, tool_format: str, prefix: str = "") -> None:
    """Lock a session to a tool format; throw if it is locked to a different one."""
    claimed = session.tool_format
    if claimed is not None and claimed != tool_format:
        raise runtime_error(
            f"{prefix}agent session '{session.id}' is locked to tool_format='{claimed}', but this run requested "
            f"tool_format='{tool_format}'. Start a new session or fork/reset the transcript before changing tool mode."
        )
    session.tool_format = tool_format


def begin_loop(run: Execution, session: Session, loop: Loop, content: object) -> None:
    """Assign a session to a loop: append the user message and count turns from 0."""
    session.loop = loop
    session.turn = 0
    message: dict[str, object] = {"role": "user", "content": content}
    if loop.prompt:
        message["messageId"] = loop.prompt[0].id
    session.append_message(run, message)
    if session.keeper is not None and loop.prompt:
        session.keeper.delivered(loop.prompt[:1])
    loop.prompt.clear()
    announce_message(run, session, message)
    restart_turns(session)
