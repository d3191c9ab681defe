"""What all nodes are, and the pieces that many of them share.

A node's fields are its annotations, in order; `start` and `end` come first. Nodes are built in the parser's reduce
callbacks, so making one must be cheap: the metaclass writes a plain `__init__` over `__slots__`.
"""

from __future__ import annotations

from typing import Any, ClassVar, dataclass_transform

PLAIN = ("int", "str", "bool", "object", "ClassVar")
LISTS = ("list[", "Sequence[")


@dataclass_transform(eq_default=False)
class NodeMeta(type):
    """Turns the annotations of a node class into slots and an `__init__`.

    `fields` names all of them; `branches` those that hold nodes, and whether they hold a list of them.
    """

    def __new__(mcs, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> NodeMeta:
        """Make a node class of its annotations."""
        own = [field for field, kind in space.get("__annotations__", {}).items() if not kind.startswith("ClassVar")]
        inherited: tuple[str, ...] = next((base.fields for base in bases if isinstance(base, NodeMeta)), ())
        fields = (*inherited, *own)
        defaults = {field: space.pop(field) for field in own if field in space}
        arguments = ", ".join(f"{field}=_{field}" if field in defaults else field for field in fields)
        lines = "".join(f"\n    self.{field} = {field}" for field in fields)
        scope = {f"_{field}": value for field, value in defaults.items()}
        exec(f"def __init__(self, {arguments}):{lines}", scope)  # noqa: S102 - field names of this file, nothing else
        branches = [
            (field, kind.startswith(LISTS))
            for field, kind in space.get("__annotations__", {}).items()
            if not kind.startswith(PLAIN)
        ]
        space.update(__slots__=tuple(own), __init__=scope["__init__"], fields=fields, branches=tuple(branches))
        if branches:
            space["children"] = _children(branches)
        return super().__new__(mcs, name, bases, space)

    fields: tuple[str, ...]
    branches: tuple[tuple[str, bool], ...]


def _children(branches: list[tuple[str, bool]]) -> Any:  # noqa: ANN401 - a method that is written here
    """Write the method that returns the nodes below: every tool walks with it."""
    lines = "".join(
        f"\n    found += self.{field} or ()"
        if is_list
        else f"\n    if self.{field} is not None:\n        found.append(self.{field})"
        for field, is_list in branches
    )
    scope: dict[str, Any] = {}
    exec(f"def children(self):\n    found = []{lines}\n    return found", scope)  # noqa: S102 - likewise
    return scope["children"]


class Node(metaclass=NodeMeta):
    """A piece of the program between two offsets of its source."""

    fields: ClassVar[tuple[str, ...]]
    branches: ClassVar[tuple[tuple[str, bool], ...]]
    start: int
    end: int

    def children(self) -> list[Node]:
        """Return the nodes directly below, in the order of the fields."""
        return []

    def __repr__(self) -> str:
        values = ", ".join(f"{field}={getattr(self, field)!r}" for field in type(self).fields[2:])
        return f"{type(self).__name__}({values})"


class Stmt(Node):
    """A statement or declaration."""


class Expr(Node):
    """Something with a value."""


class TypeExpr(Node):
    """A type as written."""


class Pattern(Node):
    """What a binding takes apart."""


class MatchPattern(Node):
    """What an arm of a match looks for."""


class Ident(Node):
    """A name where it is declared, bound, or looked up after a dot."""

    text: str


class Block(Node):
    """Statements between braces."""

    statements: list[Stmt]


class Module(Node):
    """A whole file."""

    statements: list[Stmt]


class AttributeArg(Node):
    """One argument of an attribute; the value is a Python value (lists for lists, a string for a bare name)."""

    key: str | None
    value: object


class Attribute(Node):
    """`@name(args)` before a declaration."""

    name: Ident
    args: list[AttributeArg]


class TypeParam(Node):
    """`T`, `in T` or `out T`."""

    name: Ident
    variance: str | None = None


class WhereBound(Node):
    """`T: I` after `where`."""

    param: Ident
    bound: TypeExpr


class Param(Node):
    """A parameter of anything callable."""

    name: Ident
    type: TypeExpr | None = None
    default: Expr | None = None
    rest: bool = False


class Field(Node):
    """`name: T` or `name?: T` in a struct, an enum variant or a shape; in a variant the type may be missing."""

    name: Ident
    type: TypeExpr | None
    optional: bool = False
