"""Functions with `@persona` or `@step`: their names are bound to a wrapper that records the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harnlite.compiler.python_shapes import constant, name

if TYPE_CHECKING:
    import ast

    from harnlite.compiler.emitter import Emitter
    from harnlite.syntax import nodes

_MARKS = ("persona", "step")


def is_marked(node: nodes.FnDecl) -> bool:
    """Return whether a function has an attribute that records its calls."""
    return any(attribute.name.text in _MARKS for attribute in node.attributes)


def write_marked(c: Emitter, node: nodes.FnDecl, text: str) -> ast.expr:
    """Return the wrapper that is bound instead of the function with the Python name `text`."""
    at = c.where(node)
    names = [constant(_name_of(node, mark), at) for mark in _MARKS]
    return c.call("marked", [name("_run", at), name(text, at), constant(node.name.text, at), *names], at)


def _name_of(node: nodes.FnDecl, mark: str) -> str | None:
    """Return the name that an attribute gives the function; the default is the function's own name."""
    for attribute in node.attributes:
        if attribute.name.text == mark:
            given = next((arg.value for arg in attribute.args if arg.key in {"name", None}), None)
            return given if isinstance(given, str) else node.name.text
    return None
