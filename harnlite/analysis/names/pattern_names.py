"""Declare the names that patterns bind, for the resolver."""

from __future__ import annotations

from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.analysis.names.resolver import Resolver
    from harnlite.analysis.names.scopes import Binding


def bind_pattern(r: Resolver, pattern: nodes.Pattern, kind: str) -> None:
    """Declare every name of a binding pattern, with unknown values."""
    if isinstance(pattern, nodes.NamePattern):
        opaque(r.declare(pattern.name, kind, pattern))
    elif isinstance(pattern, nodes.PairPattern):
        opaque(r.declare(pattern.first.text, kind, pattern.first))
        opaque(r.declare(pattern.second.text, kind, pattern.second))
    elif isinstance(pattern, (nodes.DictPattern, nodes.ListPattern)):
        items = pattern.entries if isinstance(pattern, nodes.DictPattern) else pattern.items
        for item in items:
            if item.default is not None:
                r.visit(item.default)
            opaque(r.declare(item.name.text, kind, item.name))
        if pattern.rest is not None:
            opaque(r.declare(pattern.rest.text, kind, pattern.rest))


def opaque(binding: Binding | None) -> None:
    """Record that a variable gets an unknown value."""
    if binding is not None:
        binding.values.append(None)


def bind_match_pattern(r: Resolver, pattern: nodes.MatchPattern) -> None:
    """Declare the names that an arm binds, and visit the values that it compares with."""
    if isinstance(pattern, nodes.BindPattern):
        opaque(r.declare(pattern.name, "match", pattern))
    elif isinstance(pattern, nodes.ValuePattern):
        r.visit(pattern.value)
    elif isinstance(pattern, nodes.OrPattern):
        for alternative in pattern.alternatives:
            bind_match_pattern(r, alternative)
    elif isinstance(pattern, nodes.DictMatchPattern):
        for entry in pattern.entries:
            bind_match_pattern(r, entry.pattern)
    elif isinstance(pattern, nodes.ListMatchPattern):
        for item in pattern.items:
            bind_match_pattern(r, item)
    elif isinstance(pattern, nodes.VariantPattern):
        r.use(pattern.enum, pattern.enum.text)
        for item in pattern.args or ():
            bind_match_pattern(r, item)
