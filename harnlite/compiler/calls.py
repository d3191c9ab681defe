"""Calls of functions, builtins, values and methods, and pipes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.analysis.builtins.declarations import ALWAYS_BUILTIN, GLOBAL_VALUES
from harnlite.analysis.builtins.method_table import LOOKS, methods_with
from harnlite.analysis.names.scopes import TRANSCRIPT, TRANSCRIPT_BUILTINS
from harnlite.compiler.builtin_calls import write_quick_builtin
from harnlite.compiler.comprehensions import write_quick_method
from harnlite.compiler.emitter import GLOBAL
from harnlite.compiler.expressions import contains_piped, enum_member, note_alias
from harnlite.compiler.inference import kind_of
from harnlite.compiler.kinds import is_kind
from harnlite.compiler.python_shapes import (
    IS,
    LOAD,
    Constant,
    attribute,
    boolean,
    choose,
    class_of,
    compare,
    constant,
    fields_of,
    invoke,
    name,
    named,
    named_value,
    place,
    tuple_display,
)
from harnlite.compiler.second_bodies import callee_name
from harnlite.compiler.string_methods import write_string_method
from harnlite.diagnostics.suggest import near_name
from harnlite.runtime.methods import METHODS
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.names.scopes import Binding
    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.python_shapes import At

FIXED_CALLABLES = frozenset({"fn", "struct"})
CLASSES: tuple[tuple[str, type], ...] = (("list", list), ("str", str), ("dict", dict))
KIND_CLASSES = {"list": list, "string": str, "dict": dict}
# Methods that no dict has in another form; `filter` and `merge` belong to the members of the namespace `stream` too.
DICT_METHODS = frozenset({"count", "entries", "get", "has", "keys", "map_values", "remove", "values"})
NAMES_OF_METHODS = frozenset(text for methods in METHODS.values() for text in methods)
LOOKING_METHODS = frozenset[str]().union(*(methods_with(LOOKS, receiver) for receiver in ("list", "dict", "set")))
# What only looks at its argument, and neither keeps it nor gives it back.
LOOKING_BUILTINS = frozenset(
    [
        "len",
        "keys",
        "values",
        "entries",
        "contains",
        "println",
        "print",
        "log",
        "to_string",
        "str",
        "type_of",
        "json_stringify",
    ]
)
SCHEMA_CALLS = frozenset(
    {"schema_of", "schema_is", "schema_expect", "schema_parse", "schema_check", "is_type", "json_validate"}
)


def write_call(c: Emitter, node: nodes.CallExpr) -> ast.expr:
    """Compile a call."""
    at = c.where(node)
    callee = node.callee
    if isinstance(callee, nodes.NameExpr):
        return _named_call(c, node, callee, at)
    function, *args = c.ordered((callee, *node.args))
    return invoke(_checked(c, function, [], at), args, at)


def _named_call(c: Emitter, node: nodes.CallExpr, callee: nodes.NameExpr, at: At) -> ast.expr:
    text = callee.name
    if text in ALWAYS_BUILTIN and text in c.declarations.entries:
        return call_builtin(c, text, node.args, at)
    if text == "_" and c.piped:
        return invoke(_checked(c, c.piped[-1], [], at), c.ordered(node.args), at)
    binding = c.bindings.get(callee)
    if binding is None:
        if text in c.declarations.entries:
            _note_schema(c, text, node.args)
            return call_builtin(c, text, node.args, at)
        return _call_unknown(c, callee, node.args, at)
    # In a session, a later input can change the meaning of a top-level name.
    is_fixed = not binding.mutable and not (c.keep_globals and c.storage(binding) is GLOBAL)
    if binding.kind in FIXED_CALLABLES and is_fixed and not binding.assignments:
        c.calls += 1
        return invoke(callee_name(c, binding, node.args, at), c.ordered(node.args), at)
    if is_fixed and not binding.redeclared and _holds_closure(binding):
        c.calls += 1
        return invoke(c.read(binding, at), c.ordered(node.args), at)
    function = _nearest(c, binding, callee, at)
    before = len(c.out)
    args = c.ordered(node.args)
    if len(c.out) > before:
        late = c.out[before:]
        del c.out[before:]
        function = c.freeze(function)
        c.out.extend(late)
    return invoke(function, args, at)


def _holds_closure(binding: Binding) -> bool:
    return len(binding.values) == 1 and isinstance(binding.values[0], nodes.ClosureExpr)


def _note_schema(c: Emitter, text: str, args: Sequence[nodes.Expr]) -> None:
    """Note the name of a type alias in the schema argument of a schema builtin; it is compiled to its schema."""
    index = 0 if text == "schema_of" else 1
    if text in SCHEMA_CALLS and len(args) > index:
        note_alias(c, args[index])


def _nearest(c: Emitter, binding: Binding, callee: nodes.NameExpr, at: At) -> ast.expr:
    """Return the target of a call by name: the variable or, if it is not callable, outer ones, an import or a builtin.

    A variable may have no value yet, so each one is read by its own function.
    """
    outer = c.resolution.hidden.get(callee, ())
    builtin: list[ast.expr] = []
    if callee.name in c.declarations.entries:
        builtin.append(c.native_value(callee.name, at))
    elif callee.name in c.imported and c.has_wildcard_import and callee.name not in c.resolution.module_scope.names:
        c.loose[callee.name] = None
        builtin.append(name("i_" + callee.name, at))
    is_late = binding.early and binding.frame is not c.body.frame and bool(builtin)
    if not outer and not is_late:
        return _checked(c, c.read(binding, at), builtin, at)
    readers: list[ast.expr] = []
    for variable in (binding, *outer):
        none = ast.arguments([], [], None, [], [], None, [])
        readers.append(ast.Lambda(none, c.read(variable, at), **fields_of(at)))
    c.calls += 1
    nearest = c.call("nearest_callee", [tuple_display(readers, LOAD, at), *builtin], at)
    if is_late or c.plain:
        return nearest
    first, again = named(c, c.read(binding, at), at)
    return choose(compare(class_of(first, at), IS, c.helper("fn", at), at), again, nearest, at)


def _checked(c: Emitter, function: ast.expr, hidden: list[ast.expr], at: At) -> ast.expr:
    """Return the value, with a check that it is callable."""
    c.calls += 1
    if c.plain:
        return c.call("callee", [function, *hidden], at)
    first, again = named(c, function, at)
    test = compare(class_of(first, at), IS, c.helper("fn", at), at)
    return choose(test, again, c.call("callee", [again, *hidden], at), at)


def call_builtin(c: Emitter, text: str, args: Sequence[nodes.Expr], at: At) -> ast.expr:
    """Compile a direct call of a builtin; with extra or spread arguments, call the builtin as a value instead."""
    arity = arity_of(c, text)
    looks = text in LOOKING_BUILTINS and len(args) == 1 and not isinstance(args[0], nodes.SpreadExpr)
    written = [c.base(args[0])] if looks else c.ordered(args)
    spread = any(isinstance(arg, ast.Starred) for arg in written)
    if spread or (arity is not None and len(written) > arity):
        return invoke(c.native_value(text, at), written, at)
    quick = write_quick_builtin(c, text, list(args), written, at)
    return invoke(c.native(text, at), written, at) if quick is None else quick


def arity_of(c: Emitter, text: str) -> int | None:
    """Return the number of arguments that a builtin takes, or None if it takes any number."""
    params = c.declarations.entries[text][0]
    return None if any(param[3] for param in params) else len(params)


def _call_unknown(c: Emitter, callee: nodes.NameExpr, args: Sequence[nodes.Expr], at: At) -> ast.expr:
    text = callee.name
    if text in c.declarations.namespaces or text in GLOBAL_VALUES:
        return invoke(_checked(c, c.native_value(text, at), [], at), c.ordered(args), at)
    if c.may_be_imported(text):
        c.loose[text] = None
        return invoke(name("i_" + text, at), c.ordered(args), at)
    near = near_name(text, [*c.visible(callee), *c.declarations.entries])
    return c.call("undefined_call", [constant(text, at), constant(near, at), *c.ordered(args)], at)


def write_method_call(c: Emitter, node: nodes.MethodCallExpr) -> ast.expr:
    """Compile a method call."""
    at = c.where(node)
    receiver, text = node.receiver, node.name.text
    if isinstance(receiver, nodes.NameExpr):
        special = _namespaced(c, node, receiver, at)
        if special is not None:
            return special
    c.calls += 1
    quick = write_quick_method(c, node, at)
    if quick is not None:
        return quick
    value, *args = c.ordered((receiver, *node.args), keeps_first=text in LOOKING_METHODS)
    key = constant(text, at)
    if node.optional or c.plain:
        return c.call("invoke_optional" if node.optional else "invoke", [value, key, *args], at)
    spread = any(isinstance(arg, ast.Starred) for arg in args)
    kind = kind_of(c, receiver)
    keeps_generators = not c.has_generators or c.is_fixed_name(value)
    if kind == "string" or (kind is None and keeps_generators and text not in c.methods):

        def otherwise(again: ast.expr) -> ast.expr:
            return _method_call(c, node, again, args, at)

        quick = None if spread else write_string_method(c, node, value, args, otherwise)
        if quick is not None:
            return quick
    return _method_call(c, node, value, args, at)


def _method_call(c: Emitter, node: nodes.MethodCallExpr, value: ast.expr, args: list[ast.expr], at: At) -> ast.expr:
    """Compile a method call by the class that is known or likely, else by the general helper."""
    text, key = node.name.text, constant(node.name.text, at)
    spread = any(isinstance(arg, ast.Starred) for arg in args)
    known = KIND_CLASSES.get(kind_of(c, node.receiver) or "")
    if known is dict and not spread and takes(dict, text, len(args)) and text in DICT_METHODS:
        return _dict_call(c, node, value, args, at)
    if known is not None and not spread and takes(known, text, len(args)) and known is not dict:
        return invoke(c.helper(f"m_{known.__name__}_{text}", at), [value, *args], at)
    if c.has_generators and not c.is_fixed_name(value):
        # A temporary of ours would keep alive a generator that has no other reference.
        return c.call("invoke", [value, key, *args], at)
    first, again = named(c, value, at)
    guess = None if spread else _guess(c, text, len(args))
    if guess is None:
        if text in c.methods:
            return _struct_call(c, node, (first, again), args, at)
        if not spread and not c.has_generators and text not in NAMES_OF_METHODS:
            return _entry_call(c, node, (first, again), args, at)
        return c.call("invoke", [value, key, *args], at)
    test = compare(class_of(first, at), IS, c.helper(guess, at), at)
    function = choose(test, c.helper(f"m_{guess}_{text}", at), c.call("method", [again, key], at), at)
    return invoke(function, [again, *args], at)


def _dict_call(c: Emitter, node: nodes.MethodCallExpr, value: ast.expr, args: list[ast.expr], at: At) -> ast.expr:
    """Compile a method call whose receiver is a dict."""
    text = node.name.text
    if text == "keys" and not args:
        return invoke(c.helper("sorted", at), [value], at)
    has_text = bool(args) and kind_of(c, node.args[0]) == "string"
    # The operands of `in` are evaluated in the other order.
    if text == "has" and has_text and len(args) == 1 and (args[0].__class__ is Constant or c.is_fixed_name(args[0])):
        return compare(args[0], ast.In(), value, at)
    if text == "get" and has_text:
        return invoke(attribute(value, "get", at), args, at)
    return invoke(c.helper(f"m_dict_{text}", at), [value, *args], at)


def _struct_call(
    c: Emitter, node: nodes.MethodCallExpr, receiver: tuple[ast.expr, ast.expr], args: list[ast.expr], at: At
) -> ast.expr:
    """Compile a method call whose receiver most likely is a struct; `receiver` is its first and any later read."""
    first, again = receiver
    text = node.name.text
    temp = c.temp()
    is_certain = is_kind(c.deep_kind(node.receiver), "struct")
    methods = attribute(attribute(first if is_certain else again, "type", at), "methods", at)
    found = invoke(attribute(methods, "get", at), [constant(text, at)], at)
    test: ast.expr = named_value(place(temp, at), found, at)
    if not is_certain:
        is_struct = compare(class_of(first, at), IS, c.helper("Struct", at), at)
        test = boolean(ast.And(), [is_struct, test], at)
    function = choose(test, name(temp, at), c.call("method", [again, constant(text, at)], at), at)
    return invoke(function, [again, *args], at)


def _entry_call(
    c: Emitter,
    node: nodes.MethodCallExpr,
    receiver: tuple[ast.expr, ast.expr],
    args: list[ast.expr],
    at: At,
) -> ast.expr:
    """Compile a call of what most likely is a closure in a dict; `receiver` is its first and any later read."""
    first, again = receiver
    key = constant(node.name.text, at)
    temp = c.temp()
    is_certain = kind_of(c, node.receiver) == "dict"
    entry = invoke(attribute(first if is_certain else again, "get", at), [key], at)
    test: ast.expr = compare(class_of(named_value(place(temp, at), entry, at), at), IS, c.helper("fn", at), at)
    if not is_certain:
        test = boolean(ast.And(), [compare(class_of(first, at), IS, c.helper("dict", at), at), test], at)
    return invoke(choose(test, name(temp, at), c.call("bound_method", [again, key], at), at), args, at)


def takes(receiver: type, text: str, count: int) -> bool:
    """Return whether a built-in method can be called directly with `count` arguments."""
    method = METHODS[receiver].get(text)
    if method is None:
        return False
    code = getattr(method, "__code__", None)
    return code is not None and (bool(code.co_flags & 4) or code.co_argcount > count)


def _guess(c: Emitter, text: str, count: int) -> str | None:
    """Return the class that a method most likely belongs to, judged by its name."""
    if text in c.methods:
        return None
    return next((label for label, kind in CLASSES if kind is not dict and takes(kind, text, count)), None)


def _namespaced(c: Emitter, node: nodes.MethodCallExpr, receiver: nodes.NameExpr, at: At) -> ast.expr | None:
    """Compile calls whose receiver is not a value: enum variants, namespaces of builtins, `transcript.…`."""
    text = node.name.text
    if receiver.name == TRANSCRIPT and text in TRANSCRIPT_BUILTINS:
        return call_builtin(c, f"{TRANSCRIPT}.{text}", node.args, at)
    enum = enum_member(c, receiver, text)
    if enum is not None:
        return c.call("variant", [enum, constant(text, at), *c.ordered(node.args)], at)
    if c.bindings.get(receiver) is None and receiver.name in c.declarations.namespaces and not c.has_wildcard_import:
        full = f"{receiver.name}.{text}"
        if full in c.declarations.entries:
            return call_builtin(c, full, node.args, at)
    return None


def write_pipe(c: Emitter, node: nodes.PipeExpr) -> ast.expr:
    """Compile `x |> f`: call f with x, or evaluate f with `_` as the name of x."""
    at = c.where(node)
    value = c.expr(node.left)
    right = node.right
    if contains_piped(right):
        c.piped.append(c.hold(value, at))
        if isinstance(c.piped[-1], ast.Name) and c.piped[-1].id[0] == "t":
            c.given.append(c.piped[-1].id)
        result = c.expr(right)
        c.piped.pop()
        return result
    if isinstance(right, nodes.NameExpr):
        binding = c.bindings.get(right)
        if binding is None and right.name in c.declarations.entries:
            read = c.native_value if arity_of(c, right.name) == 0 else c.native
            return invoke(read(right.name, at), [value], at)
        if binding is not None and binding.kind in FIXED_CALLABLES and not binding.mutable and not c.keep_globals:
            c.calls += 1
            return invoke(c.read(binding, at), [value], at)
    held = c.hold(value, at)
    return c.call("pipe", [held, c.expr(right)], at)
