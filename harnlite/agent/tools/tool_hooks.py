"""Hooks before and after tool calls; they are chained and may change the arguments and the text of the result."""

from __future__ import annotations

from harnlite.agent.hooks.callbacks import call_guarded
from harnlite.agent.hooks.hook_effects import apply_effects, blame, reminder_report
from harnlite.agent.hooks.hook_registry import hooks_of
from harnlite.agent.hooks.name_globs import fits
from harnlite.agent.tools.tool_call import value_text
from harnlite.reminders.hook_events import POST_TOOL_USE, PRE_TOOL_USE
from harnlite.values.data_types import type_name
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harnlite.agent.hooks.hook_registry import ToolHook
    from harnlite.agent.tools.tool_call import Call, Decision, ToolText
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.values.errors import ScriptError

_SHORTEST = 200


def _hooks_for(run: Execution, name: str) -> Iterator[ToolHook]:
    registry = run.peek("hooks")
    if registry is not None:
        for hook in hooks_of(run).tools:
            if fits(hook.pattern, name):
                yield hook


def _ask(
    run: Execution,
    decision: Decision,
    closure: Callable[..., object],
    payload: dict[str, object],
) -> object:
    """Call a hook, inject the reminders that it returns, and return the rest of its value."""
    event, session = str(payload["event"]), decision.options.session
    control, entered = apply_effects(run, session, event, call_guarded(run, closure, payload), closure)
    if session is not None:
        decision.reports += [reminder_report(event, session, run, report) for report in entered]
    return control


def hook_refusal(run: Execution, call: Call, decision: Decision) -> str | None:
    """Run the hooks before a call, which may change its arguments; return the reason if one denies it, or None."""
    for hook in _hooks_for(run, call.name):
        if hook.deny is not None and hook.deny is not False:
            return display(hook.deny)
        if hook.pre is None:
            continue
        control = _ask(run, decision, hook.pre, call.payload(PRE_TOOL_USE))
        if control is None:
            continue
        if control.__class__ is not dict:
            raise _wrong(f"{PRE_TOOL_USE} hook must return nil or {{deny, args}}, got {type_name(control)}", hook.pre)
        deny = control.get("deny")
        if deny is not None and deny is not False:
            return display(deny)
        arguments = control.get("args")
        if arguments.__class__ is dict:
            call.arguments = arguments
    return None


def _wrong(text: str, closure: Callable[..., object]) -> ScriptError:
    return blame(runtime_error(text), closure)


def run_post_hooks(run: Execution, call: Call, decision: Decision, result: ToolText) -> None:
    """Run the hooks after a call, which may change the text of its result."""
    for hook in _hooks_for(run, call.name):
        if hook.max_output is not None:
            result.text = snipped(result.text, hook.max_output)
        if hook.post is None:
            continue
        payload = {**call.payload(POST_TOOL_USE), "result": {"value": result.value, **result.facts()}}
        control = _ask(run, decision, hook.post, payload)
        if control.__class__ is dict:
            control = control.get("result")
            control = None if control is None else value_text(control)
        if control is None:
            continue
        if control.__class__ is not str:
            raise _wrong(
                f"{POST_TOOL_USE} hook must return nil, string, or {{result}}, got {type_name(control)}", hook.post
            )
        result.text = control


def snipped(text: str, most: int) -> str:
    """Shorten a text to about `most` characters by removing its middle; a very small limit has no effect."""
    if most < _SHORTEST or len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n\n[... {len(text) - 2 * half} characters snipped ...]\n\n{text[-half:]}"
