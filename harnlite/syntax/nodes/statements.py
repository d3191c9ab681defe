"""Statements."""

from __future__ import annotations

from harnlite.syntax.nodes.base import Node, Stmt, node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.syntax.nodes.base import Block, Expr, Ident, Pattern, TypeExpr


@node
class LetStmt(Stmt):
    """`let`, `var` or `const` (the kind); only a plain name can have a type annotation."""

    kind: str
    pattern: Pattern
    type: TypeExpr | None
    value: Expr


@node
class AssignStmt(Stmt):
    """`target = value` or `target += value`; the target is a NameExpr, PropertyExpr or IndexExpr."""

    target: Expr
    op: str
    value: Expr


@node
class ExprStmt(Stmt):
    """An expression as a statement."""

    value: Expr


@node
class WhileStmt(Stmt):
    """`while c { … }`."""

    condition: Expr
    body: Block


@node
class ForStmt(Stmt):
    """`for pattern in iterable { … }`."""

    pattern: Pattern
    iterable: Expr
    body: Block


@node
class BreakStmt(Stmt):
    """`break`."""


@node
class ContinueStmt(Stmt):
    """`continue`."""


@node
class ReturnStmt(Stmt):
    """`return` with or without a value."""

    value: Expr | None


@node
class ThrowStmt(Stmt):
    """`throw v`."""

    value: Expr


@node
class YieldStmt(Stmt):
    """`yield v` in a generator."""

    value: Expr | None


@node
class EmitStmt(Stmt):
    """`emit v` in a `gen fn`."""

    value: Expr


@node
class GuardStmt(Stmt):
    """`guard c else { … }`."""

    condition: Expr
    body: Block


@node
class RequireStmt(Stmt):
    """`require c, message`."""

    condition: Expr
    message: Expr | None


@node
class DeferStmt(Stmt):
    """`defer { … }`."""

    body: Block


@node
class MutexStmt(Stmt):
    """`mutex { … }`."""

    body: Block


@node
class SelectCase(Node):
    """`v from ch { … }`."""

    name: Ident
    channel: Expr
    body: Block


@node
class SelectStmt(Stmt):
    """`select { … timeout d { … } }` or `default { … }`."""

    cases: list[SelectCase]
    timeout: Expr | None
    timeout_body: Block | None
    default_body: Block | None
