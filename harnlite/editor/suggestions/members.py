"""Suggestions after a dot: members of namespaces, of known types, and of dicts with known keys."""

from __future__ import annotations

from harnlite.analysis.builtins.declarations import GLOBAL_VALUES
from harnlite.analysis.builtins.methods import METHODS, PROPERTIES
from harnlite.analysis.builtins.signatures import method_text, signature_text
from harnlite.analysis.checking.method_calls import table_name
from harnlite.analysis.types.annotations import (
    RESULT,
    enum_variants,
    expand,
    interface_methods,
    method_signature,
    struct_fields,
)
from harnlite.analysis.types.nominal import EnumInfo, InterfaceInfo, StructInfo
from harnlite.analysis.types.representation import ANY, NIL, Applied, Base, Nominal, Parameter, Shape, Union, text
from harnlite.editor.names.wording import doc_of, is_deprecated, line_of
from harnlite.editor.suggestions.suggestion import BUILTIN, MEMBER, Kind, Suggestion
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harnlite.analysis.types.representation import Type
    from harnlite.editor.suggestions.glimpse import Glimpse

_READ = (nodes.PropertyExpr, nodes.MethodCallExpr)
_UNKNOWN = frozenset({None, ANY})


def members_at(glimpse: Glimpse) -> Iterator[Suggestion]:
    """Yield the suggestions after the dot before the cursor."""
    path = glimpse.place.path
    enum = enum_named(glimpse, path)
    if enum is not None:
        yield from variants_of(enum)
        return
    binding = glimpse.sight.names.get(path)
    if path == RESULT.name and binding is None:
        yield from variants_of(RESULT)
        return
    if path in glimpse.files.declarations.namespaces:
        yield from namespace_members(glimpse, path)
        if binding is None:
            return
    receiver = next((node.receiver for node in reversed(glimpse.way) if isinstance(node, _READ)), None)
    kind = None if receiver is None else glimpse.type_of(receiver)
    yield from members_of(kind)
    if expand(kind) in _UNKNOWN and not _is_undefined(glimpse, receiver):
        yield from _any_methods(METHODS)


def _is_undefined(glimpse: Glimpse, receiver: nodes.Expr | None) -> bool:
    """Return whether the receiver is an undefined name."""
    return isinstance(receiver, nodes.NameExpr) and receiver.name not in {*glimpse.sight.names, *GLOBAL_VALUES}


def enum_named(glimpse: Glimpse, name: str) -> EnumInfo | None:
    """Return the enum that a name refers to at the cursor."""
    if not name:
        return None
    binding = glimpse.sight.names.get(name)
    return binding.info if binding is not None and isinstance(binding.info, EnumInfo) else None


def variants_of(info: EnumInfo, prefix: str = "") -> Iterator[Suggestion]:
    """Yield the variants of an enum; with a prefix, in the form of a pattern."""
    for variant in enum_variants(info).values():
        names = ", ".join(name for name, _kind in variant.fields)
        fields = ", ".join(f"{name}: {text(kind)}" if kind is not None else name for name, kind in variant.fields)
        detail = f"{info.name}.{variant.name}" + (f"({fields})" if fields else "")
        label = f"{prefix}{variant.name}" + (f"({names})" if prefix and names else "")
        yield Suggestion(label, Kind.EnumMember, MEMBER, detail=detail)


def namespace_members(glimpse: Glimpse, namespace: str) -> Iterator[Suggestion]:
    """Yield the builtins of a namespace."""
    declarations = glimpse.files.declarations
    for name in declarations.members(namespace):
        detail = signature_text(name, declarations)
        yield Suggestion(name[len(namespace) + 1 :], Kind.Function, MEMBER, detail=detail, data={"builtin": name})


def members_of(kind: Type | None) -> Iterator[Suggestion]:
    """Yield the fields and methods of a type."""
    kind = expand(kind)
    if isinstance(kind, Union):
        for member in kind.members:
            if member is not NIL:
                yield from members_of(member)
    elif isinstance(kind, Nominal):
        yield from _nominal(kind)
    elif isinstance(kind, Parameter):
        if kind.bound is not None:
            yield from members_of(kind.bound)
    elif kind is not None:
        yield from _structural(kind)


def _nominal(kind: Nominal) -> Iterator[Suggestion]:
    info = kind.info
    if isinstance(info, EnumInfo):
        yield Suggestion("variant", Kind.Property, MEMBER, detail="string", doc="The name of the variant.")
        yield Suggestion("fields", Kind.Property, MEMBER, detail="list", doc="The values of the variant's fields.")
    elif isinstance(info, StructInfo):
        for field in struct_fields(info).values():
            yield Suggestion(field.name, Kind.Field, MEMBER, detail=text(field.type))
        for method in info.methods.values():
            made = Suggestion(method.decl.name.text, Kind.Method, MEMBER, doc=doc_of(method.decl))
            made.detail = method_text(method_signature(method), skip=1)
            made.deprecated = is_deprecated(method.decl)
            yield made
    elif isinstance(info, InterfaceInfo):
        interface_methods(info)
        for decl in info.decl.methods:
            yield Suggestion(
                decl.name.text, Kind.Method, MEMBER, detail=line_of(decl, info.source.text), doc=doc_of(decl)
            )


def _structural(kind: Type) -> Iterator[Suggestion]:
    if isinstance(kind, Shape):
        for field in kind.fields.values():
            if field.name.isidentifier():
                yield Suggestion(field.name, Kind.Field, MEMBER, detail=text(field.type))
    name = table_name(kind)
    if name is None:
        name = kind.name if isinstance(kind, (Base, Applied)) else ""
    for label, result in PROPERTIES.get(name, {}).items():
        yield Suggestion(label, Kind.Property, MEMBER, detail=text(result))
    yield from _methods(name)


def _methods(name: str) -> Iterator[Suggestion]:
    for label, head in METHODS.get(name, {}).items():
        yield Suggestion(label, Kind.Method, MEMBER + 1, detail=f"{name}.{method_text(head)}")


def _any_methods(names: Iterable[str]) -> Iterator[Suggestion]:
    """Yield the methods of several types, each name once with all its types."""
    owners: dict[str, list[str]] = {}
    for name in names:
        for label in METHODS[name]:
            owners.setdefault(label, []).append(name)
    for label, types in owners.items():
        yield Suggestion(label, Kind.Method, BUILTIN, detail=", ".join(types))


def value_of(glimpse: Glimpse, name: str) -> nodes.Expr | None:
    """Return the value of the last binding of a name in the blocks around the cursor."""
    blocks = [node.statements for node in reversed(glimpse.way) if isinstance(node, nodes.Block)]
    for statements in (*blocks, glimpse.noter.tree):
        for statement in reversed(statements):
            found = _bound_to(statement, name) if statement.end <= glimpse.place.start else None
            if found is not None:
                return found
    return None


def _bound_to(statement: nodes.Stmt, name: str) -> nodes.Expr | None:
    if isinstance(statement, nodes.LetStmt) and isinstance(statement.pattern, nodes.NamePattern):
        return statement.value if statement.pattern.name == name else None
    return None
