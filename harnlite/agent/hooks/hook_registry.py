"""The registry of the hooks of a run."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.runtime.tasks.execution import Execution

    Closure = Callable[..., object]

_KEY = "hooks"
_ANY = "*"
_DEFAULT_PERCENT = 80.0


class ToolHook:
    """A hook that runs before and after calls of the tools whose names match a pattern."""

    __slots__ = ("deny", "max_output", "pattern", "post", "pre")

    def __init__(
        self,
        pattern: str = _ANY,
        *,
        deny: object = None,
        max_output: int | None = None,
        pre: Closure | None = None,
        post: Closure | None = None,
    ) -> None:
        self.pattern = pattern
        self.deny = deny
        self.max_output = max_output
        self.pre = pre
        self.post = post


class EventHook:
    """A closure for an event, with the pattern that the payload has to match."""

    __slots__ = ("closure", "pattern")

    def __init__(self, closure: Closure, pattern: str = _ANY) -> None:
        self.closure = closure
        self.pattern = pattern


class PersonaHook:
    """A closure for a persona or step event, with the name patterns; `percent` is the threshold of a budget event."""

    __slots__ = ("closure", "percent", "persona", "step")

    def __init__(
        self, closure: Closure, persona: str = _ANY, step: str = _ANY, percent: float = _DEFAULT_PERCENT
    ) -> None:
        self.closure = closure
        self.persona = persona
        self.step = step
        self.percent = percent


class HookRegistry:
    """All hooks of a run, each kind in the order of registration."""

    __slots__ = ("_events", "_personas", "tools")

    def __init__(self) -> None:
        self.tools: tuple[ToolHook, ...] = ()
        self._events: dict[str, tuple[EventHook, ...]] = {}
        self._personas: dict[str, tuple[PersonaHook, ...]] = {}

    def add_tool(self, hook: ToolHook) -> None:
        """Register a tool hook."""
        self.tools = (*self.tools, hook)

    def add_event(self, event: str, hook: EventHook) -> None:
        """Register a hook for an event of sessions, turns or workers."""
        self._events[event] = (*self._events.get(event, ()), hook)

    def add_persona(self, event: str, hook: PersonaHook) -> None:
        """Register a hook for an event of personas and steps."""
        self._personas[event] = (*self._personas.get(event, ()), hook)

    def of(self, event: str) -> tuple[EventHook, ...]:
        """Return the hooks for an event of sessions, turns or workers."""
        return self._events.get(event, ())

    def of_persona(self, event: str) -> tuple[PersonaHook, ...]:
        """Return the hooks for an event of personas and steps."""
        return self._personas.get(event, ())

    def clear_tools(self) -> None:
        """Remove all tool hooks."""
        self.tools = ()

    def clear_events(self, events: frozenset[str]) -> None:
        """Remove the hooks for these events."""
        for event in events:
            self._events.pop(event, None)

    def clear_personas(self) -> None:
        """Remove all persona and step hooks."""
        self._personas.clear()


def hooks_of(run: Execution) -> HookRegistry:
    """Return the hook registry of a run."""
    return run.state(_KEY, HookRegistry)


def has_hooks(run: Execution, event: str) -> bool:
    """Return whether hooks exist for a session, turn or worker event; if not, the caller can skip the payload."""
    registry = run.peek(_KEY)
    return registry is not None and bool(registry.of(event))


def has_persona_hooks(run: Execution, event: str) -> bool:
    """Return whether hooks exist for a persona or step event."""
    registry = run.peek(_KEY)
    return registry is not None and bool(registry.of_persona(event))
