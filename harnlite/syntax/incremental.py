"""The incremental parser for texts that are being edited: it parses only the statements around a change again."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from copy import copy
from operator import attrgetter
from typing import NamedTuple

from harnlite.diagnostics.source import Source
from harnlite.syntax.nodes import Block, FnDecl, PipelineDecl
from harnlite.syntax.parser import ParseResult, parse
from harnlite.syntax.visitor import all_below, shift

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.syntax.nodes import Module, Node, Stmt

    Slice = tuple[int, int]
    Groups = Iterable[Sequence[Node]]
    Tails = dict[Stmt, tuple[Sequence[Stmt], Groups]]
    """By the first of some statements: the statements and all nodes in them, grouped by class."""

    Function = FnDecl | PipelineDecl

NEIGHBOURS = 1
"""The number of statements on either side of a change that are parsed again, since a change may join statements."""

_START, _END = attrgetter("start"), attrgetter("end")


class Change(NamedTuple):
    """A change of the text: the replaced part of the old text, and the growth in length."""

    start: int
    end: int
    growth: int


class Region(NamedTuple):
    """The part of the text that was parsed again since a mark was set, and the growth of the text since then."""

    start: int
    end: int
    growth: int

    def joined(self, start: int, end: int, growth: int) -> Region:
        """Return the region after another part of the text was replaced."""
        if self.start < 0:
            return Region(start, end + growth, growth)
        return Region(min(self.start, start), max(self.end, end) + growth, self.growth + growth)


_NOTHING = Region(-1, -1, 0)


class Broken(NamedTuple):
    """The statements of a file that contain errors and, if these are in one function, the statements in its body."""

    statements: Slice
    inside: Slice | None = None


class IncrementalParser:
    """The parser of successive versions of one text.

    The tree of a version becomes a part of the tree of the next version, so only the newest result may be used. Errors
    are detected only around the change: all other statements are reused from the previous version.
    """

    __slots__ = ("_broken", "_module", "_moved", "_tails", "_text", "is_certain", "region")

    def __init__(self) -> None:
        self.is_certain = True
        """Whether parsing the whole text would find the same errors."""
        self._text = ""
        self._module: Module | None = None
        self._broken: Broken | None = None
        self._tails: Tails = {}
        self._moved: Tails = {}
        """The statements that were moved for the last version, and for this one."""
        self.region: Region | None = None
        """What was parsed again since `mark`; None if that is the whole text or no mark was set."""

    def mark(self) -> None:
        """Start a new region: note what is parsed again from now on."""
        self.region = _NOTHING

    def parse(self, source: Source, *, afresh: bool = False) -> ParseResult:
        """Parse the next version of the text; `afresh` parses all of it."""
        result = None
        if self._module is not None and not afresh:
            result = self._patched(source, self._module)
        if result is None:
            result = parse(source)
            self.region = None
            self.is_certain = True
            self._broken = _around(result.diagnostics, result.module.statements)
        self._text, self._module = source.text, result.module
        return result

    def _patched(self, source: Source, module: Module) -> ParseResult | None:
        """Return the tree with the change applied, or None if the whole text has to be parsed."""
        change = _change(self._text, source.text)
        was_sound = self.is_certain and self._broken is None  # an error may have hidden others
        result = self._patched_function(source, module, change) or self._patched_file(source, module, change)
        self._tails, self._moved = self._moved, {}
        if result is not None:
            module.end = len(source.text)
            self.is_certain = was_sound and not result.diagnostics
        return result

    def _patched_file(self, source: Source, module: Module, change: Change) -> ParseResult | None:
        """Parse some statements of the file again."""
        broken = self._broken.statements if self._broken is not None else None
        window = _window(module.statements, change, broken)
        if window == (0, len(module.statements)):
            return None
        whole = (0, len(self._text))
        module.statements, found, fresh = self._reread(source, module.statements, whole, window, change)
        self._broken = Broken(fresh) if found else None
        return ParseResult(module, found)

    def _patched_function(self, source: Source, module: Module, change: Change) -> ParseResult | None:
        """Parse some statements in the body of a function again; return None if the change affects anything else."""
        within = _function_at(module.statements, change.start, change.end)
        if within is None:
            return None
        index, function, body = within
        broken = None
        if self._broken is not None:
            broken = self._broken.inside
            if broken is None or self._broken.statements != (index, index + 1):
                return None
        window = _window(body.statements, change, broken)
        if window == (0, len(body.statements)) or not self._text.endswith("}", body.start, body.end):
            return None
        inside = (body.start + 1, body.end - 1)
        statements, found, fresh = self._reread(source, body.statements, inside, window, change, inside=True)
        after = module.statements[index + 1 :]
        self._move(after, change.growth)
        # Caches refer to the old node of the function, so the changed function gets a new node.
        changed = copy(function)
        changed.body = Block(body.start, body.end + change.growth, statements)
        changed.end += change.growth
        module.statements = [*module.statements[:index], changed, *after]
        self._broken = Broken((index, index + 1), fresh) if found else None
        return ParseResult(module, found)

    def _reread(
        self,
        source: Source,
        statements: list[Stmt],
        limits: Slice,
        window: Slice,
        change: Change,
        *,
        inside: bool = False,
    ) -> tuple[list[Stmt], list[Diagnostic], Slice]:
        """Parse a window of statements again; return all statements, and the window's diagnostics and new indices."""
        first, last = window
        kept = statements[last:]
        start = statements[first - 1].end if first else limits[0]
        end = (kept[0].start if kept else limits[1]) + change.growth
        part = parse(Source(source.text[:end], source.name, source.path), start=start, inside=inside)
        for found in part.diagnostics:
            found.source = source
        if self.region is not None:
            self.region = self.region.joined(start, end - change.growth, change.growth)
        self._move(kept, change.growth)
        fresh = part.module.statements
        return [*statements[:first], *fresh, *kept], part.diagnostics, (first, first + len(fresh))

    def _move(self, statements: Sequence[Stmt], distance: int) -> None:
        """Shift statements; while the user types at one place, these are the same for each version."""
        if not statements or not distance:
            return
        first = statements[0]
        known, groups = self._tails.get(first, ((), ()))
        if known != statements:
            groups = _groups(statements)
        self._moved[first] = statements, groups
        for nodes in groups:
            shift(nodes, distance)


