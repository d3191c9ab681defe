"""Checks that refuse to rename a field, method or variant whose uses are uncertain or whose new name is taken."""

from __future__ import annotations

import re

from harnlite.diagnostics.source import Span
from harnlite.editor.names.members import may_have
from harnlite.editor.names.modules import brought_in
from harnlite.editor.names.occurrences import occurrences
from harnlite.editor.names.spots import Reading, Spot
from harnlite.editor.names.symbols import (
    BUILTIN,
    ENUM,
    FIELD,
    METHOD,
    NAMESPACE,
    VARIANT,
    declared,
    symbol_in,
    symbol_of,
)
from harnlite.editor.renames.checks import place_of, refuse
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.editor.names.symbols import Symbol
    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace

_MEMBERS = frozenset({FIELD, METHOD, VARIANT})


def check_members(files: Workspace, symbol: Symbol, name: str) -> None:
    """Refuse to rename a member to the name of another one, or where not all of its uses can be found."""
    if symbol.kind not in _MEMBERS or symbol.document is None or symbol.span is None:
        return
    around = symbol.document.way_to(symbol.span.start)
    owner = next((node for node in reversed(around) if isinstance(node, _OWNERS) and node is not symbol.node), None)
    if owner is None:
        return
    for ident in _names_in(symbol.document, owner):
        if ident.text == name:
            where = place_of(symbol.document, ident.start)
            refuse(f"`{name}` is taken: `{symbol.container}` already has a member with this name at {where}")
    if isinstance(owner, (nodes.StructDecl, nodes.ImplDecl, nodes.InterfaceDecl)):
        for document in _file_and_importers(files, symbol.document):
            _check_uses(Reading(files, thorough=True), symbol, document)
    if isinstance(owner, nodes.StructDecl):
        _check_constructions(files, symbol, symbol.document, owner)


_OWNERS = (nodes.StructDecl, nodes.ImplDecl, nodes.InterfaceDecl, nodes.EnumDecl, nodes.Variant)


def _names_in(document: Document, owner: nodes.Node) -> Iterator[nodes.Ident]:
    """Yield the names of all members of an owner."""
    if isinstance(owner, (nodes.StructDecl, nodes.ImplDecl)):
        for node in document.module.statements:
            if isinstance(node, (nodes.StructDecl, nodes.ImplDecl)) and node.name.text == owner.name.text:
                members = node.members if isinstance(node, nodes.StructDecl) else node.methods
                yield from (member.name for member in members)
    else:
        fields = ("variants", "methods", "associated") if not isinstance(owner, nodes.Variant) else ("members",)
        for field in fields:
            yield from (member.name for member in getattr(owner, field, ()))


def _file_and_importers(files: Workspace, home: Document) -> Iterator[Document]:
    """Yield a file and the files that import something from it."""
    yield home
    for document in files.files():
        origins = brought_in(files, document).values() if document is not home else ()
        if any(origin.document is home for origin in origins):
            yield document


def _check_uses(reading: Reading, symbol: Symbol, document: Document) -> None:
    for found in re.finditer(rf"\b{re.escape(symbol.name)}\b", document.text):
        spot = Spot(reading, document, Span(*found.span()))
        where = place_of(document, spot.span.start)
        if symbol.kind == FIELD and isinstance(spot.parent, nodes.Field) and isinstance(spot.around, nodes.ShapeType):
            refuse(f"`{symbol.name}` is not renamed: `{symbol.container}` may be used as the shape at {where}")
        if symbol.node is not None and _may_mean(spot, symbol.node):
            refuse(f"`{symbol.name}` is not renamed: at {where} it may or may not be the one of `{symbol.container}`")


def _may_mean(spot: Spot, member: nodes.Node) -> bool:
    """Return whether a name after a dot, or a subscript, may refer to the member although that is not certain."""
    receiver = _receiver(spot)
    if receiver is None or symbol_of(spot) is not None:
        return False
    if isinstance(receiver, nodes.NameExpr):
        owner = symbol_in(spot.reading, spot.document, receiver)
        if owner is not None and owner.kind in {ENUM, NAMESPACE, BUILTIN}:
            return False
    return may_have(spot.type_of(receiver), spot.name, member)


def _receiver(spot: Spot) -> nodes.Expr | None:
    """Return the value on which a member is accessed, if any."""
    parent = spot.parent
    if isinstance(parent, (nodes.PropertyExpr, nodes.MethodCallExpr)) and spot.node is parent.name:
        return parent.receiver
    if isinstance(parent, nodes.IndexExpr) and isinstance(spot.node, nodes.LiteralExpr):
        return parent.receiver if spot.node is parent.index and spot.node.value == spot.name else None
    return None


def _check_constructions(files: Workspace, symbol: Symbol, document: Document, owner: nodes.StructDecl) -> None:
    """Refuse if a struct is constructed from a dict whose keys are not literal."""
    struct = declared(document, owner)
    if struct is None:
        return
    for found in occurrences(files, struct, document, everywhere=True):
        node, parent = found.way[-1], found.parent
        entries = None
        if isinstance(parent, nodes.StructExpr):
            entries = parent.entries
        elif isinstance(parent, nodes.CallExpr) and node is parent.callee and len(parent.args) == 1:
            entries = parent.args[0].entries if isinstance(parent.args[0], nodes.DictExpr) else None
        elif not isinstance(node, nodes.NameExpr):
            continue
        if entries is None or any(isinstance(entry, nodes.SpreadExpr) for entry in entries):
            where = place_of(found.document, found.span.start)
            refuse(f"`{symbol.name}` is not renamed: the keys passed to `{owner.name.text}` at {where} are not known")
