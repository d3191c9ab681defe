"""Check calls of functions, builtins and closures: the target must be known, and the arguments must fit."""

from __future__ import annotations

from harnlite.analysis.builtins.declarations import ALWAYS_BUILTIN, GLOBAL_VALUES
from harnlite.analysis.checking.constructions import construct
from harnlite.analysis.checking.templates import RENDERING, check_template
from harnlite.analysis.files.std_names import home_advice
from harnlite.analysis.types.annotations import binding_signature, expand, resolve
from harnlite.analysis.types.assignability import fits
from harnlite.analysis.types.conversions import suggested_conversion
from harnlite.analysis.types.environment import Binding, Scope, lookup_outer, lookup_type, visible_names
from harnlite.analysis.types.generics import Inference
from harnlite.analysis.types.interfaces import mismatch_reason
from harnlite.analysis.types.nominal import AliasInfo, StructInfo, required_range
from harnlite.analysis.types.representation import (
    ANY,
    CLOSURE,
    NEVER,
    NIL,
    UNKNOWN,
    Alias,
    Base,
    Function,
    Nominal,
    Parameter,
    Type,
    Union,
    text,
)
from harnlite.diagnostics.suggest import near_name
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harnlite.analysis.checking.checker import Checker
    from harnlite.analysis.types.nominal import Deprecation, Signature
    from harnlite.diagnostics.diagnostic import Label

_NEVER_RETURN = frozenset({"exit", "throw_error", "unreachable"})
_CALLABLE_KINDS = frozenset({"fn", "import", "struct", "later"})
_NEAR = 2


def arguments_of(c: Checker, args: Sequence[nodes.Expr]) -> tuple[list[Type | None], bool]:
    """Check the arguments of a call; return their types up to the first spread, and whether there is a spread."""
    kinds: list[Type | None] = []
    spread = False
    for arg in args:
        if isinstance(arg, nodes.SpreadExpr):
            spread = True
            c.infer(arg.value)
        else:
            kind = c.infer(arg)
            if not spread:
                kinds.append(kind)
    return kinds, spread


def _call(c: Checker, node: nodes.CallExpr) -> Type | None:
    callee = node.callee
    if isinstance(callee, nodes.NameExpr):
        return _call_name(c, node, callee)
    kind = expand(c.infer(callee))
    arguments_of(c, node.args)
    return kind.result if isinstance(kind, Function) else None


def _call_name(c: Checker, node: nodes.CallExpr, callee: nodes.NameExpr) -> Type | None:
    name = callee.name
    binding = None if name in ALWAYS_BUILTIN else c.lookup(name)
    while binding is not None and not may_be_callable(c, binding):
        binding = lookup_outer(c.scope, name, binding)
    if binding is None:
        return _call_builtin(c, node, callee)
    if binding.home is not None:
        head = binding_signature(binding)
        if head is not None:
            return _call_known(c, node, head, callee)
    if isinstance(binding.info, StructInfo):
        if len(node.args) == 1 and isinstance(node.args[0], nodes.DictExpr):
            return construct(c, binding.info, node.args[0].entries, callee, strict=False)
        arguments_of(c, node.args)
        return Nominal(binding.info)
    arguments_of(c, node.args)
    kind = expand(c.fact(binding))
    return kind.result if isinstance(kind, Function) else None


def may_be_callable(c: Checker, binding: Binding) -> bool:
    """Return whether the value of a binding may be callable."""
    return binding.kind in _CALLABLE_KINDS or is_callable(c.fact(binding))


def is_callable(kind: Type | None) -> bool:
    """Return whether a value of a type may be callable."""
    kind = expand(kind)
    if isinstance(kind, Base):
        return kind in (ANY, UNKNOWN, NEVER, CLOSURE)
    return kind is None or isinstance(kind, (Function, Parameter, Union))


def _call_builtin(c: Checker, node: nodes.CallExpr, callee: nodes.NameExpr) -> Type | None:
    name = callee.name
    head = c.builtin(name)
    if head is None:
        arguments_of(c, node.args)
        if c.lookup(name) is None and name not in ALWAYS_BUILTIN:
            _unknown_target(c, callee)
        return None
    if name == "unreachable":
        return _check_unreachable(c, node)
    result = _call_known(c, node, head, callee)
    special = _SPECIAL_RESULTS.get(name)
    if name in RENDERING:
        check_template(c, node)
    if special is not None:
        return special(c, node)
    return NEVER if name in _NEVER_RETURN else result


