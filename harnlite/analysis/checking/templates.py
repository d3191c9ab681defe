"""Check templates that are literals: their syntax, and their names if the bindings are a literal too."""

from __future__ import annotations

import re

from harnlite.analysis.files.import_files import text_file
from harnlite.diagnostics.source import Source
from harnlite.diagnostics.suggest import near_name
from harnlite.syntax import nodes
from harnlite.template_language.errors import TemplateError
from harnlite.template_language.filters import ARGUMENTS
from harnlite.template_language.nodes import Bare, Filtered, For, If, Logic, Path
from harnlite.template_language.parser import parse
from harnlite.template_language.walking import bodies_of, expressions_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    from harnlite.analysis.checking.checker import Checker
    from harnlite.template_language.nodes import Node

    Known: TypeAlias = "dict[str, Known] | tuple[Known] | None"
    """What a literal tells of a value: the keys of a dict, the items of a list, which are alike, or nothing."""

_INLINE = "render_string"
RENDERING = frozenset({_INLINE, "render", "render_prompt", "render_with_provenance"})
"""The builtins whose calls `check_template` checks."""
_DEFAULT = "default"
_BOUND_BY_LOOPS: Known = dict.fromkeys(("first", "index", "index0", "last", "length"))
_TWO = 2
_DEEPEST = 20
_UNKNOWN_FILTER = "unknown filter `(.*)`"
_PROJECT_PATH = "@"


def check_template(c: Checker, call: nodes.CallExpr) -> None:
    """Check a call that renders a template, if its first argument is a literal: the template, or the path of a file."""
    first = call.args[0] if call.args else None
    if not isinstance(first, nodes.LiteralExpr) or not isinstance(first.value, str):
        return
    if isinstance(call.callee, nodes.NameExpr) and call.callee.name == _INLINE:
        literal: _Template | None = _Literal(c, first, first.value)
    else:
        literal = _file_of(c, call, first, first.value)
    if literal is None:
        return
    try:
        parsed = parse(literal.text)
    except TemplateError as error:
        literal.warn_of(error)
        return
    bindings = call.args[1] if len(call.args) == _TWO else None
    names = _known(bindings) if isinstance(bindings, nodes.DictExpr) else None
    if isinstance(names, dict):
        literal.check(parsed, names)


def _file_of(c: Checker, call: nodes.CallExpr, node: nodes.LiteralExpr, path: str) -> _Template | None:
    """Return the template in a file, if the check may read it."""
    if c.texts is None or c.source.path is None or path.startswith(_PROJECT_PATH):
        return None
    text = c.texts(c.source.path, path)
    return None if text is None else _File(c, call, node, text, path)


class _Template:
    """A template, and the literal in the program at which findings are reported."""

    __slots__ = ("_c", "_node", "text")

    def __init__(self, c: Checker, node: nodes.LiteralExpr, text: str) -> None:
        self._c = c
        self._node = node
        self.text = text

    def warn_of(self, error: TemplateError) -> None:
        """Report an error of the parser."""
        line, column = error.place
        start = 0
        for _ in range(line - 1):
            start = self.text.index("\n", start) + 1
        filter_name = re.fullmatch(_UNKNOWN_FILTER, error.message)
        near = near_name(filter_name[1], ARGUMENTS) if filter_name else None
        advice = [f"did you mean `{near}`?"] if near else []
        self.warn(f"is invalid at {line}:{column}: {error.message}", (start + column - 1, start + column + 1), advice)

    def warn(self, message: str, span: tuple[int, int], advice: Sequence[str]) -> None:
        """Report a finding at a part of the template; the message follows the name of the template."""

    def check(self, body: Sequence[Node], names: Mapping[str, Known]) -> None:
        """Report the names and keys that nothing binds."""
        for node in body:
            parts = list(expressions_in(node))
            is_optional = isinstance(node, (Bare, If)) or any(
                isinstance(part, Logic) or (isinstance(part, Filtered) and part.name == _DEFAULT) for part in parts
            )
            for part in parts:
                if isinstance(part, Path):
                    self._check_path(part, names, is_optional=is_optional)
            if isinstance(node, For):
                self.check(node.body, {**names, **_bound(node, names)})
                self.check(node.otherwise, names)
            else:
                for inner in bodies_of(node):
                    self.check(inner, names)

    def _check_path(self, path: Path, names: Mapping[str, Known], *, is_optional: bool) -> None:
        known: Known = dict(names)
        before = ""
        for step, span in zip((path.name, *path.steps), path.spans, strict=True):
            if isinstance(known, tuple) and isinstance(step, int):
                known = known[0]
                before += f"[{step}]"
                continue
            if not isinstance(known, dict) or not isinstance(step, str):
                return
            if step not in known:
                self._warn_of_name(step, span, before, known, is_optional=is_optional)
                return
            known = known[step]
            before += f".{step}" if before else step

    def _warn_of_name(
        self, name: str, span: tuple[int, int], before: str, known: Mapping[str, Known], *, is_optional: bool
    ) -> None:
        near = near_name(name, known)
        if near is None and is_optional:
            return
        advice = [f"did you mean `{near}`?"] if near else []
        message = f"uses `{name}`, which is not a key of `{before}`" if before else f"uses `{name}`, which is not bound"
        self.warn(message, span, advice)


