"""The report of an uncaught error: its text, its position, the calls, and help."""

from __future__ import annotations

from harnlite.diagnostics import render_json
from harnlite.diagnostics.diagnostic import ERROR, Diagnostic
from harnlite.diagnostics.renderers import JSON, RENDERERS, TEXT
from harnlite.diagnostics.source import Source, Span
from harnlite.host.blame import literal_in_call, value_in_result
from harnlite.host.name_notes import name_notes
from harnlite.host.script_traceback import Sources, place_of, trace
from harnlite.known_keys import without_keys
from harnlite.runtime.tasks.task_errors import reported_text, uncaught_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    from harnlite.host.script_traceback import Frame
    from harnlite.values.errors import ScriptError

    Culprit: TypeAlias = tuple[Source, Span, bool]

SHOWN_CALLS = 20
STDLIB = "<stdlib>/"


class Failure:
    """An uncaught error, ready to be reported to a person or a program."""

    __slots__ = ("culprit", "frames", "name", "notes", "sides", "text")

    def __init__(
        self,
        text: str,
        frames: Sequence[Frame] = (),
        notes: Sequence[str] = (),
        name: str = "",
        culprit: Culprit | None = None,
        sides: tuple[object, object] | None = None,
    ) -> None:
        self.text = text
        self.frames = tuple(frames)
        self.notes = tuple(notes)
        self.name = name
        self.culprit = culprit
        self.sides = sides

    @property
    def message(self) -> str:
        """Return the text as reports show it."""
        return reported_text(self.text)

    def diagnostic(self) -> Diagnostic | None:
        """Return the error as a diagnostic at its position, or None if it has no position."""
        if not self.frames:
            return None
        source, span = self._place()
        return Diagnostic(ERROR, self.message, source, span, help=self.notes)

    def _place(self) -> tuple[Source, Span]:
        """Return the position of the value that the error is about, or of the innermost call in a file of the user."""
        if self.culprit is not None and not self.culprit[0].name.startswith(STDLIB):
            source, place, inside = self.culprit
            found = value_in_result(self.text, source, place, inside=inside)
            if found is not None:
                return source, found
        frame = next((frame for frame in self.frames if not frame.source.name.startswith(STDLIB)), self.frames[0])
        return frame.source, literal_in_call(self.text, frame.source, frame.span) or frame.span

    def report(self, style: str = "text", *, color: bool = False) -> str:
        """Return the printed report of the error, in one of the formats of diagnostics."""
        finding = self.diagnostic()
        if style == JSON:
            place = render_json.mapping(finding or Diagnostic(ERROR, self.message, Source("", self.name), Span(0, 0)))
            return render_json.dumps([{**place, "calls": [_mapping(call) for call in _shorten(_folded(self.frames))]}])
        if finding is None:
            return "".join([f"error: {self.message}\n", *(f"  = help: {note}\n" for note in self.notes)])
        report = RENDERERS[style]([finding], color=color)
        return report + self._calls() if style == TEXT else report

    def _calls(self) -> str:
        """Return the list of calls, which is empty for an error in the outermost code."""
        if len(self.frames) == 1:
            return ""
        chain = _shorten(_folded(self.frames))
        width = max(len(frame.function) for frame, _ in filter(None, chain))
        lines = ["calls, innermost first:"]
        for call in chain:
            if call is None:
                lines.append("  …")
            else:
                frame, count = call
                times = f"  ({count} times)" if count > 1 else ""
                lines.append(f"  {frame.function.ljust(width)}  {frame.place}{times}")
        return "\n".join([*lines, ""])


def failure_of(
    error: ScriptError, source: Source, unset: Sequence[str], opener: Callable[[str, int], int] | None = None
) -> Failure:
    """Return the report of an uncaught error; `unset` are the parameters of the entry pipeline without a value.

    `opener` opens the files that the report shows.
    """
    sources = Sources(opener)
    sources.add(source)
    text = without_keys(uncaught_text(error))
    notes = [
        *map(without_keys, error.notes),
        *name_notes(text),
        *(f"pass it with --set {name}=…" for name in unset if text == f"Undefined variable: {name}"),
    ]
    return Failure(text, trace(error, sources), notes, source.name, place_of(error.culprit, sources), error.sides)


def _folded(frames: Iterable[Frame]) -> list[tuple[Frame, int]]:
    """Join and count consecutive calls at the same position, as in a recursion."""
    calls: list[tuple[Frame, int]] = []
    for frame in frames:
        if calls and calls[-1][0].repeats(frame):
            calls[-1] = (frame, calls[-1][1] + 1)
        else:
            calls.append((frame, 1))
    return calls


def _shorten(calls: list[tuple[Frame, int]]) -> list[tuple[Frame, int] | None]:
    """Return both ends of a long list of calls, with a gap between them."""
    if len(calls) <= SHOWN_CALLS:
        return list(calls)
    half = SHOWN_CALLS // 2
    return [*calls[:half], None, *calls[-half:]]


def _mapping(call: tuple[Frame, int] | None) -> dict[str, object] | None:
    """Return a call as plain data, or None for the gap in a long list."""
    if call is None:
        return None
    frame, count = call
    return {"function": frame.function, **render_json.place(frame.source, frame.span), "times": count}