def _groups(statements: Sequence[Stmt]) -> Groups:
    """Return all nodes of statements, each once, in groups of one class, which Python handles faster than a mixture."""
    found: dict[type[Node], list[Node]] = {}
    for statement in statements:
        # A node may occur twice in a tree: `{name}` in a pattern is one node for key and variable.
        for node in dict.fromkeys(all_below(statement)):
            found.setdefault(node.__class__, []).append(node)
    return found.values()


def _change(old: str, new: str) -> Change:
    """Return the change between two texts."""
    limit = min(len(old), len(new))
    same = _largest(limit, lambda size: old.startswith(new[:size]))
    tail = _largest(limit - same, lambda size: old.endswith(new[len(new) - size :]))
    return Change(same, len(old) - tail, len(new) - len(old))


def _largest(limit: int, holds: Callable[[int], bool]) -> int:
    """Return the largest size up to a limit for which a condition holds; it also holds for all smaller sizes."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _window(statements: Sequence[Stmt], change: Change, broken: Slice | None) -> Slice:
    """Return the indices of the statements that have to be parsed again."""
    first = bisect_left(statements, change.start, key=_END)
    last = bisect_right(statements, change.end, key=_START)
    if last < len(statements) and not (last and statements[last - 1].end >= change.end):
        last += 1  # the change touches the doc comment of this statement
    if broken is not None:
        first, last = min(first, broken[0]), max(last, broken[1])
    return _widened(first, last, statements)


def _widened(first: int, last: int, statements: Sequence[Stmt]) -> Slice:
    return max(first - NEIGHBOURS, 0), min(last + NEIGHBOURS, len(statements))


def _function_at(statements: Sequence[Stmt], start: int, end: int) -> tuple[int, Function, Block] | None:
    """Return the index, function and body if a part of the text is inside the body of a function."""
    index = bisect_right(statements, start, key=_START) - 1
    function = statements[index] if index >= 0 else None
    if not isinstance(function, (FnDecl, PipelineDecl)) or function.body is None:
        return None
    body = function.body
    return (index, function, body) if body.start < start and end < body.end else None


def _around(found: Sequence[Diagnostic], statements: Sequence[Stmt]) -> Broken | None:
    """Return the statements that contain errors, and their neighbours."""
    if not found:
        return None
    places = [place for one in found for place in (one.span, *(label.span for label in one.labels))]
    start, end = min(place.start for place in places), max(place.end for place in places)
    within = _function_at(statements, start, end)
    if within is not None:
        index, _, body = within
        return Broken((index, index + 1), _between(body.statements, start, end))
    return Broken(_between(statements, start, end))


def _between(statements: Sequence[Stmt], start: int, end: int) -> Slice:
    first = bisect_left(statements, start, key=_END)
    last = bisect_right(statements, end, key=_START)
    return _widened(first, last, statements)
