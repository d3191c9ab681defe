"""A file as the editor sees it: its text, and the tree and names of that text."""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter

from lsprotocol import types

from harnlite.analysis.files.imports import ImportedModule
from harnlite.analysis.names.one_name import resolve_one
from harnlite.analysis.names.resolver import resolve
from harnlite.diagnostics.source import Source
from harnlite.editor.texts.lexemes import lexemes_of
from harnlite.editor.texts.positions import Ruler
from harnlite.resources import builtins_file
from harnlite.syntax import nodes
from harnlite.syntax.incremental import IncrementalParser
from harnlite.syntax.parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.names.scopes import Resolution
    from harnlite.diagnostics.source import Span
    from harnlite.syntax.incremental import Region
    from harnlite.syntax.parser import ParseResult
    from harnlite.syntax.tokens import Token

    Stamp = tuple[int, int]

_END = attrgetter("end")
_LONG = 10_000
"""In a longer top-level statement, one name is resolved at a time."""


class Document:
    """A file: its newest text, and its tree, names and positions, each computed on first use.

    A change of the text invalidates the old tree and everything derived from it: none of it may be kept elsewhere.
    """

    __slots__ = (
        "_has_valid_lexemes",
        "_import",
        "_lexemes",
        "_parser",
        "_partial",
        "_resolution",
        "_result",
        "_ruler",
        "path",
        "source",
        "stamp",
        "units",
        "uri",
        "version",
    )

    def __init__(self, uri: str, path: str, text: str, version: int | None = None, *, units: str = "utf-16") -> None:
        self.uri = uri
        self.path = path
        self.units = units
        self.stamp: Stamp | None = None
        """The state of the file on the disk when it was read; None for a file that is open in the editor."""
        self._parser = IncrementalParser()
        self.change(text, version)

    def change(self, text: str, version: int | None) -> None:
        """Replace the text."""
        self.version = version
        self.source = Source(text, self.path, self.path)
        self._ruler: Ruler | None = None
        self._lexemes: list[Token] | None = None
        self._has_valid_lexemes = False
        self._result: ParseResult | None = None
        self._resolution: Resolution | None = None
        self._partial: dict[tuple[nodes.Stmt, str], Resolution] = {}
        self._import: ImportedModule | None = None

    # The text

    @property
    def text(self) -> str:
        """Return the whole text."""
        return self.source.text

    @property
    def ruler(self) -> Ruler:
        """Return the ruler that converts between positions and offsets."""
        if self._ruler is None:
            self._ruler = Ruler(self.text, self.units)
        return self._ruler

    def offset(self, position: types.Position) -> int:
        """Return the offset of a position."""
        return self.ruler.offset(position.line, position.character)

    def position(self, offset: int) -> types.Position:
        """Return the position of an offset."""
        return types.Position(*self.ruler.place(offset))

    def range(self, where: nodes.Node | Span) -> types.Range:
        """Return the range of a node or span."""
        return types.Range(self.position(where.start), self.position(where.end))

    def location(self, where: nodes.Node | Span) -> types.Location:
        """Return the location of a node or span in this file."""
        return types.Location(self.uri, self.range(where))

    @property
    def lexemes(self) -> list[Token]:
        """Return the words, comments and pieces of strings of the text, in order."""
        if self._lexemes is None:
            self._lexemes, self._has_valid_lexemes = lexemes_of(self.source)
        return self._lexemes

    @property
    def has_valid_lexemes(self) -> bool:
        """Return whether the text can be split into lexemes without errors."""
        return bool(self.lexemes) and self._has_valid_lexemes

    # The tree

    @property
    def result(self) -> ParseResult:
        """Return the result of parsing: the tree and the syntax errors."""
        if self._result is None:
            if self.path == builtins_file():
                self._result = parse(self.source, declarations=True)
            else:
                self._result = self._parser.parse(self.source)
        return self._result

    def prepare(self) -> None:
        """Parse the text now, so that no request has to wait for it."""
        _ = self.resolution, self.ruler

    def reread(self) -> bool:
        """Parse the whole text if that may find other mistakes than incremental parsing; return whether it did."""
        if self._parser.is_certain:
            return False
        self.change(self.text, self.version)
        self._result = self._parser.parse(self.source, afresh=True)
        return True

    @property
    def region(self) -> Region | None:
        """Return the part of the text outside of which the tree is the same as when `mark` was called, if known."""
        _ = self.result
        return self._parser.region

    def mark(self) -> None:
        """Remember the tree, so that `region` can be asked for later."""
        _ = self.result
        self._parser.mark()

    @property
    def as_import(self) -> ImportedModule | None:
        """Return this file as an imported module for the checker, or None if it has syntax errors."""
        if self._import is None and not self.result.diagnostics:
            self._import = ImportedModule(self.source, self.module)
        return self._import

    @property
    def module(self) -> nodes.Module:
        """Return the tree."""
        return self.result.module

    def statement_at(self, offset: int) -> nodes.Stmt | None:
        """Return the top-level statement that contains an offset or ends there."""
        statements = self.module.statements
        index = bisect_left(statements, offset, key=_END)
        return statements[index] if index < len(statements) and statements[index].start <= offset else None

    def way_to(self, offset: int) -> list[nodes.Node]:
        """Return the nodes around an offset, from the file to the smallest; at a border, the later node is chosen."""
        way: list[nodes.Node] = [self.module]
        node: nodes.Node | None = self.statement_at(offset)
        while node is not None:
            way.append(node)
            inside = [child for child in _near(node, offset) if child.start <= offset <= child.end]
            node = max(inside, key=lambda child: (child.start, -child.end), default=None)
        return way

    # The names

    @property
    def resolution(self) -> Resolution:
        """Return the bindings of all names in the file."""
        if self._resolution is None:
            self._resolution = resolve(self.module, self.text)
        return self._resolution

    def resolution_at(self, offset: int, name: str = "") -> Resolution:
        """Return the bindings of the names in the top-level statement around an offset, which takes far less time.

        If the statement is long and a name is given, the bindings of other names may be missing.
        """
        statement = self.statement_at(offset)
        if self._resolution is not None or statement is None:
            return self.resolution
        if statement.end - statement.start < _LONG:
            name = ""
        found = self._partial.get((statement, name))
        if found is None:
            if name:
                found = resolve_one(self.module, self.text, name, statement)
            else:
                found = resolve(self.module, self.text, only=statement)
            self._partial[statement, name] = found
        return found


def _near(node: nodes.Node, offset: int) -> Sequence[nodes.Node]:
    """Return the children of a node; of the statements of a block, only those that may contain an offset."""
    if not isinstance(node, nodes.Block):
        return node.children()
    first = bisect_left(node.statements, offset, key=_END)
    return node.statements[first : first + 2]
