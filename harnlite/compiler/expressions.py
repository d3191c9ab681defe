"""Literals, names, collections, properties, subscripts, ranges and other simple expressions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from harnlite.compiler.attempts import is_likely_field, is_own_field
from harnlite.compiler.inference import exact, is_certain_item, kind_of
from harnlite.compiler.kinds import has_field, is_kind, present
from harnlite.compiler.magnitude import is_natural
from harnlite.compiler.ownership import release
from harnlite.compiler.parameters import literal, lower
from harnlite.compiler.python_shapes import (
    AND,
    IS,
    IS_NOT,
    LOAD,
    assign,
    attribute,
    boolean,
    choose,
    class_of,
    compare,
    constant,
    dict_display,
    fields_of,
    if_else,
    invoke,
    list_display,
    name,
    named,
    position_of,
    returning,
    starred,
    subscript,
    tuple_display,
)
from harnlite.diagnostics.foreign_names import foreign_note
from harnlite.diagnostics.suggest import near_name
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.python_shapes import At

    Test = Callable[[ast.expr], ast.expr]


def write_literal(c: Emitter, node: nodes.LiteralExpr) -> ast.expr:
    """Compile a literal."""
    at = c.where(node)
    if node.kind == "duration":
        return c.constant(c.call("duration", [constant(node.value, at)], at), at)
    return constant(node.value, at)


def write_template(c: Emitter, node: nodes.TemplateExpr) -> ast.expr:
    """Compile a string with interpolations to an f-string."""
    at = c.where(node)
    values: list[ast.expr] = []
    parts = c.ordered(node.parts)
    for part, value in zip(node.parts, parts, strict=True):
        if isinstance(value, ast.Constant) and value.value.__class__ is str:
            values.append(value)
        else:
            values.append(ast.FormattedValue(as_text(c, value, kind_of(c, part)), -1, None, **fields_of(at)))
    text = ast.JoinedStr(values, **fields_of(at))
    if c.plain:
        return c.call("text_of", [text], at)
    is_short = all(isinstance(part, nodes.LiteralExpr) or kind_of(c, part) == "int" for part in node.parts)
    return text if is_short else c.sized(text, at)


def as_text(c: Emitter, value: ast.expr, kind: str | None) -> ast.expr:
    """Return an expression for the display text of a value."""
    at = position_of(value)
    if kind in {"string", "int"} and not c.plain:
        return value
    if c.plain:
        return c.call("display", [value], at)
    first, again = named(c, value, at)
    is_text = compare(class_of(first, at), IS, c.helper("str", at), at)
    is_int = compare(class_of(again, at), IS, c.helper("int", at), at)
    as_it_is = boolean(ast.Or(), [is_text, is_int], at)
    return choose(as_it_is, again, c.call("display", [again], at), at)


def as_key(c: Emitter, value: ast.expr, kind: str | None) -> ast.expr:
    """Return an expression for the dict key of a value, which is its display text."""
    if kind == "string" and not c.plain:
        return value
    at = position_of(value)
    if c.plain:
        return c.call("display", [value], at)
    first, again = named(c, value, at)
    is_text = compare(class_of(first, at), IS, c.helper("str", at), at)
    return choose(is_text, again, c.call("display", [again], at), at)


def write_name(c: Emitter, node: nodes.NameExpr) -> ast.expr:
    """Compile a name: a variable, a builtin as a value, a global or an error."""
    at = c.where(node)
    if node.name == "_" and c.piped:
        return c.piped[-1]
    binding = c.bindings.get(node)
    if node in c.alias_uses:
        schema = lower(c, nodes.NamedType(node.start, node.end, node.name, []), frozenset())
        return literal(schema or {}, c, at)
    if binding is not None:
        if binding in c.owned:
            release(c, binding, at)
        return c.read(binding, at)
    return write_global(c, node.name, node, at)


def write_global(c: Emitter, text: str, node: nodes.Node, at: At) -> ast.expr:
    """Compile a name that the file does not bind."""
    if text in c.declarations:
        return c.native_value(text, at)
    if c.may_be_imported(text):
        c.loose[text] = None
        return name("i_" + text, at)
    note = foreign_note(text)
    near = near_name(text, c.visible(node)) if text != "_" and note is None else None
    notes = [] if note is None else [constant(note, at)]
    return c.call("undefined", [constant(text, at), constant(near, at), *notes], at)


def write_list(c: Emitter, node: nodes.ListExpr) -> ast.expr:
    """Compile a list literal."""
    return list_display(c.ordered(node.items), LOAD, c.where(node))


def write_spread(c: Emitter, node: nodes.SpreadExpr) -> ast.expr:
    """Compile a spread among list items or arguments."""
    at = c.where(node)
    return starred(c.call("spread_list", [c.expr(node.value)], at), LOAD, at)


def write_dict(c: Emitter, node: nodes.DictExpr) -> ast.expr:
    """Compile a dict literal."""
    keys, values = write_entries(c, node.entries)
    return dict_display(keys, values, c.where(node))


def _plain_key(entry: nodes.DictEntry) -> str | None:
    """Return the key of an entry, or None if it is computed."""
    key = entry.key
    return str(key.value) if isinstance(key, nodes.LiteralExpr) and not entry.computed else None


def write_entries(c: Emitter, entries: Sequence[nodes.Node]) -> tuple[list[ast.expr | None], list[ast.expr]]:
    """Compile the entries of a dict; a spread has no key."""
    flat: list[nodes.Expr] = []
    for entry in entries:
        if isinstance(entry, nodes.DictEntry):
            text = _plain_key(entry)
            if text is None:
                flat.append(entry.key)
            if text == "output_schema":
                note_alias(c, entry.value)
            flat.append(entry.value)
        elif isinstance(entry, nodes.SpreadExpr):
            flat.append(entry.value)
    written = iter(c.ordered(flat))
    keys: list[ast.expr | None] = []
    values: list[ast.expr] = []
    for entry in entries:
        if isinstance(entry, nodes.DictEntry):
            text = _plain_key(entry)
            if text is None:
                keys.append(as_key(c, next(written), kind_of(c, entry.key)))
            else:
                keys.append(constant(text, c.where(entry)))
            values.append(next(written))
        else:
            keys.append(None)
            value = next(written)
            is_dict = isinstance(entry, nodes.SpreadExpr) and kind_of(c, entry.value) == "dict" and not c.plain
            values.append(value if is_dict else c.call("spread_dict", [value], c.where(entry)))
    return keys, values


def note_alias(c: Emitter, node: nodes.Expr) -> None:
    """Record a name in a schema position if it is the name of a type alias."""
    if isinstance(node, nodes.NameExpr):
        binding = c.bindings.get(node)
        if binding.kind == "type" if binding is not None and binding.kind != "import" else _is_imported_alias(c, node):
            c.alias_uses.add(node)


def _is_imported_alias(c: Emitter, node: nodes.NameExpr) -> bool:
    return node.name in c.imported and isinstance(c.types.get(node.name), nodes.TypeDecl)


def write_struct(c: Emitter, node: nodes.StructExpr) -> ast.expr:
    """Compile a struct literal."""
    at = c.where(node)
    keys, values = write_entries(c, node.entries)
    fields = dict_display(keys, values, at)
    binding = c.bindings.get(node.name)
    if binding is None:
        if c.may_be_imported(node.name.text):
            c.loose[node.name.text] = None
            return invoke(name("i_" + node.name.text, at), [fields], at)
        return c.call("undefined", [constant(node.name.text, at), constant(None, at)], at)
    declared = binding.decl
    if isinstance(declared, nodes.StructDecl) and not c.plain:
        known = {member.name.text for member in declared.members}
        if all(isinstance(key, ast.Constant) and key.value in known for key in keys):
            return c.call("Struct", [c.read(binding, at), fields], at)
    return invoke(c.read(binding, at), [fields], at)


def write_property(c: Emitter, node: nodes.PropertyExpr) -> ast.expr:
    """Compile the read of a property."""
    at = c.where(node)
    receiver = node.receiver
    if isinstance(receiver, nodes.NameExpr):
        variant = enum_member(c, receiver, node.name.text)
        if variant is not None:
            return c.call("variant", [variant, constant(node.name.text, at)], at)
    return read_property(c, node, c.base(receiver), at)


def read_property(c: Emitter, node: nodes.PropertyExpr, value: ast.expr, at: At) -> ast.expr:
    """Return the read of a property of a value that is already compiled."""
    receiver = node.receiver
    key = constant(node.name.text, at)
    known = None if c.plain or node.optional else _known_field(c, node, value, key, at)
    if known is not None:
        return known
    if c.plain or node.optional:
        return c.call("get_property_optional" if node.optional else "get_property", [value, key], at)
    if kind_of(c, receiver) == "dict":
        return invoke(attribute(value, "get", at), [key], at)
    if is_kind(c.deep_kind(receiver), "struct"):
        fields = attribute(value, "fields", at)
        if c.trying and is_own_field(c, node):
            return subscript(fields, key, LOAD, at)
        return invoke(attribute(fields, "get", at), [key], at)
    if c.trying and is_likely_field(c, node):
        return subscript(attribute(value, "fields", at), key, LOAD, at)
    first, again = named(c, value, at)
    tests = [("dict", again)]
    if node.name.text in c.fields:
        tests.insert(0, ("Struct", attribute(again, "fields", at)))
    read: ast.expr = c.call("get_property", [again, key], at)
    for label, entries in reversed(tests):
        tested = first if label == tests[0][0] else again
        is_one = compare(class_of(tested, at), IS, c.helper(label, at), at)
        read = choose(is_one, invoke(attribute(entries, "get", at), [key], at), read, at)
    return read


def _known_field(c: Emitter, node: nodes.PropertyExpr, value: ast.expr, key: ast.expr, at: At) -> ast.expr | None:
    """Compile the read of a field of a dict or struct that certainly has it."""
    kind = c.deep_kind(node.receiver)
    certain = exact(c, node.receiver, kind)
    if not has_field(present(kind), node.name.text):
        return None
    is_struct = is_kind(present(kind), "struct")
    if not is_kind(certain, "maybe"):
        return subscript(attribute(value, "fields", at) if is_struct else value, key, LOAD, at)
    first, again = named(c, value, at)
    read = subscript(attribute(again, "fields", at) if is_struct else again, key, LOAD, at)
    is_there = compare(first, IS_NOT, constant(None, at), at)
    return choose(is_there, read, c.call("get_property", [again, key], at), at)


def enum_member(c: Emitter, receiver: nodes.NameExpr, member: str) -> ast.expr | None:
    """Return a read of the enum that a name refers to, or None."""
    del member
    binding = c.bindings.get(receiver)
    if binding is None:
        return c.native_value("Result", c.where(receiver)) if receiver.name == "Result" else None
    return c.read(binding, c.where(receiver)) if binding.kind == "enum" else None


def write_index(c: Emitter, node: nodes.IndexExpr) -> ast.expr:
    """Compile the read of an item: inline for a likely list or dict access, else by the helper."""
    at = c.where(node)
    value, index = c.ordered((node.receiver, node.index), keeps_first=True)
    return read_item(c, node, value, index, at)


def read_item(c: Emitter, node: nodes.IndexExpr, value: ast.expr, index: ast.expr, at: At) -> ast.expr:
    """Return the read of an item of a value, where both the value and the index are already compiled."""
    if c.trying and is_certain_item(c, node):
        return subscript(value, index, LOAD, at)
    kind, index_kind = kind_of(c, node.receiver), kind_of(c, node.index)
    as_dict = index_kind == "string" or kind == "dict"
    unlikely = not as_dict and (index_kind not in {None, "int"} or kind not in {None, "list", "string"})
    if c.plain or node.optional or unlikely:
        return c.call("get_index_optional" if node.optional else "get_index", [value, index], at)
    first_value, value = named(c, value, at)
    first_index, index = named(c, index, at)
    if as_dict:
        value_tests, index_tests, fast = _dict_item(c, value, kind, index, index_kind, at)
    else:
        sign = index_kind is None or not is_natural(c, node.index)
        value_tests, index_tests, fast = _list_item(c, value, kind, index, (index_kind, sign), at)
    tests = in_order(first_value, value, value_tests, first_index, index, index_tests, at)
    if not tests:
        return fast
    test = tests[0] if len(tests) == 1 else boolean(AND, tests, at)
    return choose(test, fast, c.call("get_index", [value, index], at), at)


def _dict_item(
    c: Emitter,
    value: ast.expr,
    kind: str | None,
    index: ast.expr,
    index_kind: str | None,
    at: At,
) -> tuple[list[Test], list[Test], ast.expr]:
    is_dict: list[Test] = [] if kind == "dict" else [lambda v: compare(class_of(v, at), IS, c.helper("dict", at), at)]
    is_text: list[Test] = (
        [] if index_kind == "string" else [lambda i: compare(class_of(i, at), IS, c.helper("str", at), at)]
    )
    return is_dict, is_text, invoke(attribute(value, "get", at), [index], at)


def _list_item(
    c: Emitter,
    value: ast.expr,
    kind: str | None,
    index: ast.expr,
    index_facts: tuple[str | None, bool],
    at: At,
) -> tuple[list[Test], list[Test], ast.expr]:
    index_kind, may_be_negative = index_facts
    is_list: list[Test] = [] if kind else [lambda v: compare(class_of(v, at), IS, c.helper("list", at), at)]
    in_range: list[Test] = []

    def below_length(v: ast.expr) -> ast.expr:
        return compare(index, ast.Lt(), invoke(c.helper("len", at), [v], at), at)

    if index_kind is None:
        in_range.append(lambda i: compare(class_of(i, at), IS, c.helper("int", at), at))
    if may_be_negative:
        in_range.append(lambda i: compare(i, ast.GtE(), constant(0, at), at))
    return [*is_list, below_length], in_range, subscript(value, index, LOAD, at)


def in_order(
    first_value: ast.expr,
    value: ast.expr,
    value_tests: list[Test],
    first_index: ast.expr,
    index: ast.expr,
    index_tests: list[Test],
    at: At,
) -> list[ast.expr]:
    """Order guards so that the value is evaluated before the index, and both before they are read again."""
    lead: list[ast.expr] = []
    if first_index is not index and (first_value is not value or not index_tests):
        lead = [tuple_display([first_value, first_index], LOAD, at)]
        first_value, first_index = value, index
    elif first_value is not value and (not value_tests or (len(value_tests) == 1 and index_tests)):
        lead = [tuple_display([first_value], LOAD, at)]
        first_value = value
    on_value = [test(first_value if number == 0 else value) for number, test in enumerate(value_tests)]
    on_index = [test(first_index if number == 0 else index) for number, test in enumerate(index_tests)]
    if first_index is not index:
        return [*lead, *on_index, *on_value]
    return [*lead, *on_value[:1], *on_index, *on_value[1:]] if len(on_value) > 1 else [*lead, *on_index, *on_value]


def write_slice(c: Emitter, node: nodes.SliceExpr) -> ast.expr:
    """Compile a slice."""
    at = c.where(node)
    parts = [part for part in (node.receiver, node.low, node.high) if part is not None]
    values = iter(c.ordered(parts))
    args = [next(values)]
    args += [next(values) if part is not None else c.helper("missing", at) for part in (node.low, node.high)]
    if node.optional:
        first, again = named(c, args[0], at)
        is_nil = compare(first, IS, constant(None, at), at)
        return choose(is_nil, constant(None, at), c.call("get_slice", [again, *args[1:]], at), at)
    bounds = [part for part in (node.low, node.high) if part is not None]
    if not c.plain and all(kind_of(c, part) == "int" for part in bounds):
        return _certain_slice(c, node, args, at)
    return c.call("get_slice", args, at)


def _certain_slice(c: Emitter, node: nodes.SliceExpr, args: list[ast.expr], at: At) -> ast.expr:
    """Compile a slice whose bounds are ints; the bounds are evaluated after the receiver and cannot fail."""
    low, high = (arg if part is not None else None for part, arg in zip((node.low, node.high), args[1:], strict=True))
    kind = kind_of(c, node.receiver)
    if kind in {"string", "list"}:
        return subscript(args[0], ast.Slice(low, high, None, **fields_of(at)), LOAD, at)
    simple = (ast.Constant, ast.Name)
    if kind is not None or not all(isinstance(arg, simple) for arg in args[1:]):
        return c.call("get_slice", args, at)
    first, again = named(c, args[0], at)
    is_text = compare(class_of(first, at), IS, c.helper("str", at), at)
    is_list = compare(class_of(again, at), IS, c.helper("list", at), at)
    quick = subscript(again, ast.Slice(low, high, None, **fields_of(at)), LOAD, at)
    test = boolean(ast.Or(), [is_text, is_list], at)
    return choose(test, quick, c.call("get_slice", [again, *args[1:]], at), at)


def write_range(c: Emitter, node: nodes.RangeExpr) -> ast.expr:
    """Compile a range."""
    at = c.where(node)
    low, high = c.ordered((node.low, node.high))
    return c.call("range", [low, high, constant(node.exclusive, at)], at)


def write_ternary(c: Emitter, node: nodes.TernaryExpr) -> ast.expr:
    """Compile `c ? a : b`."""
    at = c.where(node)
    test = c.condition(node.condition)
    then_out: list[ast.stmt] = []
    with c.writing(then_out):
        then = c.expr(node.then)
    other_out: list[ast.stmt] = []
    with c.writing(other_out):
        otherwise = c.expr(node.otherwise)
    if not then_out and not other_out:
        return choose(test, then, otherwise, at)
    temp = c.temp()
    then_out.append(assign(temp, then, at))
    other_out.append(assign(temp, otherwise, at))
    c.out.append(if_else(test, then_out, other_out, at))
    return name(temp, at)


def write_propagate(c: Emitter, node: nodes.PropagateExpr) -> ast.expr:
    """Compile `e?`: the value of an Ok; an Err is returned from the function."""
    at = c.where(node)
    value = c.hold(c.expr(node.value), at)
    c.out.append(if_else(c.call("is_failure", [value], at), [returning(value, at)], [], at))
    return subscript(attribute(value, "fields", at), constant(0, at), LOAD, at)


def write_try_star(c: Emitter, node: nodes.TryStarExpr) -> ast.expr:
    """Compile `try* e`, which evaluates e and does not catch its errors."""
    return c.expr(node.value)


def contains_piped(node: nodes.Node) -> bool:
    """Return whether the right side of a pipe contains `_` as the name of the piped value."""
    if isinstance(node, nodes.NameExpr):
        return node.name == "_"
    if isinstance(node, nodes.CallExpr):
        return contains_piped(node.callee) or any(contains_piped(arg) for arg in node.args)
    if isinstance(node, nodes.MethodCallExpr):
        return contains_piped(node.receiver) or any(contains_piped(arg) for arg in node.args)
    if isinstance(
        node, (nodes.ClosureExpr, nodes.IfExpr, nodes.MatchExpr, nodes.TryExpr, nodes.SpawnExpr, nodes.ParallelExpr)
    ):
        return False
    if isinstance(node, (nodes.RetryExpr, nodes.DeadlineExpr)):
        return False
    if isinstance(node, nodes.PipeExpr):
        return contains_piped(node.left)
    return any(contains_piped(child) for child in node.children() if isinstance(child, (nodes.Expr, nodes.DictEntry)))
