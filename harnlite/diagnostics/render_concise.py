"""Diagnostics for line-oriented tools: one line each."""

from __future__ import annotations

from harnlite.diagnostics.excerpt import without_controls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from harnlite.diagnostics.diagnostic import Diagnostic


def render(diagnostics: Iterable[Diagnostic], *, color: bool = False) -> str:  # noqa: ARG001 - all renderers have the same signature
    """Return `path:line:column: severity[CODE] message` lines."""
    return "".join(f"{line(diagnostic)}\n" for diagnostic in diagnostics)


def line(diagnostic: Diagnostic) -> str:
    """Return the line of one diagnostic."""
    place = diagnostic.source.position(min(max(diagnostic.span.start, 0), len(diagnostic.source.text)))
    code = f"[{diagnostic.code}]" if diagnostic.code else ""
    message = without_controls(" ".join(diagnostic.message.split()))
    name = without_controls(diagnostic.source.name)
    if name.startswith("::"):
        name = f"./{name}"  # A CI system would take the line for a command.
    return f"{name}:{place.line}:{place.column}: {diagnostic.severity}{code} {message}"
