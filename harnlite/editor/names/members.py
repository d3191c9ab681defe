"""Members of values: the fields and methods of structs and interfaces, and the entries of named shapes."""

from __future__ import annotations

from harnlite.analysis.types.annotations import expand
from harnlite.analysis.types.nominal import InterfaceInfo, StructInfo
from harnlite.analysis.types.representation import ANY, NIL, UNKNOWN, Alias, Nominal, Parameter, Union
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.analysis.types.representation import Type
    from harnlite.diagnostics.source import Source


class Member:
    """A declared field or method: its node, its source text, and the name of its owner."""

    __slots__ = ("node", "owner", "source")

    def __init__(self, node: nodes.Node, source: Source, owner: str) -> None:
        self.node = node
        self.source = source
        self.owner = owner


def member_of(kind: Type | None, name: str) -> Member | None:
    """Return the member with a name that every value of a type has; None if several declarations are possible."""
    found = list(_members(kind, name))
    first = found[0] if found else None
    if first is None or any(other is None or other.node is not first.node for other in found):
        return None
    return first


def possible_members(kind: Type | None, name: str) -> list[Member]:
    """Return all members with a name that a value of a type may have."""
    return [member for member in _members(kind, name) if member is not None]


def _members(kind: Type | None, name: str) -> Iterator[Member | None]:
    """Yield, for each possible type of a value, the member with a name, or None if the type has no such member."""
    if isinstance(kind, Alias):
        body = kind.info.decl.type
        if isinstance(body, nodes.ShapeType):
            yield _field(body.members, name, kind.info.source, kind.info.name)
        else:
            yield from _members(expand(kind), name)
    elif isinstance(kind, Union):
        for member in kind.members:
            if member is not NIL:
                yield from _members(member, name)
    elif isinstance(kind, Parameter) and kind.bound is not None:
        yield from _members(kind.bound, name)
    elif isinstance(kind, Nominal) and isinstance(kind.info, StructInfo):
        info = kind.info
        method = info.methods.get(name)
        if method is not None:
            yield Member(method.decl, method.source, info.name)
        else:
            yield _field(info.decl.members, name, info.source, info.name)
    elif isinstance(kind, Nominal) and isinstance(kind.info, InterfaceInfo):
        methods = (node for node in kind.info.decl.methods if node.name.text == name)
        yield next((Member(node, kind.info.source, kind.info.name) for node in methods), None)
    else:
        yield None


def _field(fields: list[nodes.Field], name: str, source: Source, owner: str) -> Member | None:
    return next((Member(field, source, owner) for field in fields if field.name.text == name), None)


def may_have(kind: Type | None, name: str, node: nodes.Node) -> bool:
    """Return whether a value of a type may have the member that a node declares."""
    if _is_open(kind):
        return True
    return any(member is not None and member.node is node for member in _members(kind, name))


def _is_open(kind: Type | None) -> bool:
    """Return whether a type is unknown, or a union with an unknown member."""
    if isinstance(kind, Union):
        return any(_is_open(member) for member in kind.members)
    return kind is None or kind in {ANY, UNKNOWN} or (isinstance(kind, Parameter) and kind.bound is None)
