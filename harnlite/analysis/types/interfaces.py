"""Check whether a type satisfies an interface, and explain why it does not."""

from __future__ import annotations

from harnlite.analysis.types.annotations import expand, interface_methods, method_signature
from harnlite.analysis.types.generics import Inference
from harnlite.analysis.types.nominal import InterfaceInfo, StructInfo
from harnlite.analysis.types.representation import Base, Nominal, Parameter, Type, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from harnlite.analysis.types.nominal import MethodInfo, ParamInfo, Signature
    from harnlite.analysis.types.representation import NominalInfo

    Fits: TypeAlias = Callable[[Type | None, Type | None], bool]


def mismatch_reason(kind: Type, bound: Type | None, name: str, fits: Fits) -> str | None:
    """Return the reason why a type does not satisfy an interface; None if it does or if that is unknown."""
    wanted = expand(bound)
    if not isinstance(wanted, Nominal) or not isinstance(wanted.info, InterfaceInfo):
        return f"interface '{name}' not found" if isinstance(wanted, Parameter) else None
    actual = expand(kind)
    if isinstance(actual, Nominal):
        if isinstance(actual.info, InterfaceInfo):
            return None
        return _struct_reason(wanted.info, actual.info, fits)
    if isinstance(actual, Base):
        return _methods_reason(wanted.info, None, fits)
    return "only named types can satisfy interfaces"


def _struct_reason(info: InterfaceInfo, actual: NominalInfo, fits: Fits) -> str | None:
    """Check the methods of a struct; a nested check of the same struct, in a recursive interface, succeeds at once."""
    if actual in info.checking:
        return None
    info.checking.add(actual)
    methods = actual.methods if isinstance(actual, StructInfo) and actual.has_impl else None
    reason = _methods_reason(info, methods, fits)
    info.checking.discard(actual)
    return reason


def _methods_reason(info: InterfaceInfo, methods: dict[str, MethodInfo] | None, fits: Fits) -> str | None:
    wanted = interface_methods(info)
    if methods is None:
        return f"missing method(s): {', '.join(wanted)}" if wanted else None
    inference = Inference(param for param, _ in info.associated.values())
    for name, expected in wanted.items():
        method = methods.get(name)
        if method is None:
            return f"missing method '{name}'"
        reason = _method_reason(expected, method_signature(method), inference, fits)
        if reason is not None:
            return reason
    for name, (param, default) in info.associated.items():
        found = inference.bindings.get(param)
        if default is not None and found is not None and not fits(default, found):
            return f"associated type '{name}' resolves to '{text(found)}', expected '{text(default)}'"
    return None


def _method_reason(expected: Signature, actual: Signature, inference: Inference, fits: Fits) -> str | None:
    wanted, given = without_self(expected.params), without_self(actual.params)
    if len(wanted) != len(given):
        return f"method '{expected.name}' has {len(given)} parameter(s), expected {len(wanted)}"
    for i, (want, have) in enumerate(zip(wanted, given, strict=True), 1):
        kind = _bound_type(want.type, have.type, inference)
        if kind is not None and have.type is not None and not fits(have.type, kind):
            return f"method '{expected.name}' parameter {i} has type '{text(have.type)}', expected '{text(kind)}'"
    result = _bound_type(expected.result, actual.result, inference)
    if result is not None and actual.result is not None and not fits(result, actual.result):
        return f"method '{expected.name}' returns '{text(actual.result)}', expected '{text(result)}'"
    return None


def _bound_type(wanted: Type | None, given: Type | None, inference: Inference) -> Type | None:
    inference.take(wanted, given)
    return inference.apply(wanted)


def without_self(params: Sequence[ParamInfo]) -> Sequence[ParamInfo]:
    """Return the parameters for which a caller passes arguments."""
    return params[1:] if params and params[0].name == "self" else params
