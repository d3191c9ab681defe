"""Check that attributes have known names and annotate the right kinds of declarations."""

from __future__ import annotations

from harnlite.diagnostics.suggest import near_name
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.checking.checker import Checker

KNOWN = frozenset(
    {
        "acp_skill",
        "acp_tool",
        "archivist",
        "complexity",
        "deprecated",
        "deterministic",
        "invariant",
        "persona",
        "retroactive",
        "semantic",
        "step",
        "test",
    }
)
_FUNCTIONS_ONLY = frozenset({"acp_tool", "acp_skill"})


def check_attributes(c: Checker, node: nodes.Decl, attributes: Sequence[nodes.Attribute]) -> None:
    """Check the attributes of a declaration."""
    for attribute in attributes:
        name = attribute.name.text
        start, end = attribute.start, attribute.name.end
        if name not in KNOWN:
            near = near_name(name, KNOWN)
            c.warning(f"unknown attribute `@{name}`", start, end, (), [f"did you mean `@{near}`?"] if near else [])
        elif name in _FUNCTIONS_ONLY and not isinstance(node, nodes.FnDecl):
            c.error(f"@{name} can only be applied to function declarations", start, end)
        elif name == "test" and not isinstance(node, (nodes.FnDecl, nodes.PipelineDecl)):
            c.warning("`@test` only applies to pipeline and function declarations", start, end)
