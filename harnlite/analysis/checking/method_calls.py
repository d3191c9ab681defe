"""Check method calls on built-in types, structs, type parameters with a bound, and namespaces."""

from __future__ import annotations

from harnlite.analysis.builtins.methods import METHODS
from harnlite.analysis.checking.calls import arguments_of, check_arguments, check_bounds, check_count, warn_deprecated
from harnlite.analysis.checking.constructions import construct_variant
from harnlite.analysis.checking.literals import item_type
from harnlite.analysis.names.scopes import TRANSCRIPT, TRANSCRIPT_BUILTINS
from harnlite.analysis.types.annotations import (
    RESULT,
    arguments,
    expand,
    interface_methods,
    method_signature,
    struct_fields,
)
from harnlite.analysis.types.assignability import fits, without_nil
from harnlite.analysis.types.generics import Inference
from harnlite.analysis.types.interfaces import without_self
from harnlite.analysis.types.nominal import EnumInfo, InterfaceInfo, Signature, StructInfo
from harnlite.analysis.types.representation import (
    ITER,
    NIL,
    PAIR,
    RANGE,
    STRING,
    Applied,
    Base,
    Literal,
    Nominal,
    Parameter,
    Shape,
    Type,
    Union,
    join,
    substitute,
    text,
)
from harnlite.diagnostics.suggest import near_name
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from harnlite.analysis.checking.checker import Checker

_NEAR = 2


def _method_call(c: Checker, node: nodes.MethodCallExpr) -> Type | None:
    receiver = node.receiver
    if isinstance(receiver, nodes.NameExpr):
        binding = c.lookup(receiver.name)
        if binding is not None and isinstance(binding.info, EnumInfo):
            return construct_variant(c, binding.info, node.name, node.args)
        is_transcript = receiver.name == TRANSCRIPT and node.name.text in TRANSCRIPT_BUILTINS
        if receiver.name in c.declarations.namespaces and (binding is None or is_transcript):
            head = c.builtin(f"{receiver.name}.{node.name.text}")
            if head is not None:
                return _call_head(c, head, node, Inference((), fits))
        if binding is None and receiver.name == "Result":
            return construct_variant(c, RESULT, node.name, node.args)
    kind = c.infer(receiver)
    if kind is None:
        arguments_of(c, node.args)
        return None
    if node.optional:
        kind = without_nil(kind)
    result = _on_type(c, expand(kind), node, kind)
    return join((result, NIL)) if node.optional and result is not None else result


def _on_type(c: Checker, kind: Type | None, node: nodes.MethodCallExpr, written: Type | None) -> Type | None:
    if isinstance(kind, Nominal):
        return _on_nominal(c, kind, node)
    if isinstance(kind, Parameter):
        return _on_parameter(c, kind, node)
    name = table_name(kind)
    if name is None:
        if isinstance(kind, Union):
            _check_union(c, kind, node)
        arguments_of(c, node.args)
        return None
    table = METHODS[name]
    head = table.get(node.name.text)
    if head is None:
        if name != "dict":
            _no_method(c, node, text(written), table)
        arguments_of(c, node.args)
        return None
    kinds, spread = arguments_of(c, node.args)
    if not spread:
        check_arguments(c, head, kinds, node.args, Inference((), fits))
    return _result_type(kind, head)


def table_name(kind: Type | None) -> str | None:
    """Return the name under which the methods of a built-in type are listed."""
    if isinstance(kind, Shape):
        return "dict"
    name = kind.kind if isinstance(kind, Literal) else kind.name if isinstance(kind, (Base, Applied)) else None
    return name if name in METHODS else None


def _result_type(kind: Type | None, head: Signature) -> Type | None:
    if head.result is not ITER:
        return head.result
    if head.name != "iter":
        return ITER
    if isinstance(kind, Shape) or (isinstance(kind, Applied) and kind.name == "dict"):
        return Applied("iter", (PAIR,))
    if kind is STRING or kind is RANGE or isinstance(kind, Applied):
        item = item_type(kind)
        return Applied("iter", (item,)) if item is not None else ITER
    return ITER


