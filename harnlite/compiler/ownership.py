"""Changing a container in place: a flag beside a variable says that nothing else holds it.

The flag is up after a fresh literal or a copy, and down before any expression that hands the container on.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.compiler.python_shapes import assign, constant, name, negated
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from typing import Any, TypeGuard

    from harnlite.analysis.names.scopes import Binding
    from harnlite.compiler.emitter import Emitter

    At = dict[str, Any]


def flag_of(binding: Binding) -> str:
    """Return the Python name of the flag of a variable."""
    return "o" + binding.variable


def claim(c: Emitter, binding: Binding, at: At) -> None:
    """Note that a variable has got a container that is new."""
    c.out.append(assign(flag_of(binding), constant(value=True, at=at), at))


def release(c: Emitter, binding: Binding, at: At) -> None:
    """Note that the container of a variable may be held elsewhere from now on."""
    statement = assign(flag_of(binding), constant(value=False, at=at), at)
    c.neutral.add(id(statement))
    c.out.append(statement)


def note(c: Emitter, binding: Binding, value: nodes.Expr | None, at: At) -> None:
    """Note after an assignment to a variable that is changed in place whether its value is new."""
    if binding in c.owned:
        (claim if isinstance(value, (nodes.ListExpr, nodes.DictExpr, nodes.StructExpr)) else release)(c, binding, at)


def ensure(c: Emitter, binding: Binding, at: At) -> None:
    """Copy the container of a variable unless it is its own already."""
    with c.writing([]) as body:
        c.store(binding, c.call("own", [c.load(binding, at)], at), at)
        claim(c, binding, at)
    c.out.append(ast.If(negated(name(flag_of(binding), at), at), body, [], **at))


def find_owned(c: Emitter) -> set[Binding]:
    """Return the local variables whose containers are changed through them."""
    if c.plain:
        return set()
    found = {binding for binding in c.bindings.values() if binding is not None and binding.mutable}
    return {binding for binding in found if c.storage(binding) == "local" and any(map(_changes, binding.values))}


def _changes(value: object) -> bool:
    """Say whether an assignment changes the container that a variable has."""
    if not isinstance(value, nodes.AssignStmt):
        return False
    return not isinstance(value.target, nodes.NameExpr) or is_push(value.value, value.target.name)


def is_push(value: nodes.Expr, variable: str) -> TypeGuard[nodes.MethodCallExpr]:
    """Say whether an expression is `x.push(e)` of that variable."""
    return (
        isinstance(value, nodes.MethodCallExpr)
        and value.name.text == "push"
        and not value.optional
        and len(value.args) == 1
        and not isinstance(value.args[0], nodes.SpreadExpr)
        and isinstance(value.receiver, nodes.NameExpr)
        and value.receiver.name == variable
    )
