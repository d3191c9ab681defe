"""HARN-LNT-023: an option has almost the name of one that exists, or a value of the wrong type."""

from __future__ import annotations

from harnlite.analysis.linting.context.constant_values import Known, LiteralDict, LiteralList, type_name
from harnlite.analysis.linting.context.fix_edits import replacement
from harnlite.analysis.linting.context.rule import Rule
from harnlite.diagnostics.diagnostic import Fix
from harnlite.diagnostics.suggest import near_name
from harnlite.options.expected import expected_at
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.constant_values import Entry, Unknown
    from harnlite.analysis.linting.context.linted_file import Linting
    from harnlite.options.expected import Expected

_TAKING = {"agent_loop": 2, "llm_call": 2, "register_tool_hook": 0}
"""The builtins that ignore unknown options, with the index of the argument that contains the options."""
_SHORTEST, _SHORT = 5, 8
"""Shorter names than the first are similar to too many others; shorter ones than the second may differ in a letter."""


def _call(linting: Linting, node: nodes.CallExpr) -> None:
    name = node.callee.name if isinstance(node.callee, nodes.NameExpr) else ""
    index = _TAKING.get(name)
    if index is None or len(node.args) <= index or linting.resolution.bindings.get(node.callee) is not None:
        return
    if not any(isinstance(arg, nodes.SpreadExpr) for arg in node.args):
        _judge(linting, name, linting.literal(node.args[index]), expected_at(name, index))


def _judge(linting: Linting, owner: str, value: Known | Unknown, expected: Expected) -> None:
    """Check the options of a dict, and those of the dicts in it."""
    options = value.value if isinstance(value, Known) else None
    if not isinstance(options, LiteralDict) or not expected.keys:
        return
    for key, entry in options.entries.items():
        option = expected.keys.get(key)
        if option is not None:
            _judge_value(linting, owner, key, entry.node, entry.value, option)
        elif not options.is_open:
            _judge_name(linting, owner, key, entry, options, expected)


def _judge_name(linting: Linting, owner: str, key: str, entry: Entry, options: LiteralDict, expected: Expected) -> None:
    near = near_name(key, expected.keys, 1 if len(key) < _SHORT else 2) if len(key) >= _SHORTEST else None
    if near is not None and near not in options.entries:
        fix = Fix(f"write `{near}`", [replacement(entry.key, near)])
        advice = [f"did you mean `{near}`?"]
        linting.report(RULE, entry.key, f"`{owner}` has no option `{key}`", help=advice, fixes=[fix])


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
    else:
        _judge(linting, key, value, option)


RULE = Rule(
    "HARN-LNT-023",
    "unknown-option",
    "an option has almost the name of one that exists, or a value of the wrong type",
    visits={nodes.CallExpr: _call},
)
