"""Find the reads of the variables of a file, for the rules about names."""

from __future__ import annotations

from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.linting.context.linted_file import Linting
    from harnlite.analysis.names.scopes import Binding, Resolution


_NEVER_RUN = "override"


class Uses:
    """The uses of the names of a file.

    `unresolved` are the names without a binding in this file, except those in an `override`, which never runs.
    `loose` are all names whose binding is unknown.
    """

    __slots__ = ("_reads", "loose", "unresolved")

    def __init__(self, resolution: Resolution) -> None:
        self.unresolved: list[nodes.NameExpr | nodes.Ident] = []
        self.loose: set[str] = set()
        self._reads: dict[Binding, list[nodes.Node]] = {}
        for node, binding in resolution.bindings.items():
            if isinstance(node, nodes.NameExpr) or (isinstance(node, nodes.Ident) and node in resolution.scopes):
                if binding is not None:
                    self._reads.setdefault(binding, []).append(node)
                    continue
                self.loose.add(node.name if isinstance(node, nodes.NameExpr) else node.text)
                if _runs(resolution, node):
                    self.unresolved.append(node)
        for node, hidden in resolution.hidden.items():
            for binding in hidden:
                self._reads.setdefault(binding, []).append(node)

    def reads(self, binding: Binding) -> list[nodes.Node]:
        """Return the places where a variable is read; an assignment is not a read."""
        found = self._reads.get(binding, [])
        if not binding.assignments:
            return found
        targets = {value.target for value in binding.values if isinstance(value, nodes.AssignStmt)}
        return [node for node in found if node not in targets] if targets else found

    def is_read(self, binding: Binding) -> bool:
        """Return whether a variable is read, or may be read, anywhere."""
        return bool(self.reads(binding)) or binding.name in self.loose


def uses_of(linting: Linting) -> Uses:
    """Return the uses of all names of a file."""
    return linting.note("uses", lambda: Uses(linting.resolution))


def only_called(linting: Linting, binding: Binding) -> bool:
    """Return whether a function is only called by its name in this file, so that all its calls are known."""
    parents = linting.parents
    for node in uses_of(linting).reads(binding):
        above = parents[node]
        if not (isinstance(above, nodes.CallExpr) and above.callee is node):
            return False
    return binding.name not in uses_of(linting).loose


def _runs(resolution: Resolution, node: nodes.Node) -> bool:
    """Return whether a name is outside every `override`."""
    scope = resolution.scopes.get(node)
    frame = None if scope is None else scope.frame
    while frame is not None and frame.kind != _NEVER_RUN:
        frame = frame.parent
    return frame is None
