"""What of a program can be covered: statements, and the outcomes of decisions."""

from __future__ import annotations

from bisect import bisect_left

from harnlite.host.script_traceback import span_of
from harnlite.syntax import nodes
from harnlite.syntax.visitor import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from harnlite.diagnostics.source import Source
    from harnlite.host.coverage import Seen
    from harnlite.host.script_traceback import Position
    from harnlite.syntax.nodes import Module, Node

    # start and end
    Region = tuple[int, int]

_SILENT = (nodes.Decl, nodes.ImportDecl)


class Places:
    """What is known of a file, as offsets into its text."""

    __slots__ = ("_arcs", "_offsets", "_regions", "_source", "_starts")

    def __init__(self, source: Source, seen: Seen) -> None:
        self._source = source
        self._offsets: dict[Position, Region] = {}
        self._regions = sorted({region for place in seen.places if (region := self._region(place)) is not None})
        self._starts = [start for start, _ in self._regions]
        self._arcs = [(self._region(here), self._region(there), returns) for here, there, returns in seen.arcs]

    def _region(self, place: Position) -> Region | None:
        if None in place:
            return None
        known = self._offsets.get(place)
        if known is None:
            span = span_of(self._source, place)
            known = self._offsets[place] = (span.start, span.end)
        return known

    def inside(self, node: Node) -> bool:
        """Say whether something is known of this node."""
        first, last = bisect_left(self._starts, node.start), bisect_left(self._starts, node.end)
        return any(self._regions[index][1] <= node.end for index in range(first, last))

    def leaves(self, node: Node, condition: Node, target: Node) -> bool:
        """Say whether there is a way from the condition of a node past its target.

        CPython 3.11 puts the jump itself at the whole node.
        """
        whole = (node.start, node.end)
        return any(
            (here == whole or _holds(condition, here))
            and not _holds(target, there)
            and (returns or not (there == whole or _holds(condition, there)))
            for here, there, returns in self._arcs
        )


def _holds(node: Node, region: Region | None) -> bool:
    return region is not None and node.start <= region[0] and region[1] <= node.end


class Outcome:
    """One way a decision can go; `line` is where the decision stands."""

    __slots__ = ("label", "line", "taken")

    def __init__(self, line: int, label: str, taken: Callable[[Places], bool]) -> None:
        self.line = line
        self.label = label
        self.taken = taken


def statements(module: Module) -> Iterator[Node]:
    """Yield what does something, one statement after the other; a declaration does nothing."""
    for node in walk(module):
        if isinstance(node, (nodes.Block, nodes.Module)):
            yield from (one for one in node.statements if not isinstance(one, _SILENT))


def decisions(source: Source, module: Module) -> Iterator[list[Outcome]]:
    """Yield the ways that each decision can go."""
    for node in walk(module):
        ways = _WAYS.get(type(node))
        if ways is not None:
            yield [Outcome(source.position(node.start).line, label, taken) for label, taken in ways(node)]


def _reaches(node: Node) -> Callable[[Places], bool]:
    return lambda places: places.inside(node)


def _misses(node: Any, target: Node) -> Callable[[Places], bool]:  # noqa: ANN401 - any node with a condition
    return lambda places: places.leaves(node, node.condition, target)


Ways = list[tuple[str, "Callable[[Places], bool]"]]


def _of_if(node: Any) -> Ways:  # noqa: ANN401 - each has its own type of node
    other = node.otherwise
    return [
        ("then", _reaches(node.then)),
        ("else", _misses(node, node.then) if other is None else _reaches(other)),
    ]


def _of_ternary(node: Any) -> Ways:  # noqa: ANN401 - as above
    return [("then", _reaches(node.then)), ("else", _reaches(node.otherwise))]


def _of_match(node: Any) -> Ways:  # noqa: ANN401 - as above
    return [(f"arm {number}", _reaches(arm.body)) for number, arm in enumerate(node.arms, 1)]


def _of_guard(node: Any) -> Ways:  # noqa: ANN401 - as above
    return [("passes", _misses(node, node.body)), ("else", _reaches(node.body))]


def _of_while(node: Any) -> Ways:  # noqa: ANN401 - as above
    return [("body", _reaches(node.body)), ("end", _misses(node, node.body))]


_WAYS: dict[type[Node], Callable[[Any], Ways]] = {
    nodes.IfExpr: _of_if,
    nodes.TernaryExpr: _of_ternary,
    nodes.MatchExpr: _of_match,
    nodes.GuardStmt: _of_guard,
    nodes.WhileStmt: _of_while,
}
