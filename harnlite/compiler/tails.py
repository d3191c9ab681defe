"""Tail calls: finding the functions that tail-call each other, and compiling these calls."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.compiler.emitter import BOX
from harnlite.compiler.marks import is_marked
from harnlite.compiler.parameters import absent, parameter_name
from harnlite.compiler.python_shapes import (
    LOAD,
    attribute,
    constant,
    fields_of,
    name,
    place,
    put,
    returning,
    subscript,
    tuple_display,
)
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.analysis.names.scopes import Binding, Resolution
    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.python_shapes import At

LOOP, TRAMPOLINE = "loop", "trampoline"
PROTECTED = (nodes.TryExpr, nodes.RetryExpr, nodes.DeadlineExpr, nodes.MutexStmt)
FRAMES = (
    nodes.FnDecl,
    nodes.ClosureExpr,
    nodes.SpawnExpr,
    nodes.ParallelExpr,
    nodes.DeferStmt,
    nodes.ToolDecl,
    nodes.ImplDecl,
)
CLOSED = (*PROTECTED, *FRAMES)
HOLDING = (nodes.Stmt, nodes.Block, nodes.IfExpr, nodes.MatchExpr, nodes.MatchArm, nodes.SelectCase, nodes.TryExpr)
LOOPS = (nodes.WhileStmt, nodes.ForStmt)


class Tail:
    """The style of the tail calls of one function; `group` holds the functions that it may jump to."""

    __slots__ = ("binding", "group", "node", "style")

    def __init__(self, binding: Binding, node: nodes.FnDecl, style: str, group: frozenset[Binding]) -> None:
        self.binding = binding
        self.node = node
        self.style = style
        self.group = group

    @property
    def is_trampoline(self) -> bool:
        """Return whether the function returns prepared calls."""
        return self.style == TRAMPOLINE


def callee_of(resolution: Resolution, value: nodes.Expr | None) -> Binding | None:
    """Return the function of the file that an expression calls, or None if it is not such a call."""
    target: nodes.Expr | None = None
    if isinstance(value, nodes.CallExpr):
        target = value.callee
    elif isinstance(value, nodes.PipeExpr):
        target = value.right
    if not isinstance(target, nodes.NameExpr):
        return None
    binding = resolution.bindings.get(target)
    return binding if binding is not None and binding.kind == "fn" and not binding.assignments else None


def returned(node: nodes.Node, *, in_loop: bool = False) -> Iterator[tuple[nodes.Expr, bool]]:
    """Yield the returned expressions in tail position, and for each whether it is inside a loop."""
    if isinstance(node, nodes.ReturnStmt):
        if node.value is not None:
            yield from _results(node.value, in_loop=in_loop)
        return
    if isinstance(node, nodes.TryExpr) and node.catch_body is not None and node.finally_body is None:
        yield from returned(node.catch_body, in_loop=in_loop)
        return
    if isinstance(node, CLOSED):
        return
    inner = in_loop or isinstance(node, LOOPS)
    for child in node.children():
        if isinstance(child, HOLDING):
            yield from returned(child, in_loop=inner)


def _results(value: nodes.Expr, *, in_loop: bool) -> Iterator[tuple[nodes.Expr, bool]]:
    yield value, in_loop
    if isinstance(value, nodes.IfExpr):
        for block in (value.then, value.otherwise):
            if isinstance(block, nodes.Block):
                yield from _last(block, in_loop=in_loop)
            elif block is not None:
                yield from _results(block, in_loop=in_loop)
    elif isinstance(value, nodes.MatchExpr):
        for arm in value.arms:
            yield from _last(arm.body, in_loop=in_loop)


def _last(block: nodes.Block, *, in_loop: bool) -> Iterator[tuple[nodes.Expr, bool]]:
    for statement in block.statements[:-1]:
        yield from returned(statement, in_loop=in_loop)
    if block.statements:
        last = block.statements[-1]
        if isinstance(last, nodes.ExprStmt):
            yield from _results(last.value, in_loop=in_loop)
        else:
            yield from returned(last, in_loop=in_loop)


def find_tails(resolution: Resolution) -> dict[Binding, Tail]:
    """Return the functions that are on a cycle of tail calls."""
    functions: dict[Binding, nodes.FnDecl] = {}
    calls: dict[Binding, dict[Binding, bool]] = {}
    for node, frame in resolution.frames.items():
        if not isinstance(node, nodes.FnDecl) or node.body is None or frame.has_yield or frame.has_defer or node.is_gen:
            continue
        if is_marked(node):
            # Each call has to go through the wrapper that records it.
            continue
        binding = resolution.bindings.get(node)
        if binding is None or binding.redeclared or binding.assignments:
            continue
        functions[binding] = node
        targets: dict[Binding, bool] = {}
        for value, in_loop in returned(node.body) if frame.may_jump else ():
            target = callee_of(resolution, value)
            if target is not None:
                targets[target] = targets.get(target, False) or in_loop or _has_spread(value)
        calls[binding] = targets
    captured = {
        binding.frame.node for binding in resolution.bindings.values() if binding is not None and binding.captured
    }
    found: dict[Binding, Tail] = {}
    for binding, node in functions.items():
        group = frozenset(_cycle(binding, calls))
        if not group:
            continue
        is_loop = group == {binding} and not calls[binding][binding] and node not in captured
        is_loop = is_loop and not any(param.rest for param in node.params)
        found[binding] = Tail(binding, node, LOOP if is_loop else TRAMPOLINE, group)
    return found


def _has_spread(value: nodes.Expr) -> bool:
    return isinstance(value, nodes.CallExpr) and any(isinstance(arg, nodes.SpreadExpr) for arg in value.args)


def _cycle(start: Binding, calls: dict[Binding, dict[Binding, bool]]) -> set[Binding]:
    """Return the functions on the cycles of tail calls through a function."""
    reached = _reach(start, calls)
    return {target for target in reached if start in _reach(target, calls)} if start in reached else set()


def _reach(start: Binding, calls: dict[Binding, dict[Binding, bool]]) -> set[Binding]:
    found: set[Binding] = set()
    pending = [target for target in calls.get(start, ()) if target in calls]
    while pending:
        current = pending.pop()
        if current not in found:
            found.add(current)
            pending.extend(target for target in calls[current] if target in calls)
    return found


def write_return(c: Emitter, value: nodes.Expr, at: At) -> None:
    """Compile the return of an expression: to a jump if it calls a function of the group, else to a plain return."""
    tail = c.body.tail
    if isinstance(tail, Tail) and not c.body.unsafe:
        target = callee_of(c.resolution, value)
        if target is not None and target in tail.group and _jump(c, tail, target, value, at):
            return
    result = c.expr(value)
    c.out.append(returning(result, at))


def _jump(c: Emitter, tail: Tail, target: Binding, value: nodes.Expr, at: At) -> bool:
    operands: list[nodes.Expr] = []
    if isinstance(value, nodes.PipeExpr):
        operands = [value.left]
    elif isinstance(value, nodes.CallExpr):
        operands = value.args
    if tail.style == TRAMPOLINE:
        args = c.ordered(operands)
        c.out.append(returning(c.call("Tail", [_inside(c, target, at), *args], at), at))
        return True
    if c.body.loops:
        return False
    values = c.ordered(operands)
    params = tail.node.params
    places: list[ast.expr] = []
    sources: list[ast.expr] = []
    for number, param in enumerate(params):
        places.append(place(parameter_name(c, param, number), at))
        sources.append(values[number] if number < len(values) else absent(c, param, at))
    for extra in values[len(params) :]:
        places.append(place(c.temp(), at))
        sources.append(extra)
    if places:
        c.out.append(put(tuple_display(places, ast.Store(), at), tuple_display(sources, LOAD, at), at))
    c.out.append(ast.Continue(**fields_of(at)))
    return True


def _inside(c: Emitter, target: Binding, at: At) -> ast.expr:
    """Return a read of the function inside a trampoline; in a loop body, each iteration has its own function."""
    if c.storage(target) is not BOX:
        return name("g" + target.variable, at)
    defaults = attribute(c.read(target, at), "__kwdefaults__", at)
    return subscript(defaults, constant("g", at), LOAD, at)
