"""HARN-LNT-013: a match over the variants of an enum omits some of them, where the type of its subject is unknown."""

from __future__ import annotations

from harnlite.analysis.files.imports import brought_by
from harnlite.analysis.linting.context.rule import Rule
from harnlite.diagnostics.source import Span
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.analysis.linting.context.linted_file import Linting

_RESULT = "Result"
_TAKES_ANY = (nodes.WildcardPattern, nodes.BindPattern)


def _match(linting: Linting, node: nodes.MatchExpr) -> None:
    named = [arm.pattern for arm in node.arms if isinstance(arm.pattern, nodes.VariantPattern)]
    others = [arm for arm in node.arms if not isinstance(arm.pattern, nodes.VariantPattern)]
    if not all(arm.guard is not None and isinstance(arm.pattern, _TAKES_ANY) for arm in others):
        return
    if len({one.enum.text for one in named}) != 1:
        return
    variants = _variants(linting, named[0].enum)
    if variants is None or any(one.variant.text not in variants for one in named) or _is_reported(linting, node):
        return
    taken = {
        arm.pattern.variant.text
        for arm in node.arms
        if isinstance(arm.pattern, nodes.VariantPattern) and arm.guard is None and _takes_whole(arm.pattern)
    }
    missing = [name for name in variants if name not in taken]
    if missing:
        enum = named[0].enum.text
        listed = ", ".join(f"`{enum}.{name}`" for name in missing)
        advice = ["add the missing arms, or an arm `_`; a value that no arm matches is an error"]
        linting.report(RULE, Span(node.start, node.subject.end), f"this match leaves out {listed}", help=advice)


def _takes_whole(pattern: nodes.VariantPattern) -> bool:
    return all(isinstance(arg, _TAKES_ANY) for arg in pattern.args or ())


def _variants(linting: Linting, enum: nodes.Ident) -> Sequence[str] | None:
    """Return the variants of an enum, or None if its declaration is not certain."""
    binding = linting.resolution.bindings.get(enum)
    decl: nodes.Node | None = None
    if binding is not None and binding.kind == "enum":
        decl = binding.decl
    elif linting.resolution.imports and linting.imports is not None and (binding is None or binding.kind == "import"):
        brought = brought_by(linting.imports, linting.module.statements, linting.source.path)
        decl = brought.types.get(enum.text) if enum.text in brought.names else None
    if isinstance(decl, nodes.EnumDecl):
        return [variant.name.text for variant in decl.variants]
    return ("Ok", "Err") if binding is None and decl is None and enum.text == _RESULT else None


def _is_reported(linting: Linting, node: nodes.MatchExpr) -> bool:
    return any(one.span.start == node.start and one.message.startswith("Non-exhaustive") for one in linting.checks)


RULE = Rule(
    "HARN-LNT-013",
    "non-exhaustive-match",
    "a match over the variants of an enum omits some of them",
    visits={nodes.MatchExpr: _match},
)
