"""Compile a template to closures that append its text to a list."""

from __future__ import annotations

from harnlite.formats.templates.evaluation import condition_of, reader_of
from harnlite.formats.templates.filters import text_of
from harnlite.formats.templates.rendering import LONG
from harnlite.template_language.errors import TemplateError
from harnlite.template_language.nodes import Bare, Filtered, For, If, Include, Insert, Path, Text
from harnlite.template_language.parser import parse
from harnlite.template_language.walking import expressions_in, nodes_in
from harnlite.values.data_types import MISSING, Range, type_name
from harnlite.values.display import display
from harnlite.values.interrupts import BUILTINS, poll_here
from harnlite.values.sets import HarnSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, TypeAlias

    from harnlite.formats.templates.evaluation import Names, Reader
    from harnlite.formats.templates.rendering import Rendering
    from harnlite.template_language.errors import Place
    from harnlite.template_language.nodes import Node

    Writer: TypeAlias = Callable[[Names, list[str], Rendering], None]
    """Appends the text of a part of a template to a list, which is that of the rendering."""
    Iteration: TypeAlias = Callable[[Any, int, Names, list[str], Rendering], None]
    """Runs the body of a loop for each item of a value, whose number of items is known."""

_LOOP = "loop"
_MEASURED_EVERY = 0x3FF
_TWO, _THREE = 2, 3
_PREVIEW = 80


def compile_template(text: str, *, traced: bool = False) -> Writer:
    """Return the closure of a template; a traced one also records the spans. Raise TemplateError."""
    return Compiler(traced=traced).body(parse(text, _poll))


def _poll() -> None:
    if BUILTINS["_hintr"]:
        poll_here()


class Compiler:
    """Turns nodes into closures; if it is traced, each node also records its span."""

    __slots__ = ("_traced",)

    def __init__(self, *, traced: bool) -> None:
        self._traced = traced

    def body(self, nodes: Sequence[Node]) -> Writer:
        """Return the closure of the nodes of a block."""
        return _sequence([self._writer(node) for node in nodes])

    def _writer(self, node: Node) -> Writer:
        if isinstance(node, Text):
            return self._trace("text", node.place, _copy(node.text))
        if isinstance(node, Bare):
            return self._bare(node)
        if isinstance(node, Insert):
            return self._insert(node)
        if isinstance(node, If):
            return self._trace("if", node.place, self._if(node))
        if isinstance(node, For):
            return self._for(node)
        return self._trace("include", node.place, _include(node))

    def _trace(self, kind: str, place: Place, write: Writer) -> Writer:
        return _recording(kind, place, write) if self._traced else write

    def _bare(self, node: Bare) -> Writer:
        name = node.path.name
        unbound = f"{{{{{name}}}}}"
        if self._traced:
            return _recording_value("legacy_bare", node.place, lambda names: names.get(name, MISSING), unbound)

        def write(names: Names, out: list[str], rendering: Rendering) -> None:
            value = names.get(name, MISSING)
            if value.__class__ is str:
                out.append(value)
            elif value is MISSING:
                out.append(unbound)
            elif value is not None:
                _append(display(value), out, rendering)

        return write

    def _insert(self, node: Insert) -> Writer:
        read = reader_of(node.value)
        if self._traced:
            return _recording_value("expr", node.place, read)
        return _insert_filtered(read) if isinstance(node.value, Filtered) else _insert_value(read)

    def _if(self, node: If) -> Writer:
        branches = [(condition_of(condition), self.body(body)) for condition, body in node.branches]
        otherwise = self.body(node.otherwise)
        if len(branches) == 1:
            condition, then = branches[0]
            if not node.otherwise:
                return _when(condition, then)

            def choose(names: Names, out: list[str], rendering: Rendering) -> None:
                if condition(names):
                    then(names, out, rendering)
                else:
                    otherwise(names, out, rendering)

            return choose

        def write(names: Names, out: list[str], rendering: Rendering) -> None:
            for condition, body in branches:
                if condition(names):
                    body(names, out, rendering)
                    return
            otherwise(names, out, rendering)

        return write

    def _for(self, node: For) -> Writer:
        body = self._trace("for_iteration", node.place, self.body(node.body))
        return _loop(node, body, self.body(node.otherwise))


