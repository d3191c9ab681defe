"""HARN-RMD-003: `role_hint: "user_block"` in the same unit as a route that cannot render it."""

from __future__ import annotations

from harnlite.analysis.linting.context.constant_values import Known, literal_dicts
from harnlite.analysis.linting.context.reminder_sites import ROUTED, as_dict, as_text, calls_of, is_nil
from harnlite.analysis.linting.context.rule import Rule
from harnlite.reminders.capabilities import ANTHROPIC, capabilities_of, default_model
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.analysis.linting.context.constant_values import LiteralDict
    from harnlite.analysis.linting.context.linted_file import Linting
    from harnlite.analysis.linting.context.reminder_sites import Call

_HINT = "user_block"
_AUTO = "auto"
_UNITS = (nodes.PipelineDecl, nodes.FnDecl, nodes.ToolDecl, nodes.ImplDecl)


def _finish(linting: Linting) -> None:
    if _HINT not in linting.source.text:
        return
    routes: dict[nodes.Node, str] = {}
    for name, call in calls_of(linting):
        route = _unsupported(linting, name, call)
        if route is not None:
            routes.setdefault(_unit(linting, call), route)
    reported: set[nodes.Node] = set()
    for found in literal_dicts(linting) if routes else ():
        if (as_text(found.get("role_hint")) or "").strip() != _HINT:
            continue
        place = found.node_of("role_hint")
        route = routes.get(_unit(linting, place))
        if route is not None and place not in reported:
            reported.add(place)
            linting.report(
                RULE,
                place,
                f'route `{route}` cannot render `role_hint: "{_HINT}"`',
                help=('use role_hint "system" or "developer", which every route can render',),
            )


def _unit(linting: Linting, node: nodes.Node) -> nodes.Node:
    """Return the pipeline or top-level function around a node, or the module for the body of the script."""
    while node is not linting.module:
        above = linting.parents[node]
        if above is linting.module and isinstance(node, _UNITS):
            return node
        node = above
    return node


def _unsupported(linting: Linting, name: str, call: Call) -> str | None:
    """Return the literal route of a call, `provider:model`, if it cannot render user blocks."""
    if name not in ROUTED:
        return None
    for options in _options(linting, name, call):
        provider, model = as_text(options.get("provider")), options.get("model")
        is_tiered = not is_nil(options.get("model_tier"))
        if provider is None or provider == _AUTO or not isinstance(model, Known) or (is_nil(model) and is_tiered):
            continue
        chosen = default_model(provider) if model.value is None else as_text(model)
        if chosen is None:
            continue
        rows = linting.config.capability_rows.get(provider.lower(), ())
        able = capabilities_of(provider, chosen, rows)
        if able.message_wire_format != ANTHROPIC and not able.prefers_role_developer:
            return f"{provider}:{chosen}"
    return None


def _options(linting: Linting, name: str, call: Call) -> Iterator[LiteralDict]:
    """Yield the literal dicts among the arguments that may choose the route."""
    index = ROUTED[name]
    if any(isinstance(one, nodes.SpreadExpr) for one in call.args[: None if index is None else index + 1]):
        return
    for one in call.args if index is None else call.args[index : index + 1]:
        found = as_dict(linting.literal(one))
        if found is not None:
            yield found


RULE = Rule(
    "HARN-RMD-003",
    "reminder-role-hint-capability",
    "a reminder requests a user block, but a route cannot render one",
    finish=_finish,
    tolerant=True,
)
