"""Measures the speed of everything and prints one table; exits with 1 if a figure fails. Run it as `make bench`.

Each row has a goal. A figure that misses it fails, except in the rows that have a limit as well: their goals are not
reached yet, and they fail beyond the limit. Ratios come from one run and need no more. Absolute figures are scaled by
the pace of the machine, which is measured beside them. A row says if other programs took the processors meanwhile.
"""

from __future__ import annotations

import operator
import sys
from typing import TYPE_CHECKING, NamedTuple

from tests.bench.agent import calling_costs, memory_growth, script_growth, turn_costs
from tests.bench.csv_texts import csv_ratios
from tests.bench.depth import recursion, tail_calls
from tests.bench.editor import latencies, opening
from tests.bench.encodings import encoding_ratios
from tests.bench.front_end import reading_speeds, speeds
from tests.bench.growth import growths
from tests.bench.hooks import hook_latencies
from tests.bench.http import calling_ratios, first_call_ratio
from tests.bench.kinds import kind_ratios, program_ratios
from tests.bench.linting import compiling_ratios, linting_ratio
from tests.bench.pace import Others, conditions, pace
from tests.bench.processes import agent_start, command_starts, server_starts, starts
from tests.bench.programs import MICRO, REALISTIC, mean, owned_growth, ratios
from tests.bench.records import json_ratios, schema_ratio
from tests.bench.reminders import inject_growth, turn_growth
from tests.bench.servers import a2a_ratios, acp_latencies
from tests.bench.sessions import host_costs, log_ratios, turn_bytes, turn_millis
from tests.bench.tasks import lateness, parked_bytes, spawn_micros, waiting_ratio
from tests.bench.templates import template_ratio

if TYPE_CHECKING:
    from collections.abc import Iterator


KEYSTROKE_GOALS = {"report": 120, "semantic tokens": 40}
READING_GOALS = {"lint": (35, 4.3), "fmt": (45, 3.4), "fmt, unformatted": (45, 3.4)}
"""The goals of the linter and the formatter: thousands of lines per second, and the ratio to `ast.parse`."""

START_GOALS = {
    "--version": (15, None),
    "--help": (40, None),
    "lint of a small file, not cached": (45, 65),
    "language server, initialize": (290, 600),
    "session, prompt": (115, 230),
}
ABSOLUTE = frozenset({" us", "k lines/s", " ms"})
DISTURBING = 0.1
"""The share of the processors from which other programs are worth a note."""


class Row(NamedTuple):
    """A line of the table; a row without a limit fails if it misses its goal."""

    what: str
    value: float
    direction: str
    goal: float
    unit: str
    limit: float | None = None


def front_end_rows() -> Iterator[Row]:
    """Measure the parser, the compiler, the linter and an editor."""
    parsing, compiling, over_python = speeds()
    yield Row("parse", parsing / 1000, ">=", 25, "k lines/s")
    for what, (speed, ratio) in reading_speeds().items():
        goal, most = READING_GOALS[what]
        yield Row(what, speed / 1000, ">=", goal, "k lines/s", goal * 0.7)
        yield Row(f"{what} / ast.parse of the same in Python", ratio, "<=", most, "x", most * 1.4)
    yield Row("1000 files of 100 lines: lint / parse", linting_ratio(), "<=", 3.0, "x")
    for what, ratio in compiling_ratios().items():
        yield Row(f"1000 files of 100 lines: {what}", ratio, "<=", 1.5, "x", 6.0 if "processor" in what else 4.5)
    yield Row("whole compile", compiling / 1000, ">=", 20, "k lines/s", 12)
    yield Row("whole compile / ast.parse of the same in Python", over_python, "<=", 8.0, "x", 10.0)
    for what, waited in latencies().items():
        goal = KEYSTROKE_GOALS.get(what.partition(",")[0], 30)
        yield Row(f"5,000 lines, from a keystroke to {what}", waited, "<=", goal, " ms", goal * 1.5)
    yield Row("opening 400 kB, to the report", opening(), "<=", 1000, " ms", 1300)


