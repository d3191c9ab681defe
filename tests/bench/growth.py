"""The growth of the cost of each kind of work with its size, as the exponent of a power that is fitted to the costs."""

from __future__ import annotations

import gc
import os
import tempfile
from math import log
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

from harnlite.compiler.compilation import compile_source
from harnlite.diagnostics.source import Source
from harnlite.host.linting import Wishes, lint_files
from harnlite.reminders.lifecycle import inject, post_turn
from harnlite.reminders.spec import ReminderSpec
from harnlite.reminders.transcript import Transcript
from harnlite.runtime.tasks.clock import Clock
from harnlite.stack import on_large_stack
from harnlite.store.event_log import open_log
from tests.bench.front_end import PIECE
from tests.bench.programs import within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Work = Callable[[int], object]
    Functions = dict[str, Callable[..., object]]

DOUBLINGS, ROUNDS = 4, 3
TEXT = """import { agent_session_inject_reminder } from "std/agent/state"
fn lists(n) {
  var xs = []
  for k in 0 to n exclusive { xs = xs.push((k * 7919) % n) }
  for k in 0 to n exclusive { xs[k] = xs[k] + 1 }
  return xs.sort().map({ x -> x * 2 }).filter({ x -> x % 3 == 0 }).reverse().unique().sum()
}
fn dicts(n) {
  var d = {}
  for k in 0 to n exclusive { d["k${k}"] = k }
  for k in 0 to n exclusive { d["k${k}"] = d["k${k}"] + 1 }
  var total = 0
  for key in d.keys() { total = total + d[key] }
  return total + json_parse(json_stringify(d)).keys().count()
}
fn nested(n) {
  var state = {items: [], groups: {}, cells: (0 to n exclusive).to_list().map({ k -> {at: k} })}
  for k in 0 to n exclusive {
    let group = "g${k % 3}"
    if state.groups[group] == nil { state.groups[group] = [] }
    state.groups[group] = state.groups[group].push(k)
    state.items = state.items.push(k)
    state.cells[k].at += 1
  }
  return len(state.items) + len(state.groups.g0) + state.cells[n - 1].at
}
fn grouped(n) {
  var groups = {}
  for k in 0 to n exclusive {
    let group = "g${k % 2}"
    groups[group] = (groups[group] ?? []).push(k)
    groups["all"] = groups.get("all", []).push(group)
  }
  return len(groups.all)
}
fn texts(n) {
  var text = ""
  for k in 0 to n exclusive { text = text + "word ${k} " }
  let words = text.split(" ")
  return words.join("-").replace("-", "+").upper().count("W") + text.lines().count()
}
fn loop_options(session, turns) {
  return {
    provider: "mock", model: "mock", tool_format: "text", session_id: session, loop_until_done: true,
    max_iterations: turns, max_nudges: turns + 1,
  }
}
fn turns(n) {
  llm_mock_clear()
  llm_mock({match: "*", text: "working on it"})
  agent_session_open("turns")
  let done = agent_loop("task", nil, loop_options("turns", n)).llm.iterations
  agent_session_close("turns")
  return done
}
fn messages(n) {
  llm_mock_clear()
  llm_mock({match: "*", text: "working on it"})
  agent_session_open("messages")
  for k in 1 to n {
    agent_session_inject("messages", {role: k % 2 == 0 ? "assistant" : "user", content: "message ${k}"})
  }
  agent_loop("task", nil, loop_options("messages", 20))
  agent_session_close("messages")
}
fn live(n) {
  llm_mock_clear()
  llm_mock({match: "*", text: "working on it"})
  agent_session_open("live")
  for k in 1 to n { agent_session_inject_reminder("live", {body: "number ${k}", ttl_turns: k % 2 == 0 ? nil : 100000}) }
  agent_loop("task", nil, loop_options("live", 20))
  agent_session_close("live")
}
fn tasks(n) {
  let gate = channel("gate", 1)
  let waiting = (0 to n exclusive).map({ k -> spawn { receive(gate) } }).to_list()
  sleep(1)
  close_channel(gate)
  return waiting.map({ t -> await(t) }).count() + (parallel n { k ->
    sleep(5)
    k
  }).count()
}
"""
SIZES = {
    "program": 25,
    "sum in a program": 100,
    "list": 4_000,
    "dict": 3_000,
    "containers in containers": 1_500,
    "groups": 1_500,
    "text": 3_000,
    "turns of an agent": 60,
    "messages of a transcript": 300,
    "live reminders": 300,
    "lifecycle of reminders": 300,
    "log in memory": 5_000,
    "log in a JSONL file": 800,
    "log in a SQLite file": 400,
    "files": 6,
    "tasks": 150,
}
"""The smallest size of each kind of work."""


