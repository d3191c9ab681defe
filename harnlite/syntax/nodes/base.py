"""The base classes of all nodes, and the nodes that many constructs share.

The fields of a node are its annotations, in order, with `start` and `end` first. The parser's reduce callbacks build
nodes, so construction must be cheap: each class has a plain `__init__` over `__slots__`. It is generated when the first
node of the class is created, and `children` is generated on its first call, because most programs need only a few of
the classes.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar, TypeVar, dataclass_transform

    T = TypeVar("T")
else:

    def dataclass_transform(**_options: object) -> Callable[[T], T]:
        """Return a decorator that changes nothing; importing `typing` takes longer than importing this package."""
        return lambda declared: declared


_UNSLOTTED = ("__dict__", "__weakref__")
PLAIN = ("int", "str", "bool", "object", "ClassVar")
LISTS = ("list[", "Sequence[")


@dataclass_transform(eq_default=False)
def node(declared: type[T]) -> type[T]:
    """Create a node class from annotations; a metaclass would do the same, but it would slow down each `isinstance`.

    `fields` lists all fields, `branches` the fields that hold nodes, with their types, and `places` the fields other
    than `start` and `end` that hold an offset.
    """
    space: dict[str, Any] = {name: value for name, value in vars(declared).items() if name not in _UNSLOTTED}
    kinds: dict[str, str] = space.get("__annotations__", {})
    own = tuple(field for field, kind in kinds.items() if not kind.startswith("ClassVar"))
    fields = (*getattr(declared, "fields", ()), *own)
    space.update(
        __slots__=own,
        __init__=_first,
        fields=fields,
        defaults={field: space.pop(field) for field in own if field in space},
        branches={field: kind for field, kind in kinds.items() if not kind.startswith(PLAIN)},
        places=tuple(field for field in fields if field.endswith("_start")),
    )
    if space["branches"]:
        space["children"] = _first_children
    return type(declared.__name__, declared.__bases__, space)


def _first(self: Node, *values: Any, **named: Any) -> None:  # noqa: ANN401 - fields of any type
    """Generate the `__init__` of a class, and initialise its first node."""
    kind = type(self)
    defaults = {f"_{field}": value for field, value in kind.defaults.items()}
    arguments = ", ".join(f"{field}=_{field}" if field in kind.defaults else field for field in kind.fields)
    body = "\n    ".join(f"self.{field} = {field}" for field in kind.fields)
    kind.__init__ = _written(f"def __init__(self, {arguments}):\n    {body}", defaults)  # type: ignore[method-assign]  # each class gets its own when it is first made
    kind.__init__(self, *values, **named)


def _first_children(self: Node) -> list[Node]:
    """Generate the `children` method of a class, and call it."""
    kind = type(self)
    items = ", ".join(_item(f"self.{field}", written) for field, written in kind.branches.items())
    kind.children = _written(f"def children(self):\n    return [{items}]", {})  # type: ignore[method-assign]  # each class gets its own when it is first used
    return kind.children(self)


def _item(field: str, kind: str) -> str:
    """Return the Python text for a field as an item of a list of nodes."""
    may_miss = kind.endswith("None")
    if kind.startswith(LISTS):
        return f"*({field} or ())" if may_miss else f"*{field}"
    return f"*(() if {field} is None else ({field},))" if may_miss else field


def _written(text: str, scope: dict[str, Any]) -> Any:  # noqa: ANN401 - a generated method
    exec(text, scope)  # noqa: S102 - only field names of this package
    return scope[text[len("def ") : text.index("(")]]


@node
class Node:
    """A piece of the program between two offsets of its source."""

    fields: ClassVar[tuple[str, ...]]
    defaults: ClassVar[dict[str, Any]]
    branches: ClassVar[dict[str, str]]
    places: ClassVar[tuple[str, ...]]
    start: int
    end: int

    def children(self) -> list[Node]:
        """Return the direct children, in the order of the fields."""
        return []

    def __repr__(self) -> str:
        values = ", ".join(f"{field}={getattr(self, field)!r}" for field in type(self).fields[2:])
        return f"{type(self).__name__}({values})"


@node
class Stmt(Node):
    """A statement or declaration."""


@node
class Expr(Node):
    """An expression."""


@node
class TypeExpr(Node):
    """A type as it is written."""


@node
class Pattern(Node):
    """A pattern of a binding."""


@node
class MatchPattern(Node):
    """A pattern of a match arm."""


@node
class Ident(Node):
    """A name that is declared, bound or looked up after a dot."""

    text: str


@node
class Block(Node):
    """Statements between braces."""

    statements: list[Stmt]


@node
class Module(Node):
    """A whole file."""

    statements: list[Stmt]


@node
class AttributeArg(Node):
    """One argument of an attribute; the value is a Python value (lists for lists, a string for a bare name)."""

    key: str | None
    value: object


@node
class Attribute(Node):
    """`@name(args)` before a declaration."""

    name: Ident
    args: list[AttributeArg]


@node
class TypeParam(Node):
    """`T`, `in T` or `out T`."""

    name: Ident
    variance: str | None = None


@node
class WhereBound(Node):
    """`T: I` after `where`."""

    param: Ident
    bound: TypeExpr


@node
class Param(Node):
    """A parameter of anything callable."""

    name: Ident
    type: TypeExpr | None = None
    default: Expr | None = None
    rest: bool = False


@node
class Field(Node):
    """`name: T` or `name?: T` in a struct, an enum variant or a shape; in a variant the type may be missing."""

    name: Ident
    type: TypeExpr | None
    optional: bool = False
