"""The table of a replay as text."""

from __future__ import annotations

import time

from harnlite.agent_hooks.replay import rows as row_kinds
from harnlite.agent_hooks.replay.comparison import BOTH, FIRST, SECOND
from harnlite.diagnostics.excerpt import cells
from harnlite.store.timeline_text import line_of, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnlite.agent_hooks.replay.comparison import Comparison
    from harnlite.agent_hooks.replay.rows import Row, Totals

_HEAD = ("time (UTC)", "turn", "event", "tool", "what", "reminder", "tokens", "text")
_WIDEST = 32
_LEAST_TEXT = 24
_GAP = 2
_NOTHING = "-"
_UNDATED = ""


def table(rows: Sequence[Row], *, color: bool = False, width: int | None = None) -> str:
    """Return the rows as a table, whose last column is cut to the width of the terminal if there is one."""
    if not rows:
        return "The rules say nothing in this session.\n"
    days = {_formatted(row.time, "%Y-%m-%d") for row in rows if row.time is not None}
    clock = "%H:%M:%S" if len(days) <= 1 else "%Y-%m-%d %H:%M:%S"
    has_sides = any(row.side for row in rows)
    head = ("rules", *_HEAD) if has_sides else _HEAD
    lines = [((row.side,) if has_sides else ()) + _cells(row, clock) for row in rows]
    widths = [
        min(_WIDEST, max(cells(shown(line[column])) for line in [head, *lines])) for column in range(len(head) - 1)
    ]
    left = 0 if width is None else max(_LEAST_TEXT, width - sum(widths) - _GAP * len(widths))
    widths.append(left)
    return "".join(
        line_of(line, widths, color=color and number == 0) + "\n" for number, line in enumerate([head, *lines])
    )


def _cells(row: Row, clock: str) -> tuple[str, ...]:
    lines = row.text.strip().splitlines()
    event = f"{row.event} in {row.actor}" if row.actor else row.event
    moment = _UNDATED if row.time is None else _formatted(row.time, clock)
    tokens = str(row.tokens) if row.tokens else _NOTHING
    first = lines[0] if lines else ""
    text = f"{first} […]" if len(lines) > 1 else first
    return (moment or _NOTHING, str(row.turn), event, row.tool or _NOTHING, row.what, row.key or _NOTHING, tokens, text)


def _formatted(seconds: float, form: str) -> str:
    try:
        return time.strftime(form, time.gmtime(seconds))
    except (OverflowError, ValueError, OSError):
        return ""


def summary(totals: Totals) -> str:
    """Return the sums as a sentence."""
    counts = [
        _counted(totals.rows.get(what, 0), name)
        for what, name in (
            (row_kinds.SAID, "reminder"),
            (row_kinds.DENIED, "refusal"),
            (row_kinds.CONTINUED, "continuation"),
            (row_kinds.CHANGED, "changed call"),
            (row_kinds.FAILED, "error"),
        )
        if totals.rows.get(what, 0) or what == row_kinds.SAID
    ]
    where = f"{_counted(totals.calls, 'call')} of hooks, {_counted(totals.turns, 'turn')}"
    text = f"{', '.join(counts)} in {where}: about {_counted(totals.tokens, 'token')}"
    if totals.unseen:
        text += f"; never shown: {_counted(totals.unseen, 'reminder')}"
    return f"{text}.\n"


def compared(comparison: Comparison, names: tuple[str, str]) -> str:
    """Return the sums of a comparison."""
    labels = {FIRST: f"only A, {names[0]}", SECOND: f"only B, {names[1]}", BOTH: "both"}
    return "".join(
        f"{label}: {_counted(comparison.counts[side], 'row')}, about {_counted(comparison.tokens[side], 'token')}\n"
        for side, label in labels.items()
    )


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun if count == 1 else f'{noun}s'}"
