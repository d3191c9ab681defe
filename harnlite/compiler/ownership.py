"""In-place changes of containers: a flag for each variable records that its container has no other reference.

The flag is set after a new literal or a copy, and cleared before any expression that passes the container on.

The containers inside it, which `d.a[i] = v` changes, are new after the first such write. Two variables for each level
remember them, one the last container that was written there, the other all large ones: they have no other reference
either, until an expression reads a container of that level or one around it. Reads that go further in do not matter,
nor comparisons.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from harnlite.compiler.inference import kind_of
from harnlite.compiler.kinds import base_of, present
from harnlite.compiler.python_shapes import (
    AND,
    IN,
    IS,
    OR,
    assign,
    boolean,
    compare,
    constant,
    if_else,
    invoke,
    name,
    negated,
)
from harnlite.syntax import nodes
from harnlite.syntax.visitor import all_below

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
    _emit(c, flag_of(binding), constant(value=False, at=at), at)
    forget_inner(c, binding, 1, at)


def _emit(c: Emitter, variable: str, value: ast.expr, at: At) -> None:
    """Emit an assignment before which no value has to be held."""
    statement = assign(variable, value, at)
    c.neutral.add(id(statement))
    c.out.append(statement)


def note(c: Emitter, binding: Binding, value: nodes.Expr | None, at: At) -> None:
    """Emit the flag after an assignment to a variable that is changed in place: set if the value is new."""
    if binding in c.owned:
        if isinstance(value, (nodes.ListExpr, nodes.DictExpr, nodes.StructExpr)):
            claim(c, binding, at)
            forget_inner(c, binding, 1, at)
        else:
            release(c, binding, at)


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
    return _is_any_push(value) and isinstance(value.receiver, nodes.NameExpr) and value.receiver.name == variable


def _is_any_push(value: nodes.Expr) -> TypeGuard[nodes.MethodCallExpr]:
    """Return whether an expression is a `push` of one item."""
    return (
        isinstance(value, nodes.MethodCallExpr)
        and value.name.text == "push"
        and not value.optional
        and len(value.args) == 1
        and not isinstance(value.args[0], nodes.SpreadExpr)
    )


# Containers inside the container of a variable


LEVELS = 2
"""How many levels of containers inside the container of a variable are remembered."""
SCALARS = frozenset({"int", "float", "string", "bool", "nil"})


def find_inner(c: Emitter) -> dict[Binding, int]:
    """Return the number of levels that are remembered for each variable whose inner containers are changed."""
    if c.has_generators:
        return {}  # a variable of ours would keep alive a generator that has no other reference
    depths = {
        binding: max(_levels_of(c, value) for value in binding.values if isinstance(value, nodes.AssignStmt))
        for binding in c.owned
    }
    return {binding: min(depth, LEVELS) for binding, depth in depths.items() if depth > 0}


def _levels_of(c: Emitter, node: nodes.AssignStmt) -> int:
    """Return how many containers inside that of its variable an assignment changes."""
    return path_of(node.target)[1] - 1 + (inner_push(c, node) is not None)


class InnerPush(NamedTuple):
    """An assignment `d.a[i] = d.a[i].push(item)`: the item, and what is pushed to if the path leads to nothing."""

    item: nodes.Expr
    default: str
    """"none"; "nil" for `(d[k] ?? []).push(item)`, and "missing" for `d.get(k, []).push(item)`."""


def inner_push(c: Emitter, node: nodes.AssignStmt) -> InnerPush | None:
    """Return the push if an assignment pushes to the list in its place, and the item cannot change the path."""
    value, target = node.value, node.target
    if node.op != "=" or isinstance(target, nodes.NameExpr) or not _is_any_push(value) or "push" in c.methods:
        return None
    default = _default_of(c, target, value.receiver)
    if default is None or any(isinstance(one, nodes.AssignStmt) for one in all_below(value.args[0])):
        return None
    return InnerPush(value.args[0], default)


def _default_of(c: Emitter, target: nodes.Expr, receiver: nodes.Expr) -> str | None:
    """Return the default of a push to a place, or None if its receiver is another one."""
    if isinstance(receiver, nodes.BinaryExpr):
        is_default = receiver.op == "??" and _is_empty_list(receiver.right)
        return "nil" if is_default and _is_same_path(c, target, receiver.left) else None
    if isinstance(receiver, nodes.MethodCallExpr):
        if not isinstance(target, nodes.IndexExpr) or target.optional or receiver.optional:
            return None
        is_get = receiver.name.text == "get" and len(receiver.args) == 2 and _is_empty_list(receiver.args[1])  # noqa: PLR2004 - key and default
        if not is_get or not _is_same_key(c, target.index, receiver.args[0]):
            return None
        is_same = _is_same_path(c, target.receiver, receiver.receiver)
        return "missing" if is_same and kind_of(c, target.receiver) == "dict" else None
    return "none" if _is_same_path(c, target, receiver) else None


def _is_empty_list(node: nodes.Expr) -> bool:
    return isinstance(node, nodes.ListExpr) and not node.items


def _is_same_path(c: Emitter, one: nodes.Expr, other: nodes.Expr) -> bool:
    """Return whether two paths lead to the same place, and can be evaluated once for both."""
    if isinstance(one, nodes.PropertyExpr) and isinstance(other, nodes.PropertyExpr):
        is_same = one.name.text == other.name.text
    elif isinstance(one, nodes.IndexExpr) and isinstance(other, nodes.IndexExpr):
        is_same = _is_same_key(c, one.index, other.index)
    else:
        return _is_same_variable(c, one, other)
    is_plain = not one.optional and not other.optional
    return is_same and is_plain and _is_same_path(c, one.receiver, other.receiver)


def _is_same_key(c: Emitter, one: nodes.Expr, other: nodes.Expr) -> bool:
    if isinstance(one, nodes.LiteralExpr) and isinstance(other, nodes.LiteralExpr):
        return one.kind == other.kind and one.value == other.value
    return _is_same_variable(c, one, other)


def _is_same_variable(c: Emitter, one: nodes.Expr, other: nodes.Expr) -> bool:
    """Return whether two expressions are the same variable, which no closure can change."""
    if not isinstance(one, nodes.NameExpr) or not isinstance(other, nodes.NameExpr):
        return False
    binding = c.bindings.get(one)
    return binding is not None and binding is c.bindings.get(other) and not (binding.captured and binding.mutable)


def find_paths(c: Emitter, module: nodes.Module) -> dict[nodes.Expr, nodes.Expr | None]:
    """Return the longest path, such as `d.a[i]`, that begins with each read of a variable of `c.inner`.

    It is None where the value of the path is compared only.
    """
    found: dict[nodes.Expr, nodes.Expr | None] = {}
    depths: dict[nodes.Expr, int] = {}
    compared: list[nodes.Expr] = []
    for node in all_below(module):
        if isinstance(node, (nodes.PropertyExpr, nodes.IndexExpr)):
            root, depth = path_of(node)
            if c.bindings.get(root) in c.inner and depth > depths.get(root, 0):
                found[root], depths[root] = node, depth
        elif isinstance(node, nodes.BinaryExpr) and node.op in {"==", "!="}:
            compared += (node.left, node.right)
    for one in compared:
        root, _ = path_of(one)
        if found.get(root) is one:
            found[root] = None
    return found


def path_of(target: nodes.Expr) -> tuple[nodes.Expr, int]:
    """Return the variable or other expression that a path begins with, and the number of its steps."""
    depth = 0
    while isinstance(target, (nodes.PropertyExpr, nodes.IndexExpr)):
        target = target.receiver
        depth += 1
    return target, depth


def owns_inner(c: Emitter, binding: Binding, level: int, value: ast.expr, at: At) -> ast.expr:
    """Return the test whether a container of a level has no other reference."""
    last, known = _inner(binding, level)
    is_known = compare(invoke(c.helper("id", at), [value], at), IN, name(known, at), at)
    is_last = compare(value, IS, name(last, at), at)
    return boolean(OR, [is_last, boolean(AND, [name(known, at), is_known], at)], at)


def keep_inner(c: Emitter, binding: Binding, level: int, value: ast.expr, kind: str | None, at: At) -> None:
    """Emit that a container of a level, of a base kind if that is known, is new."""
    _, known = _inner(binding, level)
    add: ast.stmt = assign(known, c.call("with_container", [name(known, at), value], at), at)
    if kind in {"list", "dict"}:
        length = invoke(c.helper("len", at), [value], at)
        add = if_else(compare(length, ast.Gt(), c.helper("few", at), at), [add], [], at)
    c.out.append(add)
    touch_inner(c, binding, level, value, at)


def touch_inner(c: Emitter, binding: Binding, level: int, value: ast.expr, at: At) -> None:
    """Emit that a container of a level is the last one that was written."""
    c.out.append(assign(_inner(binding, level)[0], value, at))


def forget_inner(c: Emitter, binding: Binding, level: int, at: At) -> None:
    """Emit that the containers of a level and of those further in may be shared."""
    for deeper in range(level, c.inner.get(binding, 0) + 1):
        last, known = _inner(binding, deeper)
        _emit(c, last, c.helper("missing", at), at)
        _emit(c, known, c.helper("no_containers", at), at)


def pass_inner(c: Emitter, binding: Binding, node: nodes.Expr, at: At) -> None:
    """Emit what is shared after a variable was read at the beginning of a path, or without one."""
    path = c.paths.get(node, node)
    if path is not None and (path is node or base_of(present(c.deep_kind(path))) not in SCALARS):
        forget_inner(c, binding, max(path_of(path)[1], 1), at)


def _inner(binding: Binding, level: int) -> tuple[str, str]:
    """Return the names of the variables for the last container and for the large containers of a level."""
    return f"o{level}{binding.variable}", f"o{level}s{binding.variable}"
