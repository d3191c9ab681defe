"""Second bodies of functions, which assume kinds of parameters.

A call whose arguments certainly have these kinds goes to the second body. All other calls, including those of other
files, go to the general body. If the kinds can be tested, a dispatcher under the name of the function chooses the body.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.compiler.call_sites import matches
from harnlite.compiler.inference import SeenAs, deep_variable_kind
from harnlite.compiler.parameters import absent
from harnlite.compiler.python_shapes import (
    IS,
    LOAD,
    all_of,
    argument,
    assign,
    choose,
    class_of,
    compare,
    fields_of,
    invoke,
    name,
    returning,
    starred,
)
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harnlite.analysis.names.scopes import Binding
    from harnlite.compiler.call_sites import Function
    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.kinds import Kind
    from harnlite.compiler.python_shapes import At

TESTABLE = {"int": "int", "float": "float", "string": "str", "bool": "bool"}


def assumed_kinds(c: Emitter, function: Function | None) -> list[Kind]:
    """Return the kinds that the second body of a function assumes; an empty list if it has none."""
    if function is None or not function.may_have_two_bodies:
        return []
    if function.assumed is None:
        with SeenAs(c, c.special_view):
            kinds = [deep_variable_kind(c, binding) for binding in _params(c, function)]
        function.assumed = kinds if any(kind not in {None, "nil"} for kind in kinds) else []
    return function.assumed


def _params(c: Emitter, function: Function) -> list[Binding]:
    found = [c.bindings[param] for param in function.node.params]
    return [binding for binding in found if binding is not None]


def callee_name(c: Emitter, binding: Binding, args: Sequence[nodes.Expr], at: At) -> ast.expr:
    """Return a read of the body that a call of a function of the file goes to."""
    if not any(isinstance(arg, nodes.SpreadExpr) for arg in args):
        assumed = assumed_kinds(c, c.sites.functions.get(binding))
        if assumed and matches(_given(c, args, len(assumed)), assumed):
            return name("s" + binding.variable, at)
        if assumed and not c.view.is_special and _is_testable(assumed) and _is_recursive(c, binding):
            # A dispatcher would halve the depth that a recursion can reach.
            return name("u" + binding.variable, at)
    return c.read(binding, at)


def _is_testable(assumed: Sequence[Kind]) -> bool:
    return all(kind is None or kind in TESTABLE for kind in assumed)


def _is_recursive(c: Emitter, binding: Binding) -> bool:
    """Return whether a function of the file calls itself here, or a function that calls it directly."""
    caller, callee = c.sites.by_node.get(c.body.frame.node), c.sites.functions.get(binding)
    if caller is None or callee is None:
        return False
    return caller is callee or (callee.binding in caller.callees and caller.binding in callee.callees)


def _given(c: Emitter, args: Sequence[nodes.Expr], count: int) -> list[Kind]:
    kinds = [c.deep_kind(arg) for arg in args[:count]]
    return kinds + ["nil"] * (count - len(kinds))


def write_two_bodies(c: Emitter, binding: Binding, node: nodes.FnDecl, write: Callable[[], None], at: At) -> None:
    """Compile a function by means of `write`, with a second body and a dispatcher if they are useful."""
    function = c.sites.functions.get(binding)
    assumed = assumed_kinds(c, function)
    if not assumed:
        write()
        return
    text = binding.variable
    with SeenAs(c, c.special_view):
        write()
    c.out.append(assign("s" + text, name(text, at), at))
    with SeenAs(c, c.generic_view):
        write()
    if _is_testable(assumed):
        c.out.append(assign("u" + text, name(text, at), at))
        _write_dispatcher(c, node, text, assumed, at)


def _write_dispatcher(c: Emitter, node: nodes.FnDecl, text: str, assumed: list[Kind], at: At) -> None:
    """Emit the function that tests its arguments and calls one of the bodies."""
    params = [c.bindings[param] for param in node.params]
    names = [binding.variable for binding in params if binding is not None]
    defaults: list[ast.expr] = [absent(c, param, at) for param in node.params]
    args = ast.arguments([], [argument(one, at) for one in names], argument("_", at), [], [], None, defaults)
    tests: list[ast.expr] = [
        compare(class_of(name(one, at), at), IS, c.helper(TESTABLE[str(kind)], at), at)
        for one, kind in zip(names, assumed, strict=True)
        if kind is not None
    ]
    body = choose(all_of(tests, at), name("s" + text, at), name("u" + text, at), at)
    passed: list[ast.expr] = [name(one, at) for one in names]
    passed.append(starred(name("_", at), LOAD, at))
    result = invoke(body, passed, at)
    dispatcher = "d" + text
    c.out.append(ast.FunctionDef(dispatcher, args, [returning(result, at)], [], None, None, **fields_of(at)))
    c.out.append(assign(text, name(dispatcher, at), at))


def guess_kinds(c: Emitter) -> None:
    """Guess the kinds of parameters from their types and uses, where the right guess pays for the test."""
    for function in c.sites.functions.values():
        if function.may_have_two_bodies and _pays(function):
            for number, param in enumerate(function.node.params):
                if param.default is None:
                    guess = _guess(c, function, number, 0)
                    if guess is not None:
                        function.guesses[number] = guess


def _pays(function: Function) -> bool:
    """Return whether a test at the entry of a function is cheap, compared with the function."""
    if not function.sites or any(is_own for _, is_own in function.sites):
        return True
    return function.has_loop


DEEPEST_GUESS = 3


def _guess(c: Emitter, function: Function, number: int, depth: int) -> Kind:
    param = function.node.params[number]
    binding = c.bindings.get(param)
    if binding is None:
        return None
    if param.type is not None:
        is_used = binding in function.uses or any(is_own for _, is_own in function.sites)
        label = param.type.name if isinstance(param.type, nodes.NamedType) and not param.type.args else ""
        return label if is_used and label in {"int", "float"} else None
    known = function.uses.get(binding)
    if known is None and any(is_own for _, is_own in function.sites):
        known = function.single_uses.get(binding)
    if known is not None:
        return known if known in TESTABLE else None
    if depth < DEEPEST_GUESS:
        for callee, place in function.passes.get(binding, ()):
            other = c.sites.functions.get(callee)
            if other is not None and other is not function and place < len(other.node.params):
                guess = _guess(c, other, place, depth + 1)
                if guess is not None:
                    return guess
    return None
