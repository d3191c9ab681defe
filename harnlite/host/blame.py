"""The part of a call that an uncaught error is about: the literal that its text mentions, if the call has one."""

from __future__ import annotations

import re

from harnlite.diagnostics.source import Span
from harnlite.reminders.wire import SPELLINGS
from harnlite.stack import on_large_stack
from harnlite.syntax.nodes import (
    Block,
    CallExpr,
    ClosureExpr,
    DictEntry,
    DictExpr,
    ExprStmt,
    FnDecl,
    IfExpr,
    ListExpr,
    LiteralExpr,
    MatchExpr,
    MethodCallExpr,
    Node,
    ReturnStmt,
    SpreadExpr,
)
from harnlite.syntax.parser import parse
from harnlite.syntax.visitor import visit, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from harnlite.diagnostics.source import Source

_UNKNOWN = re.compile(r"unknown (?:\w+ )?option(?:\(s\)| key):? '?(\w+)|not user-message `(\w+)`")
_NAMED = re.compile(r"`([\w.]+)`|'([\w.]+)'|agent_loop: ([a-z_.]+) must ")
_MISSING = re.compile("must be a non-empty string|at least one of .* is required")


def literal_in_call(text: str, source: Source, span: Span) -> Span | None:
    """Return the span of the literal, among the arguments of the call at `span`, that an error of the call is about."""
    return _found(lambda: _in_call(text, source, span))


def value_in_result(text: str, source: Source, place: Span, *, inside: bool) -> Span | None:
    """Return the span to report for an error about the result of the closure that encloses `place` or begins in it.

    This is the literal that the text mentions, or else the returned value, or the first line of the closure if it may
    return several values.
    """

    def is_meant(node: Node) -> bool:
        if inside:
            return node.start <= place.start and place.end <= node.end
        return place.start <= node.start < place.end

    return _found(lambda: _in_result(text, source, is_meant))


def _found(search: Callable[[], Span | None]) -> Span | None:
    """Search a syntax tree; find nothing if the run has used up the memory for it."""
    try:
        return on_large_stack(search)
    except MemoryError:
        return None


def _in_call(text: str, source: Source, span: Span) -> Span | None:
    for node in walk(parse(source).module):
        if isinstance(node, CallExpr | MethodCallExpr) and (node.start, node.end) == (span.start, span.end):
            return _named(text, [argument for argument in node.args if isinstance(argument, DictExpr)])
    return None


def _in_result(text: str, source: Source, is_meant: Callable[[Node], bool]) -> Span | None:
    function: ClosureExpr | FnDecl | None = None
    for node in walk(parse(source).module):
        if isinstance(node, ClosureExpr | FnDecl) and is_meant(node):
            function = node
    if function is None or function.body is None:
        return None
    values = list(_results(function.body))
    named = _named(text, list(_dicts(values)))
    if named is not None:
        return named
    if len(values) == 1:
        return _span(values[0])
    first_line = source.text.find("\n", function.start, function.end)
    return Span(function.start, function.end if first_line < 0 else first_line)


def _results(body: Block) -> Iterator[Node]:
    """Yield the values that a body returns, except nil and the values of nested closures."""
    found = list(_last_values(body))

    def note(node: ReturnStmt) -> None:
        if node.value is not None:
            found.append(node.value)

    visit(body, {ReturnStmt: note, ClosureExpr: lambda _: False, FnDecl: lambda _: False})
    yield from (value for value in found if not (isinstance(value, LiteralExpr) and value.value is None))


def _last_values(block: Block) -> Iterator[Node]:
    """Yield the possible last values of a block, including those of the branches of a final `if` or `match`."""
    pending: list[Node] = [block]
    while pending:
        node = pending.pop()
        if isinstance(node, Block):
            pending += [last.value for last in node.statements[-1:] if isinstance(last, ExprStmt)]
        elif isinstance(node, IfExpr):
            pending += [branch for branch in (node.otherwise, node.then) if branch is not None]
        elif isinstance(node, MatchExpr):
            pending += [arm.body for arm in reversed(node.arms)]
        else:
            yield node


def _dicts(values: Iterable[Node]) -> Iterator[DictExpr]:
    """Yield the dicts among the values, and those in lists among the values."""
    for value in values:
        inner = value.items if isinstance(value, ListExpr) else [value]
        yield from (item for item in inner if isinstance(item, DictExpr))


def _named(text: str, dicts: list[DictExpr]) -> Span | None:
    unknown = _UNKNOWN.search(text)
    if unknown:
        key = unknown.group(1) or unknown.group(2)
        return next((_span(entry.key) for found in dicts for entry in _entries(found, key)), None)
    for match in _NAMED.finditer(text):
        name = next(filter(None, match.groups()))
        for found in dicts:
            for entry in _entries(found, name.rpartition(".")[2]):
                return _span(entry.value)
    if not _MISSING.search(text) or len(dicts) != 1 or any(isinstance(entry, SpreadExpr) for entry in dicts[0].entries):
        return None
    return _span(dicts[0])


def _span(node: Node) -> Span:
    return Span(node.start, node.end)


def _entries(found: DictExpr, name: str) -> Iterator[DictEntry]:
    """Yield the entries with this name, in either spelling, at any depth of a literal, outer entries first."""
    names = (name, SPELLINGS.get(name, name))
    pending: list[DictExpr] = [found]
    while pending:
        inner: list[DictExpr] = []
        for literal in pending:
            for entry in literal.entries:
                if isinstance(entry, DictEntry):
                    if isinstance(entry.key, LiteralExpr) and entry.key.value in names:
                        yield entry
                    if isinstance(entry.value, DictExpr):
                        inner.append(entry.value)
        pending = inner
