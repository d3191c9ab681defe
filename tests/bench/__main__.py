"""Measures the speed gates and prints the results; exits with 1 if a gate fails. Run it as `make bench`.

Ratios come from one run and need no more. Absolute figures are judged after they are scaled by the pace of the machine,
which is measured beside them and printed.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

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
from tests.bench.pace import pace
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

    Row = tuple[str, float, str, float, float, str]


KEYSTROKE_GATES = {"report": 120, "semantic tokens": 40}
READING_GATES = {"lint": (35, 4.3), "fmt": (45, 3.4), "fmt, unformatted": (45, 3.4)}
"""The goals of the linter and the formatter: thousands of lines per second, and the ratio to `ast.parse`."""

START_GATES = {
    "--version": 15,
    "--help": 40,
    "lint of a small file, not cached": 45,
    "language server, initialize": 290,
    "session, prompt": 115,
}
ABSOLUTE = frozenset({" us", "k lines/s", " ms"})


def front_end_rows() -> Iterator[Row]:
    """Measure the parser, the compiler, the linter and an editor."""
    parsing, compiling, over_python = speeds()
    yield "parse", parsing / 1000, ">=", 25, 60, "k lines/s"
    for what, (speed, ratio) in reading_speeds().items():
        goal, most = READING_GATES[what]
        yield what, speed / 1000, ">=", goal * 0.7, goal, "k lines/s"
        yield f"{what} / ast.parse of the same in Python", ratio, "<=", most * 1.4, most, "x"
    yield "1000 files of 100 lines: lint / parse", linting_ratio(), "<=", 3.0, 2.0, "x"
    for what, ratio in compiling_ratios().items():
        yield f"1000 files of 100 lines: {what}", ratio, "<=", 6.0 if "processor" in what else 4.5, 1.5, "x"
    yield "whole compile", compiling / 1000, ">=", 12, 20, "k lines/s"
    yield "whole compile / ast.parse of the same in Python", over_python, "<=", 10.0, 6.0, "x"
    for what, waited in latencies().items():
        gate = KEYSTROKE_GATES.get(what.partition(",")[0], 30)
        yield f"5,000 lines, from a keystroke to {what}", waited, "<=", gate, gate / 2, " ms"
    yield "opening 400 kB, to the report", opening(), "<=", 1000, 700, " ms"


def hook_rows() -> Iterator[Row]:
    """Measure what a coding agent waits at an event."""
    for name, taken in hook_latencies().items():
        gate = 15.0 if name == "quiet" else 30.0
        yield f"hook of an agent, {name}, over a bare Python", taken, "<=", gate, gate * 0.6, " ms"


def rows() -> Iterator[Row]:
    """Measure one thing after the other: what, value, direction, gate, stretch, unit."""
    micro = ratios(MICRO)
    yield "micro-benchmarks, geometric mean", mean(micro), "<=", 2.4, 1.9, "x"
    slowest = max(micro, key=lambda name: micro[name])
    yield f"slowest micro-benchmark ({slowest})", micro[slowest], "<=", 5.5, 3.5, "x"
    realistic = ratios(REALISTIC)
    yield "realistic programs, geometric mean", mean(realistic), "<=", 2.9, 2.3, "x"
    by_program = program_ratios()
    kinds = kind_ratios(by_program)
    yield "ten kinds of program, geometric mean", mean(kinds), "<=", 1.75, 1.6, "x"
    slowest = max(kinds, key=lambda name: kinds[name])
    yield f"slowest kind of program ({slowest})", kinds[slowest], "<=", 2.3, 2.1, "x"
    for name, value in {**micro, **realistic, **by_program}.items():
        sys.stdout.write(f"    {name:<20}{value:6.2f}x\n")
    yield from hook_rows()
    yield "recursion", recursion(), ">=", 20_000, 20_000, " frames"
    yield "tail calls", tail_calls(), ">=", 1_000_000, 1_000_000, " calls"
    yield "write to an owned container, 30000 vs 100", owned_growth(), "<=", 3.0, 1.2, "x"
    for what, value in csv_ratios().items():
        yield f"CSV, {what.replace('_', ' of ')} / Python's csv", value, "<=", 2.5, 1.5, "x"
    for what, value in json_ratios().items():
        yield f"JSON, {what} / Python's json", value, "<=", 2.0, 1.5, "x"
    yield "schema_is, 20 fields / checks by hand", schema_ratio(), "<=", 3.0, 2.0, "x"
    yield "rendering a template / jinja2", template_ratio(), "<=", 2.5, 1.5, "x"
    yield from front_end_rows()
    for name, value in encoding_ratios().items():
        yield f"10 MB, {name} / Python", value, "<=", 1.2, 1.05, "x"
    cached, uncached, ratio = starts()
    yield "cached hello.harn over python -c pass", cached, "<=", 7, 5, " ms"
    yield "cached hello.harn / python -c pass", ratio, "<=", 2.5, 1.5, "x"
    yield "uncached hello.harn over python -c pass", uncached, "<=", 110, 80, " ms"
    for what, value in {**command_starts(), **server_starts()}.items():
        gate = START_GATES[what]
        yield f"{what}, over python -c pass", value, "<=", gate, gate * 0.7, " ms"
    yield "spawn and await", spawn_micros(), "<=", 30, 10, " us"
    yield "memory of a parked task", parked_bytes() / 1000, "<=", 12, 7, " kB"
    yield "1000 tasks x 5 x 100 ms over ideal", waiting_ratio(), "<=", 1.2, 1.05, "x"
    yield "deadline or cancel of a busy loop, late", lateness(), "<=", 100, 20, " ms"
    yield "injection, 100,000 against 1,000 pending", inject_growth(), "<=", 3.0, 1.2, "x"
    yield "turn with 100 changes, 100,000 against 1,000", turn_growth(), "<=", 4.0, 2.0, "x"
    injecting, turning = script_growth()
    yield "the same injection in a script", injecting, "<=", 3.0, 1.2, "x"
    yield "the same turn in a script", turning, "<=", 4.0, 2.0, "x"
    yield from agent_rows()
    yield "first model call over HTTP / httpx2", first_call_ratio(), "<=", 1.2, 1.0, "x"
    for kind, value in calling_ratios().items():
        yield f"200 model calls over HTTP at a time, {kind} / httpx2", value, "<=", 1.2, 1.0, "x"
    served = a2a_ratios()
    yield "A2A GetTask / a bare application", served["GetTask"], "<=", 2.5, 1.3, "x"
    yield "A2A inject_reminder, stored / a bare application", served["inject_reminder"], "<=", 6.0, 3.5, "x"
    for method, value in acp_latencies().items():
        yield f"ACP {method} to its answer", value, "<=", 5, 1, " ms"


def agent_rows() -> Iterator[Row]:
    """Measure agents, hosts, logs and the growth of costs."""
    for name, value in turn_costs().items():
        yield f"turn with reminders ({name})", value, "<=", 3.0 if "busy" in name else 2.0, 1.5, "x"
    yield "memory of a loop, 1,000 turns against 500", memory_growth(), "<=", 2.2, 2.05, "x"
    yield "cached agent_loop of 3 turns over python -c pass", agent_start(), "<=", 20, 16, " ms"
    for what, value in turn_millis().items():
        yield f"turn, {what}", value, "<=", 1.0 if "10000" in what else 0.35, 0.25, " ms"
    yield "memory of a turn", turn_bytes() / 1000, "<=", 8, 6, " kB"
    over, used = calling_costs()
    yield "1000 tasks x 5 x 100 ms model calls over ideal", over, "<=", 1.2, 1.05, "x"
    yield "processor time of a model call", used, "<=", 60, 35, " us"
    yield "3000 tasks x 5 x 100 ms model calls over ideal", calling_costs(3_000)[0], "<=", 1.5, 1.25, "x"
    over, used = host_costs()
    yield "host, 100 sessions x 100 ms model call over ideal", over, "<=", 2.2, 1.5, "x"
    yield "processor time of a turn of a host", used, "<=", 1.6, 0.8, " ms"
    for what, value in log_ratios().items():
        yield f"one record, {what}", value, "<=", 2.6 if "JSONL" in what else 1.8, 1.5, "x"
    for what, measure in growths():
        yield f"growth, {what}", measure(), "<=", 1.2, 1.1, " exponent"


def judge(value: float, direction: str, gate: float, stretch: float) -> str:
    """Say whether a gate holds."""
    held, reached = (value <= gate, value <= stretch) if direction == "<=" else (value >= gate, value >= stretch)
    return "stretch" if reached else "ok" if held else "MISSED"


def main() -> int:
    """Print the table."""
    missed = 0
    before = pace()
    for what, value, direction, gate, stretch, unit in rows():
        after = pace()
        slow = (before + after) / 2 if unit in ABSOLUTE else 1.0
        before = after
        scaled = value * slow if direction == ">=" else value / slow
        verdict = judge(scaled, direction, gate, stretch)
        missed += verdict == "MISSED"
        limits = f"gate {direction} {gate:g}, stretch {stretch:g}"
        note = f" (scaled by pace {slow:.1f}: {scaled:.2f})" if slow > 1 else ""
        sys.stdout.write(f"{what:<45}{value:>10.2f}{unit:<10}{limits:<32}{verdict}{note}\n")
        sys.stdout.flush()
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
