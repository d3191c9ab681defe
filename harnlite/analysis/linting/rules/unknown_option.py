"""HARN-LNT-023: an option or event has almost the name of one that exists, or a value has the wrong type."""

from __future__ import annotations

from harnlite.analysis.linting.context.constant_values import Known, LiteralDict, LiteralList, type_name
from harnlite.analysis.linting.context.fix_edits import replacement
from harnlite.analysis.linting.context.reminder_sites import REGISTER, REMINDING, is_ours
from harnlite.analysis.linting.context.rule import Rule
from harnlite.diagnostics.diagnostic import Fix
from harnlite.diagnostics.suggest import near_name
from harnlite.options.expected import expected_at, options_in, places
from harnlite.reminders.hook_events import PERSONA_EVENTS, SESSION_EVENTS, event_named, near_event
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from harnlite.analysis.linting.context.constant_values import Entry, Unknown
    from harnlite.analysis.linting.context.linted_file import Linting
    from harnlite.options.expected import Expected

_STRICT = frozenset({"llm_mock", "tool_calls", "error"})
"""The owners of options for which an unknown one is an error at run time."""
_REMINDERS = frozenset({*REMINDING, "transcript_reminder_event"})
"""The functions whose arguments the rules of reminders check."""
_EVENTS = {
    "register_session_hook": (0, SESSION_EVENTS),
    "register_persona_hook": (1, PERSONA_EVENTS),
    "register_step_hook": (2, PERSONA_EVENTS),
}
"""The functions that register hooks, with the index of the event and the events that they accept."""
_SHORTEST, _SHORT = 5, 8
"""Shorter names than the first are similar to too many others; shorter ones than the second may differ in a letter."""


def _call(linting: Linting, node: nodes.CallExpr) -> None:
    if not isinstance(node.callee, nodes.NameExpr):
        return
    name = node.callee.name
    if name not in _taking(linting) or not is_ours(linting, node.callee):
        return
    for index, arg in enumerate(node.args):
        if isinstance(arg, nodes.SpreadExpr):
            return
        if (name, index) in places() and name not in _REMINDERS:
            _judge(linting, name, linting.literal(arg), expected_at(name, index), is_strict=name in _STRICT)
    if name in _EVENTS:
        _judge_event(linting, name, node.args)


def _taking(linting: Linting) -> frozenset[str]:
    """Return the functions that accept options or events."""
    found: frozenset[str] = linting.note("functions with options", lambda: frozenset({name for name, _ in places()}))
    return found


def _judge_event(linting: Linting, function: str, args: list[nodes.Expr]) -> None:
    index, events = _EVENTS[function]
    value = linting.literal(args[index]) if index < len(args) else None
    text = value.value if isinstance(value, Known) else None
    if not isinstance(text, str):
        return
    written, opened, rest = text.partition("(")
    if event_named(written, events) is None:
        near = near_event(written, events)
        advice = [f"did you mean `{near}`?"] if near else []
        fixes = [Fix(f"write `{near}`", [replacement(args[index], f'"{near}{opened}{rest}"')])] if near else []
        linting.report(RULE, args[index], f"`{function}` knows no event `{written}`", help=advice, fixes=fixes)


def _judge(
    linting: Linting, owner: str, value: Known | Unknown, expected: Expected, *, is_strict: bool = False
) -> None:
    """Check the options of a dict, and those of the dicts in it."""
    options = value.value if isinstance(value, Known) else None
    if not isinstance(options, LiteralDict) or not (expected.keys or is_strict):
        return
    settings = options_in("provider_settings") if owner == "reminders" else {}
    for key, entry in options.entries.items():
        option = expected.keys.get(key) or settings.get(key)
        if option is not None:
            _judge_value(linting, owner, key, entry.node, entry.value, option)
        elif not options.is_open:
            _judge_name(linting, owner, key, entry, expected, is_strict=is_strict, given=options.entries)


def _judge_name(
    linting: Linting, owner: str, key: str, entry: Entry, expected: Expected, *, is_strict: bool, given: Iterable[str]
) -> None:
    near = near_name(key, expected.keys) if is_strict else _near_option(key, expected.keys)
    if near is not None and near not in given:
        fix = Fix(f"write `{near}`", [replacement(entry.key, near)])
        advice = [f"did you mean `{near}`?"]
        linting.report(RULE, entry.key, f"`{owner}` has no option `{key}`", help=advice, fixes=[fix])
    elif is_strict:
        known = ", ".join(expected.keys)
        advice = [f"the known options are {known}"] if known else []
        linting.report(RULE, entry.key, f"`{owner}` has no option `{key}`", help=advice)


def _near_option(key: str, known: Mapping[str, Expected]) -> str | None:
    return near_name(key, known, 1 if len(key) < _SHORT else 2) if len(key) >= _SHORTEST else None


def _judge_value(
    linting: Linting, owner: str, key: str, node: nodes.Expr, value: Known | Unknown, option: Expected
) -> None:
    """Check the type of a value and of the values in it; nil means that the option is not given."""
    if not isinstance(value, Known) or value.value is None:
        return
    kind = type_name(value.value)
    if option.kinds and kind not in option.kinds and not (kind == "int" and "float" in option.kinds):
        linting.report(RULE, node, f"`{owner}` expects {option.type} for `{key}`, got {kind}")
    elif isinstance(value.value, LiteralList) and option.items is not None:
        for item, inner in value.value.items:
            _judge_value(linting, owner, key, item, inner, option.items)
    elif isinstance(value.value, str) and key in {"providers", "reminders"}:
        _judge_provider(linting, owner, node, value.value, option.choices)
    else:
        # A provider of the script may replace a canonical one and have other settings.
        is_setting = owner in {"config", "reminders"} and key in options_in("provider_settings")
        is_strict = key in _STRICT or (is_setting and REGISTER not in linting.source.text)
        _judge(linting, key, value, option, is_strict=is_strict)


def _judge_provider(linting: Linting, owner: str, node: nodes.Expr, written: str, listed: Iterable[str]) -> None:
    """Report an id that is almost that of a canonical reminder provider, unless the file contains it twice."""
    sign, name = ("-", written.strip()[1:].strip()) if written.strip().startswith("-") else ("", written.strip())
    known = {one for one in listed if not one.startswith("-")}
    near = near_name(name, known, 2) if name and name not in known else None
    if near is not None and linting.source.text.count(f'"{name}"') <= (0 if sign else 1):
        fix = Fix(f"write `{sign}{near}`", [replacement(node, f'"{sign}{near}"')])
        advice = [f"did you mean `{sign}{near}`?"]
        linting.report(RULE, node, f"`{owner}` knows no reminder provider `{name}`", help=advice, fixes=[fix])


RULE = Rule(
    "HARN-LNT-023",
    "unknown-option",
    "an option or event has almost the name of one that exists, or an option has a value of the wrong type",
    visits={nodes.CallExpr: _call},
)
