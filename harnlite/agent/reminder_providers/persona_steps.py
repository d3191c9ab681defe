"""The steps of personas: the hooks before and after a call of a function marked `@step`."""

from __future__ import annotations

from harnlite.agent.hooks.callbacks import call_guarded
from harnlite.agent.hooks.hook_effects import apply_effects, blame
from harnlite.agent.hooks.hook_registry import has_persona_hooks, hooks_of
from harnlite.agent.hooks.name_globs import fits
from harnlite.agent.sessions.current import current_persona, current_session_id
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.reminders.hook_events import POST_STEP, PRE_STEP
from harnlite.values.data_types import type_name
from harnlite.values.display import display
from harnlite.values.errors import runtime_error, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from harnlite.agent.sessions.session import Session
    from harnlite.runtime.tasks.execution import Execution

    Payload: TypeAlias = dict[str, Any]
    AfterStep = Callable[[Execution, Session, Payload], None]

_CHANGED = {PRE_STEP: "args", POST_STEP: "output"}


def carry_out(
    run: Execution,
    after: AfterStep,
    function: Callable[..., object],
    name: str,
    title: str,
    args: tuple[object, ...],
) -> object:
    """Call a step with its hooks before and after it; then call `after` if the step belongs to a session."""
    persona = current_persona(run) or ""
    session = sessions_of(run).get(current_session_id(run))
    step: Payload = {"name": name, "function": title, "args": list(args)}
    target = f"{persona}.{name}" if persona else name
    payload: Payload = {"event": PRE_STEP, "persona": persona, "step": step, "target": target}
    given = _run_hooks(run, session, PRE_STEP, payload, list(args))
    if given.__class__ is list:
        step = {**step, "args": given}
        args = tuple(given)
    output = function(*args)
    payload = {**payload, "event": POST_STEP, "step": step, "output": output}
    output = _run_hooks(run, session, POST_STEP, payload, output)
    if session is not None:
        after(run, session, {**payload, "output": output})
    return output


def _run_hooks(run: Execution, session: Session | None, event: str, payload: Payload, value: object) -> object:
    """Run the hooks of one event in order; each receives the arguments or the output that the previous one returned."""
    if not has_persona_hooks(run, event):
        return value
    persona, step = str(payload["persona"]), payload["step"]
    name, key = step["name"], _CHANGED[event]
    for hook in hooks_of(run).of_persona(event):
        if not fits(hook.persona, persona) or not fits(hook.step, name):
            continue
        seen = {**payload, "step": {**step, "args": value}} if event == PRE_STEP else {**payload, "output": value}
        control, _ = apply_effects(run, session, event, call_guarded(run, hook.closure, seen), hook.closure)
        if control is None:
            continue
        if control.__class__ is not dict:
            text = f"{event} hook must return nil or {{deny, {key}}}, got {type_name(control)}"
            raise blame(runtime_error(text), hook.closure)
        answer: dict[str, object] = control
        deny = answer.get("deny")
        if deny is not None and deny is not False:
            reason = f"{event} hook denied the step" if deny is True else display(deny)
            raise thrown({"category": "hook_denied", "event": event, "reason": reason, "step": name})
        if key in answer:
            value = answer[key]
    return value
