"""Statements: bindings, loops, exits, and blocks for concurrency."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.compiler.accumulators import defer_wraps, write_wraps
from harnlite.compiler.assignments import write_assign
from harnlite.compiler.attempts import may_repeat, write_attempt, write_test
from harnlite.compiler.exits import leave_loop, poll
from harnlite.compiler.flow import RETURN, WRITERS, fill, write_block, write_into
from harnlite.compiler.inference import kind_of
from harnlite.compiler.ownership import note
from harnlite.compiler.python_shapes import (
    IS,
    LOAD,
    NOT,
    attribute,
    compare,
    constant,
    effect,
    fields_of,
    if_else,
    invoke,
    list_display,
    name,
    place,
    put,
    returning,
    subscript,
    tuple_display,
    unary,
)
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.python_shapes import At

STORE = ast.Store()


def write_let(c: Emitter, node: nodes.LetStmt) -> None:
    """Compile let, var or const."""
    at = c.where(node)
    pattern = node.pattern
    if isinstance(pattern, nodes.NamePattern):
        _bind_name(c, node, pattern, at)
        return
    destructure(c, pattern, c.hold(c.expr(node.value), at), at)


def _bind_name(c: Emitter, node: nodes.LetStmt, pattern: nodes.NamePattern, at: At) -> None:
    binding = c.bindings.get(pattern)
    if binding is None:
        c.out.append(effect(c.expr(node.value), at))
        return
    if pattern in binding.redeclared:
        c.out.append(effect(c.expr(node.value), at))
        c.out.append(c.redeclared(pattern.name, at))
        return
    if type(node.value) in WRITERS and c.storage(binding) in {"local", "global", "cell"} and binding not in c.owned:
        temp = c.temp()
        write_into(c, node.value, temp)
        c.declare(binding, name(temp, at), at)
        return
    c.declare(binding, c.expr(node.value), at)
    note(c, binding, node.value, at)


def destructure(c: Emitter, pattern: nodes.Pattern, value: ast.expr, at: At) -> None:
    """Emit the bindings of a destructuring pattern."""
    if isinstance(pattern, nodes.NamePattern):
        _declare(c, pattern, pattern.name, value, at)
    elif isinstance(pattern, nodes.PairPattern):
        pair = c.hold(c.call("pair_for_pattern", [value], at), at)
        for number, part in enumerate((pattern.first, pattern.second)):
            _declare(c, part, part.text, subscript(pair, constant(number, at), LOAD, at), at)
    elif isinstance(pattern, nodes.DictPattern):
        _destructure_dict(c, pattern, value, at)
    elif isinstance(pattern, nodes.ListPattern):
        _destructure_list(c, pattern, value, at)


def _declare(c: Emitter, node: nodes.Node, text: str, value: ast.expr, at: At) -> None:
    binding = c.bindings.get(node)
    if binding is None:
        c.out.append(effect(value, at))
    elif node in binding.redeclared:
        c.out.append(c.redeclared(text, at))
    else:
        c.declare(binding, value, at)
        note(c, binding, None, at)


def _destructure_dict(c: Emitter, pattern: nodes.DictPattern, value: ast.expr, at: At) -> None:
    source = c.hold(c.call("dict_for_pattern", [value], at), at)
    for entry in pattern.entries:
        getter = attribute(source, "get", at)
        item = invoke(getter, [constant(entry.key.text, at)], at)
        _declare(c, entry.name, entry.name.text, _defaulted(c, item, entry.default, at), at)
    if pattern.rest is not None:
        taken = tuple_display([constant(entry.key.text, at) for entry in pattern.entries], LOAD, at)
        _declare(c, pattern.rest, pattern.rest.text, c.call("rest_of_dict", [source, taken], at), at)


def _destructure_list(c: Emitter, pattern: nodes.ListPattern, value: ast.expr, at: At) -> None:
    source = c.hold(c.call("list_for_pattern", [value], at), at)
    for number, item in enumerate(pattern.items):
        read = c.call("item_or_nil", [source, constant(number, at)], at)
        _declare(c, item.name, item.name.text, _defaulted(c, read, item.default, at), at)
    if pattern.rest is not None:
        tail = ast.Slice(constant(len(pattern.items), at), None, None, **fields_of(at))
        _declare(c, pattern.rest, pattern.rest.text, subscript(source, tail, LOAD, at), at)


def _defaulted(c: Emitter, item: ast.expr, default: nodes.Expr | None, at: At) -> ast.expr:
    if default is None:
        return item
    temp = c.temp()
    target = place(temp, at)
    c.out.append(put(target, item, at))
    with c.writing([]) as body:
        value = c.expr(default)
        body.append(put(target, value, at))
    c.out.append(if_else(compare(name(temp, at), IS, constant(None, at), at), body, [], at))
    return name(temp, at)


def write_expression(c: Emitter, node: nodes.ExprStmt) -> None:
    """Compile an expression whose value is not used."""
    write_into(c, node.value, None)


def write_while(c: Emitter, node: nodes.WhileStmt) -> None:
    """Compile a while loop."""
    at = c.where(node)
    found = defer_wraps(c, node)
    _write_while(c, node, at)
    write_wraps(c, found, at)


def _write_while(c: Emitter, node: nodes.WhileStmt, at: At) -> None:
    with c.writing([]) as before:
        test = write_test(c, node.condition)
    c.body.loops.append(None)
    with c.writing([]) as body:
        body.extend(poll(at))
        fill(c, node.body, None)
    c.body.loops.pop()
    if before:
        stop = if_else(unary(NOT, test, at), [ast.Break(**fields_of(at))], [], at)
        body[:0] = [*before, stop]
        test = constant(value=True, at=at)
    c.out.append(ast.While(test, body, [], **fields_of(at)))


def write_for(c: Emitter, node: nodes.ForStmt) -> None:
    """Compile a for loop, over the ints of a range or over any iterable."""
    at = c.where(node)
    found = defer_wraps(c, node)
    _write_for(c, node, at)
    write_wraps(c, found, at)


def _write_for(c: Emitter, node: nodes.ForStmt, at: At) -> None:
    iterable = _iterable(c, node)
    pattern = node.pattern
    item = c.temp()
    c.body.loops.append(None)
    with c.writing([]) as body:
        c.open_scope(node.body)
        binding = c.bindings.get(pattern) if isinstance(pattern, nodes.NamePattern) else None
        if binding is not None and c.storage(binding) == "local" and binding not in c.owned:
            target: ast.expr = c.target(binding, at)
        else:
            target = place(item, at)
            destructure(c, pattern, name(item, at), at)
        body.extend(poll(at))
        for statement in node.body.statements:
            c.stmt(statement)
    c.body.loops.pop()
    c.out.append(ast.For(target, iterable, body, [], **fields_of(at)))


def _iterable(c: Emitter, node: nodes.ForStmt) -> ast.expr:
    source = node.iterable
    at = c.where(source)
    if isinstance(source, nodes.RangeExpr):
        low, high = c.ordered((source.low, source.high))
        return c.call("ints", [low, high, constant(source.exclusive, at)], at)
    value = c.expr(source)
    if kind_of(c, source) == "list":
        return value
    return c.call("iterate", [value], at)


def write_leave_loop(c: Emitter, node: nodes.BreakStmt | nodes.ContinueStmt) -> None:
    """Compile break or continue."""
    c.out.extend(leave_loop(c, "break" if isinstance(node, nodes.BreakStmt) else "continue", c.where(node)))


def write_return(c: Emitter, node: nodes.ReturnStmt) -> None:
    """Compile return."""
    if node.value is None:
        at = c.where(node)
        c.out.append(returning(constant(None, at), at))
    else:
        write_into(c, node.value, RETURN)


def write_throw(c: Emitter, node: nodes.ThrowStmt) -> None:
    """Compile throw."""
    at = c.where(node)
    c.out.append(ast.Raise(c.call("thrown", [c.expr(node.value)], at), None, **fields_of(at)))


def write_yield(c: Emitter, node: nodes.YieldStmt) -> None:
    """Compile yield or emit."""
    at = c.where(node)
    value = constant(None, at) if node.value is None else c.expr(node.value)
    if c.body.deadlines:
        value = c.hold(value, at)
    for word in ("suspend", "resume"):
        blocks = reversed(c.body.deadlines) if word == "suspend" else c.body.deadlines
        calls = [invoke(attribute(name(block, at), word, at), [], at) for block in blocks]
        c.out.extend(effect(call, at) for call in calls)
        if word == "suspend":
            c.out.append(effect(ast.Yield(value, **fields_of(at)), at))


def write_guard(c: Emitter, node: nodes.GuardStmt) -> None:
    """Compile guard."""
    at = c.where(node)
    test = unary(NOT, c.condition(node.condition), at)
    c.out.append(if_else(test, write_block(c, node.body, None), [], at))


def write_require(c: Emitter, node: nodes.RequireStmt) -> None:
    """Compile require."""
    at = c.where(node)
    test = unary(NOT, c.condition(node.condition), at)
    with c.writing([]) as body:
        message = constant("require condition failed", at) if node.message is None else c.expr(node.message)
        c.out.append(ast.Raise(c.call("thrown", [message], at), None, **fields_of(at)))
    c.out.append(if_else(test, body, [], at))


def write_mutex(c: Emitter, node: nodes.MutexStmt) -> None:
    """Compile a mutex block."""
    at = c.where(node)
    c.body.unsafe += 1
    body = write_block(c, node.body, None)
    c.body.unsafe -= 1
    guard = c.call("mutex", [name("_run", at)], at)
    c.out.append(ast.With([ast.withitem(guard, None)], body, **fields_of(at)))


def write_select(c: Emitter, node: nodes.SelectStmt) -> None:
    """Compile select: wait for a channel, then run its arm."""
    at = c.where(node)
    parts = [case.channel for case in node.cases] + ([node.timeout] if node.timeout is not None else [])
    values = c.ordered(parts)
    timeout = values.pop() if node.timeout is not None else constant(None, at)
    has_default = constant(node.default_body is not None, at)
    chosen = c.hold(c.call("select", [name("_run", at), list_display(values, LOAD, at), timeout, has_default], at), at)
    index = subscript(chosen, constant(0, at), LOAD, at)
    out = c.out
    for number, case in enumerate(node.cases):
        with c.writing([]) as body:
            c.open_scope(case.body)
            _declare(c, case.name, case.name.text, subscript(chosen, constant(1, at), LOAD, at), at)
            for statement in case.body.statements:
                c.stmt(statement)
        branch = if_else(
            compare(index, ast.Eq(), constant(number, at), at), body or [ast.Pass(**fields_of(at))], [], at
        )
        out.append(branch)
        out = branch.orelse
    other = node.timeout_body or node.default_body
    if other is not None:
        out.extend(write_block(c, other, None))


def write_nothing(_c: Emitter, _node: nodes.Stmt) -> None:
    """Skip a declaration that is compiled when its block is opened, or that has no code."""


def attempted(write: Callable[..., None]) -> Callable[..., None]:
    """Return the function that compiles statements which may be tried with plain reads of items."""

    def write_statement(c: Emitter, node: nodes.Stmt) -> None:
        if c.plain or c.trying or not may_repeat(c, node):
            write(c, node)
        else:
            write_attempt(c, node, write)

    return write_statement


STATEMENTS: dict[type, Callable[..., None]] = {
    nodes.LetStmt: attempted(write_let),
    nodes.AssignStmt: attempted(write_assign),
    nodes.ExprStmt: write_expression,
    nodes.WhileStmt: write_while,
    nodes.ForStmt: write_for,
    nodes.BreakStmt: write_leave_loop,
    nodes.ContinueStmt: write_leave_loop,
    nodes.ReturnStmt: attempted(write_return),
    nodes.ThrowStmt: write_throw,
    nodes.YieldStmt: write_yield,
    nodes.EmitStmt: write_yield,
    nodes.GuardStmt: write_guard,
    nodes.RequireStmt: write_require,
    nodes.MutexStmt: write_mutex,
    nodes.SelectStmt: write_select,
    nodes.OverrideDecl: write_nothing,
    nodes.PipelineDecl: write_nothing,
    nodes.ImportDecl: write_nothing,
    nodes.InterfaceDecl: write_nothing,
    nodes.TypeDecl: write_nothing,
    nodes.StructDecl: write_nothing,
    nodes.EnumDecl: write_nothing,
    nodes.ImplDecl: write_nothing,
    nodes.FnDecl: write_nothing,
}
