"""Statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.syntax.nodes.base import Node, Stmt

if TYPE_CHECKING:
    from harnlite.syntax.nodes.base import Block, Expr, Ident, Pattern, TypeExpr


class LetStmt(Stmt):
    """`let`, `var` or `const` (the kind); an annotation only after a plain name."""

    kind: str
    pattern: Pattern
    type: TypeExpr | None
    value: Expr


class AssignStmt(Stmt):
    """`target = value`, `target += value`; the target is a NameExpr, PropertyExpr or IndexExpr."""

    target: Expr
    op: str
    value: Expr


class ExprStmt(Stmt):
    """An expression that stands as a statement."""

    value: Expr


class WhileStmt(Stmt):
    """`while c { … }`."""

    condition: Expr
    body: Block


class ForStmt(Stmt):
    """`for pattern in iterable { … }`."""

    pattern: Pattern
    iterable: Expr
    body: Block


class BreakStmt(Stmt):
    """`break`."""


class ContinueStmt(Stmt):
    """`continue`."""


class ReturnStmt(Stmt):
    """`return` with or without a value."""

    value: Expr | None


class ThrowStmt(Stmt):
    """`throw v`."""

    value: Expr


class YieldStmt(Stmt):
    """`yield v` in a generator."""

    value: Expr | None


class EmitStmt(Stmt):
    """`emit v` in a `gen fn`."""

    value: Expr


class GuardStmt(Stmt):
    """`guard c else { … }`."""

    condition: Expr
    body: Block


class RequireStmt(Stmt):
    """`require c, message`."""

    condition: Expr
    message: Expr | None


class DeferStmt(Stmt):
    """`defer { … }`."""

    body: Block


class MutexStmt(Stmt):
    """`mutex { … }`."""

    body: Block


class SelectCase(Node):
    """`v from ch { … }`."""

    name: Ident
    channel: Expr
    body: Block


class SelectStmt(Stmt):
    """`select { … timeout d { … } }` or `default { … }`."""

    cases: list[SelectCase]
    timeout: Expr | None
    timeout_body: Block | None
    default_body: Block | None
