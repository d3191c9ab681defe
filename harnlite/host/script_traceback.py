"""Where an error happened and through which calls, in terms of the script.

Compiled code carries the positions of its source; the globals of each compiled module name that source under
`_harn_source`. Every other frame belongs to harnlite and is left out.
"""

from __future__ import annotations

from harnlite.diagnostics.source import Source, Span
from harnlite.runtime.tasks.execution import SOURCE_KEY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, TracebackType
    from typing import TypeAlias

    Position: TypeAlias = tuple[int | None, int | None, int | None, int | None]

SCRIPT = "<script>"
CLOSURE = "<closure>"
_BYTES_PER_INSTRUCTION = 2


class Frame:
    """One call of the script that had not ended yet: the function, and the place it had reached."""

    __slots__ = ("_code", "_instruction", "_line", "function", "source")

    def __init__(self, function: str, source: Source, step: TracebackType) -> None:
        self.function = function
        self.source = source
        self._code = step.tb_frame.f_code
        self._instruction = step.tb_lasti
        self._line = step.tb_lineno

    def repeats(self, other: Frame) -> bool:
        """Say whether this call had reached the same place of the same function as another."""
        return self._code is other._code and self._instruction == other._instruction

    @property
    def span(self) -> Span:
        """Return what the call had reached: the expression, or its line if more is not known."""
        return span_of(self.source, _positions(self._code, self._instruction), self._line)

    @property
    def place(self) -> str:
        """Return `file:line:column`."""
        return f"{self.source.name}:{self.source.position(self.span.start)}"


class Sources:
    """The texts that an error may point into, read when they are first asked for."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[tuple[str, str | None], Source] = {}

    def add(self, source: Source) -> None:
        """Keep a text that cannot be read again."""
        self._known[source.name, source.path] = source

    def of(self, code: CodeType, origin: tuple[str, str | None]) -> Source:
        """Return the source of code; the inputs of a session share their globals, so that each is known by its code."""
        return self._known.get((code.co_filename, None)) or self.get(*origin)

    def get(self, name: str, path: str | None) -> Source:
        """Return the source of that name, empty if it cannot be read any more."""
        known = self._known.get((name, path))
        if known is None:
            known = self._known[name, path] = Source(_read(path), name, path)
        return known


def _read(path: str | None) -> str:
    if path is None:
        return ""
    try:
        with open(path, "rb") as file:
            return file.read().decode(errors="replace").removeprefix("\ufeff")
    except OSError:
        return ""


def trace(error: BaseException, sources: Sources, *, name_of: Callable[[str], str] | None = None) -> list[Frame]:
    """Return the script's calls that an error passed through, innermost first."""
    frames: list[Frame] = []
    name_of = name_of or function_name
    step = error.__traceback__
    while step is not None:
        origin = step.tb_frame.f_globals.get(SOURCE_KEY)
        if origin is not None:
            source = sources.of(step.tb_frame.f_code, origin)
            frames.append(Frame(name_of(step.tb_frame.f_code.co_name), source, step))
        step = step.tb_next
    frames.reverse()
    return frames


def place_of(closure: object, sources: Sources) -> tuple[Source, Span, bool] | None:
    """Return the source of a closure of a script, and a place inside of it, or else the line on which it begins.

    The last of the three says whether it is a place inside; code that only returns a constant has none.
    """
    code = getattr(closure, "__code__", None)
    origin = getattr(closure, "__globals__", {}).get(SOURCE_KEY)
    if code is None or origin is None:
        return None
    source = sources.of(code, origin)
    known = [position for position in code.co_positions() if position[0] and position[3]]
    positions: list[Position] = known or [(code.co_firstlineno, None, None, None)]
    spans = [span_of(source, position) for position in positions]
    return source, Span(min(span.start for span in spans), max(span.end for span in spans)), bool(known)


def function_name(mangled: str) -> str:
    """Return the name a person gave a compiled function: `v_add` and `v2_add` are `add`."""
    if mangled.startswith("_") or mangled == "<module>":
        return SCRIPT
    if mangled in {"<lambda>", "<listcomp>"}:
        return CLOSURE
    _, mark, name = mangled.partition("_")
    return (name if mark else mangled) or CLOSURE


def span_of(source: Source, position: Position, known_line: int | None = None) -> Span:
    """Return the place in a source that Python means: lines from 1, columns in UTF-8 bytes."""
    first, last, start, end = position
    line = first or known_line or 1
    text = source.line(line)
    if start is None:
        indent = len(text) - len(text.lstrip())
        return _between(source, line, indent, line, len(text))
    if last is None or end is None or last < line:
        return _between(source, line, _column(text, start), line, len(text))
    return _between(source, line, _column(text, start), last, _column(source.line(last), end))


def _positions(code: CodeType, instruction: int) -> Position:
    wanted = instruction // _BYTES_PER_INSTRUCTION
    for number, position in enumerate(code.co_positions()):
        if number == wanted:
            return position
    return None, None, None, None


def _column(text: str, byte: int) -> int:
    """Turn a column in UTF-8 bytes into one in code points."""
    return byte if text.isascii() else len(text.encode("utf-8", "surrogatepass")[:byte].decode(errors="ignore"))


def _between(source: Source, line: int, column: int, last: int, end: int) -> Span:
    return Span(source.offset(line, column + 1), source.offset(last, end + 1))