def growth(work: Work, smallest: int, rounds: int = ROUNDS) -> float:
    """Return the exponent of the cost of work, measured at sizes that double a few times."""
    sizes = [smallest << step for step in range(DOUBLINGS + 1)]
    work(smallest)
    costs = [min(_seconds(work, size) for _ in range(rounds)) for size in sizes]
    return slope([log(size) for size in sizes], [log(cost) for cost in costs])


def slope(across: list[float], up: list[float]) -> float:
    """Return the slope of the line with the least squared distance from points."""
    left, low = sum(across) / len(across), sum(up) / len(up)
    covariance = sum((x - left) * (y - low) for x, y in zip(across, up, strict=True))
    return covariance / sum((x - left) ** 2 for x in across)


def _seconds(work: Work, size: int) -> float:
    """Return the processor time of work, with that of its threads and of processes that it has awaited."""
    gc.collect()
    start = process_time(), _of_children()
    work(size)
    return max(process_time() - start[0] + _of_children() - start[1], 1e-6)


def _of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def growths(part: float = 1.0, rounds: int = ROUNDS) -> Iterator[tuple[str, Callable[[], float]]]:
    """Yield each kind of work with a function that measures its growth, from a part of the usual smallest sizes on."""
    scripts = {
        "list": "lists",
        "dict": "dicts",
        "containers in containers": "nested",
        "groups": "grouped",
        "text": "texts",
        "turns of an agent": "turns",
        "messages of a transcript": "messages",
        "live reminders": "live",
        "tasks": "tasks",
    }
    others = {
        "program": _compile,
        "sum in a program": _compile_sum,
        "lifecycle of reminders": _age,
        "log in memory": lambda count: _log(count, None),
        "log in a JSONL file": lambda count: _log(count, "events"),
        "log in a SQLite file": lambda count: _log(count, "store"),
        "files": _lint,
    }
    for name, size in SIZES.items():
        smallest = max(int(size * part), 2)
        if name in others:
            yield name, lambda work=others[name], smallest=smallest: growth(work, smallest, rounds)
        else:
            function = scripts[name]

            def measure(functions: Functions, function: str = function, smallest: int = smallest) -> float:
                return growth(functions[function], smallest, rounds)

            yield name, lambda measure=measure: within(TEXT, measure)


def _compile(count: int) -> None:
    compile_source(Source("".join(PIECE.format(i=number) for number in range(count))))


def _compile_sum(count: int) -> None:
    terms = " + ".join(f"n * {number} / 3" for number in range(count))
    on_large_stack(lambda: compile_source(Source(f"var n = 1\nn = {terms}\n")))


def _age(count: int) -> None:
    transcript = Transcript.new("growth")
    for number in range(count):
        spec = ReminderSpec(
            id=f"r{number}",
            body=f"body {number}",
            dedupe_key=f"key {number // 2}" if number % 3 else None,
            ttl_turns=None if number % 5 else 10_000,
        )
        transcript = inject(transcript, spec).transcript
    for turn in range(50):
        transcript = post_turn(transcript, turn).transcript
    transcript.shown()


def _log(count: int, kind: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = {} if kind is None else {kind: str(Path(folder, "log"))}
        log = open_log(Clock(), **paths)
        for number in range(count):
            log.emit(f"topic.{number % 3}", "kind", {"number": number, "text": "some text"})
        log.close()
        if paths:
            log = open_log(Clock(), **paths)
            if len(log.read("topic.0")) != -(-count // 3):
                message = "records are missing"
                raise AssertionError(message)
            log.close()


def _lint(count: int) -> None:
    before = os.environ.get("HARNLITE_CACHE")
    os.environ["HARNLITE_CACHE"] = "off"
    try:
        with tempfile.TemporaryDirectory() as folder:
            paths = [str(Path(folder, f"file_{number:04}.harn")) for number in range(count)]
            for number, path in enumerate(paths):
                Path(path).write_text(PIECE.format(i=number), encoding="utf-8")
            lint_files(Wishes(), paths)
    finally:
        os.environ.pop("HARNLITE_CACHE")
        if before is not None:
            os.environ["HARNLITE_CACHE"] = before
