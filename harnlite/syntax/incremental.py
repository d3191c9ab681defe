"""Reads a text that somebody is editing: only the top-level statements around a change are parsed again."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import attrgetter

from harnlite.diagnostics.source import Source
from harnlite.syntax.parser import ParseResult, parse
from harnlite.syntax.visitor import all_below, shift

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.syntax.nodes import Module, Node, Stmt

    Slice = tuple[int, int]

NEIGHBOURS = 1
"""So many statements on either side of a change are read again, since a change may join them with what it touches."""

_START, _END = attrgetter("start"), attrgetter("end")


class IncrementalParser:
    """The tree of one text through its versions.

    The tree of a version becomes part of that of the next one, so only the newest result may be used. Mistakes are
    looked for around the change alone: what stands further on is taken as it was read before.
    """

    __slots__ = ("_broken", "_module", "_nodes", "_text", "is_certain")

    def __init__(self) -> None:
        self.is_certain = True
        """Whether reading everything anew would find the same mistakes."""
        self._text = ""
        self._module: Module | None = None
        self._broken: Slice | None = None
        self._nodes: dict[Stmt, Iterable[Node]] = {}

    def parse(self, source: Source, *, afresh: bool = False) -> ParseResult:
        """Read the next version of the text; `afresh` reads all of it."""
        result = None
        if self._module is not None and not afresh:
            result = self._patched(source, self._module)
        if result is None:
            result = parse(source)
            self.is_certain = True
            self._broken = _around(result.diagnostics, result.module.statements)
        self._text, self._module = source.text, result.module
        return result

    def _patched(self, source: Source, module: Module) -> ParseResult | None:
        """Return the tree with what has changed in it, or nothing if all of it has to be read."""
        text, statements = source.text, module.statements
        first, last = self._affected(text, statements)
        kept = statements[last:]
        if first == 0 and not kept:
            return None
        growth = len(text) - len(self._text)
        end = kept[0].start + growth if kept else len(text)
        part = parse(Source(text[:end], source.name, source.path), start=statements[first - 1].end if first else 0)
        if growth:
            for statement in kept:
                shift(self._nodes_of(statement), growth)
            self._nodes = {statement: self._nodes[statement] for statement in kept}
        for found in part.diagnostics:
            found.source = source
        fresh = part.module.statements
        module.statements = [*statements[:first], *fresh, *kept]
        module.end = len(text)
        self.is_certain = not part.diagnostics
        self._broken = (first, first + len(fresh)) if part.diagnostics else None
        return ParseResult(module, part.diagnostics)

    def _nodes_of(self, statement: Stmt) -> Iterable[Node]:
        """Return all nodes of a statement, each once: `{name}` in a pattern is one node that is key and variable."""
        if statement not in self._nodes:
            self._nodes[statement] = dict.fromkeys(all_below(statement))
        return self._nodes[statement]

    def _affected(self, text: str, statements: list[Stmt]) -> Slice:
        """Return which statements of the tree have to be read again."""
        old = self._text
        same = _largest(min(len(old), len(text)), lambda size: old.startswith(text[:size]))
        tail = _largest(min(len(old), len(text)) - same, lambda size: old.endswith(text[len(text) - size :]))
        end = len(old) - tail
        first = bisect_left(statements, same, key=_END)
        last = bisect_right(statements, end, key=_START)
        if last < len(statements) and not (last and statements[last - 1].end >= end):
            last += 1  # the change touches what belongs to this one: its documentation
        if self._broken is not None:
            first, last = min(first, self._broken[0]), max(last, self._broken[1])
        return max(first - NEIGHBOURS, 0), min(last + NEIGHBOURS, len(statements))


def _largest(limit: int, holds: Callable[[int], bool]) -> int:
    """Return the largest size up to a limit for which something holds; it holds for all smaller ones too."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _around(found: Sequence[Diagnostic], statements: Sequence[Stmt]) -> Slice | None:
    """Return the statements that mistakes are in, and those beside them."""
    if not found:
        return None
    places = [place for one in found for place in (one.span, *(label.span for label in one.labels))]
    first = bisect_left(statements, min(place.start for place in places), key=_END)
    last = bisect_right(statements, max(place.end for place in places), key=_START)
    return max(first - NEIGHBOURS, 0), min(last + NEIGHBOURS, len(statements))
