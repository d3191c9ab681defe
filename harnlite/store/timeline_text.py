"""A timeline as text: a table of what happened, and a chart with turns across and reminders down."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harnlite.store.timeline import Happening, Life, Timeline

HEAD = ("turn", "seam", "reminder", "source", "what", "why")
_LIVE_WIDTHS = (4, 18, 28, 15, 22, 0)
_WIDEST = 40
_COLORS = {"injected": "32", "inherited": "32", "rendered": "36", "deduped": "33", "expired": "33", "dropped": "31"}
_WHAT = 4

_SIGNS = {"injected": "+", "inherited": "+", "rendered": "R", "deduped": "d", "expired": "x", "dropped": "!"}
_ALIVE, _NOTHING = "-", " "
_KEY = "+ injected, R rendered, d deduped, x expired, ! dropped, - pending"
_LABEL_WIDTH, _NARROWEST = 28, 10


# The table


def _clip(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def line_of(cells: Sequence[str], widths: Sequence[int], *, color: bool, kind: str = "") -> str:
    """Return a line of the table."""
    shown = [
        _clip(" ".join(cell.split()), width).ljust(width) if width else cell
        for cell, width in zip(cells, widths, strict=True)
    ]
    if color and not kind:
        return "\x1b[1m" + "  ".join(shown).rstrip() + "\x1b[0m"
    if color and kind in _COLORS:
        shown[_WHAT] = f"\x1b[{_COLORS[kind]}m{shown[_WHAT]}\x1b[0m"
    return "  ".join(shown).rstrip()


def live_head(*, color: bool) -> str:
    """Return the head of a table whose lines are shown while a run goes on."""
    return line_of(HEAD, _LIVE_WIDTHS, color=color)


def live_line(happening: Happening, *, color: bool) -> str:
    """Return a line of a table whose other lines are not known yet."""
    return line_of(happening.cells(), _LIVE_WIDTHS, color=color, kind=happening.kind)


def table(happenings: Iterable[Happening], *, color: bool = False) -> str:
    """Return a table of what happened."""
    rows = [(happening.cells(), happening.kind) for happening in happenings]
    widths = [
        min(max(len(HEAD[column]), *(len(cells[column]) for cells, _ in rows)), _WIDEST)
        for column in range(len(HEAD) - 1)
    ]
    lines = [line_of(HEAD, (*widths, 0), color=color)]
    lines += [line_of(cells, (*widths, 0), color=color, kind=kind) for cells, kind in rows]
    return "".join(line + "\n" for line in lines)


def tables(timeline: Timeline, *, color: bool = False) -> str:
    """Return a table for each session, or say that there is nothing to tell."""
    sessions = timeline.sessions()
    if not sessions:
        return "No reminders.\n"
    if len(sessions) == 1:
        return table(timeline.happenings, color=color)
    parts = []
    for session in sessions:
        happenings = [happening for happening in timeline.happenings if happening.life.session_id == session]
        parts.append(f"session {session}\n{table(happenings, color=color)}")
    return "\n".join(parts)


# The chart


def chart(timeline: Timeline, width: int = 100) -> str:
    """Return the lives of all reminders as bars."""
    parts = [_session_chart(timeline, session, width) for session in timeline.sessions()]
    return "\n".join(parts)


def _session_chart(timeline: Timeline, session: str, width: int) -> str:
    lives = [life for life in timeline.lives.values() if life.session_id == session]
    end = timeline.turns(session)
    label_width = min(max(len(life.label) for life in lives), _LABEL_WIDTH)
    room = max(width - label_width - 2, _NARROWEST)
    step = -(-(end + 1) // max(room // 2, 1))
    lines = [f"session {session}, turns 0 to {end}" + (f", {step} turns a column" if step > 1 else "")]
    lines.append(_scale(label_width, end, step))
    lines += [
        f"{_clip(life.label, label_width).ljust(label_width)}  {_bar(life, end, step)}".rstrip() for life in lives
    ]
    lines.append(_KEY)
    return "".join(line + "\n" for line in lines)


def _scale(label_width: int, end: int, step: int) -> str:
    """Return the numbers of the turns above the columns, as many as there is room for."""
    text = ""
    for turn in range(0, end + 1, step):
        column = turn // step * 2
        if len(text) <= column and (turn % (5 * step) == 0 or end < 10):  # noqa: PLR2004 - each, or every fifth
            text = text.ljust(column) + str(turn)
    return " " * (label_width + 2) + text


def _bar(life: Life, end: int, step: int) -> str:
    cells: dict[int, str] = {}
    for happening in life.happenings:
        sign = _SIGNS.get(happening.kind, "?")
        cell = cells.get(happening.turn // step, "")
        if sign not in cell:
            cells[happening.turn // step] = cell + sign
    first, last = life.first_turn // step, life.last_turn(end) // step
    text = ""
    for column in range(first, last + 1):
        text += (cells.get(column, "")[-2:]).ljust(2, _NOTHING if column == last else _ALIVE)
    return _NOTHING * 2 * first + text


def text_of(timeline: Timeline, *, color: bool = False, width: int = 100) -> str:
    """Return chart and table."""
    drawn = chart(timeline, width)
    return f"{drawn}\n{tables(timeline, color=color)}" if drawn else tables(timeline, color=color)