class _Literal(_Template):
    """A template in the program itself."""

    __slots__ = ()

    def warn(self, message: str, span: tuple[int, int], advice: Sequence[str]) -> None:
        """Report a finding at a part of the literal."""
        self._c.warning(f"the template {message}", *self._span(*span), (), advice)

    def _span(self, start: int, end: int) -> tuple[int, int]:
        """Return where a part of the template is in the source, or the whole literal if escapes make that uncertain."""
        part, first = self.text[start:end], self._node.start
        source = self._c.source.text[first : self._node.end]
        if source.count(part) != self.text.count(part):
            return first, self._node.end
        at = -1
        for _ in range(self.text.count(part, 0, start) + 1):
            at = source.index(part, at + 1)
        return first + at, first + at + len(part)


class _File(_Template):
    """A template in a file."""

    __slots__ = ("_bindings", "_source")

    def __init__(self, c: Checker, call: nodes.CallExpr, node: nodes.LiteralExpr, text: str, path: str) -> None:
        super().__init__(c, node, text)
        self._source = Source(text, path, text_file(c.source.path or "", path))
        self._bindings = call.args[-1]

    def warn(self, message: str, span: tuple[int, int], advice: Sequence[str]) -> None:
        """Report a finding at the path of the file, or at the bindings if it advises one of their names."""
        label = self._c.label(*span, "here", self._source)
        node = self._bindings if advice else self._node
        self._c.warning(f"the template {self._source.name} {message}", node.start, node.end, [label], advice)


def _known(node: nodes.Node, depth: int = 0) -> Known:
    """Return what a literal tells of its value."""
    if depth > _DEEPEST:
        return None
    if isinstance(node, nodes.ListExpr):
        merged = _merged([_known(item, depth + 1) for item in node.items])
        return None if merged is None else (merged,)
    if not isinstance(node, nodes.DictExpr):
        return None
    found: dict[str, Known] = {}
    for entry in node.entries:
        if not isinstance(entry, nodes.DictEntry) or not isinstance(entry.key, nodes.LiteralExpr):
            return None
        found[str(entry.key.value)] = _known(entry.value, depth + 1)
    return found


def _merged(values: Sequence[Known]) -> Known:
    """Return what is known of a value that is one of several: the keys of all dicts, or nothing if they differ."""
    dicts = [value for value in values if isinstance(value, dict)]
    lists = [value for value in values if isinstance(value, tuple)]
    if values and len(dicts) == len(values):
        keys = dict.fromkeys(key for value in dicts for key in value)
        return {key: _merged([value[key] for value in dicts if key in value]) for key in keys}
    if values and len(lists) == len(values):
        return (_merged([value[0] for value in lists]),)
    return None


def _part(value: Known, step: str | int) -> Known:
    """Return what is known of an entry or an item of a value."""
    if isinstance(value, dict):
        return value.get(step) if isinstance(step, str) else None
    return value[0] if isinstance(value, tuple) and isinstance(step, int) else None


def _bound(loop: For, names: Mapping[str, Known]) -> dict[str, Known]:
    """Return what a loop binds, and what is known of it."""
    value: Known = None
    if isinstance(loop.source, Path):
        value = dict(names)
        for step in (loop.source.name, *loop.source.steps):
            value = _part(value, step)
    item = _merged(list(value.values())) if isinstance(value, dict) else _part(value, 0)
    bound: dict[str, Known] = dict.fromkeys(loop.names)
    return {**bound, loop.names[-1]: item, "loop": _BOUND_BY_LOOPS}
