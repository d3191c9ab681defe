"""What there is to read about what is no name: words, signs, numbers, options, attributes."""

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

    Told = tuple[str, Span]

_WORD = re.compile(r"[A-Za-z_]\w*")
_OPERATORS = {
    "??": "The left side, unless it is nil: then the right side.",
    "|>": "Gives the left side to the right side: `x |> f` is `f(x)`; `_` stands for it elsewhere.",
    "&&": "The right side if the left one holds, else the left one.",
    "||": "The left side if it holds, else the right one.",
    "**": "Power.",
    "%": "The remainder of a division.",
    "in": "Whether the right side contains the left one.",
    "not in": "Whether the right side does not contain the left one.",
}
_TYPES = {
    "int": "A whole number of 64 bits.",
    "float": "A number with a fraction.",
    "string": "Text.",
    "bool": "`true` or `false`.",
    "any": "Any value; nothing is checked.",
    "unknown": "Any value; it has to be narrowed before it is used.",
    "never": "No value: what has this type does not come back.",
    "bytes": "Octets.",
    "duration": "A span of time, such as `5m`.",
    "range": "The ints between two ends.",
    "pair": "Two values.",
    "closure": "Something that can be called.",
    "list": "Values in an order: `list<T>` or `[T]`.",
    "dict": "Values by key: `dict<K, V>`.",
    "set": "Values without order, each once: `set<T>`.",
    "iter": "Values one after another, made when they are asked for.",
    "Generator": "What a function with `yield` gives.",
    "Stream": "What a `gen fn` gives.",
    "Result": "`Ok(value)` or `Err(error)`.",
}
_HARD_TO_COUNT = 10_000
"""From here on the digits of an int are shown in groups."""
_UNITS = ((604_800_000, "w"), (86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s"))


def attribute_text(_files: Workspace, document: Document, offset: int) -> Told | None:
    """Return what an attribute does."""
    for node in document.way_to(offset):
        for attribute in getattr(node, "attributes", ()):
            if attribute.start <= offset <= attribute.name.end:
                said = ATTRIBUTES.get(attribute.name.text)
                where = Span(attribute.start, attribute.name.end)
                return None if said is None else (fenced(f"@{attribute.name.text}", _sentence(said)), where)
    return None


def option_text(_files: Workspace, document: Document, offset: int) -> Told | None:
    """Return what a key of options means, or a text out of a few that may stand there."""
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


def _sentence(said: str) -> str:
    return f"{said[:1].upper()}{said[1:]}."


def _meaning_of_choice(option: Expected, value: str) -> str:
    if value not in option.choices:
        return ""
    return option.choices[value] or f"one of {', '.join(f'`{choice}`' for choice in option.choices)}"


def literal_text(_files: Workspace, document: Document, offset: int) -> Told | None:
    """Return what a number or duration amounts to."""
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
    """Return a duration in its largest units."""
    parts = []
    rest = milliseconds
    for size, unit in _UNITS:
        if rest >= size:
            parts.append(f"{rest // size}{unit}")
            rest %= size
    if rest or not parts:
        parts.append(f"{rest}ms")
    return f" ({' '.join(parts)})"


def word_text(_files: Workspace, document: Document, offset: int) -> Told | None:
    """Return what a word of the language or the name of a built-in type means."""
    start = document.text.rfind("\n", 0, offset) + 1
    for found in _WORD.finditer(document.text, start):
        if found.end() < offset:
            continue
        if found.start() > offset:
            return None
        where = Span(found.start(), found.end())
        node = document.way_to(found.start())[-1]
        if isinstance(node, nodes.NamedType):
            said = _TYPES.get(found[0])
            return None if said is None else (fenced(found[0], said), where)
        if _is_text(document, node, offset) or isinstance(node, (nodes.Ident, nodes.NameExpr)):
            return None
        said = keyword_texts().get(found[0])
        return None if said is None else (fenced(found[0], said), where)
    return None


def _is_text(document: Document, node: nodes.Node, offset: int) -> bool:
    """Say whether an offset is in a string or a comment."""
    if isinstance(node, nodes.LiteralExpr) and node.kind == "string":
        return True
    place = place_in(document.text, offset)
    return place.in_comment or place.quote >= 0


def operator_text(_files: Workspace, document: Document, offset: int) -> Told | None:
    """Return what an operator does."""
    for node in reversed(document.way_to(offset)):
        sign, start = _operator(document, node)
        if sign and start <= offset <= start + len(sign):
            said = _OPERATORS.get(sign)
            return None if said is None else (fenced(sign, said), Span(start, start + len(sign)))
    return None


def _operator(document: Document, node: nodes.Node) -> tuple[str, int]:
    if isinstance(node, nodes.BinaryExpr):
        return node.op, node.op_start
    if isinstance(node, nodes.PipeExpr):
        return "|>", document.text.find("|>", node.left.end, node.right.start)
    return "", 0
