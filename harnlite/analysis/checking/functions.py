"""Check the bodies of functions, methods, closures, pipelines, tools and tasks."""

from __future__ import annotations

from harnlite.analysis.checking.attributes import check_attributes
from harnlite.analysis.checking.checker import NOTHING, Function
from harnlite.analysis.types.annotations import (
    binding_signature,
    expand,
    method_signature,
    parameters,
    resolve,
    signature,
)
from harnlite.analysis.types.assignability import fits
from harnlite.analysis.types.conversions import suggested_conversion
from harnlite.analysis.types.environment import CLOSURE as SEES_ABOVE
from harnlite.analysis.types.environment import FN as SEES_ALL
from harnlite.analysis.types.environment import Binding, Scope, declare_type, lookup_type
from harnlite.analysis.types.hoisting import bound_names, hoist
from harnlite.analysis.types.nominal import StructInfo
from harnlite.analysis.types.representation import (
    ANY,
    CLOSURE,
    LIST,
    NIL,
    Applied,
    Nominal,
    Parameter,
    Type,
    join,
    text,
)
from harnlite.analysis.types.representation import Function as FunctionType
from harnlite.analysis.types.variance import variance_faults
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harnlite.analysis.checking.checker import Checker, Facts
    from harnlite.analysis.types.nominal import MethodInfo, ParamInfo, Signature


def check_body(
    c: Checker,
    params: Sequence[nodes.Param],
    infos: Sequence[ParamInfo],
    body: nodes.Block,
    function: Function,
    scope: Scope,
) -> Type | None:
    """Check a body in its own scope; return the type of its last value."""
    outer = c.scope, c.function, c.loop, c.facts
    c.scope, c.function, c.loop = scope, function, None
    c.facts = lasting(c.facts)
    for param, info in zip(params, infos, strict=True):
        _check_parameter(c, param, info)
    value = c.body(body.statements)
    c.scope, c.function, c.loop, c.facts = outer
    return value


def lasting(facts: Facts) -> Facts:
    """Return the narrowed types that still hold when a body runs later."""
    if not facts:
        return NOTHING
    return {binding: kind for binding, kind in facts.items() if not binding.mutable}


def _check_parameter(c: Checker, param: nodes.Param, info: ParamInfo) -> None:
    kind = LIST if param.rest else info.type
    if param.default is not None:
        given = c.infer(param.default)
        if given is NIL and kind is not None:
            kind = join((kind, NIL))
        elif not fits(kind, given) and param.type is not None:
            label = c.label(param.type.start, param.type.end, f"declared as {text(kind)} here")
            message = f"'{info.name}' declared as {text(kind)}, but assigned {text(given)}"
            c.error(message, param.default.start, param.default.end, [label], suggested_conversion(kind, given))
    name = param.name
    binding = Binding(name.text, "param", kind, name.start, name.end)
    if param.type is not None:
        binding.annotated = True
        binding.start, binding.end = param.type.start, param.type.end
    if name.text != "_":
        c.scope.names[name.text] = binding


def check_fn(c: Checker, node: nodes.FnDecl) -> None:
    """Check a `fn` or `gen fn` declared in a block."""
    if node.attributes:
        check_attributes(c, node, node.attributes)
    binding = c.scope.names.get(node.name.text)
    known = binding_signature(binding) if binding and binding.home and binding.home.decl is node else None
    head = known or signature(node, c.scope, c.source)
    if node.body is not None:
        _check_declared(c, node, head, node.body, Scope(c.scope, SEES_ALL))


def _check_declared(c: Checker, node: nodes.FnDecl, head: Signature, body: nodes.Block, scope: Scope) -> None:
    for param in head.type_params:
        declare_type(scope, param.name, param)
    if node.type_params:
        report_variance(c, node, scope)
    function = _function_context(c, node, head, scope)
    check_body(c, node.params, head.params, body, function, scope)


def _function_context(c: Checker, node: nodes.FnDecl, head: Signature, scope: Scope) -> Function:
    if not node.is_gen:
        generates = head.result is None or (isinstance(head.result, Applied) and head.result.name == "Generator")
        return Function("fn", None if generates else head.result, node.return_type)
    declared = resolve(node.return_type, scope)
    stream = expand(declared)
    emits = None
    if isinstance(stream, Applied) and stream.name == "Stream":
        emits = stream.args[0] if stream.args else None
    elif node.return_type is not None and not (stream is ANY or stream is None or isinstance(stream, Parameter)):
        message = f"`gen fn` must return Stream<T>, got {text(declared)}"
        c.error(message, node.return_type.start, node.return_type.end)
    return Function("fn", None, node.return_type, is_gen=True, emits=emits)


