"""Errors in literal reminders of a file, found by the validator of the runtime.

An unknown value is assumed to be valid: the validator gets a valid value instead.
"""

from __future__ import annotations

from harnlite.analysis.linting.context.closure_results import results_of
from harnlite.analysis.linting.context.constant_values import UNKNOWN, Known, LiteralDict, LiteralList, Text, type_name
from harnlite.analysis.linting.context.reminder_sites import BRIDGE, CLEARING, REMINDING, argument, calls_of, hooked
from harnlite.diagnostics.suggest import near_name
from harnlite.reminders.effects import CLEAR, Slip, effect_faults, hook_context
from harnlite.reminders.hook_events import WORKER_EVENTS
from harnlite.reminders.wire import (
    HOOK,
    OPTION,
    PIPELINE,
    PROVIDER,
    SCRIPT,
    SELECTORS,
    check_reminder,
    check_selector,
    fault_text,
    malformed_text,
)
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harnlite.analysis.linting.context.closure_results import Result
    from harnlite.analysis.linting.context.constant_values import Unknown
    from harnlite.analysis.linting.context.linted_file import Linting
    from harnlite.analysis.linting.context.reminder_sites import Call, Hooked
    from harnlite.analysis.linting.context.rule import Rule
    from harnlite.reminders.wire import Fault

_TEXT = "text"
_EFFECT_KEYS = frozenset({"body", "reminder", CLEAR, "effects", "spec"})
_MOST = 10_000
"""The most dicts and lists that are checked in one value; with names, a small text can denote a huge value."""
_SPECS = frozenset({"reminder", "spec"})
_NAMED = frozenset({"propagate", "role_hint", "roleHint", "source", "mode", "type", "kind"})
"""The keys whose values are one of several names: an unknown string may be one of them."""
_NESTED = frozenset({"effects", "then", "_meta", "harn"})
"""The keys whose values are checked as well."""


class Finding:
    """One error: its code, its place, and the text that the runtime would throw."""

    __slots__ = ("code", "help", "message", "node")

    def __init__(self, fault: Fault, node: nodes.Node, text: str, helps: Iterable[str] = ()) -> None:
        self.code = fault.code
        self.node = node
        # Reports already begin with the code.
        self.message = text.replace(f"{fault.code}: ", "", 1)
        self.help = tuple(helps)


def report_faults(linting: Linting, rule: Rule, advice: Sequence[str] = ()) -> None:
    """Report the errors of the file that have the code of a rule."""
    for finding in linting.note("reminder faults", lambda: list(_findings(linting))):
        if finding.code == rule.code:
            linting.report(rule, finding.node, finding.message, help=finding.help or advice)


def _findings(linting: Linting) -> Iterator[Finding]:
    for name, call in calls_of(linting):
        if name in REMINDING:
            yield from _of_argument(linting, name, call)
    for one in hooked(linting):
        for result in results_of(one.function):
            yield from _of_result(linting, one, result)


# Calls


def _of_argument(linting: Linting, name: str, call: Call) -> Iterator[Finding]:
    value = _given(linting, call, REMINDING[name])
    if not isinstance(value, Known):
        return
    shown = _Shown()
    known: Iterable[str] = SELECTORS
    if name in CLEARING:
        given = shown.selector(value)
        faults = check_selector(given, type_name)[1]
    else:
        producer = SCRIPT if name == BRIDGE else PIPELINE
        given = shown.spec(value)
        faults = check_reminder(given, type_name, producer)[1]
        known = producer.readers
    for fault in faults:
        place = _place(fault, shown.origin(given)) or argument(call, REMINDING[name]) or call
        yield Finding(fault, place, fault_text(name, fault), _near(fault, known))


def _given(linting: Linting, call: Call, index: int) -> Known | Unknown:
    """Return the value of an argument: nil if only this argument is missing."""
    node = argument(call, index)
    if node is not None:
        return linting.literal(node)
    is_open = any(isinstance(one, nodes.SpreadExpr) for one in call.args)
    return UNKNOWN if is_open or len(call.args) < index else Known(None, call)


