"""Cache of the findings in functions of an edited file, valid while nothing visible to the functions changes."""

from __future__ import annotations

from harnlite.analysis.checking.assigned_names import assigned_in
from harnlite.analysis.types.representation import NIL
from harnlite.diagnostics.diagnostic import Diagnostic, Label
from harnlite.diagnostics.source import Span
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.analysis.checking.checker import Checker, StatementTable
    from harnlite.analysis.types.representation import Type
    from harnlite.diagnostics.source import Source

_BODIES = (nodes.FnDecl, nodes.PipelineDecl)


class CheckMemory:
    """The findings of the top-level functions of one file, kept from one check to the next.

    It relies on node identity: a function that was not parsed again is still the same node.
    """

    __slots__ = ("_assigned", "_known", "_surroundings")

    def __init__(self) -> None:
        self._surroundings: object = None
        self._assigned: dict[nodes.Stmt, frozenset[str]] = {}
        """The top-level functions of the file, and the names that each assigns to."""
        self._known: dict[nodes.Stmt, tuple[int, list[Diagnostic]]] = {}

    def clear(self) -> None:
        """Discard all findings, since other files have changed."""
        self._known = {}

    def begin(self, c: Checker) -> StatementTable:
        """Return the statement handlers for a check of the tree; they reuse the cached findings of functions."""
        functions = [node for node in c.tree if isinstance(node, _BODIES)]
        self._assigned = {node: self._assigned.get(node) or assigned_in(node) for node in functions}
        surroundings = self._seen_of(c)
        if surroundings != self._surroundings or c.partial:
            self._known = {}
        self._surroundings = surroundings
        self._known = {node: found for node, found in self._known.items() if node in self._assigned}
        return {**c.statements, **{kind: self._remembering(c.statements[kind]) for kind in _BODIES}}

    def _seen_of(self, c: Checker) -> object:
        """Return the parts of a file that functions can see: everything except the bodies of other functions."""
        text = c.source.text
        extends = any(isinstance(node, nodes.PipelineDecl) and node.extends is not None for node in c.tree)
        seen: list[object] = [c.let_mutable]
        for node in c.tree:
            body = node.body if isinstance(node, _BODIES) else None
            if body is None or extends:
                seen.append(text[node.start : node.end])
            else:
                yields = text.find("yield", body.start, body.end) >= 0
                seen += (text[node.start : body.start], yields, self._assigned[node])
        return seen

    def _remembering(self, check: Callable[[Checker, nodes.Stmt], Type | None]) -> Callable[..., Type | None]:
        """Return a handler of functions that checks each top-level function once."""

        def remember(c: Checker, node: nodes.Stmt) -> Type | None:
            if node not in self._assigned or c.partial:
                return check(c, node)
            known = self._known.get(node)
            if known is not None:
                start, found = known
                c.found += [_moved(one, c.source, node.start - start) for one in found]
                return NIL
            before = len(c.found)
            value = check(c, node)
            found = c.found[before:]
            if all(_is_inside(one, node) for one in found) and not self._reaches_out(c, node):
                self._known[node] = node.start, found
            return value

        return remember

    def _reaches_out(self, c: Checker, node: nodes.Stmt) -> bool:
        """Return whether a function assigns to variables outside it, since that affects their types elsewhere."""
        return any(name in c.scope.names or name in c.scope.pending for name in self._assigned[node])


def _is_inside(found: Diagnostic, node: nodes.Node) -> bool:
    return all(
        node.start <= span.start and span.end <= node.end
        for span in (found.span, *(label.span for label in found.labels if label.source is None))
    )


def _moved(found: Diagnostic, source: Source, distance: int) -> Diagnostic:
    """Return a finding at the new position of its text."""
    return Diagnostic(
        found.severity,
        found.message,
        source,
        _moved_span(found.span, distance),
        labels=[
            Label(_moved_span(one.span, distance), one.message) if one.source is None else one for one in found.labels
        ],
        help=found.help,
    )


def _moved_span(span: Span, distance: int) -> Span:
    return Span(span.start + distance, span.end + distance)
