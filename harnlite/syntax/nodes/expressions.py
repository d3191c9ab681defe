"""Expressions."""

from __future__ import annotations

from harnlite.syntax.nodes.base import Expr, Node, node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.syntax.nodes.base import Block, Ident, MatchPattern, Param, TypeExpr


@node
class LiteralExpr(Expr):
    """A literal of kind nil, bool, int, float, string or duration; the value of a duration is in milliseconds."""

    value: object
    kind: str


@node
class TemplateExpr(Expr):
    """A string with interpolations; its parts are string LiteralExprs and other expressions."""

    parts: list[Expr]


@node
class NameExpr(Expr):
    """The read of a name; `_` in a pipe is the piped value."""

    name: str


@node
class SpreadExpr(Expr):
    """`...xs` in a list, a dict or a call."""

    value: Expr


@node
class ListExpr(Expr):
    """`[1, ...xs]`."""

    items: list[Expr]


@node
class DictEntry(Node):
    """`key: value`; a plain key is a string LiteralExpr, a computed key (`[k]: v`) is any expression."""

    key: Expr
    value: Expr
    computed: bool = False


@node
class DictExpr(Expr):
    """`{name: 1, [k]: 2, ...base}`; its entries are DictEntry and SpreadExpr nodes."""

    entries: list[Node]


@node
class StructExpr(Expr):
    """`Point {x: 1}`."""

    name: Ident
    entries: list[Node]


@node
class UnaryExpr(Expr):
    """`!x` or `-x`."""

    op: str
    operand: Expr


@node
class BinaryExpr(Expr):
    """`|| && == != < > <= >= in "not in" + - ?? * / % **`."""

    op: str
    left: Expr
    right: Expr
    op_start: int


@node
class RangeExpr(Expr):
    """`low to high` or `low to high exclusive`."""

    low: Expr
    high: Expr
    exclusive: bool


@node
class TernaryExpr(Expr):
    """`c ? a : b`."""

    condition: Expr
    then: Expr
    otherwise: Expr


@node
class PipeExpr(Expr):
    """`left |> right`."""

    left: Expr
    right: Expr


@node
class TryStarExpr(Expr):
    """`try* e`."""

    value: Expr


@node
class PropagateExpr(Expr):
    """`e?`."""

    value: Expr


@node
class CallExpr(Expr):
    """`f(args)`, `f<T>(args)`."""

    callee: Expr
    type_args: list[TypeExpr]
    args: list[Expr]


@node
class MethodCallExpr(Expr):
    """`x.m(args)`, `x?.m(args)`."""

    receiver: Expr
    name: Ident
    type_args: list[TypeExpr]
    args: list[Expr]
    optional: bool = False


@node
class PropertyExpr(Expr):
    """`x.name`, `x?.name`."""

    receiver: Expr
    name: Ident
    optional: bool = False


@node
class IndexExpr(Expr):
    """`x[i]`, `x?[i]`."""

    receiver: Expr
    index: Expr
    optional: bool = False


@node
class SliceExpr(Expr):
    """`x[a:b]`; either bound may be missing."""

    receiver: Expr
    low: Expr | None
    high: Expr | None
    optional: bool = False


@node
class ClosureExpr(Expr):
    """`{ x -> … }` or, with `is_fn`, `fn(x) -> T { … }`."""

    params: list[Param]
    return_type: TypeExpr | None
    body: Block
    is_fn: bool = False


@node
class IfExpr(Expr):
    """`if c { … } else …`; the else branch is a Block or another IfExpr."""

    condition: Expr
    then: Block
    otherwise: Block | IfExpr | None


@node
class MatchArm(Node):
    """`pattern if guard -> { … }`."""

    pattern: MatchPattern
    guard: Expr | None
    body: Block


@node
class MatchExpr(Expr):
    """`match v { … }`."""

    subject: Expr
    arms: list[MatchArm]


@node
class TryExpr(Expr):
    """`try { … } catch (e: T) { … } finally { … }`; without catch and finally, its value is a Result."""

    body: Block
    catch_name: Ident | None
    catch_type: TypeExpr | None
    catch_body: Block | None
    finally_body: Block | None


@node
class RetryExpr(Expr):
    """`retry n { … }`."""

    count: Expr
    body: Block


@node
class DeadlineExpr(Expr):
    """`deadline d { … }`."""

    duration: Expr
    body: Block


@node
class SpawnExpr(Expr):
    """`spawn { … }`."""

    body: Block


@node
class ParallelExpr(Expr):
    """`parallel n { i -> … }`; the mode is count, each or settle."""

    mode: str
    source: Expr
    max_concurrent: Expr | None
    param: Param | None
    body: Block
    as_stream: bool = False
