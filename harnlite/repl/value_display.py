"""Values as the session shows them: like `println`, but with strings in quotes."""

from __future__ import annotations

from harnlite.values.display import display
from harnlite.values.interrupts import poll_here

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def literal(value: object) -> str:
    """Return the text of a value; Ctrl-C interrupts the call for large values."""
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list):
        poll_here()
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, dict):
        poll_here()
        return f"{{{', '.join(f'{key}: {literal(value[key])}' for key in sorted(value))}}}"
    return display(value)


def laid_out(value: object, width: int, indent: str = "") -> str:
    """Return the text of a value, with one item per line in lists and dicts that are wider than the screen."""
    text = literal(value)
    inner = indent + "  "
    if len(indent) + len(text) < width or len(inner) > width // 2 or not value:
        return text
    if isinstance(value, list):
        items = [laid_out(item, width, inner) for item in value]
        return "".join(["[\n", *(f"{inner}{item},\n" for item in items), indent, "]"])
    if isinstance(value, dict):
        items = [f"{key}: {laid_out(value[key], width, inner)}" for key in sorted(value)]
        return "".join(["{\n", *(f"{inner}{item},\n" for item in items), indent, "}"])
    return text


def _quoted(text: str) -> str:
    inner = "".join(_ESCAPES.get(char) or (char if char.isprintable() else f"\\u{{{ord(char):x}}}") for char in text)
    return '"' + inner.replace("${", "\\${") + '"'