def _check_union(c: Checker, kind: Union, node: nodes.MethodCallExpr) -> None:
    """Warn if no alternative of a union has the method."""
    names: set[str] = set()
    for member in kind.members:
        inner = expand(member)
        if inner is NIL:
            continue
        name = table_name(inner)
        if name is None or name == "dict":
            return
        names.update(METHODS[name])
    if node.name.text not in names:
        _no_method(c, node, text(kind), names)


def _no_method(c: Checker, node: nodes.MethodCallExpr, owner: str, names: Iterable[str]) -> None:
    near = near_name(node.name.text, names, _NEAR)
    hint = f" — did you mean `{near}`?" if near else ""
    c.warning(f"{owner} has no method `{node.name.text}`{hint}", node.name.start, node.name.end)


def _on_nominal(c: Checker, kind: Nominal, node: nodes.MethodCallExpr) -> Type | None:
    info, name = kind.info, node.name.text
    if isinstance(info, StructInfo):
        method = info.methods.get(name)
        if method is not None:
            head = _without_receiver(method_signature(method), arguments(info.params, kind.args))
            return _call_head(c, head, node, Inference(head.type_params, fits))
        if name not in struct_fields(info):
            _no_method(c, node, info.name, info.methods)
    elif isinstance(info, EnumInfo):
        _no_method(c, node, text(kind), ())
    elif isinstance(info, InterfaceInfo):
        found = interface_methods(info).get(name)
        if found is not None:
            return _call_interface(c, found, node, _outside(info, found.result))
        _no_method(c, node, info.name, interface_methods(info))
    arguments_of(c, node.args)
    return None


def _outside(info: InterfaceInfo, kind: Type | None) -> Type | None:
    """Return a type with the associated types and type parameters of an interface replaced by unknown types."""
    loose: dict[Type, Type | None] = {param: None for param, _ in info.associated.values()}
    loose.update(dict.fromkeys(info.params))
    return substitute(kind, loose)


def _call_interface(c: Checker, found: Signature, node: nodes.MethodCallExpr, result: Type | None) -> Type | None:
    """Check the number of arguments of an interface method; their types depend on the struct."""
    kinds, spread = arguments_of(c, node.args)
    if not spread:
        head = Signature(found.name, without_self(found.params), None)
        head.source, head.span_start, head.span_end = found.source, found.span_start, found.span_end
        check_count(c, head, node, len(kinds))
    return result


def _without_receiver(head: Signature, known: Mapping[Type, Type | None]) -> Signature:
    """Return the signature of a method without its receiver."""
    made = Signature(head.name, head.params[1:], substitute(head.result, known))
    made.type_params = head.type_params
    made.bounds = head.bounds
    made.deprecation = head.deprecation
    made.source = head.source
    made.span_start, made.span_end = head.span_start, head.span_end
    return made


def _on_parameter(c: Checker, kind: Parameter, node: nodes.MethodCallExpr) -> Type | None:
    bound = expand(kind.bound)
    if not isinstance(bound, Nominal) or not isinstance(bound.info, InterfaceInfo):
        arguments_of(c, node.args)
        return None
    methods = interface_methods(bound.info)
    found = methods.get(node.name.text)
    if found is not None:
        return _call_interface(c, found, node, _outside(bound.info, found.result))
    arguments_of(c, node.args)
    near = near_name(node.name.text, methods)
    message = f"Method '{node.name.text}' not found in interface '{bound.info.name}' (constraint on '{kind.name}')"
    label = c.label(bound.info.decl.name.start, bound.info.decl.name.end, "declared here", bound.info.source)
    c.warning(message, node.name.start, node.name.end, [label], [f"did you mean `{near}`?"] if near else [])
    return None


def _call_head(c: Checker, head: Signature, node: nodes.MethodCallExpr, inference: Inference) -> Type | None:
    kinds, spread = arguments_of(c, node.args)
    if head.deprecation is not None:
        warn_deprecated(c, head, head.deprecation, node.name.start, node.name.end)
    if not spread:
        check_count(c, head, node, len(kinds))
    check_arguments(c, head, kinds, node.args, inference)
    if head.bounds:
        check_bounds(c, head, inference, node)
    return inference.result(head.result)


EXPRESSIONS: dict[type, Callable[..., Type | None]] = {nodes.MethodCallExpr: _method_call}