# Closures


def _of_result(linting: Linting, one: Hooked, result: Result) -> Iterator[Finding]:
    value = linting.literal(result.node)
    if not isinstance(value, Known):
        return
    producer = HOOK if one.provider_id is None else PROVIDER
    shown = _Shown()
    given = shown.effect(value)
    for event in _judged(one, result):
        for about, faults in effect_faults(given, type_name, event, producer):
            origin = shown.origin(about)
            for fault in faults:
                place = _place(fault, origin) or result.node
                known = SELECTORS if shown.is_selector(about) else producer.readers
                yield Finding(fault, place, _text(one, event, fault), _near(fault, known))


def _judged(one: Hooked, result: Result) -> list[str]:
    """Return the event for which the closure certainly returns a result; none if that depends on the event."""
    if not one.events:
        return [one.event]
    of_workers = [event for event in one.events if event in WORKER_EVENTS]
    if of_workers and (result.is_only or len(of_workers) == len(one.events)):
        return of_workers[:1]
    return [event for event in one.events if event not in WORKER_EVENTS][:1]


def _text(one: Hooked, event: str, fault: Fault) -> str:
    context = hook_context(event)
    if one.provider_id is None:
        return fault_text(context, fault)
    return malformed_text(one.provider_id, context, fault)


# Places and hints


def _place(fault: Fault, origin: LiteralDict | LiteralList | None) -> nodes.Node | None:
    """Return the node of an error: the first unknown key, the wrong value, or the whole dict."""
    if origin is None or fault.key is None:
        return None if origin is None else origin.node
    for found in _dicts(origin, outer_first=fault.is_stranger):
        entry = found.entries.get(fault.key)
        if entry is not None:
            return entry.key if fault.is_stranger else entry.node
    return origin.node


def _dicts(origin: LiteralDict | LiteralList, *, outer_first: bool) -> list[LiteralDict]:
    """Return the dicts that may contain a key: the dict, one nested under `reminder`, or the hints in its `_meta`."""
    if not isinstance(origin, LiteralDict):
        return []
    nested = _below(origin, "reminder")
    found = [origin, *nested] if outer_first else [*nested, origin]
    hints = [harn for one in found for meta in _below(one, "_meta") for harn in _below(meta, "harn")]
    return [*found, *(hint for harn in hints for hint in _below(harn, "reminder"))]


def _below(found: LiteralDict, key: str) -> list[LiteralDict]:
    entry = found.entries.get(key)
    value = entry.value.value if entry is not None and isinstance(entry.value, Known) else None
    return [value] if isinstance(value, LiteralDict) else []


def _near(fault: Fault, known: Iterable[str]) -> list[str]:
    if not fault.is_stranger or fault.key is None or fault.code != OPTION or isinstance(fault, Slip):
        return []
    near = near_name(fault.key, known)
    return [f"did you mean `{near}`?" if near else f"the known keys are {', '.join(known)}"]


# Values for the validator


