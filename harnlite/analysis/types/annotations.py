"""Convert type annotations into types; each declaration is resolved when it is first needed."""

from __future__ import annotations

from harnlite.analysis.types.environment import Scope, declare_type, lookup_type
from harnlite.analysis.types.nominal import (
    AliasInfo,
    EnumInfo,
    InterfaceInfo,
    MethodInfo,
    ParamInfo,
    Signature,
    StructInfo,
    VariantInfo,
    deprecation_of,
)
from harnlite.analysis.types.representation import (
    BASES,
    CONTAINERS,
    Alias,
    Applied,
    Function,
    Literal,
    Nominal,
    Parameter,
    Shape,
    ShapeField,
    Type,
    Union,
    substitute,
)
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from harnlite.analysis.types.environment import Binding
    from harnlite.diagnostics.source import Source


def resolve(node: nodes.TypeExpr | None, scope: Scope) -> Type | None:
    """Return the type of an annotation, or None if there is no annotation."""
    return _RESOLVERS[node.__class__](node, scope) if node is not None else None


def _resolve_named(node: nodes.NamedType, scope: Scope) -> Type | None:
    name = node.name
    if not node.args:
        base = BASES.get(name)
        if base is not None and (scope.parent is None or lookup_type(scope, name) is None):
            return base
    info = lookup_type(scope, name)
    args = tuple(resolve(arg, scope) for arg in node.args)
    if info is None:
        if name == "Result":
            return Nominal(RESULT, args)
        return Applied(name, args) if name in CONTAINERS else Parameter(name)
    if isinstance(info, Parameter):
        return info
    return Alias(info, args) if isinstance(info, AliasInfo) else Nominal(info, args)


def _resolve_union(node: nodes.UnionType, scope: Scope) -> Type | None:
    members: list[Type] = []
    for member in node.members:
        kind = resolve(member, scope)
        if kind is not None:
            members.extend(kind.members if isinstance(kind, Union) else (kind,))
    return Union(tuple(members))


def _resolve_shape(node: nodes.ShapeType, scope: Scope) -> Type:
    return Shape(_fields(node.members, scope))


def _fields(members: Sequence[nodes.Field], scope: Scope) -> dict[str, ShapeField]:
    return {
        member.name.text: ShapeField(member.name.text, resolve(member.type, scope), optional=member.optional)
        for member in members
    }


_RESOLVERS: dict[type, Callable[..., Type | None]] = {
    nodes.NamedType: _resolve_named,
    nodes.LiteralType: lambda node, _: Literal(node.kind, node.value),
    nodes.ShapeType: _resolve_shape,
    nodes.UnionType: _resolve_union,
    nodes.FnType: lambda node, scope: Function(
        tuple(resolve(param, scope) for param in node.params), resolve(node.result, scope)
    ),
}


def type_scope(type_params: Sequence[nodes.TypeParam], scope: Scope) -> tuple[Scope, tuple[Parameter, ...]]:
    """Return the scope that declares the type parameters of a declaration, and the parameters."""
    if not type_params:
        return scope, ()
    inner = Scope(scope)
    params = tuple(Parameter(param.name.text) for param in type_params)
    for param in params:
        declare_type(inner, param.name, param)
    return inner, params


def _result_enum() -> EnumInfo:
    value, error = Parameter("T"), Parameter("E")
    info = EnumInfo("Result", (value, error))
    info.variants = {
        "Ok": VariantInfo("Ok", [("value", value)], None),
        "Err": VariantInfo("Err", [("error", error)], None),
    }
    return info


RESULT = _result_enum()


def expand(kind: Type | None) -> Type | None:
    """Return the type that an alias stands for; return other types unchanged."""
    for _ in range(50):
        if not isinstance(kind, Alias):
            return kind
        info = kind.info
        if not info.ready:
            info.ready = True
            info.body = resolve(info.decl.type, info.scope)
            if _contains_itself(info, info.body, set()):
                info.body = None
        kind = substitute(info.body, arguments(info.params, kind.args))
    return None


