"""Tracebacks of errors in terms of the script.

Compiled code contains the positions of its source, and the globals of each compiled module identify that source under
`_harn_source`. All other frames belong to harnlite and are omitted.
"""

from __future__ import annotations

from harnlite.diagnostics.source import Source, Span
from harnlite.regular_files import regular_file
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
    """An active call of the script: the function, and the position that it had reached."""

    __slots__ = ("_code", "_instruction", "_line", "function", "source")

    def __init__(self, function: str, source: Source, step: TracebackType) -> None:
        self.function = function
        self.source = source
        self._code = step.tb_frame.f_code
        self._instruction = step.tb_lasti
        self._line = step.tb_lineno

    def repeats(self, other: Frame) -> bool:
        """Return whether both calls had reached the same position in the same function."""
        return self._code is other._code and self._instruction == other._instruction

    @property
    def span(self) -> Span:
        """Return the span of the expression that the call had reached, or of its line if that is not known."""
        return span_of(self.source, _positions(self._code, self._instruction), self._line)

    @property
    def place(self) -> str:
        """Return the position in the form `file:line:column`."""
        return f"{self.source.name}:{self.source.position(self.span.start)}"


class Sources:
    """The sources that an error may refer to, which are read on first use by means of an opener."""

    __slots__ = ("_known", "_opener")

    def __init__(self, opener: Callable[[str, int], int] | None = None) -> None:
        self._known: dict[tuple[str, str | None], Source] = {}
        self._opener = opener or regular_file

    def add(self, source: Source) -> None:
        """Add a source whose text cannot be read again from a file."""
        self._known[source.name, source.path] = source

    def of(self, code: CodeType, origin: tuple[str, str | None]) -> Source:
        """Return the source of code; inputs of a session are identified by their code, because they share globals."""
        return self._known.get((code.co_filename, None)) or self.get(*origin)

    def get(self, name: str, path: str | None) -> Source:
        """Return the source with this name and path, with an empty text if it can no longer be read."""
        known = self._known.get((name, path))
        if known is None:
            known = self._known[name, path] = Source(_read(path, self._opener), name, path)
        return known


def _read(path: str | None, opener: Callable[[str, int], int]) -> str:
    if path is None:
        return ""
    try:
        with open(path, "rb", opener=opener) as file:
            return file.read().decode(errors="replace").removeprefix("\ufeff")
    except OSError:
        return ""


def trace(error: BaseException, sources: Sources, *, name_of: Callable[[str], str] | None = None) -> list[Frame]:
    """Return the calls of the script through which an error was raised, innermost first."""
    frames: list[Frame] = []
    name_of = name_of or function_name
    step = error.__traceback__
    while step is not None:
        origin = step.tb_frame.f_globals.get(SOURCE_KEY)
        if origin is not None and not is_dispatcher(step.tb_frame.f_code):
            source = sources.of(step.tb_frame.f_code, origin)
            frames.append(Frame(name_of(step.tb_frame.f_code.co_name), source, step))
        step = step.tb_next
    frames.reverse()
    return frames


def is_dispatcher(code: CodeType) -> bool:
    """Return whether code only chooses between the bodies of a function."""
    return code.co_name[:2] in {"dv", "d_"}


def place_of(closure: object, sources: Sources) -> tuple[Source, Span, bool] | None:
    """Return the source of a script's closure and a span inside the closure, or else the line on which it begins.

    The third item is true for a span inside the closure. Code that only returns a constant does not have one.
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
    """Return the name of a compiled function in the script: `v_add` and `v2_add` become `add`."""
    if mangled.startswith("_") or mangled == "<module>":
        return SCRIPT
    if mangled in {"<lambda>", "<listcomp>"}:
        return CLOSURE
    _, mark, name = mangled.partition("_")
    return (name if mark else mangled) or CLOSURE


def span_of(source: Source, position: Position, known_line: int | None = None) -> Span:
    """Return the span of a Python position, whose lines start at 1 and whose columns are UTF-8 bytes."""
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
    """Convert a column in UTF-8 bytes to a column in code points."""
    return byte if text.isascii() else len(text.encode("utf-8", "surrogatepass")[:byte].decode(errors="ignore"))


def _between(source: Source, line: int, column: int, last: int, end: int) -> Span:
    return Span(source.offset(line, column + 1), source.offset(last, end + 1))
