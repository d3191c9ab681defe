"""A name in a text, with the nodes and types around it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from operator import attrgetter

from harnlite.analysis.editing.completion_places import place_in
from harnlite.analysis.editing.inferred import noted
from harnlite.diagnostics.source import Span
from harnlite.editor.names.modules import builtin_of, origin_of
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.editing.inferred import Noter
    from harnlite.analysis.names.scopes import Resolution, Scope
    from harnlite.analysis.types.representation import Type
    from harnlite.editor.names.modules import Origin
    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace

_BINDERS = (
    nodes.DictPattern, nodes.DictPatternEntry, nodes.ListPattern, nodes.ListPatternItem, nodes.PairPattern, nodes.Param,
    nodes.SelectCase, nodes.TryExpr,
)  # fmt: skip
_COLON = re.compile(r"\s*:")
_DOTS = frozenset({".", "?."})
_START = attrgetter("start")


class Reading:
    """Results computed for one request and then dropped, because the trees change between requests.

    A `thorough` reading expects questions about many places, and processes whole files at once.
    """

    __slots__ = ("_noters", "_origins", "files", "thorough")

    def __init__(self, files: Workspace, *, thorough: bool = False) -> None:
        self.files = files
        self.thorough = thorough
        self._noters: dict[tuple[str, nodes.Node | None, nodes.Node | None], Noter] = {}
        self._origins: dict[tuple[str, str], Origin | None] = {}

    def resolution(self, document: Document, offset: int, name: str) -> Resolution:
        """Return the bindings of a name around a place; those of other names may be missing."""
        return document.resolution if self.thorough else document.resolution_at(offset, name)

    def origin(self, document: Document, name: str) -> Origin | None:
        """Return the declaration that an imported name or a builtin refers to."""
        key = document.path, name
        if key not in self._origins:
            self._origins[key] = origin_of(self.files, document, name) or builtin_of(self.files, name)
        return self._origins[key]

    def noter(self, document: Document, offset: int) -> Noter:
        """Return the types of the expressions around a place."""
        statement = None if self.thorough else document.statement_at(offset)
        key = document.path, statement, None if statement is None else _part_at(statement, offset)
        if key not in self._noters:
            statements = document.module.statements
            wanted = statements if statement is None else [statement]
            parts, near = [(document.source, statements)], -1 if statement is None else offset
            self._noters[key] = noted(parts, wanted, self.files.declarations, self.files.resolve, near=near)
        return self._noters[key]


def _part_at(statement: nodes.Stmt, offset: int) -> nodes.Stmt | None:
    """Return the statement in the body of a function that starts last before an offset."""
    body = statement.body if isinstance(statement, (nodes.FnDecl, nodes.PipelineDecl)) else None
    index = 0 if body is None else bisect_right(body.statements, offset, key=_START)
    return body.statements[index - 1] if body is not None and index else None


class Spot:
    """A name in a text, with the nodes around it from the file to the innermost."""

    __slots__ = ("document", "name", "node", "parent", "reading", "span", "way")

    def __init__(self, reading: Reading, document: Document, span: Span) -> None:
        self.reading = reading
        self.document = document
        self.span = span
        self.name = document.text[span.start : span.end]
        self.way = document.way_to(span.start)
        self.node = self.way[-1]
        self.parent = self.way[-2] if len(self.way) > 1 else self.node

    @property
    def files(self) -> Workspace:
        """Return the workspace."""
        return self.reading.files

    @property
    def resolution(self) -> Resolution:
        """Return the bindings of this name; those of other names may be missing."""
        return self.reading.resolution(self.document, self.span.start, self.name)

    @property
    def scope(self) -> Scope:
        """Return the innermost block around this name."""
        resolution = self.resolution
        return next(
            (resolution.scopes[node] for node in reversed(self.way) if node in resolution.scopes),
            resolution.module_scope,
        )

    @property
    def around(self) -> nodes.Node:
        """Return the parent of the node that has this name."""
        return self.way[max(len(self.way) - 3, 0)]

    def type_of(self, node: nodes.Expr) -> Type | None:
        """Return the type of an expression near this name."""
        return self.reading.noter(self.document, node.start).types.get(node)

    def type_bound_at(self, offset: int) -> Type | None:
        """Return the type of the variable that is declared at an offset near this name."""
        return self.reading.noter(self.document, self.span.start).bound.get(offset)

    @property
    def is_unread(self) -> bool:
        """Return whether this is the name of a value in a part of the text that could not be parsed."""
        if not self.document.result.diagnostics:
            return False
        if not self.reading.thorough:  # for a single place this is faster than splitting the text into lexemes
            place = place_in(self.document.text, self.span.end)
            is_plain = place.quote < 0 and not place.in_comment and place.previous[-1] not in _DOTS
            return is_plain and place.word == self.name and not _COLON.match(self.document.text, self.span.end)
        lexemes = self.document.lexemes
        at = bisect_left(lexemes, self.span.start, key=_START)
        if at == len(lexemes) or (lexemes[at].start, lexemes[at].end) != (self.span.start, self.span.end):
            return False
        before = lexemes[at - 1].text if at else ""
        after = lexemes[at + 1].text if at + 1 < len(lexemes) else ""
        return lexemes[at].kind == "ID" and before not in _DOTS and after != ":"

    @property
    def is_binding(self) -> bool:
        """Return whether a pattern or a parameter list binds a variable with this name here."""
        if isinstance(self.node, (nodes.NamePattern, nodes.BindPattern)):
            return True
        if isinstance(self.parent, nodes.DictMatchEntry):
            return self.parent.pattern.start == self.node.start
        return isinstance(self.node, nodes.Ident) and isinstance(self.parent, _BINDERS)

    @property
    def is_assigned(self) -> bool:
        """Return whether the named value, or a part of it, is assigned here."""
        inner = self.node
        for node in reversed(self.way[:-1]):
            if isinstance(node, nodes.AssignStmt):
                return inner is node.target
            on_left = isinstance(node, (nodes.PropertyExpr, nodes.IndexExpr)) and inner is node.receiver
            if not on_left and not (isinstance(node, nodes.PropertyExpr) and inner is node.name):
                return isinstance(node, nodes.DictEntry) and inner is node.key
            inner = node
        return False


def name_at(document: Document, offset: int) -> Span | None:
    """Return the span of the word that contains an offset or ends there."""
    text = document.text
    start = end = min(offset, len(text))
    while start and _is_of_word(text[start - 1]):
        start -= 1
    while end < len(text) and _is_of_word(text[end]):
        end += 1
    return Span(start, end) if start < end and not text[start].isdigit() else None


def _is_of_word(sign: str) -> bool:
    return sign == "_" or sign.isalnum()
