"""Coverage reports of tests: a table for the terminal and an HTML page."""

from __future__ import annotations

import os
from html import escape

from harnlite.compiler.program import load
from harnlite.diagnostics.errors import LanguageError
from harnlite.diagnostics.source_files import read_source
from harnlite.host.coverage import Seen, possible
from harnlite.host.coverage_regions import Places, decisions, statements
from harnlite.host.toolchain import parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from harnlite.diagnostics.source import Source
    from harnlite.host.coverage import Evidence

_MOST = 60
"""The maximum number of characters for missing lines in the table."""
_STYLE = """\
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
table { border-collapse: collapse; } th, td { padding: .2rem 1rem .2rem 0; text-align: left; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
pre { line-height: 1.45; overflow-x: auto; }
pre span { display: block; padding-left: .5rem; border-left: 4px solid #8884; }
pre span.ran { border-color: #2a9d4a; } pre span.missed { border-color: #d33; background: #d332; }
pre span.partly { border-color: #d90; background: #d902; }
pre b { font-weight: normal; opacity: .5; user-select: none; }
pre i { float: right; opacity: .8; }
"""


class Measured:
    """The coverage of one file: its lines, and the outcomes of the decisions on them."""

    __slots__ = ("_reached", "lines", "outcomes", "source")

    def __init__(self, source: Source, executable: Seen, ran: Seen) -> None:
        self.source = source
        self.lines: dict[int, bool] = {}
        self.outcomes: list[tuple[int, str, bool]] = []
        module = parsed(source)
        executable_places, executed_places = Places(source, executable), Places(source, ran)
        for statement in statements(module):
            if executable_places.inside(statement):
                line = source.position(statement.start).line
                self.lines[line] = self.lines.get(line, False) or executed_places.inside(statement)
        for ways in decisions(source, module):
            known = [way for way in ways if way.taken(executable_places)]
            if len(known) > 1:
                self.outcomes += [(way.line, way.label, way.taken(executed_places)) for way in known]
        self.outcomes.sort(key=lambda outcome: outcome[0])
        self._reached = {line for line, ran in self.lines.items() if ran}
        self._reached |= {line for line, _, taken in self.outcomes if taken}

    @property
    def missing(self) -> str:
        """Return the lines that did not run, and the missing outcomes of decisions on lines that did."""
        lines = sorted(line for line, ran in self.lines.items() if not ran)
        ways = [f"{line} {label}" for line, label, taken in self.outcomes if not taken and line in self._reached]
        return ", ".join([*_ranges(lines, sorted(self.lines)), *ways])


def measured(files: Iterable[str], evidence: Evidence) -> list[Measured]:
    """Return the coverage of these files and of all loaded files; files that do not compile are omitted."""
    names = {os.path.abspath(path): _short(path) for path in (*files, *evidence.files)}
    found = []
    for path, name in sorted(names.items(), key=lambda item: item[1]):
        try:
            source = read_source(path, name)
            program = load(source, cache=False)
        except (LanguageError, OSError):
            continue
        one = Measured(source, possible(program.code), evidence.files.get(path, Seen()))
        if one.lines:
            found.append(one)
    return found


def _short(path: str) -> str:
    """Return a path relative to the working directory if it is below that directory."""
    return os.path.abspath(path).removeprefix(os.path.join(os.getcwd(), ""))


def _ranges(lines: Sequence[int], executable: Sequence[int]) -> list[str]:
    """Join lines without other executable lines between them into ranges."""
    groups: list[list[int]] = []
    place = {line: index for index, line in enumerate(executable)}
    for line in lines:
        if groups and place[line] == place[groups[-1][-1]] + 1:
            groups[-1].append(line)
        else:
            groups.append([line])
    return [str(group[0]) if len(group) == 1 else f"{group[0]}-{group[-1]}" for group in groups]


def _percent(part: int, whole: int) -> str:
    """Return a percentage, rounded down so that only full coverage is 100%."""
    return f"{100 * part // whole}%" if whole else "-"


def _numbers(files: Iterable[Measured]) -> tuple[str, str, str, str]:
    """Return the coverage of lines and branches, each as a count and a percentage."""
    lines = [ran for one in files for ran in one.lines.values()]
    ways = [taken for one in files for _, _, taken in one.outcomes]
    shares = [(f"{sum(found)}/{len(found)}", _percent(sum(found), len(found))) for found in (lines, ways)]
    return (*shares[0], *shares[1])


def table(files: Sequence[Measured]) -> str:
    """Return the table, with a row for each file and a total."""
    rows = [("coverage", "lines", "", "branches", "", "missing")]
    rows += [(one.source.name, *_numbers([one]), _cut(one.missing)) for one in files]
    rows.append(("total", *_numbers(files), ""))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    lines = []
    for row in rows:
        cells = [
            row[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(row[1:5], widths[1:], strict=True)),
        ]
        lines.append("  ".join([*cells, row[5]]).rstrip() + "\n")
    return "\n" + "".join(lines)


def shortfall(files: Sequence[Measured], least: float) -> str:
    """Return an error message if a smaller percentage of the lines ran than required, otherwise an empty string."""
    lines = [ran for one in files for ran in one.lines.values()]
    if 100 * sum(lines) >= least * len(lines):
        return ""
    return f"\nonly {_percent(sum(lines), len(lines))} of the lines ran; at least {least:g}% is required\n"


def _cut(text: str) -> str:
    return text if len(text) <= _MOST else text[: _MOST - 1].rpartition(",")[0] + ", …"


def page(files: Sequence[Measured]) -> str:
    """Return a self-contained HTML page that shows every line of every file."""
    head = '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Coverage</title>\n'
    rows = "".join(_row(f'<a href="#{index}">{escape(one.source.name)}</a>', [one]) for index, one in enumerate(files))
    labels = "<tr><th>file<th>lines<th><th>branches<th></tr>\n"
    overview = f"<h1>Coverage</h1>\n<table>\n{labels}{rows}{_row('total', files)}</table>\n"
    bodies = "".join(_listing(index, one) for index, one in enumerate(files))
    return f"{head}<style>\n{_STYLE}</style>\n{overview}{bodies}</html>\n"


def _row(title: str, files: Sequence[Measured]) -> str:
    cells = "".join(f'<td class="number">{cell}' for cell in _numbers(files))
    return f"<tr><td>{title}{cells}</tr>\n"


def _listing(index: int, one: Measured) -> str:
    missed: dict[int, list[str]] = {}
    for line, label, taken in one.outcomes:
        if not taken:
            missed.setdefault(line, []).append(label)
    rows = []
    amount = one.source.text.rstrip("\n").count("\n") + 1
    for line in range(1, amount + 1):
        state = _state(line, one.lines, missed)
        note = f"<i>not taken: {', '.join(missed[line])}</i>" if line in missed else ""
        number = f"<b>{line:>{len(str(amount))}} </b>"
        rows.append(f'<span class="{state}">{note}{number}{escape(one.source.line(line))}</span>')
    return f'<h2 id="{index}">{escape(one.source.name)}</h2>\n<pre>{"".join(rows)}</pre>\n'


def _state(line: int, lines: Mapping[int, bool], missed: Container[int]) -> str:
    """Return the CSS class of a line; a line without a statement of its own may still contain a decision."""
    if line in lines and not lines[line]:
        return "missed"
    if line in missed:
        return "partly"
    return "ran" if line in lines else ""
