"""A glimpse of unfinished text: its tree, types and visible names, as if the text at the cursor were complete."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import groupby
from operator import attrgetter

from harnlite.analysis.editing.completion_places import place_in
from harnlite.analysis.editing.inferred import needed, noted
from harnlite.analysis.types.environment import Binding
from harnlite.analysis.types.hoisting import bound_names
from harnlite.diagnostics.source import Source, Span
from harnlite.syntax import nodes
from harnlite.syntax.parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harnlite.analysis.editing.completion_places import Place
    from harnlite.analysis.editing.inferred import Noter, Sight
    from harnlite.analysis.types.representation import Type
    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace

_LONG = 10_000
"""In a function longer than this, only statements that matter near the cursor are parsed again."""
_NEAR = 2
"""The number of statements before the cursor that count as near it."""
_MOST_NEEDED = 100
"""The maximum number of earlier statements kept for the names near the cursor; their dependencies may be endless."""
_PASSING = (nodes.LetStmt, nodes.AssignStmt, nodes.ExprStmt, nodes.ForStmt, nodes.WhileStmt)
"""Statements that affect later code only through the names they bind."""
_START = attrgetter("start")

STAND_IN = "zz_cursor"
"""The name that replaces a partially typed name at the cursor."""
_ENDINGS = (
    (r"\b(?:if|while|for|match|retry|deadline|parallel)\b[^{}]*(?:[(\[].*)?", " {}"),
    (r"\?[^:]*", " : nil"),
    (r"\b(?:let|var|const)\b[^=<]*<[^=]*", "> = nil"),
    (r"[:>|,(][ \t]*\w+<[\w \t,|]*", ">"),
    (r"\b(?:let|var|const)\b[^=]*:[^=]*", " = nil"),
    (r"\s*[\w.(|]*", " -> {}"),
    (r"\bguard\b[^{}]*", " else {}"),
    (r"\b(?:fn|tool|pipeline)\b[^{}]*", " {}"),
)
"""Patterns of lines up to the cursor, with the text that completes them."""
_PATTERNS = [(re.compile(pattern + r"\Z"), ending) for pattern, ending in _ENDINGS]


class Glimpse:
    """The tree, types and visible names at an offset in unfinished text.

    `way` contains the nodes around the offset, outermost first; their offsets refer to a separate, completed text.
    """

    def __init__(self, files: Workspace, document: Document, offset: int) -> None:
        self.files = files
        self.document = document
        self.offset = offset
        self._before, self._passed = _thinned(document, offset)
        self.place: Place = place_in(self._before, offset)
        self.way: list[nodes.Node] = []
        self._noter: Noter | None = None
        self._statements: Sequence[nodes.Stmt] = ()
        self._source = document.source
        if not self.place.in_comment:
            self._read()

    @property
    def node(self) -> nodes.Node | None:
        """Return the smallest node at the cursor."""
        return self.way[-1] if self.way else None

    @property
    def sight(self) -> Sight:
        """Return the names that are visible at the cursor."""
        found = self.noter.sight
        assert found is not None, "a finished noter has a sight"  # noqa: S101 - for mypy
        passed, self._passed = self._passed, []
        for name in passed:
            if name not in found.names:
                found.names[name] = Binding(name, "later")
        return found

    @property
    def noter(self) -> Noter:
        """Return the types in the statement at the cursor."""
        if self._noter is None:
            place, document = self.place, self.document
            whole = document.module.statements
            before = [one for one in whole if one.end <= place.region]
            after = [one for one in whole if one.start >= self.offset]
            parts = [(self._source, [*before, *self._statements]), (document.source, after)]
            wanted = [one for one in self.way[:1] if isinstance(one, nodes.Stmt)]
            self._noter = noted(parts, wanted, self.files.declarations, self.files.resolve, place.start)
        return self._noter

    def type_of(self, node: nodes.Node) -> Type | None:
        """Return the type of an expression around the cursor."""
        return self.noter.types.get(node)

    @property
    def source_text(self) -> str:
        """Return the text that the nodes around the cursor belong to."""
        return self._source.text

    def _read(self) -> None:
        for ending, since in self._endings():
            self._source = Source(self._text(ending, since), self.document.path, self.document.path)
            statements = parse(self._source, start=self.place.region).module.statements
            way = _way(statements, self.place.start)
            if not self.way or _ends_at_stand_in(way):
                self.way, self._statements = way, statements
            if _ends_at_stand_in(self.way):
                return

    def _text(self, ending: str, since: int) -> str:
        """Return the text with the stand-in and closing brackets, and with an ending for the construct at an offset."""
        place = self.place
        inner, outer = "", ""
        for frame in reversed(place.frames):
            closer = f"{frame.closer} {{}}" if frame.is_head else frame.closer
            if frame.start >= since:
                inner += closer
            else:
                outer += closer
        quote = place.mark if place.quote >= 0 else ""
        return f"{self._before[: place.start]}{STAND_IN}{quote}{inner}{ending}{outer}"

    def _endings(self) -> Iterator[tuple[str, int]]:
        """Yield texts that may be missing after the cursor, likely ones first, with the offset of their construct."""
        text, start = self.document.text, self.place.start
        first = text.rfind("\n", 0, start) + 1
        frame = self.place.frames[-1]
        if frame.sign == "{" and not frame.key and (frame.is_dict or frame.before[:1].isupper()):
            yield ": nil", start
        yield "", start
        for pattern, ending in _PATTERNS:
            found = pattern.search(text, first, start)
            if found is not None:
                yield ending, found.start()


def _thinned(document: Document, offset: int) -> tuple[str, list[str]]:
    """Return the text up to an offset, with irrelevant statements replaced by comments, and the names they bind."""
    text = document.text[:offset]
    function = document.statement_at(offset)
    body = function.body if isinstance(function, (nodes.FnDecl, nodes.PipelineDecl)) else None
    if body is None or offset - body.start < _LONG:
        return text, []
    passed = body.statements[: bisect_right(body.statements, offset, key=_START)][:-_NEAR]
    near = Span(passed[-1].end if passed else offset, offset)
    kept = {*needed(passed, [near], text)[-_MOST_NEEDED:], *(one for one in passed if not isinstance(one, _PASSING))}
    pieces, at = [], 0
    for is_kept, group in groupby(passed, key=kept.__contains__):
        run = list(group)
        if not is_kept and run[-1].end - run[0].start >= len("/**/"):
            pieces += [text[at : run[0].start], f"/*{' ' * (run[-1].end - run[0].start - 4)}*/"]
            at = run[-1].end
    return "".join((*pieces, text[at:])), list(bound_names([one for one in passed if one not in kept]))


def _way(statements: Sequence[nodes.Stmt], offset: int) -> list[nodes.Node]:
    way: list[nodes.Node] = []
    below: Sequence[nodes.Node] = statements
    while inside := [node for node in below if node.start <= offset < node.end]:
        way.append(max(inside, key=lambda node: node.start))
        below = way[-1].children()
    return way


def _ends_at_stand_in(way: list[nodes.Node]) -> bool:
    """Return whether the smallest node contains the stand-in."""
    if not way:
        return False
    node = way[-1]
    if isinstance(node, nodes.LiteralExpr):
        return node.kind == "string" and STAND_IN in str(node.value)
    return STAND_IN in (getattr(node, "name", None), getattr(node, "text", None))
