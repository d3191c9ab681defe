"""In-place changes of containers: a flag for each variable records that its container has no other reference.

The flag is set after a new literal or a copy, and cleared before any expression that passes the container on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.compiler.python_shapes import (
    assign,
    constant,
    if_else,
    name,
    negated,
)
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from typing import TypeGuard

    from harnlite.analysis.names.scopes import Binding
    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.python_shapes import At


def flag_of(binding: Binding) -> str:
    """Return the Python name of a variable's flag."""
    return "o" + binding.variable


def claim(c: Emitter, binding: Binding, at: At) -> None:
    """Emit the assignment that marks the container of a variable as new."""
    c.out.append(assign(flag_of(binding), constant(value=True, at=at), at))


def release(c: Emitter, binding: Binding, at: At) -> None:
    """Emit the assignment that marks the container of a variable as possibly shared."""
    statement = assign(flag_of(binding), constant(value=False, at=at), at)
    c.neutral.add(id(statement))
    c.out.append(statement)


def note(c: Emitter, binding: Binding, value: nodes.Expr | None, at: At) -> None:
    """Emit the flag after an assignment to a variable that is changed in place: set if the value is new."""
    if binding in c.owned:
        (claim if isinstance(value, (nodes.ListExpr, nodes.DictExpr, nodes.StructExpr)) else release)(c, binding, at)


def ensure(c: Emitter, binding: Binding, at: At) -> None:
    """Emit a copy of the container of a variable, which runs unless the variable already owns it."""
    with c.writing([]) as body:
        c.store(binding, c.call("own", [c.load(binding, at)], at), at)
        claim(c, binding, at)
    c.out.append(if_else(negated(name(flag_of(binding), at), at), body, [], at))


def find_owned(c: Emitter) -> set[Binding]:
    """Return the local variables through which a container is changed."""
    if c.plain:
        return set()
    found = {binding for binding in c.bindings.values() if binding is not None and binding.mutable}
    return {binding for binding in found if c.storage(binding) == "local" and any(map(_changes, binding.values))}


def _changes(value: object) -> bool:
    """Return whether an assignment changes the container of a variable."""
    if not isinstance(value, nodes.AssignStmt):
        return False
    return not isinstance(value.target, nodes.NameExpr) or is_push(value.value, value.target.name)


def is_push(value: nodes.Expr, variable: str) -> TypeGuard[nodes.MethodCallExpr]:
    """Return whether an expression is `x.push(e)` for the given variable."""
    return (
        isinstance(value, nodes.MethodCallExpr)
        and value.name.text == "push"
        and not value.optional
        and len(value.args) == 1
        and not isinstance(value.args[0], nodes.SpreadExpr)
        and isinstance(value.receiver, nodes.NameExpr)
        and value.receiver.name == variable
    )
