"""The moments of a recorded session at which the agent calls its hooks."""

from __future__ import annotations

from dataclasses import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent_hooks.calls.agent_calls import Budget


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a hook: the event by its name in harnlite and in the agent, and what the agent writes to stdin."""

    event: str
    native: str
    payload: dict[str, object]
    time: float | None = None
    """The recorded time in seconds since 1970, or None if the record has none."""
    budget: Budget | None = field(default=None, compare=False)
    """How full the context window is, as far as the records before the call tell."""
    is_at_end: bool = False
    """Whether the call follows only from the end of the file: with more records, it might look different."""