def _unknown_target(c: Checker, callee: nodes.NameExpr) -> None:
    name = callee.name
    if not c.complete or name.startswith("__") or lookup_type(c.scope, name) is not None:
        return
    if name in c.declarations.namespaces or name in GLOBAL_VALUES or (c.partial and _declared_in_text(c, name)):
        return
    homes = home_advice(name)
    near = near_name(name, _callable_names(c), _NEAR) if not homes else None
    hint = f" — did you mean `{near}`?" if near else ""
    c.error(f"call target `{name}` is not defined or imported{hint}", callee.start, callee.end, (), homes)


def _declared_in_text(c: Checker, name: str) -> bool:
    """Return whether a part of the file that could not be parsed may declare a name."""
    return any(f"{word} {name}" in c.source.text for word in ("fn", "let", "var", "const", "struct", "tool", "skill"))


def _callable_names(c: Checker) -> set[str]:
    names = set(c.declarations.entries)
    for name in visible_names(c.scope):
        binding = c.lookup(name)
        if binding is not None and may_be_callable(c, binding):
            names.add(name)
    return names


def _check_unreachable(c: Checker, node: nodes.CallExpr) -> Type:
    kinds, _ = arguments_of(c, node.args)
    subject = node.args[0] if kinds else None
    if isinstance(subject, nodes.NameExpr) and _is_narrowable(c, subject.name, kinds[0]):
        message = f"unreachable() argument has type `{text(kinds[0])}` — not all cases are handled"
        c.error(message, subject.start, subject.end)
    return NEVER


def _is_narrowable(c: Checker, name: str, kind: Type | None) -> bool:
    """Return whether a variable has cases to handle; a variable that only holds the text of the error has none."""
    inner, binding = expand(kind), c.lookup(name)
    if inner is None or inner in (NEVER, ANY, UNKNOWN) or isinstance(inner, Parameter) or binding is None:
        return False
    return binding.annotated or binding.kind not in ("let", "var", "const") or not isinstance(inner, Base)


def _call_known(c: Checker, node: nodes.CallExpr, head: Signature, callee: nodes.NameExpr) -> Type | None:
    kinds, spread = arguments_of(c, node.args)
    if head.deprecation is not None:
        warn_deprecated(c, head, head.deprecation, callee.start, callee.end)
    if not spread:
        check_count(c, head, node, len(kinds))
    if head.loose and not node.type_args:
        return head.result
    inference = _explicit(c, node.type_args, head) if node.type_args else Inference(head.type_params, fits)
    check_arguments(c, head, kinds, node.args, inference)
    if head.bounds:
        check_bounds(c, head, inference, node)
    return inference.result(head.result)


def warn_deprecated(c: Checker, head: Signature, deprecation: Deprecation, start: int, end: int) -> None:
    """Warn about a call of a deprecated function or method."""
    since = f" (since {deprecation.since})" if deprecation.since else ""
    advice = [f"use `{deprecation.use}` instead"] if deprecation.use else []
    c.warning(f"`{head.name}` is deprecated{since}", start, end, _declared(c, head), advice)


def _declared(c: Checker, head: Signature) -> list[Label]:
    if head.builtin:
        return []
    return [c.label(head.span_start, head.span_end, f"`{head.name}` is declared here", head.source)]


def _explicit(c: Checker, written: Sequence[nodes.TypeExpr], head: Signature) -> Inference:
    """Return the type arguments that a call states explicitly."""
    word = "Builtin function" if head.builtin else "Function"
    start, end = written[0].start, written[-1].end
    inference = Inference(head.type_params, fits)
    if not head.type_params:
        c.error(f"{word} '{head.name}' does not declare type parameters", start, end, _declared(c, head))
    elif len(head.type_params) != len(written):
        message = f"{word} '{head.name}' expects {len(head.type_params)} type arguments, got {len(written)}"
        c.error(message, start, end, _declared(c, head))
    else:
        inference.fix({param: resolve(given, c.scope) for param, given in zip(head.type_params, written, strict=True)})
    return inference


