"""What is said about an error that nobody caught: its text, the place, the calls, and help."""

from __future__ import annotations

from harnlite.diagnostics.diagnostic import ERROR, Diagnostic
from harnlite.diagnostics.source import Source, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.host.trace import Frame

SHOWN_CALLS = 20


class Failure:
    """An uncaught error as a person or a program reads it."""

    __slots__ = ("frames", "name", "notes", "text")

    def __init__(self, text: str, frames: Sequence[Frame] = (), notes: Sequence[str] = (), name: str = "") -> None:
        self.text = text
        self.frames = tuple(frames)
        self.notes = tuple(notes)
        self.name = name

    def diagnostic(self) -> Diagnostic | None:
        """Return the error at its place, or nothing if it has none."""
        if not self.frames:
            return None
        innermost = self.frames[0]
        return Diagnostic(ERROR, self.text, innermost.source, innermost.span, help=self.notes)

    def report(self, style: str = "text", *, color: bool = False) -> str:
        """Return what is printed about the error, in one of the formats of diagnostics."""
        from harnlite.diagnostics import render_json
        from harnlite.diagnostics.formats import JSON, RENDERERS, TEXT

        finding = self.diagnostic()
        if style == JSON:
            place = render_json.mapping(finding or Diagnostic(ERROR, self.text, Source("", self.name), Span(0, 0)))
            return render_json.dumps([{**place, "calls": [_mapping(frame) for frame in _shorten(self.frames)]}])
        if finding is None:
            return "".join([f"error: {self.text}\n", *(f"  = help: {note}\n" for note in self.notes)])
        report = RENDERERS[style]([finding], color=color)
        return report + self._calls() if style == TEXT else report

    def _calls(self) -> str:
        """Return the chain of calls; an error in the outermost code has none."""
        if len(self.frames) == 1:
            return ""
        shown = _shorten(self.frames)
        width = max(len(frame.function) for frame in shown if frame)
        lines = [f"  {frame.function.ljust(width)}  {frame.place}" if frame else "  …" for frame in shown]
        left_out = len(self.frames) - sum(frame is not None for frame in shown)
        head = "calls, innermost first:" if not left_out else f"calls, innermost first ({left_out} more in between):"
        return "\n".join([head, *lines, ""])


def _shorten(frames: Sequence[Frame]) -> list[Frame | None]:
    """Return both ends of a long chain with a gap between them."""
    if len(frames) <= SHOWN_CALLS:
        return list(frames)
    half = SHOWN_CALLS // 2
    return [*frames[:half], None, *frames[-half:]]


def _mapping(frame: Frame | None) -> dict[str, object] | None:
    from harnlite.diagnostics.render_json import place

    return None if frame is None else {"function": frame.function, **place(frame.source, frame.span)}
