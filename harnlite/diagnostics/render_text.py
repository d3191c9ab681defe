"""Diagnostics for people: message, place, excerpt with carets, help."""

from __future__ import annotations

from harnlite.diagnostics.diagnostic import ERROR
from harnlite.diagnostics.excerpt import Excerpt, mark, without_controls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeAlias

    from harnlite.diagnostics.diagnostic import Diagnostic
    from harnlite.diagnostics.excerpt import Mark
    from harnlite.diagnostics.source import Source

    Note: TypeAlias = tuple[Mark, str, str]

RESET = "\x1b[0m"
BOLD, RED, YELLOW, BLUE = "\x1b[1m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;34m"
_PRIMARY, _SECONDARY = "^", "-"
_LAYOUT = "\n\t"


def render(diagnostics: Iterable[Diagnostic], *, color: bool = False) -> str:
    """Return a report: one block for each diagnostic, a blank line between them."""
    return "\n".join(render_one(diagnostic, color=color) for diagnostic in diagnostics)


def render_one(diagnostic: Diagnostic, *, color: bool = False) -> str:
    """Return the block of one diagnostic, which ends in a newline."""
    paint = _Paint(diagnostic, color=color)
    groups = _by_source(diagnostic)
    gutter = max(len(str(note[0].line)) for _, notes in groups for note in notes)
    code = f"[{diagnostic.code}]" if diagnostic.code else ""
    message = without_controls(diagnostic.message, _LAYOUT)
    lines = [f"{paint.severity(diagnostic.severity + code)}{paint.strong(f': {message}')}"]
    for number, (source, notes) in enumerate(groups):
        place = notes[0][0]
        arrow = ":::" if number else "-->"
        location = f"{without_controls(source.name)}:{place.line}:{place.start + 1}"
        lines.append(f"{' ' * gutter}{paint.frame(arrow)} {location}")
        lines.extend(_excerpt_lines(source, notes, gutter, paint))
    advice = (without_controls(text, _LAYOUT) for text in diagnostic.help)
    lines.extend(f"{' ' * gutter} {paint.frame('=')} help: {text}" for text in advice)
    return "".join(line.rstrip() + "\n" for line in lines)


class _Paint:
    """Adds colours to text if they are enabled."""

    __slots__ = ("_color", "_severity")

    def __init__(self, diagnostic: Diagnostic, *, color: bool) -> None:
        self._color = color
        self._severity = RED if diagnostic.severity == ERROR else YELLOW

    def _with(self, start: str, text: str) -> str:
        return f"{start}{text}{RESET}" if self._color else text

    def severity(self, text: str) -> str:
        return self._with(self._severity, text)

    def strong(self, text: str) -> str:
        return self._with(BOLD, text)

    def frame(self, text: str) -> str:
        return self._with(BLUE, text)

    def underline(self, text: str, sign: str) -> str:
        return self._with(self._severity if sign == _PRIMARY else BLUE, text)


def _by_source(diagnostic: Diagnostic) -> list[tuple[Source, list[Note]]]:
    """Group the place and the labels by source. The place of the diagnostic comes first."""
    groups: list[tuple[Source, list[Note]]] = [
        (diagnostic.source, [(mark(diagnostic.source, diagnostic.span), "", _PRIMARY)])
    ]
    for label in diagnostic.labels:
        source = label.source or diagnostic.source
        note = (mark(source, label.span), label.message, _SECONDARY)
        for known, notes in groups:
            if known is source:
                notes.append(note)
                break
        else:
            groups.append((source, [note]))
    return groups


def _excerpt_lines(source: Source, notes: Sequence[Note], gutter: int, paint: _Paint) -> list[str]:
    bar = paint.frame("|")
    lines = [f"{' ' * gutter} {bar}"]
    previous = 0
    for number in sorted({place.line for place, _, _ in notes}):
        if previous and number == previous + 2:
            middle = Excerpt(source.line(previous + 1), 0)
            lines.append(f"{paint.frame(str(previous + 1).rjust(gutter))} {bar} {middle.text}")
        elif previous and number > previous + 1:
            lines.append(paint.frame("..."))
        here = [note for note in notes if note[0].line == number]
        excerpt = Excerpt(source.line(number), here[0][0].start)
        lines.append(f"{paint.frame(str(number).rjust(gutter))} {bar} {excerpt.text}")
        for place, message, sign in here:
            before, width = excerpt.place(place.start, place.end)
            text = f"{sign * width} {without_controls(message, _LAYOUT)}" if message else sign * width
            lines.append(f"{' ' * gutter} {bar} {' ' * before}{paint.underline(text, sign)}")
        previous = number
    return lines
