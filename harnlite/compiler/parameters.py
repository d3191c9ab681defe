"""Types at run time: the checks of parameters, and the conversion of types to schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.compiler.inference import variable_kind
from harnlite.compiler.python_shapes import (
    AND,
    IS_NOT,
    LOAD,
    boolean,
    class_of,
    compare,
    constant,
    dict_display,
    effect,
    if_else,
    list_display,
    name,
)
from harnlite.syntax import nodes

if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence
    from typing import TypeGuard

    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.python_shapes import At

    Schema = dict[str, object]

SCALARS = frozenset({"int", "float", "string", "bool", "list", "dict", "set", "nil", "closure", "bytes"})
ACCEPTED = {
    **{kind: (kind,) for kind in ("string", "bool", "list", "dict")},
    "int": ("int", "float"),
    "float": ("int", "float"),
}
CLASSES = {
    "int": ("int", "float"),
    "float": ("float", "int"),
    "string": ("str",),
    "bool": ("bool",),
    "list": ("list",),
    "dict": ("dict",),
    "nil": ("NoneType",),
    "closure": ("fn",),
    "bytes": ("bytes",),
}


def parameter_name(c: Emitter, param: nodes.Param, number: int) -> str:
    """Return the Python name of a parameter."""
    binding = c.bindings.get(param)
    return f"v{number + 1}__" if binding is None or binding.decl is not param else binding.variable


def kind_of_parameter(c: Emitter, param: nodes.Param) -> str | None:
    """Return the built-in type of all arguments for a parameter, or None if it is not certain."""
    binding = c.bindings.get(param)
    return None if binding is None else variable_kind(c, binding)


def is_simple(default: nodes.Expr) -> TypeGuard[nodes.LiteralExpr]:
    """Return whether a default is a constant, which can be a Python default."""
    return isinstance(default, nodes.LiteralExpr) and default.kind != "duration"


def absent(c: Emitter, param: nodes.Param, at: At) -> ast.expr:
    """Return the Python default of a parameter."""
    if param.default is None:
        return constant(None, at)
    return constant(param.default.value, at) if is_simple(param.default) else c.helper("missing", at)


def write_check(c: Emitter, param: nodes.Param, text: str, at: At) -> None:
    """Emit the check of one parameter if its type is checked at run time."""
    kind = param.type
    if isinstance(kind, nodes.NamedType) and isinstance(c.types.get(kind.name), nodes.InterfaceDecl):
        args = [constant(param.name.text, at), constant(kind.name, at), name(text, at)]
        c.out.append(effect(c.call("check_interface", args, at), at))
        return
    if kind is None or mentions_declared(kind):
        return
    schema = lower(c, kind, frozenset())
    if not schema:
        return
    check = effect(
        c.call("check_param", [constant(param.name.text, at), name(text, at), literal(schema, c, at)], at), at
    )
    known = kind_of_parameter(c, param)
    if (
        known is not None
        and isinstance(kind, nodes.NamedType)
        and not kind.args
        and known in ACCEPTED.get(kind.name, ())
    ):
        return
    quick = CLASSES.get(kind.name) if isinstance(kind, nodes.NamedType) and not kind.args else None
    if quick is None:
        c.out.append(check)
        return
    value_class = class_of(name(text, at), at)
    tests: list[ast.expr] = [compare(value_class, IS_NOT, c.helper(label, at), at) for label in quick]
    c.out.append(if_else(tests[0] if len(tests) == 1 else boolean(AND, tests, at), [check], [], at))


def mentions_declared(kind: nodes.TypeExpr) -> bool:
    """Return whether a type mentions a declared type; such types are not checked at run time."""
    if isinstance(kind, nodes.NamedType):
        known = kind.name in SCALARS or kind.name in {"any", "unknown"}
        return not known or any(mentions_declared(arg) for arg in kind.args)
    if isinstance(kind, nodes.UnionType):
        return any(mentions_declared(member) for member in kind.members)
    if isinstance(kind, nodes.ShapeType):
        return any(member.type is not None and mentions_declared(member.type) for member in kind.members)
    return False


def literal(value: object, c: Emitter, at: At) -> ast.expr:
    """Return a read of a schema, which becomes a constant of the file."""
    return c.constant(_display(value, at), at)


def _display(value: object, at: At) -> ast.expr:
    if isinstance(value, dict):
        return dict_display([constant(key, at) for key in value], [_display(item, at) for item in value.values()], at)
    if isinstance(value, list):
        return list_display([_display(item, at) for item in value], LOAD, at)
    return constant(value, at)


def lower(c: Emitter, kind: nodes.TypeExpr, seen: frozenset[str]) -> Schema | None:
    """Return the schema of a type, or None if it has none."""
    if isinstance(kind, nodes.NamedType):
        return _lower_name(c, kind, seen)
    if isinstance(kind, nodes.LiteralType):
        return {"const": kind.value, "type": kind.kind}
    if isinstance(kind, nodes.ShapeType):
        return _lower_shape(c, kind, seen)
    if isinstance(kind, nodes.UnionType):
        return _lower_union(c, kind.members, seen)
    return {"type": "closure"}


def _lower_name(c: Emitter, kind: nodes.NamedType, seen: frozenset[str]) -> Schema | None:
    text = kind.name
    if text == "list" and kind.args:
        item = lower(c, kind.args[0], seen)
        return {"type": "list"} if item is None else {"items": item, "type": "list"}
    if text == "dict" and len(kind.args) == 2:  # noqa: PLR2004 - key and value
        value = lower(c, kind.args[1], seen)
        return {"type": "dict"} if value is None else {"additional_properties": value, "type": "dict"}
    if text in SCALARS and not kind.args:
        return {"type": text}
    declared = c.types.get(text)
    if isinstance(declared, nodes.TypeDecl) and text not in seen and not declared.type_params:
        return lower(c, declared.type, seen | {text})
    return None


def _lower_shape(c: Emitter, kind: nodes.ShapeType, seen: frozenset[str]) -> Schema | None:
    properties: dict[str, object] = {}
    for member in kind.members:
        is_any = isinstance(member.type, nodes.NamedType) and member.type.name in {"any", "unknown"}
        schema = {"type": "any"} if is_any or member.type is None else lower(c, member.type, seen)
        if schema is None:
            return None
        properties[member.name.text] = schema
    required = [member.name.text for member in kind.members if not member.optional]
    found: Schema = {"type": "dict", "properties": properties}
    if required:
        found["required"] = required
    return found


def _lower_union(c: Emitter, members: Sequence[nodes.TypeExpr], seen: frozenset[str]) -> Schema | None:
    for label in ("string", "int"):
        values = [member.value for member in members if isinstance(member, nodes.LiteralType) and member.kind == label]
        if len(values) == len(members):
            return {"enum": values, "type": label}
    if any(isinstance(member, nodes.NamedType) and member.name in {"any", "unknown"} for member in members):
        return None
    schemas = [schema for schema in (lower(c, member, seen) for member in members) if schema is not None]
    return {"union": schemas} if schemas else None
