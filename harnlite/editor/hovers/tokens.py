"""Hover texts for tokens other than names: keywords, operators, numbers, options and attributes."""

from __future__ import annotations

import re

from harnlite.analysis.editing.completion_places import place_in
from harnlite.analysis.editing.option_places import expected, expected_keys
from harnlite.diagnostics.source import Span
from harnlite.editor.hovers.keywords import keyword_texts
from harnlite.editor.hovers.names import fenced
from harnlite.editor.names.attributes import ATTRIBUTES
from harnlite.syntax import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.editor.texts.documents import Document
    from harnlite.editor.texts.workspace import Workspace
    from harnlite.options.expected import Expected

    HoverText = tuple[str, Span]

_WORD = re.compile(r"[A-Za-z_]\w*")
_OPERATORS = {
    "??": "The left side unless it is nil, otherwise the right side.",
    "|>": "Passes the left side to the right side: `x |> f` is `f(x)`; elsewhere `_` marks its place.",
    "&&": "The right side if the left side is truthy, otherwise the left side.",
    "||": "The left side if it is truthy, otherwise the right side.",
    "**": "Exponentiation.",
    "%": "The remainder of a division.",
    "in": "Tests whether the right side contains the left side.",
    "not in": "Tests whether the right side does not contain the left side.",
}
_TYPES = {
    "int": "A 64-bit integer.",
    "float": "A floating-point number.",
    "string": "Text.",
    "bool": "`true` or `false`.",
    "any": "Any value; nothing is checked.",
    "unknown": "Any value; it must be narrowed before use.",
    "never": "The type without values: an expression of this type does not return.",
    "bytes": "A sequence of bytes.",
    "duration": "A span of time, such as `5m`.",
    "range": "The ints between two bounds.",
    "pair": "Two values.",
    "closure": "A callable value.",
    "list": "An ordered sequence of values: `list<T>` or `[T]`.",
    "dict": "Values by key: `dict<K, V>`.",
    "set": "Distinct values: `set<T>`.",
    "iter": "A sequence of values that are computed on demand.",
    "Generator": "The result of a function with `yield`.",
    "Stream": "The result of a `gen fn`.",
    "Result": "`Ok(value)` or `Err(error)`.",
}
_HARD_TO_COUNT = 10_000
"""The digits of ints from this value on are shown in groups."""
_UNITS = ((604_800_000, "w"), (86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s"))


def attribute_text(_files: Workspace, document: Document, offset: int) -> HoverText | None:
    """Return the hover text for an attribute."""
    for node in document.way_to(offset):
        for attribute in getattr(node, "attributes", ()):
            if attribute.start <= offset <= attribute.name.end:
                description = ATTRIBUTES.get(attribute.name.text)
                where = Span(attribute.start, attribute.name.end)
                return (
                    None if description is None else (fenced(f"@{attribute.name.text}", _sentence(description)), where)
                )
    return None


def option_text(_files: Workspace, document: Document, offset: int) -> HoverText | None:
    """Return the hover text for a key of options, or for a string out of a fixed set of choices."""
    way = document.way_to(offset)
    node, parent = way[-1], way[-2] if len(way) > 1 else None
    if not isinstance(node, nodes.LiteralExpr) or node.kind != "string":
        return None
    value = str(node.value)
    is_key = isinstance(parent, nodes.DictEntry) and parent.key is node
    quoted = document.text.startswith('"', node.start)
    place = place_in(document.text, node.start + (1 if quoted else 0))
    where = Span(node.start, node.end)
    if is_key:
        option = expected_keys(place.frames).keys.get(value)
        return None if option is None else (fenced(f"{value}: {option.type}", option.text), where)
    meaning = _meaning_of_choice(expected(place.frames), value)
    return (fenced(f'"{value}"', _sentence(meaning)), where) if meaning else None


def _sentence(phrase: str) -> str:
    return f"{phrase[:1].upper()}{phrase[1:]}."


def _meaning_of_choice(option: Expected, value: str) -> str:
    if value not in option.choices:
        return ""
    return option.choices[value] or f"one of {', '.join(f'`{choice}`' for choice in option.choices)}"


def literal_text(_files: Workspace, document: Document, offset: int) -> HoverText | None:
    """Return the hover text for a number or duration: its value."""
    node = document.way_to(offset)[-1]
    if not isinstance(node, nodes.LiteralExpr) or node.kind not in {"int", "float", "duration"}:
        return None
    shown = document.text[node.start : node.end]
    value = node.value
    if node.kind == "duration" and isinstance(value, int):
        return fenced(shown, f"A duration: {value:,} ms{_spelled(value)}."), Span(node.start, node.end)
    amount = f"{value:,}" if isinstance(value, int) and (str(value) != shown or value >= _HARD_TO_COUNT) else ""
    return fenced(f"{shown}: {node.kind}", amount), Span(node.start, node.end)


def _spelled(milliseconds: int) -> str:
    """Spell a duration in its largest units."""
    parts = []
    rest = milliseconds
    for size, unit in _UNITS:
        if rest >= size:
            parts.append(f"{rest // size}{unit}")
            rest %= size
    if rest or not parts:
        parts.append(f"{rest}ms")
    return f" ({' '.join(parts)})"


def word_text(_files: Workspace, document: Document, offset: int) -> HoverText | None:
    """Return the hover text for a keyword or the name of a built-in type."""
    start = document.text.rfind("\n", 0, offset) + 1
    for found in _WORD.finditer(document.text, start):
        if found.end() < offset:
            continue
        if found.start() > offset:
            return None
        where = Span(found.start(), found.end())
        node = document.way_to(found.start())[-1]
        if isinstance(node, nodes.NamedType):
            description = _TYPES.get(found[0])
            return None if description is None else (fenced(found[0], description), where)
        if _is_text(document, node, offset) or isinstance(node, (nodes.Ident, nodes.NameExpr)):
            return None
        description = keyword_texts().get(found[0])
        return None if description is None else (fenced(found[0], description), where)
    return None


def _is_text(document: Document, node: nodes.Node, offset: int) -> bool:
    """Return whether an offset is in a string or a comment."""
    if isinstance(node, nodes.LiteralExpr) and node.kind == "string":
        return True
    place = place_in(document.text, offset)
    return place.in_comment or place.quote >= 0


def operator_text(_files: Workspace, document: Document, offset: int) -> HoverText | None:
    """Return the hover text for an operator."""
    for node in reversed(document.way_to(offset)):
        sign, start = _operator(document, node)
        if sign and start <= offset <= start + len(sign):
            description = _OPERATORS.get(sign)
            return None if description is None else (fenced(sign, description), Span(start, start + len(sign)))
    return None


def _operator(document: Document, node: nodes.Node) -> tuple[str, int]:
    if isinstance(node, nodes.BinaryExpr):
        return node.op, node.op_start
    if isinstance(node, nodes.PipeExpr):
        return "|>", document.text.find("|>", node.left.end, node.right.start)
    return "", 0