def report_variance(c: Checker, node: nodes.Decl, scope: Scope) -> None:
    """Report type parameters in positions that their variance mark does not allow."""
    marks = {param.name.text: param for param in getattr(node, "type_params", ())}
    for found, message in variance_faults(node, scope):
        mark = marks[found.name]
        c.error(message, found.start, found.end, [c.label(mark.start, mark.end, "declared here")])


def check_impl(c: Checker, node: nodes.ImplDecl) -> None:
    """Check the methods of an impl block."""
    if node.attributes:
        check_attributes(c, node, node.attributes)
    info = lookup_type(c.scope, node.name.text)
    for method in node.methods:
        if method.attributes:
            check_attributes(c, method, method.attributes)
        known = info.methods.get(method.name.text) if isinstance(info, StructInfo) else None
        if method.body is not None:
            _check_method(c, method, method.body, known, info if isinstance(info, StructInfo) else None)


def _check_method(
    c: Checker, node: nodes.FnDecl, body: nodes.Block, known: MethodInfo | None, info: StructInfo | None
) -> None:
    own = known is not None and known.decl is node
    head = method_signature(known) if known is not None and own else signature(node, c.scope, c.source)
    if info is not None and head.params and head.params[0].type is None:
        head.params[0].type = Nominal(info)
    _check_declared(c, node, head, body, Scope(c.scope, SEES_ALL))


def check_pipeline(c: Checker, node: nodes.PipelineDecl, bases: Sequence[nodes.PipelineDecl]) -> None:
    """Check a pipeline; the names that its bases bind and declare are visible in it."""
    if node.attributes:
        check_attributes(c, node, node.attributes)
    scope = Scope(c.scope, SEES_ALL)
    for base in reversed(bases):
        _inherit(c, base, scope)
    result = resolve(node.return_type, c.scope)
    function = Function("pipeline", result, node.return_type)
    check_body(c, node.params, parameters(node.params, c.scope), node.body, function, scope)


def _inherit(c: Checker, base: nodes.PipelineDecl, scope: Scope) -> None:
    statements = base.body.statements
    hoist(scope, statements, c.source)
    scope.pending = ()
    for name in (*(param.name.text for param in base.params), *bound_names(statements)):
        scope.names[name] = Binding(name, "later")


def check_tool(c: Checker, node: nodes.ToolDecl) -> None:
    """Check the attributes, the description and the body of a tool."""
    if node.attributes:
        check_attributes(c, node, node.attributes)
    if node.description is not None:
        c.infer(node.description)
    function = Function("tool", resolve(node.return_type, c.scope), node.return_type)
    scope = Scope(c.scope, SEES_ALL)
    check_body(c, node.params, parameters(node.params, c.scope), node.body, function, scope)


def check_task(c: Checker, param: nodes.Param | None, body: nodes.Block) -> Type | None:
    """Check the body of a `spawn` or `parallel` expression."""
    params = [param] if param is not None else []
    infos = parameters(params, c.scope)
    return check_body(c, params, infos, body, Function("task"), Scope(c.scope, SEES_ABOVE))


def check_deferred(c: Checker, body: nodes.Block) -> None:
    """Check a `defer` block, which runs at the end of its function."""
    loop, facts = c.loop, c.facts
    c.loop, c.facts = None, lasting(facts)
    c.block(body)
    c.loop, c.facts = loop, facts


def _closure(c: Checker, node: nodes.ClosureExpr) -> Type | None:
    infos = parameters(node.params, c.scope)
    result = resolve(node.return_type, c.scope)
    function = Function("closure", result, node.return_type)
    check_body(c, node.params, infos, node.body, function, Scope(c.scope, SEES_ABOVE))
    plain = all(info.type is None for info in infos)
    if (plain and result is None) or any(info.rest or info.type is None for info in infos):
        return CLOSURE
    yields = c.source.text.find("yield", node.body.start, node.body.end) >= 0
    return FunctionType(tuple(info.type for info in infos), None if yields else result)


EXPRESSIONS: dict[type, Callable[..., Type | None]] = {nodes.ClosureExpr: _closure}