def hook_rows() -> Iterator[Row]:
    """Measure what a coding agent waits at an event."""
    for name, taken in hook_latencies().items():
        goal, limit = (15, None) if name == "quiet" else (30, 60)
        yield Row(f"hook of an agent, {name}, over a bare Python", taken, "<=", goal, " ms", limit)


def rows() -> Iterator[Row]:
    """Measure one thing after the other."""
    micro = ratios(MICRO)
    yield Row("micro-benchmarks, geometric mean", mean(micro), "<=", 2.4, "x")
    slowest = max(micro, key=lambda name: micro[name])
    yield Row(f"slowest micro-benchmark ({slowest})", micro[slowest], "<=", 5.5, "x")
    realistic = ratios(REALISTIC)
    yield Row("realistic programs, geometric mean", mean(realistic), "<=", 2.9, "x")
    by_program = program_ratios()
    kinds = kind_ratios(by_program)
    yield Row("ten kinds of program, geometric mean", mean(kinds), "<=", 1.75, "x")
    slowest = max(kinds, key=lambda name: kinds[name])
    yield Row(f"slowest kind of program ({slowest})", kinds[slowest], "<=", 2.3, "x")
    for name, value in {**micro, **realistic, **by_program}.items():
        sys.stdout.write(f"    {name:<20}{value:6.2f}x\n")
    yield from hook_rows()
    yield Row("recursion", recursion(), ">=", 20_000, " frames")
    yield Row("tail calls", tail_calls(), ">=", 1_000_000, " calls")
    yield Row("write to an owned container, 30000 vs 100", owned_growth(), "<=", 3.0, "x")
    for what, value in csv_ratios().items():
        yield Row(f"CSV, {what.replace('_', ' of ')} / Python's csv", value, "<=", 2.5, "x")
    for what, value in json_ratios().items():
        yield Row(f"JSON, {what} / Python's json", value, "<=", 2.0, "x")
    yield Row("schema_is, 20 fields / checks by hand", schema_ratio(), "<=", 3.0, "x")
    yield Row("rendering a template / jinja2", template_ratio(), "<=", 2.5, "x")
    yield from front_end_rows()
    for name, value in encoding_ratios().items():
        yield Row(f"10 MB, {name} / Python", value, "<=", 1.2, "x")
    cached, uncached, ratio = starts()
    yield Row("cached hello.harn over python -c pass", cached, "<=", 7, " ms", 16)
    yield Row("cached hello.harn / python -c pass", ratio, "<=", 2.5, "x")
    yield Row("uncached hello.harn over python -c pass", uncached, "<=", 110, " ms")
    for what, value in {**command_starts(), **server_starts()}.items():
        goal, limit = START_GOALS[what]
        yield Row(f"{what}, over python -c pass", value, "<=", goal, " ms", limit)
    yield Row("spawn and await", spawn_micros(), "<=", 30, " us")
    yield Row("memory of a parked task", parked_bytes() / 1000, "<=", 12, " kB")
    yield Row("1000 tasks x 5 x 100 ms over ideal", waiting_ratio(), "<=", 1.2, "x")
    yield Row("deadline or cancel of a busy loop, late", lateness(), "<=", 100, " ms")
    yield Row("injection, 100,000 against 1,000 pending", inject_growth(), "<=", 3.0, "x")
    yield Row("turn with 100 changes, 100,000 against 1,000", turn_growth(), "<=", 4.0, "x")
    injecting, turning = script_growth()
    yield Row("the same injection in a script", injecting, "<=", 3.0, "x")
    yield Row("the same turn in a script", turning, "<=", 4.0, "x")
    yield from agent_rows()
    yield Row("first model call over HTTP / httpx2", first_call_ratio(), "<=", 1.2, "x")
    for kind, value in calling_ratios().items():
        yield Row(f"200 model calls over HTTP at a time, {kind} / httpx2", value, "<=", 1.2, "x")
    served = a2a_ratios()
    yield Row("A2A GetTask / a bare application", served["GetTask"], "<=", 2.5, "x")
    yield Row("A2A inject_reminder, stored / a bare application", served["inject_reminder"], "<=", 6.0, "x")
    for method, value in acp_latencies().items():
        yield Row(f"ACP {method} to its answer", value, "<=", 5, " ms")