def _contains_itself(info: AliasInfo, body: Type | None, seen: set[AliasInfo]) -> bool:
    """Return whether an alias is one of its own alternatives, which makes it meaningless."""
    for member in body.members if isinstance(body, Union) else (body,):
        if isinstance(member, Alias):
            other = member.info
            if other is info:
                return True
            if other not in seen:
                seen.add(other)
                inner = other.body if other.ready else resolve(other.decl.type, other.scope)
                if _contains_itself(info, inner, seen):
                    return True
    return False


def arguments(params: tuple[Parameter, ...], args: tuple[Type | None, ...]) -> Mapping[Type, Type | None]:
    """Map each type parameter of a declaration to its type argument, or to None if the argument is omitted."""
    if not params:
        return {}
    return {param: args[i] if i < len(args) else None for i, param in enumerate(params)}


def struct_fields(info: StructInfo) -> dict[str, ShapeField]:
    """Return the declared fields of a struct."""
    if info.fields is None:
        info.fields = _fields(info.decl.members, info.scope)
    return info.fields


def enum_variants(info: EnumInfo) -> dict[str, VariantInfo]:
    """Return the variants of an enum."""
    if info.variants is None:
        info.variants = {}
        if info.decl is not None and info.scope is not None:
            for variant in info.decl.variants:
                fields = [(member.name.text, resolve(member.type, info.scope)) for member in variant.members]
                info.variants[variant.name.text] = VariantInfo(variant.name.text, fields, variant.name)
    return info.variants


def interface_methods(info: InterfaceInfo) -> dict[str, Signature]:
    """Return the methods of an interface; this also resolves its associated types."""
    if info.methods is None:
        info.methods = {}
        inner = Scope(info.scope)
        for associated in info.decl.associated:
            param = Parameter(associated.name.text)
            info.associated[param.name] = (param, resolve(associated.type, info.scope))
            declare_type(inner, param.name, param)
        for method in info.decl.methods:
            info.methods[method.name.text] = signature(method, inner, info.source)
    return info.methods


def method_signature(method: MethodInfo) -> Signature:
    """Return the signature of a method of an impl block, including its receiver."""
    if method.signature is None:
        method.signature = signature(method.decl, method.scope, method.source)
    return method.signature


def binding_signature(binding: Binding) -> Signature | None:
    """Return the signature of the fn that a name is bound to."""
    home = binding.home
    if binding.signature is None and home is not None:
        binding.signature = signature(home.decl, home.scope, home.source)
    return binding.signature


def parameters(params: Sequence[nodes.Param], scope: Scope) -> list[ParamInfo]:
    """Return the parameters of a function, method, tool or closure."""
    return [
        ParamInfo(
            param.name.text,
            resolve(param.type, scope),
            param.start,
            param.end,
            optional=param.default is not None,
            rest=param.rest,
        )
        for param in params
    ]


def signature(decl: nodes.FnDecl, scope: Scope, source: Source) -> Signature:
    """Return the signature of a function."""
    inner, type_params = type_scope(decl.type_params, scope)
    result = resolve(decl.return_type, inner)
    if result is not None and _makes_generator(decl, result, source):
        result = None
    head = Signature(decl.name.text, parameters(decl.params, inner), result)
    head.source = source
    head.span_start, head.span_end = decl.name.start, decl.name.end
    if decl.attributes:
        head.deprecation = deprecation_of(decl)
    if type_params:
        head.type_params = type_params
        head.bounds = _bounds(decl.where, type_params, inner)
    return head


def _makes_generator(decl: nodes.FnDecl, result: Type, source: Source) -> bool:
    """Return whether calls may return a generator although the declared result is another type."""
    if decl.body is None or (isinstance(result, Applied) and result.name in ("Generator", "Stream")):
        return False
    return source.text.find("yield", decl.body.start, decl.body.end) >= 0


def _bounds(
    where: Sequence[nodes.WhereBound], params: tuple[Parameter, ...], scope: Scope
) -> list[tuple[Parameter, str, Type | None]]:
    found = []
    for bound in where:
        for param in params:
            if param.name == bound.param.text:
                param.bound = resolve(bound.bound, scope)
                name = bound.bound.name if isinstance(bound.bound, nodes.NamedType) else "?"
                found.append((param, name, param.bound))
    return found
