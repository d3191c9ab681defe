"""The use of the context window at an event: what the agent tells, or what the end of its transcript shows."""

from __future__ import annotations

from harnlite.agent_hooks.calls.agent_calls import Budget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent_hooks.calls.agent_calls import AgentCall
    from harnlite.agent_hooks.counters import Counters

_FIELDS = ("used", "window", "generation", "size", "mtime", "is_exact")


def budget_at(call: AgentCall, counters: Counters) -> Budget | None:
    """Return the use of the context window, or None if it is unknown; a reading of the transcript is kept."""
    native = call.budget
    if native is not None and (native.window > 0 or counters.window or counters.told_window):
        return _with_window(native, counters)
    if not call.transcript:
        return None
    from harnlite.agent_hooks.budgets import Reading, budget_of

    cached = Reading(*counters.reading) if len(counters.reading) == len(_FIELDS) else None
    reading = budget_of(call, cached)
    if reading is None:
        return None
    counters.reading = [getattr(reading, name) for name in _FIELDS]
    return _with_window(Budget(reading.used, reading.window, is_exact=reading.is_exact), counters)


def _with_window(budget: Budget, counters: Counters) -> Budget | None:
    """Return a use with a window, or None without one.

    The window that the agent states comes first, then that of the configuration, then the one that the agent stated at
    an earlier event, then the guess from the name of the model.
    """
    is_stated = budget.is_exact and budget.window
    window = budget.window if is_stated else counters.window or counters.told_window or budget.window
    return Budget(budget.used, window, is_exact=budget.is_exact) if window > 0 and budget.used > 0 else None
