"""HARN-LNT-020: an immutable name is bound twice in one scope."""

from __future__ import annotations

from harnlite.analysis.linting.context.rule import Rule
from harnlite.diagnostics.diagnostic import ERROR, Label
from harnlite.diagnostics.source import Span
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.linted_file import Linting

_NAMED = (nodes.FnDecl, nodes.StructDecl, nodes.EnumDecl, nodes.InterfaceDecl, nodes.TypeDecl)


def _finish(linting: Linting) -> None:
    imported = {name for node in linting.resolution.imports for name in node.names or ()}
    for binding in set(linting.resolution.bindings.values()):
        if binding is None or not binding.redeclared or binding.mutable:
            continue
        first = _place(binding.decl)
        for decl in binding.redeclared:
            if isinstance(decl, nodes.BindPattern) or decl in imported:
                continue  # a name that appears twice in the pattern of an arm gets the last value
            place = _place(decl)
            label = Label(Span(first.start, first.end), "first bound here")
            advice = ["assign to a `var`, or use another name"]
            message = f"`{binding.name}` is bound twice in one scope, which is an error at run time"
            linting.report(RULE, place, message, labels=[label], help=advice)


def _place(decl: nodes.Node) -> nodes.Node:
    """Return the node of the name of a declaration, or the node itself if it is the name."""
    if isinstance(decl, (*_NAMED, nodes.Param, nodes.ToolDecl, nodes.SkillDecl)):
        return decl.name
    return decl


RULE = Rule(
    "HARN-LNT-020",
    "redeclared-variable",
    "an immutable name is bound twice in one scope",
    severity=ERROR,
    finish=_finish,
)
