"""Reading the result of a hook or a reminder provider: its effects, and the control value that remains."""

from __future__ import annotations

from harnlite.diagnostics.suggest import near_name
from harnlite.reminders.hook_events import (
    PERSONA_EVENTS,
    POST_STEP,
    POST_TOOL_USE,
    PRE_STEP,
    PRE_TOOL_USE,
    SESSION_EVENTS,
    WORKER_EVENTS,
)
from harnlite.reminders.selector import Selector
from harnlite.reminders.wire import (
    EVENT,
    HOOK,
    OPTION,
    OPTIONS,
    PROVIDER,
    Fault,
    check_reminder,
    check_selector,
    faultless,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeGuard

    from harnlite.reminders.wire import Fields, Producer, TypeName

CONTROL_KEYS = frozenset({"deny", "args", "result", "output", "modify", "block", "decision", "action", "control"})
"""The keys that make a dict a control value, even if it has a `body`."""
CLEAR = "clear"
EFFECT_KEYS = frozenset({"reminder", CLEAR, "effects", "spec", "then"})
"""The keys that hold effects, or the control value beside them."""
TYPED_KEYS = EFFECT_KEYS | {"type", "kind"}
_KNOWN = TYPED_KEYS | CONTROL_KEYS | OPTIONS.keys() | {"reason"}
_LONG = 7
"""The length from which a misspelt key may differ from the one that was meant in two places."""
DEEPEST = 32
"""The maximum nesting depth of effects."""


class Effects:
    """A result that was read: the steps, the first fault, and the control value (None for the default).

    A step injects a reminder, or clears the reminders that a selector matches. Steps are carried out in order.
    """

    __slots__ = ("control", "fault", "steps")

    def __init__(self) -> None:
        self.steps: list[Fields | Selector] = []
        self.fault: Fault | None = None
        self.control: object = None

    @property
    def fields(self) -> list[Fields]:
        """Return the reminders."""
        return [step for step in self.steps if not isinstance(step, Selector)]


def control_keys(event: str) -> tuple[str, ...]:
    """Return the control keys that a hook for an event may return."""
    if event in SESSION_EVENTS:
        return ("block", "decision", "modify", "reason")
    if event in PERSONA_EVENTS:
        return {PRE_STEP: ("deny", "args"), POST_STEP: ("deny", "output")}.get(event, ())
    return {PRE_TOOL_USE: ("deny", "args"), POST_TOOL_USE: ("result",)}.get(event, ())


def hook_context(event: str) -> str:
    """Return the context that starts the text of a fault."""
    return f"{event} hook reminder"


def read_effects(
    value: object,
    type_name: TypeName,
    event: str,
    producer: Producer = HOOK,
    *,
    canonical: bool = False,
) -> Effects:
    """Read the result of a closure for an event. Canonical reminder providers may respond to worker events, too."""
    effects = Effects()
    refusal = None if canonical else _refusal(event)
    if refusal is None and value.__class__ is dict and "body" in value:
        fields = faultless(value, type_name, producer)
        if fields is not None:
            effects.steps = [fields]  # a dict with the keys of a reminder only, as most are
            return effects
    reading = _Reading(type_name, producer, event, refusal)
    try:
        control = reading.read(value, 0)
    except _Wrong as wrong:
        effects.fault = wrong.fault
        return effects
    effects.steps = reading.steps
    effects.control = None if producer is PROVIDER else control
    return effects


def effect_faults(
    value: object, type_name: TypeName, event: str, producer: Producer = HOOK
) -> list[tuple[object, list[Fault]]]:
    """Return all faults in the result of a closure, each group with the dict or list that contains them."""
    reading = _Reading(type_name, producer, event, _refusal(event), found=[])
    reading.read(value, 0)
    return reading.found or []


def _check_clear(value: object, type_name: TypeName) -> tuple[Selector | None, list[Fault]]:
    """Validate the `clear` of an effect. Return its selector, or None and all faults."""
    if value.__class__ is not dict:
        return None, [Fault(OPTION, f"`clear` must be a dict, got {type_name(value)}", CLEAR)]
    return check_selector(value, type_name)


def _refusal(event: str) -> Fault | None:
    return _no_effects(event) if event in WORKER_EVENTS else None


def _is_typed(value: dict[str, Any]) -> bool:
    """Return whether a dict has the form `{type: "reminder", spec}`."""
    return "spec" in value and any(
        value.get(key).__class__ is str and value[key] == "reminder" for key in ("type", "kind")
    )


def _is_bare(value: dict[str, Any]) -> bool:
    """Return whether a dict is a spec without control keys."""
    return "body" in value and CONTROL_KEYS.isdisjoint(value)


def _is_effect(value: object) -> TypeGuard[dict[str, Any]]:
    if value.__class__ is not dict:
        return False
    given: dict[str, Any] = value
    return "reminder" in given or CLEAR in given or "effects" in given or _is_typed(given) or _is_bare(given)


class Slip(Fault):
    """The fault of a key that was almost certainly meant to be another one; the message names that."""

    __slots__ = ()


def _slip(value: dict[str, Any], event: str, producer: Producer) -> Slip | None:
    """Return the fault of a dict with a misspelt key, or with a `spec` that nothing marks as a reminder."""
    place = f"in the result of a {'reminder provider' if producer is PROVIDER else 'hook'}"
    if "spec" in value and not _is_typed(value) and _lacks_type(value):
        return Slip(
            OPTION, f'`spec` {place} needs `type: "reminder"`; did you mean `reminder`?', "spec", is_stranger=True
        )
    strangers = value.keys() - _KNOWN
    if not strangers or _is_bare(value):
        return None
    meant = {*EFFECT_KEYS, "body", *(() if producer is PROVIDER else control_keys(event))}
    if not _is_effect(value):
        meant.discard("then")
    for key in sorted(strangers):
        near = _near(key, meant)
        if near is not None:
            return Slip(OPTION, f"unknown key `{key}` {place}; did you mean `{near}`?", key, is_stranger=True)
    return None


def _lacks_type(value: dict[str, Any]) -> bool:
    """Return whether a dict has no type, or almost the type of a reminder."""
    named = [value[key] for key in ("type", "kind") if value.get(key) is not None]
    return not named or any(name.__class__ is str and _near(name, {"reminder"}) is not None for name in named)


def _near(key: str, meant: Iterable[str]) -> str | None:
    """Return the key that was meant, if there is one; a short key may differ in one place only."""
    lowered = key.lower()
    if lowered in meant:
        return lowered
    return near_name(lowered, [one for one in meant if len(one) >= _LONG], 2) or near_name(lowered, meant, 1)


def _first(controls: Iterable[object]) -> object:
    return next((control for control in controls if control is not None), None)


class _Wrong(Exception):
    """Stops the reading of a value at its first fault."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class _Reading:
    """The reading of one result. It stops at the first fault unless faults are collected."""

    __slots__ = ("event", "found", "producer", "refusal", "steps", "type_name")

    def __init__(
        self,
        type_name: TypeName,
        producer: Producer,
        event: str,
        refusal: Fault | None,
        found: list[tuple[object, list[Fault]]] | None = None,
    ) -> None:
        self.type_name = type_name
        self.producer = producer
        self.event = event
        self.refusal = refusal
        self.found = found
        self.steps: list[Fields | Selector] = []

    def read(self, value: object, depth: int) -> object:
        """Collect the steps of a value and return the rest as the control value."""
        if depth > DEEPEST:
            self._refuse(value, [_no_effect(self.producer)])
            return None
        if value.__class__ is list:
            return _first([self._read_element(element, value, depth + 1) for element in value])
        if value.__class__ is dict:
            slip = _slip(value, self.event, self.producer)
            if slip is not None:
                self._refuse(value, [slip])
                return None
        if _is_effect(value):
            return self._take(value, depth + 1)
        if self.producer is PROVIDER and value is not None:
            self._read_spec(value, value)
            return None
        return value

    def _read_element(self, value: object, elements: object, depth: int) -> object:
        is_spec = value.__class__ is dict and self.producer is PROVIDER
        if value.__class__ is list or is_spec or _is_effect(value):
            return self.read(value, depth)
        self._refuse(value if value.__class__ is dict else elements, [_no_effect(self.producer)])
        return None

    def _take(self, value: dict[str, Any], depth: int) -> object:
        """Read the effects of a dict, then its control value: `then`, or else the control keys next to the effects."""
        inner, taken = None, EFFECT_KEYS
        if value.get(CLEAR) is not None:
            self._read_selector(value[CLEAR], value)
        if "reminder" in value:
            if value["reminder"] is not None:
                self._read_spec(value["reminder"], value)
        elif _is_typed(value):
            self._read_spec(value["spec"], value)
            taken = TYPED_KEYS
        elif "effects" not in value and (CLEAR not in value or "body" in value):
            self._read_spec(value, value)
            return None
        if "effects" in value:
            effects = value["effects"]
            inner = self.read(effects if effects.__class__ is list else [effects], depth)
        then = value.get("then")
        if then is not None and (self.producer is not PROVIDER or _is_effect(then)):
            return self.read(then, depth)
        left = {key: item for key, item in value.items() if key not in taken}
        return inner if CONTROL_KEYS.isdisjoint(left) else left

    def _read_spec(self, value: object, effect: object) -> None:
        if self.refusal is not None:
            self._refuse(effect, [self.refusal])
            return
        fields, faults = check_reminder(value, self.type_name, self.producer)
        if fields is None:
            self._refuse(value if value.__class__ is dict else effect, faults)
        else:
            self.steps.append(fields)

    def _read_selector(self, value: object, effect: object) -> None:
        if self.refusal is not None:
            self._refuse(effect, [self.refusal])
            return
        selector, faults = _check_clear(value, self.type_name)
        if selector is None:
            self._refuse(value if value.__class__ is dict else effect, faults)
        else:
            self.steps.append(selector)

    def _refuse(self, value: object, faults: list[Fault]) -> None:
        """Collect the faults of a value, or stop at the first one if faults are not collected."""
        if self.found is None:
            raise _Wrong(faults[0])
        self.found.append((value, faults))


def _no_effects(event: str) -> Fault:
    """Return the fault of a hook that returns reminders for an event that does not support them."""
    wrong = f"{event} does not support reminder effects; use a session, tool, step, or persona hook"
    return Fault(EVENT, wrong)


def _no_effect(producer: Producer) -> Fault:
    """Return the fault of an element of an effect list that is not an effect."""
    return Fault(producer.code, "hook effect must be {reminder: {...}} or a reminder spec")
