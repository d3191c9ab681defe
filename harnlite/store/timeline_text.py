"""A timeline as text: a table of events, and a chart with a column for each turn and a row for each reminder."""

from __future__ import annotations

from harnlite.diagnostics.excerpt import cells

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harnlite.store.timeline import Happening, Life, Timeline

HEAD = ("turn", "seam", "reminder", "source", "what", "why")
_LIVE_WIDTHS = (4, 18, 28, 15, 22, 40)
_LEAST = (4, 8, 12, 8, 18, 12)
_WIDEST = 40
_USUAL_WIDTH = 100
_COLORS = {"injected": "32", "inherited": "32", "rendered": "36", "deduped": "33", "expired": "33", "dropped": "31"}
_WHAT = 4

_SIGNS = {"injected": "+", "inherited": "+", "rendered": "R", "deduped": "d", "expired": "x", "dropped": "!"}
_ALIVE, _NOTHING = "-", " "
_FEW, _SELDOM = 10, 5
"""Up to `_FEW` turns, each column has a number; beyond that, every fifth column has one."""
_KEY = "+ injected, R rendered, d deduped, x expired, ! dropped, - pending"
_LABEL_WIDTH, _NARROWEST = 28, 10
_GAP = "  "


def shown(text: str) -> str:
    """Return a text on one line without control characters."""
    line = " ".join(text.split())
    return line if line.isprintable() else "".join(sign if sign.isprintable() else "\ufffd" for sign in line)


def _fitted(text: str, width: int) -> str:
    """Return a text that is cut or padded to a number of terminal cells."""
    line = shown(text[: _WIDEST * width])
    if cells(line) > width:
        while cells(line) >= width:
            line = line[:-1]
        line += "…"
    return line + " " * (width - cells(line))


# The table


def line_of(row: Sequence[str], widths: Sequence[int], *, color: bool, kind: str = "") -> str:
    """Return a line of the table. A column with the width 0 is not cut."""
    line = [_fitted(cell, width) if width else shown(cell) for cell, width in zip(row, widths, strict=True)]
    if color and not kind:
        return "\x1b[1m" + _GAP.join(line).rstrip() + "\x1b[0m"
    if color and kind in _COLORS:
        line[_WHAT] = f"\x1b[{_COLORS[kind]}m{line[_WHAT]}\x1b[0m"
    return _GAP.join(line).rstrip()


def live_lines(happenings: Iterable[Happening], *, color: bool, width: int | None, with_head: bool) -> str:
    """Return lines of a table that is printed while a run is in progress."""
    widths = list(_LIVE_WIDTHS)
    _fit(widths, width)
    lines = [line_of(HEAD, widths, color=color)] if with_head else []
    lines += [line_of(one.cells(), widths, color=color, kind=one.kind) for one in happenings]
    return "".join(line + "\n" for line in lines)


def table(happenings: Iterable[Happening], *, color: bool = False, width: int | None = None) -> str:
    """Return a table of events, at most as wide as the terminal if there is one."""
    rows = [(happening.cells(), happening.kind) for happening in happenings]
    widths = [max(len(name), *(cells(shown(row[column])) for row, _ in rows)) for column, name in enumerate(HEAD)]
    widths[:-1] = [min(wanted, _WIDEST) for wanted in widths[:-1]]
    _fit(widths, width)
    lines = [line_of(HEAD, widths, color=color)]
    lines += [line_of(row, widths, color=color, kind=kind) for row, kind in rows]
    return "".join(line + "\n" for line in lines)


def _fit(widths: list[int], width: int | None) -> None:
    """Shrink the columns with the most spare width until all fit. Without a width, the last column is not limited."""
    if width is None:
        widths[-1] = 0
        return
    room = width - len(_GAP) * (len(widths) - 1)
    while sum(widths) > room:
        spare, column = max(
            (width - least, column) for column, (width, least) in enumerate(zip(widths, _LEAST, strict=True))
        )
        if spare <= 0:
            return
        widths[column] -= 1


def tables(timeline: Timeline, *, color: bool = False, width: int | None = None) -> str:
    """Return a table for each session, or a message that there are no reminders."""
    sessions = timeline.sessions()
    if not sessions:
        return "No reminders.\n"
    if len(sessions) == 1:
        return table(timeline.happenings, color=color, width=width)
    by_session: dict[str, list[Happening]] = {session: [] for session in sessions}
    for happening in timeline.happenings:
        by_session[happening.life.session_id].append(happening)
    return "\n".join(
        f"session {shown(session)}\n{table(happenings, color=color, width=width)}"
        for session, happenings in by_session.items()
    )


# The chart


def chart(timeline: Timeline, width: int = 100) -> str:
    """Return the lives of all reminders as bars."""
    by_session: dict[str, list[Life]] = {}
    for life in timeline.lives.values():
        by_session.setdefault(life.session_id, []).append(life)
    parts = [_session_chart(timeline, session, lives, width) for session, lives in by_session.items()]
    return "\n".join(parts) + _KEY + "\n" if parts else ""


def _session_chart(timeline: Timeline, session: str, lives: Sequence[Life], width: int) -> str:
    turns = timeline.turns(session)
    label_width = min(max(cells(shown(life.label)) for life in lives), _LABEL_WIDTH)
    room = max(width - label_width - len(_GAP), _NARROWEST)
    step = -(-len(turns) // (room // 2))
    lines = [f"session {shown(session)}, {timeline.span(session)}" + (f", {step} turns a column" if step > 1 else "")]
    lines.append(" " * label_width + _GAP + _scale(turns, step))
    lines += [_fitted(life.label, label_width) + _GAP + _bar(life, len(turns) - 1, step) for life in lives]
    return "".join(line.rstrip() + "\n" for line in lines)


def _scale(turns: Sequence[int], step: int) -> str:
    """Return the line of turn numbers above the columns, without numbers that do not fit."""
    often = step if len(turns) <= _FEW else _SELDOM * step
    text = ""
    for column in range(0, len(turns), often):
        place = column // step * 2
        if not text or len(text) < place:
            text = text.ljust(place) + str(turns[column])
    return text


def _bar(life: Life, end: int, step: int) -> str:
    signs: dict[int, str] = {}
    for happening in life.happenings:
        sign, column = _SIGNS.get(happening.kind, "?"), happening.column // step
        known = signs.get(column, "")
        if sign not in known:
            signs[column] = known + sign
    first, last = life.first_column // step, life.last_column(end) // step
    text = ""
    for column in range(first, last + 1):
        text += (signs.get(column, "")[-2:]).ljust(2, _NOTHING if column == last else _ALIVE)
    return _NOTHING * 2 * first + text


def text_of(timeline: Timeline, *, color: bool = False, width: int | None = None) -> str:
    """Return the chart and the table. Without a width, the chart has a usual width and the table is not limited."""
    drawn = chart(timeline, _USUAL_WIDTH if width is None else width)
    listed = tables(timeline, color=color, width=width)
    return f"{drawn}\n{listed}" if drawn else listed
