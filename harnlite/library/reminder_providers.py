"""Builtins that register and evaluate reminder providers, and the functions that the canonical providers call."""

from __future__ import annotations

from harnlite.agent.hooks.event_names import REMINDER_EVENTS, event_hint, event_named
from harnlite.agent.reminder_providers.context_usage import context_usage
from harnlite.agent.reminder_providers.evaluation import ReminderProvider, enabled_of, fire, registry_of
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.library.argument_types import dict_argument, expect, expect_dict
from harnlite.library.native import native
from harnlite.values.data_types import is_callable, type_name
from harnlite.values.display import display
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.reminder_providers.context_usage import Usage
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.values.errors import ScriptError

_EVENT_KEYS = ("subscribes_to", "events", "event")
_REGISTER = "register_reminder_provider"
_FIRE = "agent_reminder_providers_fire"


def _fault(text: str) -> ScriptError:
    return runtime_error(f"{_REGISTER}: {text}")


@native("register_reminder_provider")
def register_reminder_provider(run: Execution, config: object = None) -> None:
    """Register a closure that provides reminders at events."""
    given = expect_dict(_REGISTER, "config", config)
    provider_id = given.get("id")
    if provider_id is None:
        raise _fault("missing id")
    if not isinstance(provider_id, str) or not provider_id.strip():
        raise _fault(f"id must be a non-empty string, got {type_name(provider_id)}")
    events = _events(next((given[key] for key in _EVENT_KEYS if given.get(key) is not None), None))
    evaluate = given.get("evaluate")
    if evaluate is None:
        raise _fault("missing evaluate")
    if not is_callable(evaluate):
        raise _fault(f"evaluate must be a closure, got {type_name(evaluate)}")
    registry_of(run).register(ReminderProvider(provider_id.strip(), events, evaluate))


def _events(value: object) -> list[str]:
    if value is None:
        raise _fault("missing subscribes_to")
    names = value if value.__class__ is list else [value]
    if not names:
        raise _fault("subscribes_to must not be empty")
    events = []
    for name in names:
        if not isinstance(name, str):
            raise _fault(f"subscribes_to must be a string or list, got {type_name(name)}")
        if not name.strip():
            raise _fault("subscribes_to must not be empty")
        event = event_named(name, REMINDER_EVENTS)
        if event is None:
            raise _fault(f"unknown reminder provider event `{name}`{event_hint(name, REMINDER_EVENTS)}")
        events.append(event)
    return events


@native("clear_reminder_providers")
def clear_reminder_providers(run: Execution) -> None:
    """Remove the reminder providers that the script has registered."""
    registry_of(run).clear()


@native("__host_agent_reminder_providers_fire")
def agent_reminder_providers_fire(
    run: Execution, session: object = None, event: object = None, payload: object = None, options: object = None
) -> dict[str, object]:
    """Evaluate the reminder providers of an event for a session, outside a loop."""
    expect(_FIRE, "session", session, "string", optional=True)
    expect(_FIRE, "event", event, "string")
    details = dict_argument(_FIRE, "payload", payload)
    given = dict_argument(_FIRE, "options", options)
    name = event_named(display(event), REMINDER_EVENTS)
    if name is None:
        hint = event_hint(display(event), REMINDER_EVENTS)
        raise runtime_error(f"{_FIRE}: unknown reminder provider event `{display(event)}`{hint}")
    found = sessions_of(run).get(session) if session is not None else None
    if found is None:
        return {"fired_count": 0, "reports": []}
    enabled = enabled_of(run, given, is_lenient=True)
    return fire(run, found, name, details, given, enabled)


# Functions for the canonical providers


class _CachedUsage:
    """The last computed context usage, with the arguments that it belongs to."""

    __slots__ = ("options", "payload", "usage")

    def __init__(self) -> None:
        self.payload: object = None
        self.options: object = None
        self.usage: Usage | None = None


@native("__host_context_usage")
def host_context_usage(run: Execution, payload: object = None, options: object = None) -> Usage | None:
    """Return the usage of the context, or nil if unknown; it is cached because several providers ask for it."""
    cached = run.state("context_usage", _CachedUsage)
    if cached.payload is not payload or cached.options is not options:
        cached.payload, cached.options = payload, options
        cached.usage = context_usage(run, payload, options)
    return cached.usage


@native("__host_session_task")
def host_session_task(run: Execution, session_id: object = None) -> str | None:
    """Return the task of the loop of a session, or its first user message if it has no loop."""
    session = sessions_of(run).get(session_id)
    if session is None:
        return None
    task = getattr(session.loop, "task", None)
    if isinstance(task, str):
        return task
    contents = (message.get("content") for message in session.transcript.messages() if message.get("role") == "user")
    return next((content for content in contents if isinstance(content, str)), None)


@native("__host_two_decimals")
def host_two_decimals(number: object = None) -> str:
    """Return a number with two digits after the decimal point."""
    return f"{number:.2f}" if number.__class__ in {int, float} else display(number)


@native("__host_grounded_findings")
def host_grounded_findings(event: object = None, payload: object = None, config: object = None) -> object:
    """Return the concrete evidence of failure in a payload, or nil if there is none."""
    from harnlite.agent.reminder_providers.grounded_review import review

    return review(display(event), payload, config)
