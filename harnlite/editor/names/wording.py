"""The text of declarations for display: heads, documentation, and deprecation."""

from __future__ import annotations

from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Declared = nodes.FnDecl | nodes.PipelineDecl | nodes.ToolDecl | nodes.OverrideDecl
    Named = Declared | nodes.SkillDecl | nodes.StructDecl | nodes.EnumDecl | nodes.InterfaceDecl | nodes.TypeDecl
    Callables = nodes.FnDecl | nodes.PipelineDecl | nodes.ToolDecl | nodes.OverrideDecl | nodes.ClosureExpr

_MOST_MEMBERS = 40


def head_of(decl: nodes.Node, text: str) -> str:
    """Return the head of a declaration in a text; the empty string for any other node."""
    write = _HEADS.get(type(decl))
    return "" if write is None else write(decl, text)


def line_of(decl: nodes.Node, text: str) -> str:
    """Return the head of a declaration on one line, without its body."""
    return head_of(decl, text).partition(" {\n")[0]


def doc_of(decl: nodes.Node) -> str:
    """Return the doc comment of a declaration."""
    return getattr(decl, "doc", None) or ""


def is_deprecated(decl: nodes.Node) -> bool:
    """Return whether a declaration is marked as deprecated."""
    return any(attribute.name.text == "deprecated" for attribute in getattr(decl, "attributes", ()))


def parameter_text(param: nodes.Param, text: str) -> str:
    """Return the text of a parameter on one line."""
    name = f"...{param.name.text}" if param.rest else param.name.text
    kind = f": {written(param.type, text)}" if param.type is not None else ""
    default = f" = {written(param.default, text)}" if param.default is not None else ""
    return f"{name}{kind}{default}"


def written(node: nodes.Node, text: str) -> str:
    """Return the text of a node on one line."""
    return " ".join(text[node.start : node.end].split())


def call_text(node: Callables, text: str) -> str:
    """Return the text of the parameters and the result of a callable."""
    params = ", ".join(parameter_text(param, text) for param in node.params)
    result = getattr(node, "return_type", None)
    return f"({params})" + (f" -> {written(result, text)}" if result is not None else "")


def _call(word: str, decl: Declared, text: str) -> str:
    return f"{_type_head(word, decl)}{call_text(decl, text)}"


def _generic(decl: nodes.Node) -> str:
    params: Sequence[nodes.TypeParam] = getattr(decl, "type_params", ())
    names = [f"{param.variance} {param.name.text}" if param.variance else param.name.text for param in params]
    return f"<{', '.join(names)}>" if names else ""


def _fn(decl: nodes.FnDecl, text: str) -> str:
    where = ", ".join(f"{bound.param.text}: {written(bound.bound, text)}" for bound in decl.where)
    return _call("gen fn" if decl.is_gen else "fn", decl, text) + (f" where {where}" if where else "")


def _pipeline(decl: nodes.PipelineDecl, text: str) -> str:
    return _call("pipeline", decl, text) + (f" extends {decl.extends.text}" if decl.extends is not None else "")


def _braced(head: str, members: Sequence[str], end: str = ",") -> str:
    if not members:
        return f"{head} {{}}"
    shown = [f"  {member}{end}\n" for member in members[:_MOST_MEMBERS]]
    rest = "  …\n" if len(members) > len(shown) else ""
    return f"{head} {{\n{''.join(shown)}{rest}}}"


def _type_head(word: str, decl: Named) -> str:
    return f"{'pub ' if getattr(decl, 'is_pub', False) else ''}{word} {decl.name.text}{_generic(decl)}"


def _interface(decl: nodes.InterfaceDecl, text: str) -> str:
    types = [written(one, text) for one in decl.associated]
    return _braced(_type_head("interface", decl), [*types, *(_fn(one, text) for one in decl.methods)], "")


_HEADS: dict[type, Callable[..., str]] = {
    nodes.FnDecl: _fn,
    nodes.PipelineDecl: _pipeline,
    nodes.ToolDecl: lambda decl, text: _call("tool", decl, text),
    nodes.SkillDecl: lambda decl, _text: _type_head("skill", decl),
    nodes.StructDecl: lambda decl, text: _braced(
        _type_head("struct", decl), [written(member, text) for member in decl.members]
    ),
    nodes.EnumDecl: lambda decl, text: _braced(
        _type_head("enum", decl), [written(variant, text) for variant in decl.variants]
    ),
    nodes.InterfaceDecl: _interface,
    nodes.TypeDecl: lambda decl, text: f"{_type_head('type', decl)} = {written(decl.type, text)}",
    nodes.Variant: written,
    nodes.Field: written,
    nodes.Param: parameter_text,
}
