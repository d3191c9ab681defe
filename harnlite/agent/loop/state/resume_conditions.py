"""The conditions that resume a suspended worker: a trigger, a timeout, an event."""

from __future__ import annotations

from harnlite.store.event_log import check_topic
from harnlite.values.data_types import type_name
from harnlite.values.errors import ScriptError, runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WITH_SUMMARY = "resume_with_summary"
TIMEOUT_ACTIONS = (WITH_SUMMARY, "fail", "resume_with_input")
_FIELDS = ("trigger", "timeout", "on_event")
_TIMEOUT_FIELDS = ("duration_minutes", "on_timeout")


def read_conditions(value: object) -> dict[str, object] | None:
    """Check resume conditions and fill in their defaults; throw if they are invalid."""
    if value is None:
        return None
    if value.__class__ is not dict:
        raise _condition_error("root", f"expected dict or nil, got {type_name(value)}")
    given: dict[str, object] = value
    for field in sorted(given):
        if field not in _FIELDS:
            raise _condition_error(field, "unknown field; expected trigger, timeout, or on_event")
    found: dict[str, object] = {}
    trigger = given.get("trigger")
    if trigger is not None:
        if trigger.__class__ is not dict:
            raise _condition_error("trigger", f"expected dict or nil, got {type_name(trigger)}")
        found["trigger"] = trigger
    if given.get("timeout") is not None:
        found["timeout"] = _timeout(given["timeout"])
    event = given.get("on_event")
    if event is not None:
        if not isinstance(event, str):
            raise _condition_error("on_event", f"expected string or nil, got {type_name(event)}")
        found["on_event"] = event
    return found


def triggers_of(conditions: object) -> list[dict[str, Any]]:
    """Return the triggers of checked conditions that listen to the event log, each with its `topic`."""
    given = conditions if isinstance(conditions, dict) else {}
    found = [] if given.get("on_event") is None else [{"topic": given["on_event"]}]
    trigger = given.get("trigger")
    if isinstance(trigger, dict) and isinstance(trigger.get("topic"), str):
        found.append(trigger)
    return found


def trigger_error(conditions: object) -> str | None:
    """Return why the triggers of these conditions cannot be registered, or None if they can."""
    try:
        for trigger in triggers_of(conditions):
            check_topic(trigger["topic"])
    except ScriptError as error:
        return str(error.value).removeprefix("Runtime error: ")
    return None


def _timeout(value: object) -> dict[str, object]:
    if value.__class__ is not dict:
        raise _condition_error("timeout", f"expected dict or nil, got {type_name(value)}")
    given: dict[str, object] = value
    for field in sorted(given):
        if field not in _TIMEOUT_FIELDS:
            raise _condition_error(f"timeout.{field}", "unknown field; expected duration_minutes or on_timeout")
    minutes = given.get("duration_minutes")
    if minutes.__class__ is not int or minutes <= 0:
        raise _condition_error("timeout.duration_minutes", "must be a positive int")
    action = given.get("on_timeout")
    if action is None:
        action = WITH_SUMMARY
    if action not in TIMEOUT_ACTIONS:
        shown = action if isinstance(action, str) else type_name(action)
        raise _condition_error(
            "timeout.on_timeout", f"unsupported action `{shown}`, expected resume_with_summary|fail|resume_with_input"
        )
    return {"duration_minutes": minutes, "on_timeout": action}


def _condition_error(field: str, text: str) -> ScriptError:
    return runtime_error(f"HARN-SUS-002: invalid ResumeConditions.{field}: {text}")