def agent_rows() -> Iterator[Row]:
    """Measure agents, hosts, logs and the growth of costs."""
    for name, value in turn_costs().items():
        yield Row(
            f"turn with reminders ({name})",
            value,
            "<=",
            3.0 if "busy" in name else 2.0,
            "x",
            6.5 if "busy" in name else 2.5,
        )
    yield Row("memory of a loop, 1,000 turns against 500", memory_growth(), "<=", 2.2, "x")
    yield Row("cached agent_loop of 3 turns over python -c pass", agent_start(), "<=", 20, " ms", 36)
    for what, value in turn_millis().items():
        yield Row(f"turn, {what}", value, "<=", 0.25, " ms", 1.0 if "10000" in what else 0.35)
    yield Row("memory of a turn", turn_bytes() / 1000, "<=", 8, " kB")
    over, used = calling_costs()
    yield Row("1000 tasks x 5 x 100 ms model calls over ideal", over, "<=", 1.15, "x", 1.5)
    yield Row("processor time of a model call", used, "<=", 35, " us", 100)
    yield Row("3000 tasks x 5 x 100 ms model calls over ideal", calling_costs(3_000)[0], "<=", 1.25, "x", 3.5)
    over, used = host_costs()
    yield Row("host, 100 sessions x 100 ms model call over ideal", over, "<=", 1.5, "x", 2.2)
    yield Row("processor time of a turn of a host", used, "<=", 0.8, " ms", 1.6)
    for what, value in log_ratios().items():
        yield Row(f"one record, {what}", value, "<=", 1.5, "x", 2.6 if "JSONL" in what else 1.8)
    for what, measure in growths():
        yield Row(f"growth, {what}", measure(), "<=", 1.2, " exponent")


def verdict_of(row: Row, scaled: float) -> str:
    """Return whether a figure reaches its goal or at least keeps its limit."""
    reaches = operator.le if row.direction == "<=" else operator.ge
    if reaches(scaled, row.goal):
        return "reached"
    return "missed" if row.limit is not None and reaches(scaled, row.limit) else "FAILED"


def main() -> int:
    """Print the table."""
    counts = {"reached": 0, "missed": 0, "FAILED": 0}
    sys.stdout.write(f"{conditions()}\n\n{'':<58}{'figure':>10}          goal          verdict\n")
    before, started = pace(), Others()
    for row in rows():
        after, share = pace(), started.share()
        slow = (before + after) / 2 if row.unit in ABSOLUTE else 1.0
        before, started = after, Others()
        scaled = row.value * slow if row.direction == ">=" else row.value / slow
        verdict = verdict_of(row, scaled)
        counts[verdict] += 1
        limit = "" if row.limit is None or verdict == "reached" else f", limit {row.limit:g}"
        notes = [f"raw {row.value:.2f}, pace {slow:.2f}"] if slow > 1 else []
        notes += [f"other programs used {share:.0%} of the processors"] if share > DISTURBING else []
        goal = f"{row.direction} {row.goal:g}{limit}"
        note = f"  ({'; '.join(notes)})" if notes else ""
        sys.stdout.write(f"{row.what:<58}{scaled:>10.2f}{row.unit:<10}{goal:<14} {verdict}{note}\n")
        sys.stdout.flush()
    sys.stdout.write("\n" + ", ".join(f"{count} {name}" for name, count in counts.items()) + "\n")
    return 1 if counts["FAILED"] else 0


if __name__ == "__main__":
    sys.exit(main())
