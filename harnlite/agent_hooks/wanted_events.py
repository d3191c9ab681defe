"""The events of agents for which the registered hooks and reminder providers have to run."""

from __future__ import annotations

from harnlite.agent.hooks.hook_registry import hooks_of
from harnlite.agent.reminder_providers.evaluation import registry_of
from harnlite.agent_hooks.calls import agent_calls
from harnlite.agent_hooks.counters import TRUNCATED
from harnlite.reminders import hook_events
from harnlite.reminders.enabled_providers import CANONICAL, Enabled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.runtime.tasks.execution import Execution

DEFAULT_PROVIDERS = frozenset({"token_pressure", "post_compact_recap", "tool_output_truncated"})
"""The canonical reminder providers that run without being asked for."""
BANDS = (70.0, 85.0, 95.0)
"""The thresholds at which reminder providers are evaluated, in percent of the context window."""

SESSION_EVENTS: dict[str, tuple[str, ...]] = {
    agent_calls.SESSION_START: (hook_events.SESSION_START,),
    agent_calls.USER_PROMPT: (hook_events.USER_PROMPT_SUBMIT,),
    agent_calls.PRE_COMPACT: (hook_events.PRE_COMPACT,),
    agent_calls.POST_COMPACT: (hook_events.POST_COMPACT,),
    agent_calls.SESSION_IDLE: (hook_events.SESSION_IDLE,),
    agent_calls.STOP: (hook_events.POST_TURN, hook_events.POST_AGENT_TURN, hook_events.PRE_FINISH),
    agent_calls.SUBAGENT_START: (hook_events.SESSION_START,),
    agent_calls.SUBAGENT_STOP: (hook_events.PRE_FINISH,),
    agent_calls.FILE_EDITED: (hook_events.FILE_EDITED,),
    agent_calls.SESSION_END: (hook_events.SESSION_END,),
}
"""The events of hooks and reminder providers that each event of an agent fires, in order, without those of tools."""


def enabled_providers(run: Execution, settings: Mapping[str, object]) -> Enabled:
    """Return the reminder providers that run: the canonical ones on by default, and those of the settings and script.

    `reminders` in the settings is a list of ids; `-id` switches a provider off.
    """
    listed = settings.get("reminders")
    ids = [entry for entry in listed if isinstance(entry, str)] if isinstance(listed, (list, tuple)) else []
    added = {entry.strip() for entry in ids if not entry.strip().startswith("-")}
    off = {entry.strip()[1:].strip() for entry in ids if entry.strip().startswith("-")}
    on = DEFAULT_PROVIDERS | added | registry_of(run).replaced
    return Enabled(is_on=True, removed=frozenset({*(set(CANONICAL) - on), *off}))


def wanted_events(run: Execution, enabled: Enabled) -> dict[str, object]:
    """Return the events of agents that the rules want: true, or the patterns of the names of tools."""
    registry = hooks_of(run)
    found: dict[str, object] = {}
    for event, names in SESSION_EVENTS.items():
        if any(registry.of(name) or _providers(run, name, enabled) for name in names):
            found[event] = True
    before = [hook.pattern for hook in registry.tools if hook.pre is not None or _is_set(hook.deny)]
    after = [hook.pattern for hook in registry.tools if hook.post is not None]
    if before:
        found[agent_calls.PRE_TOOL_USE] = list(dict.fromkeys(before))
    providers = _providers(run, hook_events.POST_TOOL_USE, enabled)
    if providers - {"tool_output_truncated"} or registry_of(run).replaced & providers:
        found[agent_calls.POST_TOOL_USE] = True
    elif after:
        found[agent_calls.POST_TOOL_USE] = list(dict.fromkeys(after))
    if "tool_output_truncated" in providers:
        found[TRUNCATED] = True
    return found


def _is_set(deny: object) -> bool:
    return deny is not None and deny is not False


def wanted_thresholds(run: Execution, enabled: Enabled) -> list[float]:
    """Return the percents of the context window at which the rules run."""
    found = {float(hook.percent) for hook in hooks_of(run).of_persona(hook_events.ON_BUDGET_THRESHOLD)}
    if _providers(run, hook_events.ON_BUDGET_THRESHOLD, enabled):
        found |= set(BANDS)
    return sorted(found)


def _providers(run: Execution, event: str, enabled: Enabled) -> set[str]:
    return {one.id for one in registry_of(run).subscribed(event) if one.id not in enabled.removed}