def check_count(c: Checker, head: Signature, node: nodes.CallExpr | nodes.MethodCallExpr, given: int) -> None:
    """Warn about a wrong number of arguments."""
    most = len(head.params)
    if head.required <= given and (given <= most or head.variadic):
        return
    if head.variadic:
        return
    start, end = (node.args[most].start, node.args[-1].end) if given > most else (node.start, node.end)
    message = f"Function '{head.name}' expects {required_range(head)} arguments, got {given}"
    c.warning(message, start, end, _declared(c, head))


def check_arguments(
    c: Checker, head: Signature, kinds: Sequence[Type | None], args: Sequence[nodes.Expr], inference: Inference
) -> None:
    """Check the types of arguments; for builtins a mismatch is a warning, since they throw their own errors."""
    for i, (param, kind) in enumerate(zip(head.params, kinds, strict=False)):
        if param.rest:
            return
        if param.type is None or kind is None:
            continue
        arg = args[i]
        clash = inference.take(param.type, kind)
        if clash:
            c.error(clash, arg.start, arg.end, _declared(c, head))
            continue
        expected = inference.apply(param.type)
        if fits(expected, kind) or (kind is NIL and param.optional and head.builtin):
            continue
        message = f"Argument {i + 1} ('{param.name}'): expected {text(expected)}, got {text(kind)}"
        if head.builtin:
            c.warning(message, arg.start, arg.end, (), suggested_conversion(expected, kind))
        else:
            label = c.label(param.start, param.end, f"declared as {text(param.type)} here", head.source)
            c.error(message, arg.start, arg.end, [label], suggested_conversion(expected, kind))


def check_bounds(
    c: Checker, head: Signature, inference: Inference, node: nodes.CallExpr | nodes.MethodCallExpr
) -> None:
    """Report type arguments that do not satisfy a `where` constraint."""
    for param, name, bound in head.bounds:
        kind = inference.bindings.get(param)
        if kind is None or isinstance(expand(kind), Parameter):
            continue
        reason = mismatch_reason(kind, bound, name, fits)
        if reason is not None:
            message = f"Type '{text(kind)}' does not satisfy interface '{name}': {reason}"
            clause = f"(required by constraint `where {param.name}: {name}`)"
            c.error(f"{message} {clause}", node.start, node.end, _declared(c, head))


def _schema_type(c: Checker, node: nodes.CallExpr) -> Type | None:
    """Return the type that the second argument refers to, if it is the name of an alias."""
    target = node.args[1] if len(node.args) > 1 else None
    if isinstance(target, nodes.NameExpr):
        info = lookup_type(c.scope, target.name)
        if isinstance(info, AliasInfo) and not info.params:
            return Alias(info)
    return None


_SPECIAL_RESULTS: dict[str, Callable[[Checker, nodes.CallExpr], Type | None]] = {"schema_expect": _schema_type}


def _pipe(c: Checker, node: nodes.PipeExpr) -> Type | None:
    left, right = c.infer(node.left), node.right
    if _mentions_piped(right):
        return _inside_pipe(c, right, left)
    if not isinstance(right, nodes.NameExpr):
        kind = expand(c.infer(right))
        return kind.result if isinstance(kind, Function) else None
    binding = c.lookup(right.name)
    head = c.builtin(right.name) if binding is None else binding_signature(binding)
    if head is None:
        return None
    if head.deprecation is not None:
        warn_deprecated(c, head, head.deprecation, right.start, right.end)
    inference = Inference(head.type_params, fits)
    check_arguments(c, head, [left], [node.left], inference)
    return inference.result(head.result)


def _inside_pipe(c: Checker, right: nodes.Expr, left: Type | None) -> Type | None:
    scope = Scope(c.scope)
    scope.names["_"] = Binding("_", "pipe", left, right.start, right.start)
    outer, c.scope = c.scope, scope
    kind = c.infer(right)
    c.scope = outer
    return kind


def _mentions_piped(node: nodes.Node) -> bool:
    if isinstance(node, nodes.NameExpr):
        return node.name == "_"
    if isinstance(node, (nodes.ClosureExpr, nodes.Block)):
        return False
    return any(_mentions_piped(child) for child in node.children())


EXPRESSIONS: dict[type, Callable[..., Type | None]] = {nodes.CallExpr: _call, nodes.PipeExpr: _pipe}