def _append(text: str, out: list[str], rendering: Rendering) -> None:
    out.append(text)
    if len(text) > LONG:
        rendering.measure()


def _sequence(writers: list[Writer]) -> Writer:
    if not writers:
        return _nothing
    if len(writers) == 1:
        return writers[0]
    if len(writers) > _THREE:
        several = tuple(writers)

        def write(names: Names, out: list[str], rendering: Rendering) -> None:
            for part in several:
                part(names, out, rendering)

        return write
    first, second = writers[:_TWO]
    if len(writers) == _TWO:

        def write_two(names: Names, out: list[str], rendering: Rendering) -> None:
            first(names, out, rendering)
            second(names, out, rendering)

        return write_two
    third = writers[_TWO]

    def write_three(names: Names, out: list[str], rendering: Rendering) -> None:
        first(names, out, rendering)
        second(names, out, rendering)
        third(names, out, rendering)

    return write_three


def _nothing(_names: Names, _out: list[str], _rendering: Rendering) -> None:
    return


def _copy(text: str) -> Writer:
    def write(_names: Names, out: list[str], _rendering: Rendering) -> None:
        out.append(text)

    return write


def _insert_value(read: Reader) -> Writer:
    def write(names: Names, out: list[str], rendering: Rendering) -> None:
        value = read(names)
        if value.__class__ is str:
            out.append(value)
        elif value.__class__ is int:
            out.append(repr(value))
        elif value is not None:
            _append(display(value), out, rendering)

    return write


def _insert_filtered(read: Reader) -> Writer:
    """Return the writer of a value that a filter returns: it may be a new text, which is counted."""

    def write(names: Names, out: list[str], rendering: Rendering) -> None:
        value = read(names)
        text = value if value.__class__ is str else text_of(value)
        out.append(text)
        if len(text) > LONG:
            rendering.measure()

    return write


def _when(condition: Reader, then: Writer) -> Writer:
    def write(names: Names, out: list[str], rendering: Rendering) -> None:
        if condition(names):
            then(names, out, rendering)

    return write


# Loops


def _loop(node: For, body: Writer, otherwise: Writer) -> Writer:
    source, place = reader_of(node.source), node.place
    bound = node.names
    run = _looping(bound[0], body) if len(bound) == 1 else _looping_over_pairs(bound[0], bound[1], body)
    if _mentions_loop(node.body):
        bound = (*bound, _LOOP)
        run = _counting(*node.names, body=body)

    def write(names: Names, out: list[str], rendering: Rendering) -> None:
        value = source(names)
        count = _count(value, place)
        if not count:
            otherwise(names, out, rendering)
            return
        outer = [names.get(name, MISSING) for name in bound]
        run(value, count, names, out, rendering)
        rendering.measure()
        for name, before in zip(bound, outer, strict=True):
            if before is MISSING:
                names.pop(name, None)
            else:
                names[name] = before

    return write


def _looping(name: str, body: Writer) -> Iteration:
    def run(value: Any, _count: int, names: Names, out: list[str], rendering: Rendering) -> None:  # noqa: ANN401 - any value
        for number, item in enumerate(_items(value), 1):
            names[name] = item
            body(names, out, rendering)
            if BUILTINS["_hintr"]:
                poll_here()
            if not number & _MEASURED_EVERY:
                rendering.measure()

    return run


