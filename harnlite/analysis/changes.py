"""Which names a file assigns to and where, so that the contents of all others can be relied on."""

from __future__ import annotations

from harnlite.analysis.access import root_of
from harnlite.syntax import nodes
from harnlite.syntax.visitor import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.checker import Checker


def may_change(c: Checker, name: str, within: nodes.Node | None = None) -> bool:
    """Say whether an assignment, anywhere or in a part of the file, changes a variable of this name or its contents."""
    if c.changes is None:
        c.changes = _assignments(c.tree)
    if c.partial:
        return True
    places = c.changes.get(name, ())
    return bool(places) if within is None else any(within.start <= place < within.end for place in places)


def _assignments(statements: Sequence[nodes.Stmt]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for statement in statements:
        for node in walk(statement):
            if isinstance(node, nodes.AssignStmt):
                root = root_of(node.target)
                if root is not None:
                    found.setdefault(root.name, []).append(root.start)
    return found
