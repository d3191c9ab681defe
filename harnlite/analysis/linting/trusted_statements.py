"""Select the findings that are reliable in a file with syntax errors."""

from __future__ import annotations

from harnlite.diagnostics.source import Span
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.diagnostics.diagnostic import Diagnostic


def trusted(module: nodes.Module, found: Sequence[Diagnostic], errors: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return the findings in statements that have no syntax error inside or directly after them."""
    return [one for one in found if not any(_touches(error, _statement(module, one.span)) for error in errors)]


def _statement(module: nodes.Module, span: Span) -> Span:
    """Return the span of the innermost statement around a finding."""
    found: nodes.Node = module
    node: nodes.Node | None = module
    while node is not None:
        below = next((one for one in node.children() if one.start <= span.start and span.end <= one.end), None)
        if below is not None and isinstance(node, (nodes.Module, nodes.Block)):
            found = below
        node = below
    return Span(found.start, found.end)


def _touches(error: Diagnostic, statement: Span) -> bool:
    start, text = error.span.start, error.source.text
    return statement.start <= start and not text[statement.end : start].strip()
