"""Representation of types: their classes, their text form, and how several types are joined into one."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import TypeAlias

    from harnlite.analysis.types.nominal import AliasInfo, EnumInfo, InterfaceInfo, StructInfo

    NominalInfo: TypeAlias = StructInfo | EnumInfo | InterfaceInfo

FIXED, FRESH, LOOSE = 0, 1, 2  # how reliable the types of a container's contents are
_MOST_MEMBERS = 16
_MOST_WEIGHT = 400


class Type:
    """A type; an unknown type is None instead. `weight` approximates the length of its text."""

    __slots__ = ()
    weight = 1

    def __repr__(self) -> str:
        return text(self)


def _weight(kinds: Iterable[Type | None]) -> int:
    total = 0
    for kind in kinds:
        total += 1 if kind is None else kind.weight
    return total


class Base(Type):
    """A type that consists only of a name, such as int, nil or any."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Literal(Type):
    """The type of one value: `"a"`, `-1`, `true`."""

    __slots__ = ("kind", "value")

    def __init__(self, kind: str, value: object) -> None:
        self.kind = kind
        self.value = value


class Applied(Type):
    """A built-in container with the types of its contents, or without arguments if they are unknown."""

    __slots__ = ("args", "name", "trust", "weight")

    def __init__(self, name: str, args: tuple[Type | None, ...] = (), trust: int = FIXED) -> None:
        self.name = name
        self.args = args
        self.trust = trust
        self.weight = 1 + _weight(args)


class ShapeField:
    """One entry of a shape."""

    __slots__ = ("name", "optional", "type")

    def __init__(self, name: str, kind: Type | None, *, optional: bool = False) -> None:
        self.name = name
        self.type = kind
        self.optional = optional


class Shape(Type):
    """A dict with known entries."""

    __slots__ = ("fields", "trust", "weight")

    def __init__(self, fields: dict[str, ShapeField], trust: int = FIXED) -> None:
        self.fields = fields
        self.trust = trust
        self.weight = 1
        for field in fields.values():
            self.weight += 1 if field.type is None else field.type.weight


class Union(Type):
    """One of several types."""

    __slots__ = ("members", "weight")

    def __init__(self, members: tuple[Type, ...]) -> None:
        self.members = members
        self.weight = _weight(members)


class Function(Type):
    """A function or closure with known parameters."""

    __slots__ = ("params", "result")

    def __init__(self, params: tuple[Type | None, ...], result: Type | None) -> None:
        self.params = params
        self.result = result


class Nominal(Type):
    """A struct, an enum or an interface."""

    __slots__ = ("args", "info", "trust")

    def __init__(self, info: NominalInfo, args: tuple[Type | None, ...] = (), trust: int = FIXED) -> None:
        self.info = info
        self.args = args
        self.trust = trust


class Alias(Type):
    """A type alias; it is equivalent to its body and prints as its name."""

    __slots__ = ("args", "info")

    def __init__(self, info: AliasInfo, args: tuple[Type | None, ...] = ()) -> None:
        self.info = info
        self.args = args


