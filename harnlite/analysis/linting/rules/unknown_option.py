"""HARN-LNT-023: an option has almost the name of one that there is, and is ignored."""

from __future__ import annotations

from harnlite.analysis.builtins.option_shapes import expected_at
from harnlite.analysis.linting.context.constant_values import Known, LiteralDict
from harnlite.analysis.linting.context.fix_edits import replacement
from harnlite.analysis.linting.context.rule import Rule
from harnlite.diagnostics.diagnostic import Fix
from harnlite.diagnostics.suggest import near_name
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.builtins.option_shapes import Expected
    from harnlite.analysis.linting.context.constant_values import Unknown
    from harnlite.analysis.linting.context.linted_file import Linting

_TAKING = {"agent_loop": 2, "llm_call": 2, "register_tool_hook": 0}
"""Builtins that ignore options which they do not know, and which of their arguments the options are."""
_SHORTEST, _SHORT = 5, 8
"""A name shorter than the first is near to too many others; one shorter than the second may differ in one character."""


def _call(linting: Linting, node: nodes.CallExpr) -> None:
    name = node.callee.name if isinstance(node.callee, nodes.NameExpr) else ""
    index = _TAKING.get(name)
    if index is None or len(node.args) <= index or linting.resolution.bindings.get(node.callee) is not None:
        return
    if not any(isinstance(arg, nodes.SpreadExpr) for arg in node.args):
        expected = expected_at(name, index)
        _judge(linting, name, linting.literal(node.args[index]), expected)


def _judge(linting: Linting, owner: str, value: Known | Unknown, expected: Expected) -> None:
    """Look at the keys of a dict, and of the dicts in it; one with an unknown part may be meant for something else."""
    options = value.value if isinstance(value, Known) else None
    if not isinstance(options, LiteralDict) or options.is_open or not expected.keys:
        return
    for key, entry in options.entries.items():
        if key in expected.keys:
            _judge(linting, key, entry.value, expected.keys[key])
            continue
        near = near_name(key, expected.keys, 1 if len(key) < _SHORT else 2) if len(key) >= _SHORTEST else None
        if near is not None and near not in options.entries:
            fix = Fix(f"write `{near}`", [replacement(entry.key, near)])
            advice = [f"did you mean `{near}`?"]
            linting.report(RULE, entry.key, f"`{owner}` has no option `{key}`", help=advice, fixes=[fix])


RULE = Rule(
    "HARN-LNT-023",
    "unknown-option",
    "an option has almost the name of one that there is",
    visits={nodes.CallExpr: _call},
)
