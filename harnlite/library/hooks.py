"""Builtins that register hooks: closures called at events of tools, sessions, personas and steps."""

from __future__ import annotations

from harnlite.agent.hooks import event_names
from harnlite.agent.hooks.file_edits import queue_file_edit
from harnlite.agent.hooks.hook_registry import EventHook, PersonaHook, ToolHook, hooks_of
from harnlite.agent.hooks.session_hooks import clear_session_hooks as forget_session_hooks
from harnlite.agent.reminder_providers.evaluation import watch_steps
from harnlite.library.argument_types import expect, expect_closure, expect_dict, optional_dict
from harnlite.library.native import native
from harnlite.library.working_folders import resolve
from harnlite.reminders.hook_events import LOOP_CHECKPOINT
from harnlite.reminders.seams import SEAMS
from harnlite.values.data_types import is_callable, type_name
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution

_EVENT_AND_CLOSURE, _WITH_PATTERN = 2, 3


@native("register_tool_hook")
def register_tool_hook(run: Execution, config: object = None) -> None:
    """Register closures that run before and after calls of the tools whose names match a pattern."""
    given = expect_dict("register_tool_hook", "config", config)
    closures = {}
    for name in ("pre", "post"):
        closure = given.get(name)
        if closure is not None and not is_callable(closure):
            raise runtime_error(f"register_tool_hook: {name} must be a closure, got {type_name(closure)}")
        closures[name] = closure
    pattern, max_chars = given.get("pattern"), given.get("max_output")
    hooks_of(run).add_tool(
        ToolHook(
            "*" if pattern is None else display(pattern),
            deny=given.get("deny"),
            max_output=max_chars if max_chars.__class__ is int else None,
            **closures,
        )
    )


@native("clear_tool_hooks")
def clear_tool_hooks(run: Execution) -> None:
    """Remove all tool hooks."""
    hooks_of(run).clear_tools()


@native("register_session_hook")
def register_session_hook(run: Execution, *given: object) -> None:
    """Register a closure for an event of sessions."""
    function = "register_session_hook"
    if len(given) not in {_EVENT_AND_CLOSURE, _WITH_PATTERN}:
        raise runtime_error(f"Arity mismatch: '{function}' expects 2..=3 arguments, got {len(given)}")
    event, pattern = given[0], given[1] if len(given) == _WITH_PATTERN else None
    expect(function, "event", event, "string")
    expect(function, "pattern", pattern, "string", optional=True)
    closure = expect_closure(function, "handler", given[-1])
    name = event_names.event_named(display(event), event_names.SESSION_EVENTS)
    if name is None:
        hint = event_names.event_hint(display(event), event_names.SESSION_EVENTS)
        raise runtime_error(f"{function}: unknown session hook event `{display(event)}`{hint}")
    hooks_of(run).add_event(name, EventHook(closure, "*" if pattern is None else display(pattern)))


@native("clear_session_hooks")
def clear_session_hooks(run: Execution) -> None:
    """Remove all session hooks."""
    forget_session_hooks(run)


@native("register_checkpoint_hook")
def register_checkpoint_hook(run: Execution, kinds: object = None, handler: object = None) -> None:
    """Register a closure for some or all of the seams of a loop."""
    function = "register_checkpoint_hook"
    expect(function, "kinds", kinds, "string", "list", optional=True)
    closure = expect_closure(function, "handler", handler)
    chosen = kinds if kinds.__class__ is list else [kinds]
    for kind in chosen if kinds is not None else ():
        if not isinstance(kind, str) or kind not in SEAMS:
            raise runtime_error(f"{function}: unknown kind `{display(kind)}` (expected one of: {', '.join(SEAMS)})")
    patterns = ["*"] if kinds is None else [f'kind=="{kind}"' for kind in dict.fromkeys(chosen)]
    for pattern in patterns:
        hooks_of(run).add_event(LOOP_CHECKPOINT, EventHook(closure, pattern))


@native("register_persona_hook")
def register_persona_hook(
    run: Execution, persona_pattern: object = None, event: object = None, handler: object = None
) -> None:
    """Register a closure for an event of the personas whose names match a pattern."""
    _register_persona(run, "register_persona_hook", persona_pattern, "*", event, handler)


@native("register_step_hook")
def register_step_hook(
    run: Execution,
    persona_pattern: object = None,
    step: object = None,
    event: object = None,
    handler: object = None,
) -> None:
    """Register a closure for an event of the steps whose names match a pattern."""
    expect("register_step_hook", "persona_pattern", persona_pattern, "string")
    expect("register_step_hook", "step", step, "string")
    _register_persona(run, "register_step_hook", persona_pattern, display(step), event, handler)


def _register_persona(
    run: Execution, function: str, persona: object, step: str, event: object, handler: object
) -> None:
    expect(function, "persona_pattern", persona, "string")
    expect(function, "event", event, "string")
    closure = expect_closure(function, "handler", handler)
    name, percent = event_names.persona_event(function, display(event))
    hook = PersonaHook(closure, display(persona), step)
    if percent is not None:
        hook.percent = percent
    watch_steps(run)
    hooks_of(run).add_persona(name, hook)


@native("clear_persona_hooks")
def clear_persona_hooks(run: Execution) -> None:
    """Remove all hooks for personas and steps."""
    hooks_of(run).clear_personas()


@native("notify_file_edited")
def notify_file_edited(run: Execution, path: object = None, metadata: object = None) -> None:
    """Report that a file was edited, so that the next loop calls the hooks for file edits."""
    expect("notify_file_edited", "path", path, "string")
    given = optional_dict("notify_file_edited", "metadata", metadata)
    queue_file_edit(run, resolve(run, display(path)), given)
