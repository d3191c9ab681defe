"""Types as they are written."""

from __future__ import annotations

from harnlite.syntax.nodes.base import TypeExpr, node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.syntax.nodes.base import Field


@node
class NamedType(TypeExpr):
    """`int`, `Point` or `dict<string, int>`; `[int]` is `list<int>`; `nil`, `any`, `unknown` and `never` are names."""

    name: str
    args: list[TypeExpr]


@node
class LiteralType(TypeExpr):
    """`"a"`, `-1` or `true`; the kind is string, int, float or bool."""

    value: object
    kind: str


@node
class ShapeType(TypeExpr):
    """`{name: string, age?: int}`."""

    members: list[Field]


@node
class UnionType(TypeExpr):
    """`A | B`."""

    members: list[TypeExpr]


@node
class FnType(TypeExpr):
    """`fn(int) -> bool`; the result may be missing."""

    params: list[TypeExpr]
    result: TypeExpr | None
