"""Places inside the directives of a template that is a literal, and the names that are bound there."""

from __future__ import annotations

import re

from harnlite.syntax import nodes
from harnlite.template_language.errors import TemplateError
from harnlite.template_language.nodes import Path
from harnlite.template_language.parser import loop_in
from harnlite.template_language.scanner import Scanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    Names: TypeAlias = "dict[str, Variable]"

_RENDERING = "render_string"
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_STRING = re.compile(r"""\"(?:[^"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'""", re.DOTALL)
_QUOTE = re.compile("[\"']")
_PATH = re.compile(r"[^\W\d]\w*(?:\.\w+|\[\d+\])*(?:\.\w*)?\Z")
_NEW_NAMES = re.compile(r"\s*for\s+(?:\w+\s*,\s*)?\w*\Z")
_FILTER = re.compile(r"\|\s*(\w*)\Z")
_STEP = re.compile(r"\w+")
_LOOP_KEYS = {
    "first": "bool",
    "index": "int",
    "index0": "int",
    "last": "bool",
    "length": "int",
}
_KINDS = (
    (nodes.ListExpr, "list"),
    (nodes.DictExpr, "dict"),
    (nodes.TemplateExpr, "string"),
    (nodes.ClosureExpr, "closure"),
)


class Variable:
    """A value in a template: the expressions that it may come from, or the name of its type."""

    __slots__ = ("kind", "values")

    def __init__(self, values: Sequence[nodes.Node] = (), kind: str = "") -> None:
        self.values = tuple(values)
        self.kind = kind

    @property
    def type(self) -> str:
        """Return the name of its type, or an empty text if it is not known."""
        found = {_kind_of(value) for value in self.values}
        return self.kind or (found.pop() if len(found) == 1 else "")

    def keys(self) -> Names:
        """Return what is known of its entries."""
        if self.kind == "loop":
            return {name: Variable(kind=kind) for name, kind in _LOOP_KEYS.items()}
        found: dict[str, list[nodes.Node]] = {}
        for value in self.values:
            for entry in value.entries if isinstance(value, nodes.DictExpr) else ():
                if isinstance(entry, nodes.DictEntry) and isinstance(entry.key, nodes.LiteralExpr):
                    found.setdefault(str(entry.key.value), []).append(entry.value)
        return {name: Variable(values) for name, values in found.items()}

    def items(self) -> Variable:
        """Return what a loop over it binds."""
        found: list[nodes.Node] = []
        for value in self.values:
            if isinstance(value, nodes.ListExpr):
                found += value.items
            else:
                found += [one for entry in Variable([value]).keys().values() for one in entry.values]
        return Variable(found)


class TemplatePlace:
    """An offset in a directive: `written` is its text up to there, and `names` are the bound ones."""

    __slots__ = ("names", "written")

    def __init__(self, written: str, names: Names) -> None:
        self.written = written
        self.names = names

    @property
    def is_in_filter(self) -> bool:
        """Return whether the name of a filter is written here."""
        return _FILTER.search(self.written) is not None

    @property
    def path(self) -> str:
        """Return the names before the word, with their dots."""
        found = _PATH.search(self.written)
        return "" if found is None else found[0][: len(found[0]) - len(self.word)]

    @property
    def word(self) -> str:
        """Return the part of a name before the offset."""
        return re.split(r"\W", self.written)[-1]

    def known(self) -> Names:
        """Return the names or keys that can be written here."""
        if _NEW_NAMES.match(self.written):
            return {}
        names = self.names
        for step in _STEP.findall(self.path):
            value = names.get(step)
            names = {} if value is None else _entries(value)
        return names


def template_place(way: Sequence[nodes.Node], text: str, offset: int) -> TemplatePlace | None:
    """Return the place at an offset of a program if it is in a directive; `way` are the nodes around it."""
    node, call = way[-1], way[-2] if len(way) > 1 else None
    if not isinstance(call, nodes.CallExpr) or not isinstance(node, nodes.LiteralExpr) or node.kind != "string":
        return None
    callee = call.callee
    if not isinstance(callee, nodes.NameExpr) or callee.name != _RENDERING or call.args[0] is not node:
        return None
    before = _unescaped(text[node.start : offset])
    opening = before.rfind("{{")
    if opening < 0 or before.startswith(("#", "-#"), opening + 2):
        return None
    written = before[opening + 2 :].removeprefix("-")
    if "}}" in _STRING.sub("", written) or _QUOTE.search(_STRING.sub("", written)):
        return None
    bindings = call.args[1] if len(call.args) > 1 else None
    return TemplatePlace(written, _bound_at(before[:opening], Variable([bindings] if bindings is not None else [])))


def _unescaped(source: str) -> str:
    """Return the text of the start of a literal."""
    if source.startswith(("r", '"""')):
        return source.removeprefix("r").lstrip('"')
    return _ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[1]), source[1:])


def _bound_at(before: str, bindings: Variable) -> Names:
    """Return the names that are bound after the directives of a text."""
    names = bindings.keys()
    outer: list[Names] = []
    try:
        for piece in Scanner(before, _ignore).pieces():
            word, _, rest = piece.text.partition(" ")
            if piece.is_text:
                continue
            if word in {"if", "for"}:
                outer.append(names)
            if word == "for":
                names = {**names, **_bound_by_loop(f" {rest}", piece.offset, piece.place, names)}
            elif word == "else" and outer:
                names = outer[-1]
            elif word == "end" and outer:
                names = outer.pop()
    except TemplateError:
        pass
    return names


def _bound_by_loop(text: str, offset: int, place: tuple[int, int], names: Names) -> Names:
    loop = loop_in(text, offset, place)
    value: Variable | None = None
    if isinstance(loop.source, Path):
        value = names.get(loop.source.name)
        for step in loop.source.steps:
            value = None if value is None else _entries(value).get(str(step))
    item = Variable() if value is None else value.items()
    bound = {name: Variable() for name in loop.names}
    return {**bound, loop.names[-1]: item, "loop": Variable(kind="loop")}


def _entries(value: Variable) -> Names:
    """Return the entries of a dict, or those of a list by their index."""
    indexed = {
        str(index): Variable([item])
        for one in value.values
        if isinstance(one, nodes.ListExpr)
        for index, item in enumerate(one.items)
    }
    return indexed or value.keys()


def _kind_of(node: nodes.Node) -> str:
    if isinstance(node, nodes.LiteralExpr):
        return node.kind
    return next((name for kind, name in _KINDS if isinstance(node, kind)), "")


def _ignore() -> None:
    pass
