"""The nodes of a parsed template: plain classes, since a program that renders pays for what they import."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from harnlite.template_language.errors import Place

    Scalar: TypeAlias = str | int | float | bool | None
    Expression: TypeAlias = "Literal | Path | Not | Logic | Comparison | Filtered"
    Node: TypeAlias = "Text | Bare | Insert | If | For | Include"


class Literal:
    """A number, a string, true, false or nil."""

    __slots__ = ("value",)

    def __init__(self, value: Scalar) -> None:
        self.value = value


class Path:
    """A name and the keys and indexes after it; `spans` are the offsets of each in the text of the template."""

    __slots__ = ("name", "spans", "steps")

    def __init__(self, name: str, steps: tuple[str | int, ...], spans: tuple[tuple[int, int], ...]) -> None:
        self.name = name
        self.steps = steps
        self.spans = spans


class Not:
    """`not a`."""

    __slots__ = ("operand",)

    def __init__(self, operand: Expression) -> None:
        self.operand = operand


class Logic:
    """Operands between `and`, or between `or`; the operand that decides is the value."""

    __slots__ = ("is_or", "operands")

    def __init__(self, operands: tuple[Expression, ...], *, is_or: bool) -> None:
        self.operands = operands
        self.is_or = is_or


class Comparison:
    """`a == b` and the other comparisons; the operator is the name of its token."""

    __slots__ = ("left", "operator", "right")

    def __init__(self, operator: str, left: Expression, right: Expression) -> None:
        self.operator = operator
        self.left = left
        self.right = right


class Filtered:
    """`value | name: argument, …`; the name and the number of arguments are valid."""

    __slots__ = ("arguments", "name", "place", "value")

    def __init__(self, value: Expression, name: str, arguments: tuple[Expression, ...], place: Place) -> None:
        self.value = value
        self.name = name
        self.arguments = arguments
        self.place = place


class Text:
    """Text that is copied."""

    __slots__ = ("place", "text")

    def __init__(self, text: str, place: Place) -> None:
        self.text = text
        self.place = place


class Bare:
    """`{{name}}`, which is written back if the name is not bound."""

    __slots__ = ("path", "place")

    def __init__(self, path: Path, place: Place) -> None:
        self.path = path
        self.place = place


class Insert:
    """The text of any other expression."""

    __slots__ = ("place", "value")

    def __init__(self, value: Expression, place: Place) -> None:
        self.value = value
        self.place = place


class If:
    """`if`, `elif` and `else`: the conditions with their bodies, and the body of `else`."""

    __slots__ = ("branches", "otherwise", "place")

    def __init__(self, place: Place) -> None:
        self.branches: list[tuple[Expression, list[Node]]] = []
        self.otherwise: list[Node] = []
        self.place = place


class For:
    """A loop with one name or two, and the body of `else`, for a value without items."""

    __slots__ = ("body", "names", "otherwise", "place", "source")

    def __init__(self, names: tuple[str, ...], source: Expression, place: Place) -> None:
        self.names = names
        self.source = source
        self.body: list[Node] = []
        self.otherwise: list[Node] = []
        self.place = place


class Include:
    """Another template at this position, and the names that only it sees."""

    __slots__ = ("bindings", "place", "target")

    def __init__(self, target: Expression, bindings: tuple[tuple[str, Expression], ...], place: Place) -> None:
        self.target = target
        self.bindings = bindings
        self.place = place
