"""Checks that refuse a rename with a reason for the user: a rename must not change what a program does."""

from __future__ import annotations

import os
import re
from itertools import zip_longest
from typing import NoReturn

from lsprotocol.types import LSPErrorCodes
from pygls.exceptions import JsonRpcInvalidParams

from harnlite.analysis.names.pipelines import entry_of
from harnlite.diagnostics.source import Span
from harnlite.editor.names.modules import brought_in
from harnlite.editor.names.occurrences import crosses
from harnlite.editor.names.spots import Reading, Spot
from harnlite.editor.names.symbols import (
    BUILTIN,
    ENUM,
    FIELD,
    IMPORT,
    MODULE,
    NAMESPACE,
    PARAMETER,
    STRUCT,
    VARIABLE,
    declared,
    symbol_of,
)
from harnlite.editor.texts.workspace import Workspace
from harnlite.resources import SUFFIX, folder
from harnlite.syntax import nodes
from harnlite.syntax.tokens import KEYWORDS
from harnlite.syntax.visitor import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harnlite.editor.names.symbols import Symbol
    from harnlite.editor.renames.outcome import Renamed
    from harnlite.editor.texts.documents import Document

SELF = "self"
_NAME = re.compile(r"[^\W\d]\w*")
_FIXED = {
    BUILTIN: "`{}` is a builtin and cannot be renamed",
    NAMESPACE: "`{}` is a builtin namespace and cannot be renamed",
    MODULE: "`{}` is the path of a file: rename the file instead",
    IMPORT: "`{}` cannot be renamed: its declaration was not found",
}
_VALUES = frozenset({VARIABLE, PARAMETER})
_CAPITAL = frozenset({STRUCT, ENUM})


def refuse(reason: str) -> NoReturn:
    """Refuse the request with a reason."""
    raise JsonRpcInvalidParams(reason, LSPErrorCodes.RequestFailed.value)


def place_of(document: Document, offset: int) -> str:
    """Return a place in the form `file:line:column`."""
    return f"{os.path.basename(document.path)}:{document.source.position(offset)}"


def check_symbol(symbol: Symbol) -> None:
    """Refuse to rename a symbol whose name is fixed."""
    document = symbol.document
    if symbol.kind in _FIXED or document is None or symbol.span is None:
        refuse(_FIXED.get(symbol.kind, "`{}` cannot be renamed").format(symbol.name))
    library = folder("stdlib") + os.sep
    if document.path.startswith(library):
        module = os.path.relpath(document.path, library).removesuffix(SUFFIX).replace(os.sep, "/")
        refuse(f"`{symbol.name}` belongs to {module} and cannot be renamed")
    if symbol.kind == PARAMETER and symbol.name == SELF:
        refuse(f"`{SELF}` is the receiver of a method and cannot be renamed")
    if symbol.kind == FIELD and any(isinstance(node, nodes.ShapeType) for node in document.way_to(symbol.span.start)):
        refuse(f"`{symbol.name}` is a key of dicts, and not all uses of it can be found")


def check_strings(symbol: Symbol) -> None:
    """Refuse to rename a tool that a string also names: models and policies refer to it by name."""
    document, tool = symbol.document, symbol.node
    if document is None or not isinstance(tool, nodes.ToolDecl):
        return
    for node in walk(document.module):
        is_string = isinstance(node, nodes.LiteralExpr) and node.kind == "string" and node.value == symbol.name
        if is_string and node is not tool.description:
            refuse(f"`{symbol.name}` is not renamed: a string at {place_of(document, node.start)} refers to it by name")


def check_name(symbol: Symbol, name: str) -> None:
    """Refuse a new name that is not valid for a symbol."""
    if not _NAME.fullmatch(name) or name == "_":
        refuse(
            f"`{name}` is not a valid name: a name consists of letters, digits and `_`, and does not start with a digit"
        )
    if name in KEYWORDS:
        refuse(f"`{name}` is a keyword")
    if symbol.kind in _CAPITAL and symbol.name[0].isupper() and not name[0].isupper():
        refuse(f"the name of {described(symbol)} must start with a capital letter")


def described(symbol: Symbol | None) -> str:
    """Describe a symbol by its kind, its name and the place of its declaration."""
    if symbol is None:
        return "an unknown symbol"
    if symbol.document is None or symbol.span is None or symbol.kind == BUILTIN:
        return f"the {symbol.kind} `{symbol.name}`"
    return f"the {symbol.kind} `{symbol.name}` declared at {place_of(symbol.document, symbol.span.start)}"


# Checks that every name keeps its meaning


def check_meanings(files: Workspace, family: Sequence[Symbol], renamed: Renamed) -> None:
    """Refuse a rename after which an occurrence of the old or new name would refer to another symbol."""
    after = Workspace(files.folders, units=files.units)
    documents = {document.path: document for document in (*files.open.values(), *renamed.documents)}
    for document in documents.values():
        after.opened(document.uri, renamed.text_of(document), document.version)
    _check_importers(files, family, renamed)
    for document in _affected_files(files, family, renamed):
        _check_meanings_in(files, after, document, family, renamed)


