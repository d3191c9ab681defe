"""HARN-LNT-018: a variable or property is assigned to itself."""

from __future__ import annotations

from harnlite.analysis.linting.context.fix_edits import statement_removal
from harnlite.analysis.linting.context.rule import Rule
from harnlite.analysis.linting.rules.self_comparison import is_plain, is_same
from harnlite.diagnostics.diagnostic import Fix
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.linted_file import Linting


def _assign(linting: Linting, node: nodes.AssignStmt) -> None:
    if node.op == "=" and is_same(node.target, node.value) and is_plain(node.target):
        fix = Fix("remove the assignment", [statement_removal(linting.source, node)])
        linting.report(RULE, node, f"`{linting.text(node.target)}` is assigned to itself", fixes=[fix])


RULE = Rule(
    "HARN-LNT-018",
    "self-assignment",
    "a variable or property is assigned to itself",
    visits={nodes.AssignStmt: _assign},
)