class Parameter(Type):
    """A type parameter or an unknown name; every type fits it, and it fits every type."""

    __slots__ = ("bound", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.bound: Type | None = None


INT, FLOAT, STRING, BOOL, NIL = Base("int"), Base("float"), Base("string"), Base("bool"), Base("nil")
ANY, UNKNOWN, NEVER = Base("any"), Base("unknown"), Base("never")
BYTES, DURATION, RANGE, PAIR, CLOSURE = Base("bytes"), Base("duration"), Base("range"), Base("pair"), Base("closure")
LIST, DICT, SET, ITER = Applied("list"), Applied("dict"), Applied("set"), Applied("iter")

BASES = {
    base.name: base
    for base in (INT, FLOAT, STRING, BOOL, NIL, ANY, UNKNOWN, NEVER, BYTES, DURATION, RANGE, PAIR, CLOSURE)
}
CONTAINERS = frozenset({"list", "dict", "set", "iter", "Generator", "Stream"})


def text(kind: Type | None) -> str:
    """Return a type in source notation."""
    return _TEXTS[kind.__class__](kind) if kind is not None else "any"


def _literal_text(kind: Literal) -> str:
    value = kind.value
    if value.__class__ is str:
        return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if value.__class__ is bool:
        return "true" if value else "false"
    return str(value)


def _arguments_text(name: str, args: tuple[Type | None, ...]) -> str:
    return f"{name}<{', '.join(map(text, args))}>" if args else name


def _field_text(field: ShapeField) -> str:
    name = field.name if field.name.isidentifier() else f'"{field.name}"'
    return f"{name}{'?' if field.optional else ''}: {text(field.type)}"


def _shape_text(kind: Shape) -> str:
    return "{" + ", ".join(map(_field_text, kind.fields.values())) + "}"


def _function_text(kind: Function) -> str:
    head = f"fn({', '.join(map(text, kind.params))})"
    return head if kind.result is None else f"{head} -> {text(kind.result)}"


_TEXTS: dict[type, Callable[..., str]] = {
    Base: lambda kind: kind.name,
    Literal: _literal_text,
    Applied: lambda kind: _arguments_text(kind.name, kind.args),
    Shape: _shape_text,
    Union: lambda kind: " | ".join(map(text, kind.members)),
    Function: _function_text,
    Nominal: lambda kind: _arguments_text(kind.info.name, kind.args),
    Alias: lambda kind: _arguments_text(kind.info.name, kind.args),
    Parameter: lambda kind: kind.name,
}


def join(kinds: Iterable[Type | None]) -> Type | None:
    """Return the type of a value that has one of the given types."""
    members: list[Type] = []
    seen: dict[str, Type] = {}
    for kind in kinds:
        if kind is None:
            return None
        for member in kind.members if isinstance(kind, Union) else (kind,):
            if member is ANY or member is UNKNOWN:
                return None
            if member is NEVER or member in members:
                continue
            if members:
                seen = seen or {text(members[0]): members[0]}
                written = text(member)
                if written in seen:
                    continue
                seen[written] = member
            members.append(member)
    if not members:
        return NEVER
    if len(members) > _MOST_MEMBERS:
        return None
    return members[0] if len(members) == 1 else Union(tuple(members))


def bounded(kind: Type | None) -> Type | None:
    """Return a type without its contents if its text is too long to read.

    Types of nested literals that contain the same variable several times would otherwise grow without bounds.
    """
    if kind is None or kind.weight <= _MOST_WEIGHT:
        return kind
    if isinstance(kind, Shape):
        return DICT
    return Applied(kind.name) if isinstance(kind, Applied) else None


def settled(kind: Type | None, trust: int = FIXED) -> Type | None:
    """Return the type of a literal once it is bound to a name: its contents are fixed, or may change (LOOSE)."""
    if kind is None or kind.__class__ is Base:
        return kind
    if isinstance(kind, Applied):
        if kind.trust != trust and (kind.trust == FRESH or trust == LOOSE):
            return Applied(kind.name, tuple(settled(arg, trust) for arg in kind.args), trust)
    elif isinstance(kind, Shape):
        if kind.trust != trust and (kind.trust == FRESH or trust == LOOSE):
            fields = {
                name: ShapeField(name, settled(field.type, trust), optional=field.optional)
                for name, field in kind.fields.items()
            }
            return Shape(fields, trust)
    elif isinstance(kind, Nominal) and kind.trust == FRESH:
        return Nominal(kind.info, kind.args)
    return kind


def substitute(kind: Type | None, mapping: Mapping[Type, Type | None]) -> Type | None:
    """Return a type with its type parameters replaced; parameters that are not in the mapping stay."""
    if kind is None or not mapping:
        return kind
    if isinstance(kind, Parameter):
        return mapping.get(kind, kind)
    rebuild = _REBUILDERS.get(kind.__class__)
    return rebuild(kind, mapping) if rebuild else kind


def _rebuilt_shape(kind: Shape, mapping: Mapping[Type, Type | None]) -> Type:
    fields = {
        name: ShapeField(name, substitute(field.type, mapping), optional=field.optional)
        for name, field in kind.fields.items()
    }
    return Shape(fields, kind.trust)


def _rebuilt_union(kind: Union, mapping: Mapping[Type, Type | None]) -> Type | None:
    return join(substitute(member, mapping) for member in kind.members)


def _all(kinds: tuple[Type | None, ...], mapping: Mapping[Type, Type | None]) -> tuple[Type | None, ...]:
    return tuple(substitute(kind, mapping) for kind in kinds)


_REBUILDERS: dict[type, Callable[..., Type | None]] = {
    Applied: lambda kind, mapping: Applied(kind.name, _all(kind.args, mapping), kind.trust),
    Shape: _rebuilt_shape,
    Union: _rebuilt_union,
    Function: lambda kind, mapping: Function(_all(kind.params, mapping), substitute(kind.result, mapping)),
    Nominal: lambda kind, mapping: Nominal(kind.info, _all(kind.args, mapping), kind.trust),
    Alias: lambda kind, mapping: Alias(kind.info, _all(kind.args, mapping)),
}