def _looping_over_pairs(first: str, second: str, body: Writer) -> Iteration:
    def run(value: Any, _count: int, names: Names, out: list[str], rendering: Rendering) -> None:  # noqa: ANN401 - any value
        for number, (names[first], names[second]) in enumerate(_pairs(value), 1):
            body(names, out, rendering)
            if BUILTINS["_hintr"]:
                poll_here()
            if not number & _MEASURED_EVERY:
                rendering.measure()

    return run


def _counting(first: str, second: str = "", *, body: Writer) -> Iteration:
    """Return the iteration of a loop whose body may read `loop`."""

    def run(value: Any, count: int, names: Names, out: list[str], rendering: Rendering) -> None:  # noqa: ANN401 - any value
        state: dict[str, object] = {"length": count, "last": False, "first": True}
        for number, item in enumerate(_pairs(value) if second else _items(value), 1):
            if second:
                names[first], names[second] = item
            else:
                names[first] = item
            state["index0"] = number - 1
            state["index"] = number
            if number == count:
                state["last"] = True
            # A loop inside the body, and an item of this name, end before the next iteration.
            names[_LOOP] = state
            body(names, out, rendering)
            state["first"] = False
            if BUILTINS["_hintr"]:
                poll_here()
            if not number & _MEASURED_EVERY:
                rendering.measure()

    return run


def _count(value: Any, place: Place) -> int:  # noqa: ANN401 - any value
    kind = value.__class__
    if kind is list or kind is dict or kind is HarnSet:
        return len(value)
    if value is None:
        return 0
    if kind is Range:
        size: int = value.size
        return size
    raise TemplateError(place, f"cannot iterate over {type_name(value)} — expected list, dict, set, or range")


def _items(value: Any) -> Iterator[object]:  # noqa: ANN401 - any value
    if value.__class__ is list:
        return iter(value)
    if value.__class__ is dict:
        return map(value.__getitem__, sorted(value))
    found: Iterator[object] = iter(value.ints) if value.__class__ is Range else value.harn_iterate()
    return found


def _pairs(value: Any) -> Iterator[Any]:  # noqa: ANN401 - any value
    if value.__class__ is dict:
        return iter([(key, value[key]) for key in sorted(value)])
    return enumerate(_items(value))


def _mentions_loop(nodes: Sequence[Node]) -> bool:
    """Return whether nodes may read `loop`: an included template sees all names."""
    return any(
        isinstance(node, Include) or any(isinstance(part, Path) and part.name == _LOOP for part in expressions_in(node))
        for node in nodes_in(nodes)
    )


# Includes


def _include(node: Include) -> Writer:
    target, place = reader_of(node.target), node.place
    bindings = [(name, reader_of(value)) for name, value in node.bindings]

    def write(names: Names, _out: list[str], rendering: Rendering) -> None:
        file = target(names)
        if file.__class__ is not str:
            raise TemplateError(place, f"include path must be a string (got {type_name(file)})")
        rendering.include(file, {**names, **{name: read(names) for name, read in bindings}}, place)

    return write


# Spans


def _recording(kind: str, place: Place, write: Writer) -> Writer:
    def record(names: Names, out: list[str], rendering: Rendering) -> None:
        start = rendering.position()
        write(names, out, rendering)
        rendering.spans.append(_span(kind, place, start, rendering.position()))

    return record


def _recording_value(kind: str, place: Place, read: Reader, unbound: str = "") -> Writer:
    def record(names: Names, out: list[str], rendering: Rendering) -> None:
        start = rendering.position()
        value = read(names)
        text = unbound if value is MISSING else text_of(value)
        _append(text, out, rendering)
        span = _span(kind, place, start, rendering.position())
        if value is not MISSING:
            span["bound_value"] = text if len(text) <= _PREVIEW else f"{text[: _PREVIEW - 1]}…"
        rendering.spans.append(span)

    return record


def _span(kind: str, place: Place, start: int, end: int) -> dict[str, object]:
    line, column = place
    return {"kind": kind, "output_start": start, "output_end": end, "template_line": line, "template_col": column}