class _Shown:
    """The values passed to the validator, and the literals that they represent."""

    __slots__ = ("_kept", "_left", "_origins", "_selectors")

    def __init__(self) -> None:
        self._left = _MOST
        self._origins: dict[int, LiteralDict | LiteralList] = {}
        self._selectors: set[int] = set()
        # References keep the values alive, so that their ids stay unique.
        self._kept: list[object] = []

    def origin(self, value: object) -> LiteralDict | LiteralList | None:
        """Return the literal that a value represents."""
        return self._origins.get(id(value))

    def is_selector(self, value: object) -> bool:
        """Return whether a value is the selector of a `clear` effect."""
        return id(value) in self._selectors

    def spec(self, value: Known | Unknown) -> object:
        """Return the value of a reminder, or a valid one if it is unknown."""
        if isinstance(value, Known) and isinstance(value.value, LiteralDict):
            needed: dict[str, object] = {"body": _TEXT} if value.value.is_open else {}
            return self._dict(value.value, needed)
        return self._value(value)

    def selector(self, value: Known | Unknown) -> object:
        """Return the value of a selector; keys that an unknown spread may contain get a value."""
        if isinstance(value, Known) and isinstance(value.value, LiteralDict):
            open_keys = [key for key in SELECTORS if value.value.is_open and key not in value.value.entries]
            return self._dict(value.value, dict.fromkeys(open_keys, _TEXT))
        return self._value(value)

    def effect(self, value: Known | Unknown) -> object:
        """Return the value that a closure returns; a dict with too many unknown parts becomes a valid reminder."""
        if isinstance(value, Known) and isinstance(value.value, LiteralDict) and _is_vague(value.value):
            return _right_spec()
        return self._value(value)

    def _value(self, value: Known | Unknown) -> object:
        if not isinstance(value, Known):
            return _right_spec()
        if isinstance(value.value, LiteralDict):
            return self._dict(value.value, {})
        if isinstance(value.value, LiteralList):
            self._left -= 1
            if self._left < 0:
                return []
            return self._keep(value.value, [self.effect(item) for _, item in value.value.items])
        return _flat(value.value)

    def _dict(self, found: LiteralDict, needed: dict[str, object]) -> object:
        self._left -= 1
        if self._left < 0:
            return _right_spec()
        fields = {key: self._field(key, entry.value) for key, entry in found.entries.items()}
        if fields.get("_meta").__class__ is dict and not _is_whole(found):
            fields["_meta"] = {}
        return self._keep(found, {**needed, **fields})

    def _field(self, key: str, value: Known | Unknown) -> object:
        if not isinstance(value, Known):
            return _RIGHT.get(key)
        if key == CLEAR:
            given = self.selector(value)
            self._selectors.add(id(given))
            return given
        if key in _SPECS:
            return self.spec(value)
        if key in _NESTED:
            return self.effect(value)
        if key == "tags" and isinstance(value.value, LiteralList):
            return [_flat(item.value) if isinstance(item, Known) else _TEXT for _, item in value.value.items]
        return _RIGHT.get(key) if isinstance(value.value, Text) and key in _NAMED else _flat(value.value)

    def _keep(self, found: LiteralDict | LiteralList, value: object) -> object:
        self._origins[id(value)] = found
        self._kept.append(value)
        return value


def _flat(value: object) -> object:
    """Return an empty or sample value of the same type for a list, a dict or an unknown string."""
    if isinstance(value, LiteralDict):
        return {}
    if isinstance(value, Text):
        return _TEXT
    return [] if isinstance(value, LiteralList) else value


def _is_whole(found: LiteralDict) -> bool:
    """Return whether all fields of a payload are known; unknown fields may replace the hints in its `_meta`."""
    inner = found.entries.get("reminder")
    nested = found if inner is None else inner.value.value if isinstance(inner.value, Known) else None
    return not found.is_open and isinstance(nested, LiteralDict) and not nested.is_open


def _is_vague(found: LiteralDict) -> bool:
    """Return whether the kind of effect that a dict represents is unknown."""
    if found.is_open and _EFFECT_KEYS.isdisjoint(found.entries):
        return True
    named = [found.get(key) for key in ("type", "kind") if key in found.entries]
    is_named = all(isinstance(value, Known) and not isinstance(value.value, Text) for value in named)
    return "spec" in found.entries and not is_named


def _right_spec() -> dict[str, object]:
    return {"body": _TEXT}


_RIGHT: dict[str, object] = {
    **dict.fromkeys(("body", "id", "tag", "dedupe_key"), _TEXT),
    **dict.fromkeys(("reminder", "spec"), _right_spec()),
    CLEAR: {"id": _TEXT},
    "effects": [],
    "harn": {"reminder": _right_spec()},
    "_meta": {"harn": {"reminder": _right_spec()}},
}
"""Valid values of keys that must not be nil; they are never modified."""
