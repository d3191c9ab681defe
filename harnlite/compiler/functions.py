"""Functions: parameters, bodies, closures, generators, tail calls, and the bodies of tasks and defer blocks."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.compiler.comprehensions import short_body
from harnlite.compiler.emitter import BOX, GLOBAL, VALUE, Body
from harnlite.compiler.exits import poll
from harnlite.compiler.flow import RETURN, fill
from harnlite.compiler.marks import is_marked, write_marked
from harnlite.compiler.parameters import absent, is_simple, parameter_name, write_check
from harnlite.compiler.python_shapes import (
    IS,
    LOAD,
    argument,
    assign,
    attribute,
    class_of,
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
    starred,
    subscript,
)
from harnlite.compiler.second_bodies import write_two_bodies
from harnlite.compiler.tails import LOOP, TRAMPOLINE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.python_shapes import At
    from harnlite.compiler.tails import Tail
    from harnlite.syntax import nodes

STORE = ast.Store()


class Inside:
    """A context in which the compiler writes the body of a function."""

    __slots__ = ("_c", "_node", "_outer")

    def __init__(self, c: Emitter, node: nodes.Node) -> None:
        self._c = c
        self._node = node

    def __enter__(self) -> Body:
        c = self._c
        self._outer = c.body, c.piped, c.depth, c.calls
        body = c.body = Body(c.resolution.frames[self._node])
        c.piped, c.depth, c.calls = [], 0, 0
        return body

    def __exit__(self, *_: object) -> None:
        c = self._c
        c.body, c.piped, c.depth, c.calls = self._outer


def arguments(c: Emitter, node: nodes.Node, params: Sequence[nodes.Param], at: At) -> ast.arguments:
    """Return the parameter list: every argument may be missing, and extra arguments are ignored."""
    args: list[ast.arg] = []
    defaults: list[ast.expr] = []
    rest = argument("_", at)
    for number, param in enumerate(params):
        text = parameter_name(c, param, number)
        if param.rest:
            rest = argument(text, at)
            break
        args.append(argument(text, at))
        defaults.append(absent(c, param, at))
    kept = [binding.variable for binding in c.resolution.frames[node].by_value if c.storage(binding) in {VALUE, BOX}]
    return ast.arguments(
        [],
        args,
        rest,
        [argument(text, at) for text in kept],
        [name(text, at) for text in kept],
        None,
        defaults,
    )


def prologue(c: Emitter, params: Sequence[nodes.Param]) -> None:
    """Emit the code for parameters that runs before the body: defaults, rest lists and checks."""
    for number, param in enumerate(params):
        at = c.where(param)
        text = parameter_name(c, param, number)
        binding = c.bindings.get(param)
        if binding is not None and param in binding.redeclared:
            c.out.append(c.redeclared(param.name.text, at))
        if param.rest:
            c.out.append(assign(text, list_display([starred(name(text, at), LOAD, at)], LOAD, at), at))
        elif param.default is not None and not is_simple(param.default):
            with c.writing([]) as body:
                value = c.expr(param.default)
                body.append(assign(text, value, at))
            c.out.append(if_else(compare(name(text, at), IS, c.helper("missing", at), at), body, [], at))
        if param.type is not None and not param.rest:
            write_check(c, param, text, at)


def function(c: Emitter, text: str, args: ast.arguments, body: list[ast.stmt], at: At) -> ast.FunctionDef:
    """Return a Python function definition."""
    del c
    return ast.FunctionDef(text, args, body or [ast.Pass(**fields_of(at))], [], None, None, **fields_of(at))


def write_body(
    c: Emitter,
    node: nodes.Node,
    params: Sequence[nodes.Param],
    block: nodes.Block,
    sink: str | None,
    tail: Tail | None = None,
) -> list[ast.stmt]:
    """Return the statements of a function: the parameter code and the body."""
    at = c.where(block)
    with Inside(c, node) as body, c.writing([]) as out:
        body.tail = tail
        prologue(c, params)
        frame = body.frame
        body.unsafe = body.unsafe_at_entry = int(frame.has_defer)
        with c.writing([]) as inner:
            fill(c, block, sink)
        if frame.has_defer:
            guard = ast.withitem(c.call("defers", [], at), place("d_", at))
            inner = [ast.With([guard], inner or [ast.Pass(**fields_of(at))], **fields_of(at))]
        out.extend(inner)
        if tail is not None and tail.style == LOOP:
            out[:] = [
                ast.While(
                    constant(value=True, at=at),
                    [*poll(at), *out, returning(constant(None, at), at)],
                    [],
                    **fields_of(at),
                )
            ]
        elif c.calls:
            check = effect(invoke(name("_poll_entry", at), [], at), at)
            out.insert(0, if_else(name("_hintr", at), [check], [], at))
        return outside_names(body, at) + out


def outside_names(body: Body, at: At) -> list[ast.stmt]:
    """Return the global and nonlocal statements of a function."""
    found: list[ast.stmt] = []
    if body.globals:
        found.append(ast.Global(list(body.globals), **fields_of(at)))
    if body.nonlocals:
        found.append(ast.Nonlocal(list(body.nonlocals), **fields_of(at)))
    return found


def write_callable(
    c: Emitter,
    text: str,
    node: nodes.Node,
    params: Sequence[nodes.Param],
    block: nodes.Block,
    sink: str | None,
    *,
    is_stream: bool = False,
    tail: Tail | None = None,
) -> None:
    """Compile a function under a Python name, with a wrapper if it is a generator or needs a trampoline."""
    at = c.where(node)
    frame = c.resolution.frames[node]
    body = write_body(c, node, params, block, sink, tail)
    args = arguments(c, node, params, at)
    is_generator = frame.has_yield or is_stream
    if not is_generator and (tail is None or tail.style != TRAMPOLINE):
        c.out.append(function(c, text, args, body, at))
        return
    inner = "g" + text
    if is_generator:
        body = [*body, if_else(constant(value=False, at=at), [effect(ast.Yield(None, **fields_of(at)), at)], [], at)]
    c.out.append(function(c, inner, args, body, at))
    c.out.append(
        function(
            c,
            text,
            _front_arguments(args, inner, at),
            _front(c, args, at, is_generator=is_generator, is_stream=is_stream),
            at,
        )
    )


def _front_arguments(args: ast.arguments, inner: str, at: At) -> ast.arguments:
    return ast.arguments([], args.args, args.vararg, [argument("g", at)], [name(inner, at)], None, args.defaults)


def _front(c: Emitter, args: ast.arguments, at: At, *, is_generator: bool, is_stream: bool) -> list[ast.stmt]:
    passed: list[ast.expr] = [name(arg.arg, at) for arg in args.args]
    if args.vararg is not None and args.vararg.arg != "_":
        passed.append(starred(name(args.vararg.arg, at), LOAD, at))
    call = invoke(name("g", at), passed, at)
    if is_generator:
        return [returning(c.call("generator", [call, constant(is_stream, at), name("_run", at)], at), at)]
    result = place("r", at)
    again = put(result, invoke(name("r", at), [], at), at)
    is_tail = compare(class_of(name("r", at), at), IS, c.helper("Tail", at), at)
    return [
        put(result, call, at),
        ast.While(is_tail, [*poll(at), again], [], **fields_of(at)),
        returning(name("r", at), at),
    ]


def write_closure(c: Emitter, node: nodes.ClosureExpr) -> ast.expr:
    """Compile a closure: to a lambda if its body is one expression, else to a function that is defined first."""
    at = c.where(node)
    frame = c.resolution.frames[node]
    short = short_body(node)
    if short is not None and not frame.has_yield and not frame.has_defer and not c.plain:
        with Inside(c, node) as body, c.writing([]) as out:
            value = c.expr(short)
        if not out and not body.globals and not body.nonlocals:
            return ast.Lambda(arguments(c, node, node.params, at), value, **fields_of(at))
    text = c.function_name()
    write_callable(c, text, node, node.params, node.body, RETURN)
    return name(text, at)


def write_task_body(
    c: Emitter,
    node: nodes.Node,
    params: Sequence[nodes.Param],
    block: nodes.Block,
    sink: str | None = RETURN,
) -> ast.expr:
    """Compile the body of a task or defer block to a function, and return a read of its name."""
    text = c.function_name()
    write_callable(c, text, node, params, block, sink)
    return name(text, c.where(node))


def write_spawn(c: Emitter, node: nodes.SpawnExpr) -> ast.expr:
    """Compile spawn."""
    at = c.where(node)
    return c.call("spawn", [name("_run", at), write_task_body(c, node, (), node.body)], at)


def write_parallel(c: Emitter, node: nodes.ParallelExpr) -> ast.expr:
    """Compile any form of parallel."""
    at = c.where(node)
    parts = [node.source] + ([node.max_concurrent] if node.max_concurrent is not None else [])
    values = c.ordered(parts)
    limit = values[1] if len(values) > 1 else constant(0, at)
    source, limit = c.hold(values[0], at), c.hold(limit, at)
    body = write_task_body(c, node, [node.param] if node.param else (), node.body)
    helper = "parallel_stream" if node.as_stream else "parallel_" + node.mode
    return c.call(helper, [name("_run", at), source, body, limit], at)


def write_defer(c: Emitter, node: nodes.DeferStmt) -> None:
    """Compile defer."""
    at = c.where(node)
    body = write_task_body(c, node, (), node.body, None)
    c.out.append(effect(invoke(attribute(name("d_", at), "append", at), [body], at), at))


def write_fn(c: Emitter, node: nodes.FnDecl) -> None:
    """Compile a named function, and bind it to its variable."""
    binding = c.bindings.get(node)
    if binding is None or node.body is None:
        return
    at = c.where(node)
    if node in binding.redeclared:
        c.out.append(c.redeclared(node.name.text, at))
        return
    tail = c.tails.get(binding)
    storage = c.storage(binding)
    text = c.function_name() if storage is BOX else binding.variable
    body = node.body

    def write() -> None:
        write_callable(c, text, node, node.params, body, None, is_stream=node.is_gen, tail=tail)

    write_two_bodies(c, binding, node, write, at)
    if is_marked(node):
        c.store(binding, write_marked(c, node, text), at)
    elif storage is BOX:
        c.store(binding, name(text, at), at)
    if storage is GLOBAL and c.body.frame.kind != "module":
        c.body.globals[text] = None


def write_method(c: Emitter, owner: ast.expr, node: nodes.FnDecl) -> None:
    """Compile a method, and store it in its struct type."""
    if node.body is None:
        return
    at = c.where(node)
    text = c.function_name(node.name.text)
    write_callable(c, text, node, node.params, node.body, None, is_stream=node.is_gen)
    methods = c.call("methods_of", [owner], at)
    target = subscript(methods, constant(node.name.text, at), STORE, at)
    c.out.append(put(target, name(text, at), at))
