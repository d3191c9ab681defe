"""The content of declarations: structs, enums, interfaces, aliases and function signatures.

Their types are resolved on first use (annotations.py), since declarations may refer to each other.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.types.environment import Scope
    from harnlite.analysis.types.representation import Parameter, ShapeField, Type
    from harnlite.diagnostics.source import Source
    from harnlite.syntax.nodes import EnumDecl, FnDecl, Ident, InterfaceDecl, StructDecl, TypeDecl


class ParamInfo:
    """One parameter of a function, method, tool or closure."""

    __slots__ = ("end", "name", "optional", "rest", "start", "type")

    def __init__(
        self, name: str, kind: Type | None, start: int, end: int, *, optional: bool = False, rest: bool = False
    ) -> None:
        self.name = name
        self.type = kind
        self.start = start
        self.end = end
        self.optional = optional
        self.rest = rest


class Deprecation:
    """The arguments of a `@deprecated` attribute."""

    __slots__ = ("since", "use")

    def __init__(self, since: str | None, use: str | None) -> None:
        self.since = since
        self.use = use


class Signature:
    """The signature of a function, a method or a builtin."""

    __slots__ = (
        "bounds",
        "builtin",
        "deprecation",
        "loose",
        "name",
        "params",
        "required",
        "result",
        "source",
        "span_end",
        "span_start",
        "type_params",
        "variadic",
    )

    def __init__(self, name: str, params: Sequence[ParamInfo], result: Type | None) -> None:
        self.name = name
        self.params = params
        self.result = result
        self.type_params: tuple[Parameter, ...] = ()
        self.bounds: Sequence[tuple[Parameter, str, Type | None]] = ()
        self.deprecation: Deprecation | None = None
        self.builtin = False
        self.source: Source | None = None
        self.span_start = self.span_end = 0
        self.variadic = any(param.rest for param in params)
        self.loose = all(param.type is None for param in params)
        self.required = sum(not (param.optional or param.rest) for param in params)


class StructInfo:
    """A struct: its fields and the methods of its impl blocks."""

    __slots__ = ("decl", "fields", "has_impl", "methods", "name", "params", "scope", "source")

    def __init__(self, decl: StructDecl, scope: Scope, source: Source, params: tuple[Parameter, ...]) -> None:
        self.name = decl.name.text
        self.decl = decl
        self.scope = scope
        self.source = source
        self.params = params
        self.fields: dict[str, ShapeField] | None = None
        self.has_impl = False
        self.methods: dict[str, MethodInfo] = {}


class MethodInfo:
    """A method of an impl block; its signature is computed when it is first needed."""

    __slots__ = ("decl", "scope", "signature", "source")

    def __init__(self, decl: FnDecl, scope: Scope, source: Source) -> None:
        self.decl = decl
        self.scope = scope
        self.source = source
        self.signature: Signature | None = None


class VariantInfo:
    """One variant of an enum."""

    __slots__ = ("fields", "ident", "name")

    def __init__(self, name: str, fields: Sequence[tuple[str, Type | None]], ident: Ident | None) -> None:
        self.name = name
        self.fields = fields
        self.ident = ident


class EnumInfo:
    """An enum and its variants; `Result` has no declaration."""

    __slots__ = ("decl", "name", "params", "scope", "source", "variants")

    def __init__(
        self,
        name: str,
        params: tuple[Parameter, ...],
        decl: EnumDecl | None = None,
        scope: Scope | None = None,
        source: Source | None = None,
    ) -> None:
        self.name = name
        self.params = params
        self.decl = decl
        self.scope = scope
        self.source = source
        self.variants: dict[str, VariantInfo] | None = None


class InterfaceInfo:
    """An interface: its methods and associated types."""

    __slots__ = ("associated", "checking", "decl", "methods", "name", "params", "scope", "source")

    def __init__(self, decl: InterfaceDecl, scope: Scope, source: Source, params: tuple[Parameter, ...]) -> None:
        self.name = decl.name.text
        self.decl = decl
        self.scope = scope
        self.source = source
        self.params = params
        self.methods: dict[str, Signature] | None = None
        self.associated: dict[str, tuple[Parameter, Type | None]] = {}
        self.checking: set[object] = set()


class AliasInfo:
    """A type alias and its definition."""

    __slots__ = ("body", "decl", "name", "params", "ready", "scope", "source")

    def __init__(self, decl: TypeDecl, scope: Scope, source: Source, params: tuple[Parameter, ...]) -> None:
        self.name = decl.name.text
        self.decl = decl
        self.scope = scope
        self.source = source
        self.params = params
        self.body: Type | None = None
        self.ready = False


def required_range(signature: Signature) -> str:
    """Return the number of arguments a function expects: `2` or `1-2`."""
    most = len(signature.params)
    return str(most) if signature.required == most else f"{signature.required}-{most}"


def deprecation_of(node: FnDecl) -> Deprecation | None:
    """Return the content of the `@deprecated` attribute of a function, if it has one."""
    for attribute in node.attributes:
        if attribute.name.text == "deprecated":
            values = {arg.key: arg.value for arg in attribute.args}
            since, use = values.get("since"), values.get("use")
            return Deprecation(None if since is None else str(since), None if use is None else str(use))
    return None
