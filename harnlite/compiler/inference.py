"""The inference of the kinds of expressions that are certain from the source.

The inference ignores control flow: a variable has a kind if all values that are ever assigned to it have that kind.
Variables, parameters and results of functions depend on each other; their kinds start at BOTTOM and rise to a fixed
point. A parameter has a kind only in the second body of a function, which is called only with arguments of that kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.compiler.builtin_kinds import builtin_kind, called_builtin
from harnlite.compiler.kinds import (
    ANY_STRUCT,
    BOTTOM,
    COMPARISONS,
    base_of,
    binary_kind,
    dict_of,
    field_of,
    fields_of,
    inner,
    is_kind,
    join,
    list_of,
    maybe,
    present,
    rec_of,
    struct_of,
    value_of,
    with_field,
)
from harnlite.compiler.method_kinds import closure_result, item_of, method_kind, parameter_kind
from harnlite.syntax import nodes

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnlite.analysis.names.scopes import Binding
    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.kinds import Kind

    Key = Binding | tuple[str, Binding]

OPEN_KINDS = frozenset(
    {"fn", "import", "struct", "enum", "interface", "type", "tool", "skill", "match", "catch", "select"}
)
MOST_STEPS = 30


class View:
    """What is known about kinds, under the same assumptions about parameters."""

    __slots__ = (
        "bits",
        "current",
        "guesses",
        "is_special",
        "kinds",
        "naturals",
        "pending",
        "readers",
        "settled",
        "steps",
    )

    def __init__(self, *, is_special: bool) -> None:
        self.is_special = is_special
        self.kinds: dict[nodes.Node, Kind] = {}
        self.settled: dict[Key, Kind] = {}
        self.guesses: dict[Key, Kind] = {}
        self.readers: dict[Key, set[Key]] = {}
        self.pending: dict[Key, None] = {}
        self.steps: dict[Key, int] = {}
        self.current: Key | None = None
        self.bits: dict[Binding, int] = {}
        self.naturals: dict[Binding, bool] = {}


class SeenAs:
    """A context in which the compiler looks at a file under the assumptions of a view."""

    __slots__ = ("_c", "_outer", "_view")

    def __init__(self, c: Emitter, view: View) -> None:
        self._c = c
        self._view = view

    def __enter__(self) -> None:
        self._outer, self._c.view = self._c.view, self._view

    def __exit__(self, *_: object) -> None:
        self._c.view = self._outer


def kind_of(c: Emitter, node: nodes.Expr | None) -> str | None:
    """Return the built-in type of an expression, or None if it is not certain."""
    kind = deep_kind(c, node)
    return base_of(exact(c, node, kind)) if isinstance(kind, tuple) else kind


def exact(c: Emitter, node: nodes.Expr | None, kind: Kind) -> Kind:
    """Return the kind of an expression where a read out of range ends the statement, so that an item is not nil."""
    if c.trying and kind.__class__ is tuple and node.__class__ is nodes.IndexExpr and is_certain_item(c, node):
        receiver = present(deep_kind(c, node.receiver))
        return "string" if receiver == "string" else inner(receiver)
    return kind


def is_certain_item(c: Emitter, node: nodes.IndexExpr) -> bool:
    """Return whether an expression reads an item of a list, or a character of a string, with an int, or fails."""
    if node.optional or kind_of(c, node.index) != "int":
        return False
    receiver = node.receiver
    return base_of(present(exact(c, receiver, deep_kind(c, receiver)))) in {"list", "string"}


def deep_kind(c: Emitter, node: nodes.Expr | None) -> Kind:
    """Return the kind of an expression with the kinds of its parts."""
    if node is None:
        return "nil"
    view = c.view
    if node.__class__ is nodes.NameExpr:
        binding = c.bindings.get(node)
        if binding is None:
            return None
        settled = view.settled
        return settled[binding] if binding in settled else deep_variable_kind(c, binding)
    if node.__class__ is nodes.LiteralExpr:
        return None if node.kind == "duration" else node.kind
    if node in view.kinds:
        return view.kinds[node]
    rule = RULES.get(node.__class__)
    kind = None if rule is None else rule(c, node)
    if view.current is None and kind != BOTTOM:
        view.kinds[node] = kind
    return kind


# Expressions


def _of_list(c: Emitter, node: nodes.ListExpr) -> Kind:
    common: Kind = BOTTOM
    for item in node.items:
        if isinstance(item, nodes.SpreadExpr):
            spread = deep_kind(c, item.value)
            common = join(common, inner(spread) if is_kind(spread, "list") else BOTTOM if spread == BOTTOM else None)
        else:
            common = join(common, deep_kind(c, item))
    return list_of(common)


def _entries(c: Emitter, entries: list[nodes.Node]) -> tuple[dict[str, Kind], bool, Kind]:
    """Return the known fields of a literal, whether there can be others, and the common kind of all values."""
    fields: dict[str, Kind] = {}
    is_open = False
    common: Kind = BOTTOM
    for entry in entries:
        if isinstance(entry, nodes.DictEntry):
            kind = deep_kind(c, entry.value)
            if isinstance(entry.key, nodes.LiteralExpr) and not entry.computed:
                fields[str(entry.key.value)] = kind
            else:
                is_open = True
        else:
            # A spread of nil fails.
            spread = present(deep_kind(c, entry.value)) if isinstance(entry, nodes.SpreadExpr) else None
            kind = value_of(spread) if base_of(spread) == "dict" else BOTTOM if spread == BOTTOM else None
            if is_kind(spread, "rec"):
                fields.update(fields_of(spread))
            else:
                is_open = True
        common = join(common, kind)
    return fields, is_open, common


def _of_dict(c: Emitter, node: nodes.DictExpr) -> Kind:
    fields, is_open, common = _entries(c, node.entries)
    return dict_of(common) if is_open or not fields else rec_of(tuple(fields.items()))


def _of_struct(c: Emitter, node: nodes.StructExpr) -> Kind:
    binding = c.bindings.get(node.name)
    if binding is None or not isinstance(binding.decl, nodes.StructDecl) or binding.redeclared:
        return None
    fields, is_open, _ = _entries(c, node.entries)
    known = {member.name.text for member in binding.decl.members}
    return None if is_open or not fields.keys() <= known else struct_of(binding.variable, tuple(fields.items()))


def _of_property(c: Emitter, node: nodes.PropertyExpr) -> Kind:
    if node.optional:
        return None
    receiver = present(deep_kind(c, node.receiver))
    if is_kind(receiver, "rec") or is_kind(receiver, "struct"):
        return field_of(receiver, node.name.text)
    if receiver == BOTTOM:
        return BOTTOM
    return maybe(inner(receiver)) if is_kind(receiver, "dict") else None


def _of_index(c: Emitter, node: nodes.IndexExpr) -> Kind:
    if node.optional:
        return None
    receiver = present(deep_kind(c, node.receiver))
    if receiver == BOTTOM:
        return BOTTOM
    if receiver == "string":
        return ("maybe", "string")
    if is_kind(receiver, "rec") and isinstance(node.index, nodes.LiteralExpr) and node.index.kind == "string":
        return field_of(receiver, str(node.index.value))
    if is_kind(receiver, "list"):
        return maybe(inner(receiver))
    return maybe(value_of(receiver)) if base_of(receiver) == "dict" else None


def _of_slice(c: Emitter, node: nodes.SliceExpr) -> Kind:
    receiver = deep_kind(c, node.receiver)
    if node.optional:
        return None
    return receiver if receiver in {"string", BOTTOM} or is_kind(receiver, "list") else None


def _of_binary(c: Emitter, node: nodes.BinaryExpr) -> Kind:
    if node.op in COMPARISONS:
        return "bool"
    return binary_kind(node.op, deep_kind(c, node.left), deep_kind(c, node.right))


def _of_unary(c: Emitter, node: nodes.UnaryExpr) -> Kind:
    if node.op == "!":
        return "bool"
    kind = present(deep_kind(c, node.operand))
    return kind if kind in {"int", "float", BOTTOM} else None


def _of_ternary(c: Emitter, node: nodes.TernaryExpr) -> Kind:
    return join(deep_kind(c, node.then), deep_kind(c, node.otherwise))


def _of_if(c: Emitter, node: nodes.IfExpr) -> Kind:
    other = node.otherwise
    otherwise = block_kind(c, other) if isinstance(other, nodes.Block) else deep_kind(c, other)
    return join(block_kind(c, node.then), otherwise)


def _of_match(c: Emitter, node: nodes.MatchExpr) -> Kind:
    common: Kind = BOTTOM
    for arm in node.arms:
        common = join(common, block_kind(c, arm.body))
    return common


def block_kind(c: Emitter, block: nodes.Block) -> Kind:
    """Return the kind of the value of a block."""
    last = block.statements[-1] if block.statements else None
    if isinstance(last, nodes.ExprStmt):
        return deep_kind(c, last.value)
    leaves = isinstance(last, (nodes.ReturnStmt, nodes.ThrowStmt, nodes.BreakStmt, nodes.ContinueStmt))
    return BOTTOM if leaves else "nil"


def _of_call(c: Emitter, node: nodes.CallExpr) -> Kind:
    callee = node.callee
    binding = c.bindings.get(callee) if isinstance(callee, nodes.NameExpr) else None
    if binding is not None:
        return variable_result(c, binding, node.args)
    text = called_builtin(c, node)
    return None if text is None else builtin_kind(c, text, node.args)


def variable_result(c: Emitter, binding: Binding, args: list[nodes.Expr]) -> Kind:
    """Return the kind of the results of a function."""
    function = c.sites.functions.get(binding)
    if function is None:
        return None
    kind = _settled(c, ("result", binding))
    if c.view.is_special and any(n >= len(args) or deep_kind(c, args[n]) is None for n in function.guesses):
        # The call may reach the general body.
        with SeenAs(c, c.generic_view):
            kind = join(kind, _settled(c, ("result", binding)))
    return kind


RULES: dict[type, Callable[..., Kind]] = {
    nodes.ListExpr: _of_list,
    nodes.DictExpr: _of_dict,
    nodes.StructExpr: _of_struct,
    nodes.TemplateExpr: lambda _c, _node: "string",
    nodes.RangeExpr: lambda _c, _node: "range",
    nodes.PropertyExpr: _of_property,
    nodes.IndexExpr: _of_index,
    nodes.SliceExpr: _of_slice,
    nodes.BinaryExpr: _of_binary,
    nodes.UnaryExpr: _of_unary,
    nodes.TernaryExpr: _of_ternary,
    nodes.IfExpr: _of_if,
    nodes.MatchExpr: _of_match,
    nodes.CallExpr: _of_call,
    nodes.MethodCallExpr: method_kind,
}


# Variables


def variable_kind(c: Emitter, binding: Binding) -> str | None:
    """Return the common built-in type of all values of a variable."""
    return base_of(deep_variable_kind(c, binding))


def deep_variable_kind(c: Emitter, binding: Binding) -> Kind:
    """Return the common kind of all values of a variable, with the kinds of its parts."""
    settled = c.view.settled
    if binding in settled:
        return settled[binding]
    if c.view.is_special and _is_shared(c, binding):
        with SeenAs(c, c.generic_view):
            settled[binding] = kind = deep_variable_kind(c, binding)
        return kind
    if binding.kind in OPEN_KINDS or c.keep_globals or not (binding.values or binding.kind == "param"):
        settled[binding] = None
        return None
    return _settled(c, binding)


def _is_shared(c: Emitter, binding: Binding) -> bool:
    """Return whether the general body of a function may set a variable that code outside the function uses as well."""
    if binding.kind == "param":
        function = c.sites.by_node.get(binding.frame.node)
        return (
            function is not None
            and not function.may_have_two_bodies
            and function.binding.captured
            and function.binding.frame.kind == "module"
        )
    return binding.frame.kind == "module" and binding.captured and binding.assignments > 0


def _settled(c: Emitter, key: Key) -> Kind:
    """Return the kind of a variable or of the results of a function, as known so far in the search for it."""
    view = c.view
    if key in view.settled:
        return view.settled[key]
    if view.current is not None:
        view.readers.setdefault(key, set()).add(view.current)
    if key in view.guesses:
        return view.guesses[key]
    view.guesses[key] = BOTTOM
    outermost = view.current is None
    _evaluate(c, view, key)
    if outermost:
        while view.pending or _open_parameters(view):
            _evaluate(c, view, view.pending.popitem()[0])
        for found, kind in view.guesses.items():
            view.settled[found] = None if kind == BOTTOM else kind
        view.guesses.clear()
        view.readers.clear()
        view.steps.clear()
        return view.settled[key]
    return view.guesses[key]


def _open_parameters(view: View) -> bool:
    """Give parameters without any known argument the kind of any value; return whether that may change other kinds."""
    if BOTTOM not in view.guesses.values():
        return False
    for key, kind in view.guesses.items():
        if kind == BOTTOM and not isinstance(key, tuple) and key.kind == "param":
            view.guesses[key] = None
            view.pending.update(dict.fromkeys(view.readers.get(key, ())))
    return bool(view.pending)


def _evaluate(c: Emitter, view: View, key: Key) -> None:
    before, view.current = view.current, key
    found = _joined(c, key)
    view.current = before
    view.steps[key] = view.steps.get(key, 0) + 1
    known = view.guesses[key]
    kind = join(known, found) if view.steps[key] < MOST_STEPS else None
    if kind != known:
        view.guesses[key] = kind
        readers = view.readers.get(key)
        if readers:
            view.pending.update(dict.fromkeys(readers))


def _joined(c: Emitter, key: Key) -> Kind:
    if isinstance(key, tuple):
        return _result_kind(c, key[1])
    if key.kind == "param":
        return _argument_kind(c, key)
    kind: Kind = BOTTOM
    for value in key.values:
        kind = join(kind, _value_kind(c, key, value))
        if kind is None:
            return None
    return kind


def _result_kind(c: Emitter, function: Binding) -> Kind:
    kind: Kind = BOTTOM
    for value in c.sites.functions[function].results:
        kind = join(kind, deep_kind(c, value))
    return kind


def _argument_kind(c: Emitter, binding: Binding) -> Kind:
    if binding.assignments or binding.redeclared:
        return None
    if binding in c.sites.callbacks:
        return parameter_kind(c, binding)
    frame = binding.frame
    if frame.kind == "method" and isinstance(frame.node, nodes.FnDecl) and frame.node.params[0] is binding.decl:
        first = frame.node.params[0]
        return ANY_STRUCT if first.default is None and not first.rest else None
    return c.sites.argument_kind(c, binding)


def _value_kind(c: Emitter, binding: Binding, value: object) -> Kind:
    if isinstance(value, nodes.AssignStmt):
        right = deep_kind(c, value.value)
        if value.op != "=":
            right = binary_kind(value.op[0], deep_kind(c, value.target), right)
        if isinstance(value.target, nodes.NameExpr):
            return right
        return _changed(c, deep_variable_kind(c, binding), steps_of(value.target), right)
    if isinstance(value, nodes.Expr):
        return deep_kind(c, value)
    if isinstance(value, nodes.ForStmt):
        return item_of(deep_kind(c, value.iterable))
    return None


def steps_of(target: nodes.Expr) -> list[nodes.PropertyExpr | nodes.IndexExpr]:
    """Return the steps of `d.a[i]`, outermost container first."""
    found: list[nodes.PropertyExpr | nodes.IndexExpr] = []
    while isinstance(target, (nodes.PropertyExpr, nodes.IndexExpr)):
        found.append(target)
        target = target.receiver
    found.reverse()
    return found


def _changed(c: Emitter, kind: Kind, path: list[nodes.PropertyExpr | nodes.IndexExpr], value: Kind) -> Kind:
    """Return the kind of a container after the assignment of a value to a part of it."""
    if not path or kind == BOTTOM:
        return value if not path else BOTTOM
    kind = present(kind)
    step = path[0]
    if is_kind(kind, "list"):
        return list_of(join(inner(kind), _changed(c, inner(kind), path[1:], value)))
    if isinstance(step, nodes.PropertyExpr):
        key = step.name.text
        old = field_of(kind, key) if not is_kind(kind, "dict") else inner(kind)
        return with_field(kind, key, _changed(c, old, path[1:], value))
    if base_of(kind) == "dict":
        return dict_of(join(value_of(kind), _changed(c, value_of(kind), path[1:], value)))
    return None


__all__ = [
    "SeenAs",
    "View",
    "closure_result",
    "deep_kind",
    "deep_variable_kind",
    "exact",
    "is_certain_item",
    "kind_of",
    "steps_of",
    "variable_kind",
]
