"""The context of the current task: its session, tool call, loop iteration and persona."""

from __future__ import annotations

from harnlite.runtime.marks import PERSONA_FACT
from harnlite.values.data_types import MISSING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.runtime.tasks.task import Task

SESSION = "agent_session_id"
PARENT = "parent_agent_session_id"
ROOT = "root_agent_session_id"
TOOL_CALL = "tool_call_id"
ITERATION = "agent_iteration"


def _fact(run: Execution, name: str) -> object:
    facts = run.task.facts
    return facts[name] if name in facts else run.context.get(name)


def current_session_id(run: Execution) -> str | None:
    """Return the id of the session of the innermost running loop; outside of loops, that of the host's turn."""
    facts = run.scheduler.current.facts
    found = facts[SESSION] if SESSION in facts else run.context.get(SESSION)
    return found if isinstance(found, str) else None


def current_tool_call_id(run: Execution) -> str | None:
    """Return the id of the tool call that is being dispatched, or None."""
    found = run.task.facts.get(TOOL_CALL)
    return found if isinstance(found, str) else None


def current_iteration(run: Execution) -> int | None:
    """Return the 0-based index of the current iteration of the innermost running loop, or None."""
    found = run.task.facts.get(ITERATION)
    return found if isinstance(found, int) else None


def current_persona(run: Execution) -> str | None:
    """Return the name of the persona whose step is running, or None."""
    found = _fact(run, PERSONA_FACT)
    return found if isinstance(found, str) else None


class entering:  # noqa: N801 - reads as a statement: with entering(run, …)
    """A context manager that sets the session, tool call, iteration or persona; omitted ones do not change."""

    __slots__ = ("_before", "_facts", "_task")

    def __init__(
        self,
        run: Execution,
        *,
        session_id: str | None = MISSING,
        parent_id: str | None = None,
        tool_call_id: str | None = MISSING,
        iteration: int | None = MISSING,
        persona: str | None = MISSING,
    ) -> None:
        self._task: Task = run.scheduler.current
        facts = self._task.facts.copy()
        if session_id is not MISSING:
            _enter_session(run, facts, session_id, parent_id)
        if tool_call_id is not MISSING:
            facts[TOOL_CALL] = tool_call_id
        if iteration is not MISSING:
            facts[ITERATION] = iteration
        if persona is not MISSING:
            facts[PERSONA_FACT] = persona
        self._facts = facts
        self._before: dict[str, object] = self._task.facts

    def __enter__(self) -> None:
        self._before = self._task.facts
        self._task.facts = self._facts

    def __exit__(self, *_: object) -> None:
        self._task.facts = self._before


def _enter_session(run: Execution, facts: dict[str, object], session_id: str | None, parent_id: str | None) -> None:
    """Make a session the current one, with the previous one as its parent; tool call and iteration are reset."""
    before = current_session_id(run)
    facts[SESSION] = session_id
    if session_id == before:
        return
    facts[PARENT] = parent_id or before
    facts[ROOT] = _fact(run, ROOT) or facts[PARENT] or session_id
    facts[TOOL_CALL] = None
    facts[ITERATION] = None
