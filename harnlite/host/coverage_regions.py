"""The parts of a program that coverage measures: statements, and the outcomes of decisions."""

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
    """The recorded positions and arcs of a file, as offsets into its text."""

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
        """Return whether a recorded position is inside this node."""
        first, last = bisect_left(self._starts, node.start), bisect_left(self._starts, node.end)
        return any(self._regions[index][1] <= node.end for index in range(first, last))

    def bypasses(self, node: Node, condition: Node, target: Node) -> bool:
        """Return whether a recorded arc leads from the condition of a node past its target.

        In CPython 3.11, the position of the jump itself is the whole node.
        """
        whole = (node.start, node.end)
        return any(
            (here == whole or _contains(condition, here))
            and not _contains(target, there)
            and (returns or not (there == whole or _contains(condition, there)))
            for here, there, returns in self._arcs
        )


def _contains(node: Node, region: Region | None) -> bool:
    return region is not None and node.start <= region[0] and region[1] <= node.end


class Outcome:
    """A possible outcome of a decision; `line` is the line of the decision."""

    __slots__ = ("label", "line", "taken")

    def __init__(self, line: int, label: str, taken: Callable[[Places], bool]) -> None:
        self.line = line
        self.label = label
        self.taken = taken


def statements(module: Module) -> Iterator[Node]:
    """Yield the statements that do something when they run, which declarations do not."""
    for node in walk(module):
        if isinstance(node, (nodes.Block, nodes.Module)):
            yield from (one for one in node.statements if not isinstance(one, _SILENT))


def decisions(source: Source, module: Module) -> Iterator[list[Outcome]]:
    """Yield the possible outcomes of each decision."""
    for node in walk(module):
        outcomes = _OUTCOMES.get(type(node))
        if outcomes is not None:
            yield [Outcome(source.position(node.start).line, label, taken) for label, taken in outcomes(node)]


def _reaches(node: Node) -> Callable[[Places], bool]:
    return lambda places: places.inside(node)


def _misses(node: Any, target: Node) -> Callable[[Places], bool]:  # noqa: ANN401 - any node with a condition
    return lambda places: places.bypasses(node, node.condition, target)


Outcomes = list[tuple[str, "Callable[[Places], bool]"]]


def _of_if(node: Any) -> Outcomes:  # noqa: ANN401 - each function accepts its own type of node
    other = node.otherwise
    return [
        ("then", _reaches(node.then)),
        ("else", _misses(node, node.then) if other is None else _reaches(other)),
    ]


def _of_ternary(node: Any) -> Outcomes:  # noqa: ANN401 - as above
    return [("then", _reaches(node.then)), ("else", _reaches(node.otherwise))]


def _of_match(node: Any) -> Outcomes:  # noqa: ANN401 - as above
    return [(f"arm {number}", _reaches(arm.body)) for number, arm in enumerate(node.arms, 1)]


def _of_guard(node: Any) -> Outcomes:  # noqa: ANN401 - as above
    return [("passes", _misses(node, node.body)), ("else", _reaches(node.body))]


def _of_while(node: Any) -> Outcomes:  # noqa: ANN401 - as above
    return [("body", _reaches(node.body)), ("end", _misses(node, node.body))]


_OUTCOMES: dict[type[Node], Callable[[Any], Outcomes]] = {
    nodes.IfExpr: _of_if,
    nodes.TernaryExpr: _of_ternary,
    nodes.MatchExpr: _of_match,
    nodes.GuardStmt: _of_guard,
    nodes.WhileStmt: _of_while,
}
