"""Diagnostics as annotations in the log of a GitHub workflow."""

from __future__ import annotations

from harnlite.diagnostics.excerpt import without_controls
from harnlite.diagnostics.render_json import place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from harnlite.diagnostics.diagnostic import Diagnostic

_LINE_ENDS = "\r\n"
_IN_TEXT = (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"))
_IN_PROPERTY = (*_IN_TEXT, (":", "%3A"), (",", "%2C"))


def render(diagnostics: Iterable[Diagnostic], *, color: bool = False) -> str:  # noqa: ARG001 - all renderers have the same signature
    """Return a workflow command for each diagnostic."""
    return "".join(f"{_command(one)}\n" for one in diagnostics)


def _command(one: Diagnostic) -> str:
    where = place(one.source, one.span)
    title = f"harnlite {one.code}" if one.code else "harnlite"
    properties = {
        "title": title,
        "file": where["file"],
        "line": where["line"],
        "col": where["column"],
        "endLine": where["end_line"],
        "endColumn": where["end_column"],
    }
    listed = ",".join(f"{name}={_escaped(str(value), _IN_PROPERTY)}" for name, value in properties.items())
    advice = "".join(f"\nhelp: {text}" for text in one.help)
    return f"::{one.severity} {listed}::{_escaped(one.message + advice, _IN_TEXT)}"


def _escaped(text: str, escapes: Iterable[tuple[str, str]]) -> str:
    text = without_controls(text, _LINE_ENDS + "\t")
    for char, escape in escapes:
        text = text.replace(char, escape)
    return text
