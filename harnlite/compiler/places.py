"""Assignments to properties and items: `d.a[i] = v`.

The containers on the path of an assignment are values, so that a write makes new ones, from the inside out. A container
that has no other reference is changed in place instead; see `ownership`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.compiler.arithmetic import Sides
from harnlite.compiler.attempts import may_assign
from harnlite.compiler.expressions import read_item, read_property
from harnlite.compiler.inference import deep_variable_kind, is_certain_item, kind_of, steps_of
from harnlite.compiler.kinds import base_of, present
from harnlite.compiler.likely_kinds import is_likely_float
from harnlite.compiler.magnitude import is_natural
from harnlite.compiler.operators import combine
from harnlite.compiler.ownership import ensure, forget_inner, inner_push, keep_inner, owns_inner, touch_inner
from harnlite.compiler.python_shapes import (
    IS,
    LOAD,
    STORE,
    attribute,
    boolean,
    choose,
    compare,
    constant,
    dict_display,
    effect,
    fields_of,
    if_else,
    invoke,
    list_display,
    put,
    starred,
    subscript,
)
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from harnlite.analysis.names.scopes import Binding
    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.ownership import InnerPush
    from harnlite.compiler.python_shapes import At


class _Path:
    """The containers on the path of an assignment, from the variable inwards, with a key into each."""

    __slots__ = ("at", "binding", "containers", "is_compound", "is_in_range", "keys", "levels", "root", "steps")

    def __init__(self, c: Emitter, node: nodes.AssignStmt) -> None:
        self.at = c.where(node)
        self.steps = steps_of(node.target)
        self.root = root = self.steps[0].receiver
        self.binding = c.bindings.get(root) if isinstance(root, nodes.NameExpr) else None
        self.levels = 0
        self.is_compound = node.op != "="
        self.is_in_range = False
        self.keys: list[ast.expr] = []
        self.containers: list[ast.expr] = []

    def is_read(self, depth: int) -> bool:
        """Return whether the container at a depth is read before it is written, so that it is not nil."""
        return self.is_compound or depth < len(self.steps) - 1


def write_place(c: Emitter, node: nodes.AssignStmt) -> None:
    """Compile `d.a[i] = v`: read the containers from the outside in, then write them back from the inside out."""
    path = _Path(c, node)
    at, own = path.at, path.binding
    pushed = inner_push(c, node) if own is not None and own in c.inner else None
    if pushed is not None:
        _push_inside(c, path, pushed)
        return
    with c.writing([]) as before:
        value = c.expr(node.value) if node.op == "=" else None
    path.keys = [
        constant(step.name.text, at)
        if isinstance(step, nodes.PropertyExpr)
        else _pin(c, c.expr(step.index), own if not before and _keeps(c, node, step.index) else None, at)
        for step in path.steps
    ]
    c.out.extend(before)
    if value is not None:
        value = _pin(c, value, own, at)
    rewrites = own is None or (value is None and may_assign(c, own, node.value))
    if own is not None:
        path.levels = c.inner.get(own, 0)
        if rewrites and path.levels:
            # The containers are read before the value, which must not change them in place.
            forget_inner(c, own, 1, at)
            path.levels = 0
    path.containers = [c.read(own, c.where(path.root)) if own is not None else c.base(path.root)]
    for step, key in zip(path.steps[:-1], path.keys, strict=False):
        path.containers.append(c.hold(_read_step(c, step, path.containers[-1], key), at))
    if value is None:
        last = path.steps[-1]
        current = c.hold(_read_step(c, last, path.containers[-1], path.keys[-1]), at)
        right = c.expr(node.value)
        sides = Sides(current, kind_of(c, last), right, kind_of(c, node.value), at)
        sides.likely_float = is_likely_float(c, last) or is_likely_float(c, node.value)
        value = c.hold(combine(c, node.op[0], sides), at)
        # The operator fails on nil, which a read beyond the end gives.
        path.is_in_range = isinstance(last, nodes.IndexExpr) and not rewrites
    _write_back(c, path, len(path.steps) - 1, value)


def _keeps(c: Emitter, node: nodes.AssignStmt, index: nodes.Expr) -> bool:
    """Return whether the evaluation of the value after that of an index cannot change the index."""
    if node.op == "=":
        return True
    binding = c.bindings.get(index)
    return binding is not None and not may_assign(c, binding, node.value)


def _push_inside(c: Emitter, path: _Path, pushed: InnerPush) -> None:
    """Compile `d.a[i] = d.a[i].push(item)`: append to the list if it has no other reference."""
    at, binding, depth = path.at, path.binding, len(path.steps)
    assert binding is not None  # noqa: S101 - the caller has checked it
    path.levels = c.inner[binding]
    path.keys = [
        constant(step.name.text, at)
        if isinstance(step, nodes.PropertyExpr)
        else _pin(c, c.expr(step.index), binding, at)
        for step in path.steps
    ]
    path.containers = [c.read(binding, c.where(path.root))]
    for step, key in zip(path.steps[:-1], path.keys, strict=False):
        path.containers.append(c.hold(_read_step(c, step, path.containers[-1], key), at))
    container, key = path.containers[-1], path.keys[-1]
    if pushed.default == "missing":
        items = c.hold(invoke(c.helper("m_dict_get", at), [container, key], at), at)
    else:
        items = c.hold(_read_step(c, path.steps[-1], container, key), at)
    path.containers.append(items)
    value = _pin(c, c.expr(pushed.item), binding, at)
    with c.writing([]) as appended:
        touch_inner(c, binding, depth, items, at)
        appended.append(effect(invoke(attribute(items, "append", at), [value], at), at))
    with c.writing([]) as copied:
        new = c.hold(list_display([starred(items, LOAD, at), value], LOAD, at), at)
        _write_back(c, path, depth - 1, new)
        keep_inner(c, binding, depth, new, "list", at)
    quick = if_else(owns_inner(c, binding, depth, items, at), appended, copied, at) if depth <= path.levels else None
    with c.writing([]) as general:
        empty = list_display([], LOAD, at)
        if pushed.default == "missing":
            items = invoke(c.helper("m_dict_get", at), [container, key, empty], at)
        elif pushed.default == "nil":
            items = choose(compare(items, ast.IsNot(), constant(None, at), at), items, empty, at)
        new = c.hold(c.call("invoke", [items, constant("push", at), value], at), at)
        _write_back(c, path, depth - 1, new)
    if quick is None:
        c.out.extend(general)
        return
    is_list = compare(attribute(path.containers[-1], "__class__", at), IS, c.helper("list", at), at)
    c.out.append(if_else(is_list, [quick], general, at))


def _pin(c: Emitter, value: ast.expr, own: Binding | None, at: At) -> ast.expr:
    """Hold a value in a temporary, unless it is a name that cannot change before the write to the variable `own`."""
    if own is not None and c.is_fixed_name(value) and value.id != own.variable:
        return value
    return c.hold(value, at)


def _read_step(c: Emitter, step: nodes.PropertyExpr | nodes.IndexExpr, container: ast.expr, key: ast.expr) -> ast.expr:
    at = c.where(step)
    if isinstance(step, nodes.PropertyExpr):
        return read_property(c, step, container, at)
    return read_item(c, step, container, key, at)


def _setter(step: nodes.Node) -> str:
    return "set_property" if isinstance(step, nodes.PropertyExpr) else "set_index"


def _write_back(c: Emitter, path: _Path, depth: int, value: ast.expr) -> None:
    """Emit the write of a value to the container at a depth, and what has to be written outside of it."""
    step, key, at = path.steps[depth], path.keys[depth], path.at
    if depth == 0:
        _store_root(c, path, value)
        return
    container = path.containers[depth]
    binding = path.binding
    if binding is None or depth > path.levels:
        _write_back(c, path, depth - 1, c.hold(_changed(c, path, depth, value), at))
        return
    kind = base_of(present(c.deep_kind(step.receiver)))
    with c.writing([]) as in_place:
        touch_inner(c, binding, depth, container, at)
        _store_in_place(c, path, depth, (container, key, value), kind)
    with c.writing([]) as copied:
        new = c.hold(_changed(c, path, depth, value), at)
        _write_back(c, path, depth - 1, new)
        keep_inner(c, binding, depth, new, kind, at)
    c.out.append(if_else(owns_inner(c, binding, depth, container, at), in_place, copied, at))


def _changed(c: Emitter, path: _Path, depth: int, value: ast.expr) -> ast.expr:
    """Return a copy of the container at a depth with one other value."""
    step, container, key, at = path.steps[depth], path.containers[depth], path.keys[depth], path.at
    if not c.plain and isinstance(step, nodes.PropertyExpr):
        kind = c.deep_kind(step.receiver)
        if base_of(present(kind) if path.is_read(depth) else kind) == "dict":
            return dict_display([None, key], [container, value], at)
    return c.call(_setter(step), [container, key, value], at)


def _store_in_place(
    c: Emitter, path: _Path, depth: int, parts: tuple[ast.expr, ast.expr, ast.expr], kind: str | None
) -> None:
    """Emit the change of a container that has no other reference, if its base kind is `kind`."""
    own, key, value = parts
    step, at = path.steps[depth], path.at
    in_place = c.call(_setter(step) + "_in_place", [own, key, value], at)
    is_safe = path.is_in_range and depth == len(path.steps) - 1 and kind == "list"
    if c.plain:
        c.out.append(effect(in_place, at))
    elif isinstance(step, nodes.IndexExpr) and not is_safe and not (c.trying and is_certain_item(c, step)):
        _store_item(c, step, parts, kind, in_place)
    elif isinstance(step, nodes.IndexExpr) or kind == "dict":
        c.out.append(put(subscript(own, key, STORE, at), value, at))
    else:
        c.out.append(effect(in_place, at))


def _store_root(c: Emitter, path: _Path, value: ast.expr) -> None:
    """Emit the write of a value to the container of a variable."""
    root, binding, step, key, at = path.root, path.binding, path.steps[0], path.keys[0], path.at
    if not isinstance(root, nodes.NameExpr):
        c.out.append(effect(c.call(_setter(step), [c.base(root), key, value], at), at))
        return
    if binding is None or not binding.mutable:
        helper = "immutable" if binding is not None or root.name in c.imported else "unassignable"
        c.out.append(effect(c.call(helper, [constant(root.name, at)], at), at))
        return
    own = c.read(binding, at)
    if binding not in c.owned:
        c.store(binding, c.call(_setter(step), [own, key, value], at), at)
        return
    ensure(c, binding, at)
    kind = deep_variable_kind(c, binding)
    _store_in_place(c, path, 0, (own, key, value), base_of(present(kind) if path.is_read(0) else kind))


def _store_item(
    c: Emitter, step: nodes.IndexExpr, parts: tuple[ast.expr, ast.expr, ast.expr], kind: str | None, in_place: ast.expr
) -> None:
    """Store directly into a list or dict if the guard holds; `kind` is that of the container."""
    own, key, value = parts
    at, key_kind = c.where(step), kind_of(c, step.index)
    place = put(subscript(own, key, STORE, at), value, at)

    def has_class(item: ast.expr, helper: str) -> ast.expr:
        return compare(attribute(item, "__class__", at), IS, c.helper(helper, at), at)

    length = invoke(c.helper("len", at), [own], at)
    in_range: ast.expr = compare(key, ast.Lt(), length, at)
    if not is_natural(c, step.index):
        in_range = ast.Compare(constant(-1, at), [ast.Lt(), ast.Lt()], [key, length], **fields_of(at))
    slow: list[ast.stmt] = [effect(in_place, at)]
    list_tests = [] if kind == "list" else [has_class(own, "list")]
    list_tests += [in_range] if key_kind == "int" else [has_class(key, "int"), in_range]
    dict_tests = [] if kind == "dict" else [has_class(own, "dict")]
    dict_tests += [] if key_kind == "string" else [has_class(key, "str")]
    branches: list[tuple[list[ast.expr], bool]] = [
        (list_tests, kind in {None, "list"} and key_kind in {None, "int"}),
        (dict_tests, kind in {None, "dict"} and key_kind in {None, "string"}),
    ]
    for tests, is_possible in reversed(branches):
        if not is_possible:
            continue
        if not tests:
            slow = [place]
        else:
            slow = [if_else(tests[0] if len(tests) == 1 else boolean(ast.And(), tests, at), [place], slow, at)]
    c.out.extend(slow)
