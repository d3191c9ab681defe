"""The interface of the hooks package for the rest of the agent: functions that fire the hooks of a run."""

from __future__ import annotations

from harnlite.agent.hooks.callbacks import call_guarded
from harnlite.agent.hooks.file_edits import flush_file_edits, queue_file_edit
from harnlite.agent.hooks.hook_effects import apply_effects, session_of
from harnlite.agent.hooks.hook_registry import HookRegistry, has_hooks, has_persona_hooks, hooks_of
from harnlite.agent.hooks.name_globs import fits
from harnlite.agent.hooks.payload_patterns import payload_fits
from harnlite.agent.hooks.session_hooks import Verdict, fire_session
from harnlite.agent.sessions.current import current_persona
from harnlite.reminders.hook_events import ON_BUDGET_THRESHOLD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.agent.hooks.hook_registry import PersonaHook
    from harnlite.agent.sessions.session import Session
    from harnlite.runtime.tasks.execution import Execution

__all__ = [
    "HookRegistry",
    "Verdict",
    "fire_budget_threshold",
    "fire_persona",
    "fire_session",
    "fire_turn",
    "fire_worker",
    "flush_file_edits",
    "has_hooks",
    "has_persona_hooks",
    "hooks_of",
    "queue_file_edit",
]


def fire_turn(run: Execution, session: Session | None, event: str, payload: dict[str, object]) -> None:
    """Run the hooks of a turn event; only the reminders that they return have an effect."""
    if not has_hooks(run, event):
        return
    payload = {"event": event, **payload}
    for hook in hooks_of(run).of(event):
        if payload_fits(hook.pattern, payload):
            apply_effects(run, session, event, call_guarded(run, hook.closure, payload), hook.closure)


def fire_worker(run: Execution, event: str, payload: dict[str, object]) -> None:
    """Run the hooks of a worker event; they only observe, and there is no session for reminders."""
    fire_turn(run, None, event, payload)


def fire_persona(
    run: Execution,
    event: str,
    payload: dict[str, object],
    chosen: Callable[[PersonaHook], bool] | None = None,
) -> None:
    """Run the persona hooks of an event that is not a step event; missing `event` and `persona` keys are added."""
    if not has_persona_hooks(run, event):
        return
    persona = current_persona(run) or ""
    full = {"event": event, "persona": persona, **payload}
    session = session_of(run, full)
    if session is not None:
        full.setdefault("session", {"id": session.id})
    for hook in hooks_of(run).of_persona(event):
        if fits(hook.persona, persona) and (chosen is None or chosen(hook)):
            apply_effects(run, session, event, call_guarded(run, hook.closure, full), hook.closure)


def fire_budget_threshold(
    run: Execution, session: Session, used: int, budget: int, done: set[object], payload: dict[str, object]
) -> None:
    """Run the OnBudgetThreshold hooks whose threshold is reached; each runs once per `done` set."""

    def is_reached(hook: PersonaHook) -> bool:
        if hook in done or used * 100 < hook.percent * budget:
            return False
        done.add(hook)
        return True

    fire_persona(run, ON_BUDGET_THRESHOLD, {"session": {"id": session.id}, **payload}, is_reached)
