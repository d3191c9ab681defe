"""A timeline as a self-contained HTML page: a column for each turn, a row for each reminder, lives as bars."""

from __future__ import annotations

from html import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnlite.store.timeline import Happening, Life, Timeline

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<h1>{title}</h1>
<p class="key">{key}</p>
{sections}
</body>
</html>
"""

_STYLE = """
:root { --ink: #1c1f24; --soft: #667; --paper: #fff; --line: #e3e5ea; --bar: #cfe0f7; --tip: #fff;
  --injected: #1f7a3d; --rendered: #0b62c4; --deduped: #a15c00; --expired: #8a6d00; --dropped: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8ec; --soft: #9aa0ab; --paper: #14161a; --line: #2a2e36; --bar: #24405f; --tip: #1e2229;
    --injected: #5fcf85; --rendered: #6fb1ff; --deduped: #f0a94a; --expired: #d9bd4e; --dropped: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 1.5rem; color: var(--ink); background: var(--paper); font: 14px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.25rem; margin: 0 0 .25rem; }
h2 { font-size: 1rem; margin: 1.75rem 0 .5rem; overflow-wrap: anywhere; }
h2 small, .key, th { color: var(--soft); font-weight: 400; }
.key span { margin-right: 1.1em; white-space: nowrap; }
.scroll { overflow-x: auto; padding-bottom: .5rem; }
.chart { display: grid; grid-template-columns: minmax(9rem, max-content) repeat(var(--turns), minmax(1.9rem, 1fr));
  min-width: max-content; border-top: 1px solid var(--line); }
.turn { text-align: center; color: var(--soft); font-size: 12px; grid-row: 1; padding: .2rem 0; }
.label, .lane { border-top: 1px solid var(--line); min-height: 1.9rem; }
.label { grid-column: 1; position: sticky; left: 0; z-index: 2; background: var(--paper);
  padding: .25rem .75rem .25rem 0; }
.label small { color: var(--soft); margin-left: .5em; }
.lane { grid-column: 2 / -1; }
.bar { position: relative; align-self: center; z-index: 1; height: 1.3rem; background: var(--bar);
  border-radius: .35rem; display: grid; grid-template-columns: repeat(var(--span), 1fr); outline-offset: 2px; }
.bar.pending { border-top-right-radius: 0; border-bottom-right-radius: 0; border-right: 3px dotted var(--rendered); }
.marks { grid-row: 1; display: flex; gap: .2rem; justify-content: center; align-items: center; }
i { width: .6rem; height: .6rem; border-radius: 50%; display: inline-block; background: var(--soft); }
i.injected { background: var(--injected); } i.inherited { background: none; border: 3px solid var(--injected); }
i.rendered { background: var(--rendered); }
i.deduped { background: var(--deduped); border-radius: 0; } i.expired { background: var(--expired); border-radius: 0; }
i.dropped { background: var(--dropped); border-radius: 0; transform: rotate(45deg); }
.tip { display: none; position: fixed; left: 1.5rem; bottom: 1rem; z-index: 5; width: max-content;
  max-width: min(60rem, calc(100vw - 3rem)); max-height: 45vh; overflow: hidden;
  padding: .6rem .75rem; background: var(--tip); border: 1px solid var(--line); border-radius: .4rem;
  box-shadow: 0 4px 18px rgb(0 0 0 / 25%); white-space: pre-wrap; overflow-wrap: anywhere; }
.bar:hover, .bar:focus { z-index: 6; }
.bar:hover .tip, .bar:focus .tip { display: block; }
.tip b { display: block; } .tip small { display: block; color: var(--soft); margin-top: .35rem; }
details { margin-top: .5rem; } summary { cursor: pointer; color: var(--soft); }
table { border-collapse: collapse; margin-top: .5rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .15rem .9rem .15rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
"""

_MOST_TEXT = 4000
_INJECTED, _INHERITED = "injected", "inherited"
_KINDS = (_INJECTED, _INHERITED, "rendered", "deduped", "expired", "dropped")
_FIELDS = ("source", "role_hint", "ttl_turns", "propagate", "tags", "dedupe_key", "id")
_HEAD = "".join(f"<th>{name}</th>" for name in ("turn", "seam", "reminder", "source", "what", "why"))


def page(timeline: Timeline, title: str) -> str:
    """Return the HTML page of a timeline."""
    key = "".join(f'<span><i class="{kind}"></i> {kind}</span>' for kind in _KINDS)
    sections = "\n".join(_section(timeline, session) for session in timeline.sessions())
    return _PAGE.format(
        title=escape(title),
        style=_STYLE,
        key=key + "<span>dotted end: pending</span>",
        sections=sections or "<p>No reminders.</p>",
    )


def _section(timeline: Timeline, session: str) -> str:
    lives = [life for life in timeline.lives.values() if life.session_id == session]
    end = len(timeline.turns(session)) - 1
    turns = "".join(
        f'<div class="turn" style="grid-column:{column}">{turn}</div>'
        for column, turn in enumerate(timeline.turns(session), 2)
    )
    rows = "\n".join(_row(life, row, end) for row, life in enumerate(lives, 2))
    count = f"{len(lives)} reminder{'s' if len(lives) != 1 else ''}, {timeline.span(session)}"
    return (
        f"<section><h2>{escape(session)} <small>{count}</small></h2>\n"
        f'<div class="scroll"><div class="chart" style="--turns:{end + 1}">\n{turns}\n{rows}\n</div>'
        f"</div>\n{_table(timeline, session)}</section>"
    )


def _row(life: Life, row: int, end: int) -> str:
    first, last = life.first_column, life.last_column(end)
    classes = ["bar", *(["pending"] if life.is_pending else [])]
    return (
        f'<div class="label" style="grid-row:{row}">{escape(life.label)}<small>{escape(life.source)}</small></div>'
        f'<div class="lane" style="grid-row:{row}"></div>'
        f'<div class="{" ".join(classes)}" tabindex="0" data-reminder="{escape(life.id)}"'
        f' style="grid-row:{row};grid-column:{first + 2}/{last + 3};--span:{last - first + 1}">'
        f"{_marks(life, first)}{_tip(life)}</div>"
    )


def _marks(life: Life, first: int) -> str:
    by_column: dict[int, list[Happening]] = {}
    for happening in life.happenings:
        by_column.setdefault(happening.column, []).append(happening)
    for happenings in by_column.values():
        if any(one.kind == _INHERITED for one in happenings):
            # A reminder is inherited by being injected: the records of both are one event of the reminder.
            happenings[:] = [one for one in happenings if one.kind != _INJECTED]
    return "".join(
        f'<span class="marks" style="grid-column:{column - first + 1}">'
        + "".join(f'<i class="{escape(happening.kind)}"></i>' for happening in happenings)
        + "</span>"
        for column, happenings in by_column.items()
    )


def _tip(life: Life) -> str:
    known = {**life.fields, "source": life.source, "id": life.id}
    facts = " · ".join(f"{name} {_text(known[name])}" for name in _FIELDS if known.get(name) not in (None, "", []))
    steps = "\n".join(_steps(life))
    body = "the log has no body" if life.body is None else _clipped(life.body)
    return (
        f'<span class="tip" role="tooltip"><b>{escape(life.label)}</b><span class="body">{escape(body)}</span>'
        f"<small>{escape(facts)}</small><small>{escape(steps)}</small></span>"
    )


def _clipped(body: str) -> str:
    more = len(body) - _MOST_TEXT
    return body if more <= 0 else f"{body[:_MOST_TEXT]}…\n({more} more characters)"


def _steps(life: Life) -> Iterator[str]:
    """Yield the events as lines. Equal events in consecutive turns share one line."""
    happenings = life.happenings
    start = 0
    for index, step in enumerate(happenings):
        following = happenings[index + 1] if index + 1 < len(happenings) else None
        if following is not None and _goes_on(step, following):
            continue
        first = happenings[start].turn
        turns = f"turn {first}" if first == step.turn else f"turns {first} to {step.turn}"
        yield f"{turns}: {step.what}" + (f" ({step.why})" if step.why else "")
        start = index + 1


def _goes_on(step: Happening, following: Happening) -> bool:
    same = (following.what, following.why) == (step.what, step.why)
    return same and following.turn >= step.turn


def _text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _table(timeline: Timeline, session: str) -> str:
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in happening.cells()) + "</tr>"
        for happening in timeline.happenings
        if happening.life.session_id == session
    )
    return f"<details><summary>all events in order</summary><table><tr>{_HEAD}</tr>\n{rows}</table></details>\n"
