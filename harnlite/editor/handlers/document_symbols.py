"""Document symbols: the declarations of a file, with the declarations nested in them."""

from __future__ import annotations

from lsprotocol import types

from harnlite.analysis.types.hoisting import pattern_names
from harnlite.editor.names.wording import call_text, is_deprecated, written
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace

    Symbols = Iterator[types.DocumentSymbol]

_NAMELESS = "?"


def document_symbols(files: Workspace, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    """Return the declarations of a file as a tree."""
    document = files.document(params.text_document.uri)
    return list(_Outline(document).of(document.module.statements))


class _Outline:
    """The outline of a file."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.text = document.text

    def of(self, found: Sequence[nodes.Node]) -> Symbols:
        """Yield the symbols that some nodes declare."""
        for node in found:
            describe = _DESCRIBERS.get(type(node))
            if describe is not None:
                yield from describe(self, node)

    def symbol(
        self,
        node: nodes.Node,
        name: nodes.Ident,
        kind: types.SymbolKind,
        *,
        label: str = "",
        detail: str = "",
        below: Symbols | None = None,
    ) -> types.DocumentSymbol:
        """Return one symbol; a declaration without a name gets a placeholder."""
        inside = node.start <= name.start and name.end <= node.end
        return types.DocumentSymbol(
            label or name.text or _NAMELESS,
            kind,
            self.document.range(node),
            self.document.range(name if inside else node),
            detail=detail or None,
            tags=[types.SymbolTag.Deprecated] if is_deprecated(node) else None,
            children=list(below) if below is not None else None,
        )

    def inner(self, body: nodes.Node | None) -> Symbols:
        """Yield the outermost declarations in a body; deeper declarations become their children."""
        pending = [] if body is None else [body]
        while pending:
            node = pending.pop()
            if isinstance(node, nodes.Decl):
                yield from self.of([node])
            else:
                pending += reversed(node.children())


def _callable(o: _Outline, node: nodes.FnDecl | nodes.PipelineDecl | nodes.ToolDecl | nodes.OverrideDecl) -> Symbols:
    detail = call_text(node, o.text)
    yield o.symbol(node, node.name, types.SymbolKind.Function, detail=detail, below=o.inner(node.body))


def _method(o: _Outline, node: nodes.FnDecl) -> types.DocumentSymbol:
    detail = call_text(node, o.text)
    return o.symbol(node, node.name, types.SymbolKind.Method, detail=detail, below=o.inner(node.body))


def _impl(o: _Outline, node: nodes.ImplDecl) -> Symbols:
    below = (_method(o, method) for method in node.methods)
    yield o.symbol(node, node.name, types.SymbolKind.Object, label=f"impl {node.name.text}", below=below)


def _interface(o: _Outline, node: nodes.InterfaceDecl) -> Symbols:
    found: tuple[nodes.AssociatedType | nodes.FnDecl, ...] = (*node.associated, *node.methods)
    members = sorted(found, key=lambda member: member.start)
    below = (
        _method(o, one) if isinstance(one, nodes.FnDecl) else o.symbol(one, one.name, types.SymbolKind.TypeParameter)
        for one in members
    )
    yield o.symbol(node, node.name, types.SymbolKind.Interface, below=below)


def _struct(o: _Outline, node: nodes.StructDecl) -> Symbols:
    below = (
        o.symbol(field, field.name, types.SymbolKind.Field, detail=written(field.type, o.text) if field.type else "")
        for field in node.members
    )
    yield o.symbol(node, node.name, types.SymbolKind.Struct, below=below)


def _enum(o: _Outline, node: nodes.EnumDecl) -> Symbols:
    below = (
        o.symbol(
            variant,
            variant.name,
            types.SymbolKind.EnumMember,
            detail=o.text[variant.name.end : variant.end] if variant.members else "",
        )
        for variant in node.variants
    )
    yield o.symbol(node, node.name, types.SymbolKind.Enum, below=below)


def _type(o: _Outline, node: nodes.TypeDecl) -> Symbols:
    yield o.symbol(node, node.name, types.SymbolKind.Class, detail=written(node.type, o.text))


def _skill(o: _Outline, node: nodes.SkillDecl) -> Symbols:
    below = (o.symbol(member, member.name, types.SymbolKind.Property) for member in node.members)
    yield o.symbol(node, node.name, types.SymbolKind.Module, detail="skill", below=below)


def _let(o: _Outline, node: nodes.LetStmt) -> Symbols:
    kind = types.SymbolKind.Constant if node.kind == "const" else types.SymbolKind.Variable
    detail = written(node.type, o.text) if node.type is not None else ""
    if isinstance(node.value, nodes.ClosureExpr):
        kind, detail = types.SymbolKind.Function, call_text(node.value, o.text)
    names = [name for name in pattern_names(node.pattern) if name.text not in ("_", "")]
    for name in names:
        below = o.inner(node.value) if len(names) == 1 else None
        yield o.symbol(node if len(names) == 1 else name, name, kind, detail=detail, below=below)


_DESCRIBERS: dict[type[nodes.Node], Callable[[_Outline, Any], Symbols]] = {
    nodes.FnDecl: _callable,
    nodes.PipelineDecl: _callable,
    nodes.OverrideDecl: _callable,
    nodes.ToolDecl: _callable,
    nodes.ImplDecl: _impl,
    nodes.InterfaceDecl: _interface,
    nodes.StructDecl: _struct,
    nodes.EnumDecl: _enum,
    nodes.TypeDecl: _type,
    nodes.SkillDecl: _skill,
    nodes.LetStmt: _let,
    nodes.ExprStmt: lambda o, node: o.inner(node),
}
