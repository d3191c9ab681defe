"""Registry entries: `tool` and `skill` declarations, and functions that an attribute registers as one of these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.compiler.flow import RETURN
from harnlite.compiler.functions import write_callable
from harnlite.compiler.parameters import literal, lower
from harnlite.compiler.python_shapes import (
    constant,
    dict_display,
    effect,
    name,
)

if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence

    from harnlite.compiler.emitter import Emitter
    from harnlite.compiler.python_shapes import At
    from harnlite.syntax import nodes


def write_tool(c: Emitter, node: nodes.ToolDecl) -> None:
    """Compile a tool declaration to a registry with this tool."""
    at = c.where(node)
    binding = c.bindings.get(node)
    if binding is None:
        return
    description = constant("", at) if node.description is None else c.expr(node.description)
    description = c.hold(description, at)
    parameters, returns = _parameters(c, node.params, at), _returns(c, node.return_type, at)
    handler = c.function_name(node.name.text)
    write_callable(c, handler, node, node.params, node.body, RETURN)
    parts = [constant(node.name.text, at), description, parameters, name(handler, at), returns]
    _bind_registry(c, node, c.call("tool", parts, at), at)


def _parameters(c: Emitter, params: Sequence[nodes.Param], at: At) -> ast.expr:
    keys: list[ast.expr | None] = [constant(param.name.text, at) for param in params]
    return dict_display(keys, [_tool_parameter(c, param, at) for param in params], at)


def _returns(c: Emitter, kind: nodes.TypeExpr | None, at: At) -> ast.expr:
    schema = lower(c, kind, frozenset()) if kind is not None else None
    return constant(None, at) if schema is None else literal(schema, c, at)


def _tool_parameter(c: Emitter, param: nodes.Param, at: At) -> ast.expr:
    schema = lower(c, param.type, frozenset()) if param.type is not None else None
    default = constant(None, at) if param.default is None else c.expr(param.default)
    has_default = constant(param.default is not None, at)
    return c.call("tool_parameter", [literal(schema or {}, c, at), has_default, default], at)


def write_skill(c: Emitter, node: nodes.SkillDecl) -> None:
    """Compile a skill declaration to a registry with this skill."""
    at = c.where(node)
    binding = c.bindings.get(node)
    values = c.ordered([member.value for member in node.members])
    keys: list[ast.expr | None] = [constant(member.name.text, at) for member in node.members]
    value = c.call("skill", [constant(node.name.text, at), dict_display(keys, values, at)], at)
    if binding is not None:
        _bind_registry(c, node, value, at)


def _bind_registry(c: Emitter, node: nodes.ToolDecl | nodes.SkillDecl, value: ast.expr, at: At) -> None:
    binding = c.bindings[node]
    if binding is not None and node in binding.redeclared:
        c.out.append(c.redeclared(node.name.text, at))
    elif binding is not None:
        c.declare(binding, value, at)


def write_registration(c: Emitter, node: nodes.FnDecl) -> None:
    """Emit the registrations by the attributes of a function, at the position of its declaration."""
    for attribute in node.attributes:
        write = _REGISTRATIONS.get(attribute.name.text)
        binding = c.bindings.get(node)
        if write is not None and binding is not None and node not in binding.redeclared:
            c.out.append(effect(write(c, node, attribute, c.load(binding, c.where(node))), c.where(node)))


def _arguments(attribute: nodes.Attribute, title: str) -> tuple[str, dict[str, object]]:
    """Return the name that an attribute gives a function, and the other arguments of the attribute."""
    given = {arg.key: arg.value for arg in attribute.args if arg.key is not None}
    named = given.pop("name", title)
    return named if isinstance(named, str) else title, given


def _write_acp_tool(c: Emitter, node: nodes.FnDecl, attribute: nodes.Attribute, function: ast.expr) -> ast.expr:
    at = c.where(node)
    title, annotations = _arguments(attribute, node.name.text)
    parameters, returns = _parameters(c, node.params, at), _returns(c, node.return_type, at)
    parts = [name("_run", at), constant(title, at), function, parameters, returns, literal(annotations, c, at)]
    return c.call("acp_tool", parts, at)


def _write_acp_skill(c: Emitter, node: nodes.FnDecl, attribute: nodes.Attribute, function: ast.expr) -> ast.expr:
    at = c.where(node)
    title, fields = _arguments(attribute, node.name.text)
    return c.call("acp_skill", [name("_run", at), constant(title, at), function, literal(fields, c, at)], at)


_REGISTRATIONS = {"acp_tool": _write_acp_tool, "acp_skill": _write_acp_skill}
