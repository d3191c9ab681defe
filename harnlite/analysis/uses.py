"""Where the variables of a file are read, as the rules about names ask it."""

from __future__ import annotations

from harnlite.syntax import nodes
from harnlite.syntax.visitor import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.linting import Linting
    from harnlite.analysis.scopes import Binding, Resolution


class Uses:
    """What the names of a file are used for.

    `unresolved` are the names that mean nothing in this file; `loose` are names that are used in a way that no binding
    can be told for: those, names of types, and all that stands in an `override`.
    """

    __slots__ = ("_reads", "loose", "unresolved")

    def __init__(self, resolution: Resolution, module: nodes.Module) -> None:
        self.unresolved: list[nodes.NameExpr | nodes.Ident] = []
        self._reads: dict[Binding, list[nodes.Node]] = {}
        for node, binding in resolution.bindings.items():
            if isinstance(node, nodes.NameExpr) or (isinstance(node, nodes.Ident) and node in resolution.scopes):
                if binding is None:
                    self.unresolved.append(node)
                else:
                    self._reads.setdefault(binding, []).append(node)
        for node, hidden in resolution.hidden.items():
            for binding in hidden:
                self._reads.setdefault(binding, []).append(node)
        self.loose = {node.name if isinstance(node, nodes.NameExpr) else node.text for node in self.unresolved}
        self.loose.update(_overridden(module.statements))

    def reads(self, binding: Binding) -> list[nodes.Node]:
        """Return the places where a variable is read; to be given a value is not to be read."""
        found = self._reads.get(binding, [])
        targets = {value.target for value in binding.values if isinstance(value, nodes.AssignStmt)}
        return [node for node in found if node not in targets] if targets else found

    def is_read(self, binding: Binding) -> bool:
        """Say whether a variable is read anywhere, as far as it can be told."""
        return bool(self.reads(binding)) or binding.name in self.loose


def uses_of(linting: Linting) -> Uses:
    """Return the uses of all names of a file."""
    return linting.note("uses", lambda: Uses(linting.resolution, linting.module))


def only_called(linting: Linting, binding: Binding) -> bool:
    """Say whether a function is only called by its name here: nobody else decides with how many arguments."""
    parents = linting.parents
    for node in uses_of(linting).reads(binding):
        above = parents[node]
        if not (isinstance(above, nodes.CallExpr) and above.callee is node):
            return False
    return binding.name not in uses_of(linting).loose


def _overridden(statements: Sequence[nodes.Stmt]) -> set[str]:
    found: set[str] = set()
    for statement in statements:
        if isinstance(statement, nodes.OverrideDecl):
            found.update(node.name for node in walk(statement) if isinstance(node, nodes.NameExpr))
    return found
