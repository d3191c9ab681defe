"""Check templates that are literals: their syntax, and their names if the bindings are a literal too."""

from __future__ import annotations

from harnlite.diagnostics.suggest import near_name
from harnlite.syntax import nodes
from harnlite.template_language.errors import TemplateError
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

RENDER = "render_string"
_DEFAULT = "default"
_BOUND_BY_LOOPS: Known = dict.fromkeys(("first", "index", "index0", "last", "length"))
_TWO = 2
_DEEPEST = 20


def check_template(c: Checker, call: nodes.CallExpr) -> None:
    """Check a call of `render_string` whose first argument is a literal."""
    template = call.args[0] if call.args else None
    if not isinstance(template, nodes.LiteralExpr) or not isinstance(template.value, str):
        return
    literal = _Literal(c, template, template.value)
    try:
        parsed = parse(template.value)
    except TemplateError as error:
        literal.warn_of(error)
        return
    bindings = call.args[1] if len(call.args) == _TWO else None
    names = _known(bindings) if isinstance(bindings, nodes.DictExpr) else None
    if isinstance(names, dict):
        literal.check(parsed, names)


class _Literal:
    """The literal of a template, in which findings are placed."""

    __slots__ = ("_c", "_node", "_text")

    def __init__(self, c: Checker, node: nodes.LiteralExpr, text: str) -> None:
        self._c = c
        self._node = node
        self._text = text

    def warn_of(self, error: TemplateError) -> None:
        """Report an error of the parser."""
        line, column = error.place
        start = 0
        for _ in range(line - 1):
            start = self._text.index("\n", start) + 1
        span = self._span(start + column - 1, start + column + 1)
        self._c.warning(f"the template is invalid at {line}:{column}: {error.message}", *span)

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
        message = f"`{before}` has no key `{name}`" if before else f"the template uses `{name}`, which is not bound"
        self._c.warning(message, *self._span(*span), (), advice)

    def _span(self, start: int, end: int) -> tuple[int, int]:
        """Return where a part of the template is in the source, or the whole literal if escapes make that uncertain."""
        part, first = self._text[start:end], self._node.start
        source = self._c.source.text[first : self._node.end]
        if source.count(part) != self._text.count(part):
            return first, self._node.end
        at = -1
        for _ in range(self._text.count(part, 0, start) + 1):
            at = source.index(part, at + 1)
        return first + at, first + at + len(part)


def _known(node: nodes.Node, depth: int = 0) -> Known:
    """Return what a literal tells of its value."""
    if depth > _DEEPEST:
        return None
    if isinstance(node, nodes.ListExpr):
        items = [_known(item, depth + 1) for item in node.items]
        if items and all(isinstance(item, dict) for item in items):
            return (_merged([item for item in items if isinstance(item, dict)]),)
        return None
    if not isinstance(node, nodes.DictExpr):
        return None
    found: dict[str, Known] = {}
    for entry in node.entries:
        if not isinstance(entry, nodes.DictEntry) or not isinstance(entry.key, nodes.LiteralExpr):
            return None
        found[str(entry.key.value)] = _known(entry.value, depth + 1)
    return found


def _merged(items: Sequence[dict[str, Known]]) -> Known:
    """Return the keys of several dicts; what is in them is unknown unless there is only one."""
    return items[0] if len(items) == 1 else dict.fromkeys(key for item in items for key in item)


def _bound(loop: For, names: Mapping[str, Known]) -> dict[str, Known]:
    """Return what a loop binds, and what is known of it."""
    item: Known = None
    if isinstance(loop.source, Path):
        value: Known = dict(names)
        for step in (loop.source.name, *loop.source.steps):
            value = value.get(step) if isinstance(value, dict) and isinstance(step, str) else None
        item = value[0] if isinstance(value, tuple) else None
    bound: dict[str, Known] = dict.fromkeys(loop.names)
    return {**bound, loop.names[-1]: item, "loop": _BOUND_BY_LOOPS}
