"""Check that type parameters marked `in` or `out` appear only in positions that the mark allows."""

from __future__ import annotations

from harnlite.analysis.types.environment import lookup_type
from harnlite.analysis.types.representation import Parameter
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from harnlite.analysis.types.environment import Scope

OUT, IN, BOTH = 1, -1, 0
_WORDS = {OUT: "a covariant", IN: "a contravariant", BOTH: "an invariant"}
_MARKS = {"out": OUT, "in": IN}
_MARK_WORDS = {"out": "covariant", "in": "contravariant"}
_COVARIANT = frozenset({"iter", "Generator", "Stream", "Result"})


def variance_faults(node: nodes.Decl, scope: Scope) -> Iterator[tuple[nodes.NamedType, str]]:
    """Yield each appearance of a type parameter that contradicts its mark, with the error message."""
    params: Sequence[nodes.TypeParam] = getattr(node, "type_params", ())
    marked = {param.name.text: param for param in params if param.variance is not None}
    if not marked:
        return
    kind, positions = _POSITIONS[node.__class__]
    for start, polarity in positions(node):
        for found, where in _appearances(start, polarity, scope):
            param = marked.get(found.name)
            if param is None or param.variance is None or where == _MARKS[param.variance]:
                continue
            mark = param.variance
            declared = f"type parameter '{found.name}' is declared '{mark}' ({_MARK_WORDS[mark]})"
            yield found, f"{declared} but appears in {_WORDS[where]} position in {kind} '{_name(node)}'"


def _name(node: nodes.Decl) -> str:
    name = getattr(node, "name", None)
    return name.text if isinstance(name, nodes.Ident) else ""


def _function_positions(node: nodes.FnDecl) -> Iterator[tuple[nodes.TypeExpr | None, int]]:
    for param in node.params:
        yield param.type, IN
    yield node.return_type, OUT


def _struct_positions(node: nodes.StructDecl) -> Iterator[tuple[nodes.TypeExpr | None, int]]:
    for member in node.members:
        yield member.type, OUT


def _enum_positions(node: nodes.EnumDecl) -> Iterator[tuple[nodes.TypeExpr | None, int]]:
    for variant in node.variants:
        for member in variant.members:
            yield member.type, OUT


def _interface_positions(node: nodes.InterfaceDecl) -> Iterator[tuple[nodes.TypeExpr | None, int]]:
    for method in node.methods:
        yield from _function_positions(method)


def _alias_positions(node: nodes.TypeDecl) -> Iterator[tuple[nodes.TypeExpr | None, int]]:
    yield node.type, OUT


_POSITIONS: dict[type, tuple[str, Callable[..., Iterator[tuple[nodes.TypeExpr | None, int]]]]] = {
    nodes.FnDecl: ("function", _function_positions),
    nodes.StructDecl: ("struct", _struct_positions),
    nodes.EnumDecl: ("enum", _enum_positions),
    nodes.InterfaceDecl: ("interface", _interface_positions),
    nodes.TypeDecl: ("type alias", _alias_positions),
}


def _appearances(node: nodes.TypeExpr | None, polarity: int, scope: Scope) -> Iterator[tuple[nodes.NamedType, int]]:
    """Yield every name in a type with the variance of its position."""
    if isinstance(node, nodes.NamedType):
        yield node, polarity
        marks = _argument_marks(node, scope)
        for i, arg in enumerate(node.args):
            yield from _appearances(arg, polarity * (marks[i] if i < len(marks) else BOTH), scope)
    elif isinstance(node, nodes.ShapeType):
        for member in node.members:
            yield from _appearances(member.type, polarity, scope)
    elif isinstance(node, nodes.UnionType):
        for one in node.members:
            yield from _appearances(one, polarity, scope)
    elif isinstance(node, nodes.FnType):
        for param in node.params:
            yield from _appearances(param, -polarity, scope)
        yield from _appearances(node.result, polarity, scope)


def _argument_marks(node: nodes.NamedType, scope: Scope) -> list[int]:
    if not node.args:
        return []
    info = lookup_type(scope, node.name)
    if info is None or isinstance(info, Parameter):
        return [OUT, OUT] if node.name in _COVARIANT else []
    if info.decl is None:
        return [OUT, OUT]
    return [_MARKS.get(param.variance or "", BOTH) for param in info.decl.type_params]
