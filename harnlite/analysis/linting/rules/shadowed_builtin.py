"""HARN-LNT-006: a name hides a builtin function."""

from __future__ import annotations

from harnlite.analysis.linting.context.rule import Rule
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.linting.context.linted_file import Linting

_VERBS = frozenset(
    {
        "assert", "await", "exit", "json_parse", "json_stringify", "len", "llm_call", "print", "println", "range",
        "sleep", "str", "throw_error", "to_float", "to_int", "to_string", "type_of",
    }
)  # fmt: skip
"""Builtins whose names are unusual for plain values; a plain value does not hide a call, but it misleads readers."""


def _fn(linting: Linting, node: nodes.FnDecl) -> None:
    """Check a `fn`, except public or documented ones, which belong to the interface of a module."""
    if not node.is_pub and node.doc is None and linting.resolution.bindings.get(node) is not None:
        _judge(linting, node.name, node.name.text, is_callable=True)


def _let(linting: Linting, node: nodes.LetStmt) -> None:
    if isinstance(node.value, nodes.ClosureExpr) and isinstance(node.pattern, nodes.NamePattern):
        _judge(linting, node.pattern, node.pattern.name, is_callable=True)
    else:
        _pattern(linting, node.pattern)


def _param(linting: Linting, node: nodes.Param) -> None:
    """Check a parameter, except those of tools, pipelines and interfaces, whose names callers choose."""
    if node.name.text in _VERBS:
        owner = linting.parents[node]
        if isinstance(owner, (nodes.FnDecl, nodes.ClosureExpr)) and owner.body is not None:
            _judge(linting, node.name, node.name.text, is_callable=False)


def _for(linting: Linting, node: nodes.ForStmt) -> None:
    _pattern(linting, node.pattern)


def _pattern(linting: Linting, pattern: nodes.Pattern) -> None:
    """Check the names that a loop or a pattern binds."""
    if isinstance(pattern, nodes.NamePattern):
        _judge(linting, pattern, pattern.name, is_callable=False)
    elif isinstance(pattern, nodes.DictPattern):
        _names(linting, [entry.name for entry in pattern.entries])
    elif isinstance(pattern, nodes.ListPattern):
        _names(linting, [item.name for item in pattern.items])
    elif isinstance(pattern, nodes.PairPattern):
        _names(linting, [pattern.first, pattern.second])


def _names(linting: Linting, names: Sequence[nodes.Ident]) -> None:
    for name in names:
        _judge(linting, name, name.text, is_callable=False)


def _judge(linting: Linting, place: nodes.Node, name: str, *, is_callable: bool) -> None:
    if name in linting.declarations.entries and (is_callable or name in _VERBS):
        what = "calls here use this function" if is_callable else "as a value, the name refers to this variable"
        linting.report(RULE, place, f"`{name}` hides the builtin of the same name: {what}")


RULE = Rule(
    "HARN-LNT-006",
    "shadowed-builtin",
    "a name hides a builtin function",
    visits={nodes.FnDecl: _fn, nodes.LetStmt: _let, nodes.Param: _param, nodes.ForStmt: _for},
)
