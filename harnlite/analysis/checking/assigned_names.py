"""Find the names that a file assigns to, and where; the contents of all other variables stay reliable."""

from __future__ import annotations

from harnlite.analysis.checking.access import root_of
from harnlite.syntax import nodes
from harnlite.syntax.visitor import all_below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harnlite.analysis.checking.checker import Checker


def may_change(c: Checker, name: str, within: nodes.Node | None = None) -> bool:
    """Return whether an assignment in the file, or in a part of it, may change a variable or its contents."""
    if c.partial:
        return True
    if c.changes is None:
        c.changes = _assignments(c.tree)
    places = c.changes.get(name, ())
    return bool(places) if within is None else any(within.start <= place < within.end for place in places)


def assigned_in(node: nodes.Node) -> frozenset[str]:
    """Return the names of the variables that a part of a file changes, directly or in their contents."""
    return frozenset(name for name, _place in _assignments_in(node))


def _assignments(statements: Sequence[nodes.Stmt]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for statement in statements:
        for name, place in _assignments_in(statement):
            found.setdefault(name, []).append(place)
    return found


def _assignments_in(tree: nodes.Node) -> Iterator[tuple[str, int]]:
    for node in all_below(tree):
        if node.__class__ is nodes.AssignStmt:
            root = root_of(node.target)
            if root is not None:
                yield root.name, root.start