def _affected_files(files: Workspace, family: Sequence[Symbol], renamed: Renamed) -> list[Document]:
    """Return the files in which the rename may change the meaning of a name."""
    found = {document.path: document for document in renamed.documents}
    if any(crosses(symbol) for symbol in family):
        word = re.compile(rf"\b{re.escape(renamed.new)}\b")
        homes = {symbol.document.path for symbol in family if symbol.document is not None}
        for document in files.files():
            origins = brought_in(files, document).values() if word.search(document.text) else ()
            if any(origin.document.path in homes for origin in origins):
                found.setdefault(document.path, document)
    return list(found.values())


def _check_importers(files: Workspace, family: Sequence[Symbol], renamed: Renamed) -> None:
    """Refuse a new name that an importing file already declares or imports from elsewhere."""
    for symbol in family:
        for document in files.files() if crosses(symbol) else ():
            brought = brought_in(files, document)
            origin, other = brought.get(renamed.old), brought.get(renamed.new)
            if origin is None or origin.decl is not symbol.node:
                continue
            if other is not None:
                where = place_of(other.document, other.decl.name.start)
                refuse(f"`{renamed.new}` is taken: {os.path.basename(document.path)} also imports the one at {where}")
            binding = document.resolution.module_scope.names.get(renamed.new)
            if binding is not None:
                refuse(f"`{renamed.new}` is taken: it is declared at {place_of(document, binding.decl.start)}")


def _check_meanings_in(
    files: Workspace, after: Workspace, document: Document, family: Sequence[Symbol], renamed: Renamed
) -> None:
    other = after.file(document.path)
    if other is None:
        return
    for node, same in zip_longest(walk(document.module), walk(other.module)):
        if type(node) is not type(same):
            refuse(f"`{renamed.new}` would be parsed differently at {place_of(other, (same or node).start)}")
    _check_entry(document, other, renamed)
    before, then = Reading(files, thorough=True), Reading(after, thorough=True)
    for span in _name_spans(document, renamed):
        moved = renamed.moved(document, span.start)
        renames = renamed.covers(document, span.start)
        width = len(renamed.new) if renames else span.end - span.start
        spot = Spot(before, document, span)
        old = symbol_of(spot)
        if old is not None:
            _check_call(spot, old, family)
        new = symbol_of(Spot(then, other, Span(moved, moved + width)))
        if not _is_same(files, old, new, renamed):
            where = place_of(document, span.start)
            if renames:
                refuse(f"`{renamed.new}` is taken: at {where} it would mean {described(new)}")
            refuse(f"`{renamed.new}` is taken: at {where} it means {described(old)}")


def _check_call(spot: Spot, meant: Symbol, family: Sequence[Symbol]) -> None:
    """Refuse if an unknown value decides whether a call refers to a variable or to the function that it shadows."""
    call = spot.parent
    if meant.kind not in _VALUES or not isinstance(call, nodes.CallExpr) or call.callee is not spot.node:
        return
    hidden = [declared(spot.document, binding.decl) for binding in spot.resolution.hidden.get(spot.node, ())]
    origin = spot.reading.origin(spot.document, spot.name)
    beyond = [*hidden, *([declared(origin.document, origin.decl)] if origin is not None else ())]
    if meant.span is None or not beyond or spot.type_bound_at(meant.span.start) is not None:
        return
    if any(symbol.is_same(other) for symbol in family for other in (meant, *beyond)):
        where = place_of(spot.document, spot.span.start)
        refuse(f"`{meant.name}` is not renamed: at {where} it may mean the {meant.kind} or a function that it shadows")


def _check_entry(document: Document, other: Document, renamed: Renamed) -> None:
    """Refuse a new name that would make a run start with another pipeline."""
    entry, then = entry_of(document.module), entry_of(other.module)
    if entry is not None and then is not None and renamed.moved(document, entry.name.start) != then.name.start:
        refuse(f"`{renamed.old}` is not renamed: a run would start with the pipeline `{then.name.text}`")


def _name_spans(document: Document, renamed: Renamed) -> Iterator[Span]:
    words = re.compile(rf"\b(?:{re.escape(renamed.old.rpartition('.')[2])}|{re.escape(renamed.new)})\b")
    return (Span(*found.span()) for found in words.finditer(document.text))


def _is_same(files: Workspace, old: Symbol | None, new: Symbol | None, renamed: Renamed) -> bool:
    """Return whether a name refers to the same symbol before and after the rename."""
    if old is None or new is None or old.document is None or new.document is None:
        return (old and (old.kind, old.name)) == (new and (new.kind, new.name))
    if old.document.path != new.document.path or old.span is None or new.span is None:
        return False
    document = files.file(old.document.path) or old.document
    return renamed.moved(document, old.span.start) == new.span.start
