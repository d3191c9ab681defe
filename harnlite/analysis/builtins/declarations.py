"""Declarations of the builtins: names, parameters, results, capabilities and documentation."""

from __future__ import annotations

from harnlite.analysis.types.nominal import ParamInfo, Signature
from harnlite.analysis.types.representation import (
    BASES,
    CONTAINERS,
    Applied,
    Function,
    Literal,
    Parameter,
    Shape,
    ShapeField,
    Type,
    Union,
)
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    # A type as plain data: None, a name, or a tuple that begins with the kind of type.
    Written: TypeAlias = str | tuple[object, ...] | None
    # Name, type, whether it has a default, whether it takes the remaining arguments, and the text of the default.
    WrittenParam: TypeAlias = tuple[str, Written, bool, bool, str | None]
    # Parameters, result, type parameters, capability, documentation.
    Entry: TypeAlias = tuple[tuple[WrittenParam, ...], Written, tuple[str, ...], str | None, str]

GLOBAL_VALUES = frozenset({"argv", "pi", "e", "Result", "skills"})
"""Global values that every program has without a declaration."""
ALWAYS_BUILTIN = frozenset({"await", "cancel", "cancel_graceful", "is_cancelled"})
"""A call of one of these names calls the builtin, even if the program binds the name."""
INTERNAL = "__"
"""The prefix of builtins that only std modules call."""

# These builtins may return a value of another type than the declared one.
_INEXACT_RESULTS = frozenset({"range", "regex_match"})


class Declarations:
    """All builtins by name; members of a namespace have dotted names."""

    __slots__ = ("_signatures", "entries", "namespaces")

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self.entries = entries
        self._signatures: dict[str, Signature | None] = {}
        self.namespaces = frozenset(name.partition(".")[0] for name in entries if "." in name)

    def __contains__(self, name: str) -> bool:
        """Return whether a name is a builtin, a namespace or a global value."""
        return name in self.entries or name in self.namespaces or name in GLOBAL_VALUES

    @property
    def public(self) -> list[str]:
        """Return the builtins that a program may call."""
        return [name for name in self.entries if not name.startswith(INTERNAL)]

    def members(self, namespace: str) -> list[str]:
        """Return the builtins of a namespace."""
        return [name for name in self.entries if name.startswith(f"{namespace}.")]

    def signature(self, name: str) -> Signature | None:
        """Return the signature of a builtin, or None if there is no builtin of this name; it is made once."""
        if name not in self._signatures:
            self._signatures[name] = self._made(name)
        return self._signatures[name]

    def _made(self, name: str) -> Signature | None:
        entry = self.entries.get(name)
        if entry is None:
            return None
        params, result, type_params, _, _ = entry
        known = {param: Parameter(param) for param in type_params}
        made = Signature(
            name,
            [
                ParamInfo(label, None if kind == "any" else understood(kind, known), 0, 0, optional=optional, rest=rest)
                for label, kind, optional, rest, _ in params
            ],
            None if name in _INEXACT_RESULTS else understood(result, known),
        )
        made.type_params = tuple(known.values())
        made.builtin = True
        return made


def digest_of(module: nodes.Module, text: str) -> dict[str, Entry]:
    """Return the content of a file of `extern fn` declarations as plain data."""
    entries: dict[str, Entry] = {}
    for node in module.statements:
        if isinstance(node, nodes.FnDecl) and node.is_extern:
            params = tuple(_written_param(param, text) for param in node.params)
            type_params = tuple(param.name.text for param in node.type_params)
            result = written(node.return_type)
            entries[node.name.text] = (params, result, type_params, _capability(node), node.doc or "")
    return entries


def _written_param(param: nodes.Param, text: str) -> WrittenParam:
    default = None if param.default is None else text[param.default.start : param.default.end]
    return (param.name.text, written(param.type), param.default is not None, param.rest, default)


def _capability(node: nodes.FnDecl) -> str | None:
    for attribute in node.attributes:
        if attribute.name.text == "capability" and attribute.args:
            return str(attribute.args[0].value)
    return None


def written(node: nodes.TypeExpr | None) -> Written:
    """Return a type as plain data."""
    return _WRITERS[node.__class__](node) if node is not None else None


def _write_named(node: nodes.NamedType) -> Written:
    return ("of", node.name, tuple(map(written, node.args))) if node.args else node.name


def _write_shape(node: nodes.ShapeType) -> Written:
    return ("shape", tuple((member.name.text, written(member.type), member.optional) for member in node.members))


_WRITERS: dict[type, Callable[..., Written]] = {
    nodes.NamedType: _write_named,
    nodes.LiteralType: lambda node: ("literal", node.kind, node.value),
    nodes.ShapeType: _write_shape,
    nodes.UnionType: lambda node: ("union", tuple(map(written, node.members))),
    nodes.FnType: lambda node: ("fn", tuple(map(written, node.params)), written(node.result)),
}


def understood(data: Written, known: Mapping[str, Parameter]) -> Type | None:
    """Return the type that plain data stands for."""
    if data is None:
        return None
    if isinstance(data, str):
        base = known.get(data) or BASES.get(data)
        return base or (Applied(data) if data in CONTAINERS else Parameter(data))
    return _READERS[str(data[0])](data, known)


def _read_union(data: tuple[object, ...], known: Mapping[str, Parameter]) -> Type | None:
    members = [understood(member, known) for member in data[1]]  # type: ignore[attr-defined]  # the digest has a list after this kind
    return Union(tuple(member for member in members if member is not None))


def _read_shape(data: tuple[object, ...], known: Mapping[str, Parameter]) -> Type:
    fields = {
        name: ShapeField(name, understood(kind, known), optional=optional)
        for name, kind, optional in data[1]  # type: ignore[attr-defined]  # as above
    }
    return Shape(fields)


_READERS: dict[str, Callable[..., Type | None]] = {
    "of": lambda data, known: Applied(data[1], tuple(understood(arg, known) for arg in data[2])),
    "literal": lambda data, _: Literal(data[1], data[2]),
    "union": _read_union,
    "shape": _read_shape,
    "fn": lambda data, known: Function(
        tuple(understood(param, known) for param in data[1]), understood(data[2], known)
    ),
}
