"""The cost of tasks, and the delay of a cancellation."""

from __future__ import annotations

import gc
import resource
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.bench.programs import within

if TYPE_CHECKING:
    from collections.abc import Callable

    Functions = dict[str, Callable[..., object]]

SPAWNED, PARKED, WAITING = 5_000, 5_000, 1_000
TEXT = """fn spawn_join(n) {
  var last = 0
  for k in 0 to n exclusive { last = await(spawn { k }) }
  return last
}
fn park(n, note) {
  let gate = channel("gate", 1)
  let tasks = (0 to n exclusive).map({ k -> spawn { receive(gate) } }).to_list()
  sleep(1)
  note()
  close_channel(gate)
  return tasks.map({ t -> await(t) }).count()
}
fn waits(n) {
  return (parallel n { k ->
    for step in 1 to 5 { sleep(100) }
    k
  }).count()
}
fn late() {
  return try { deadline 50ms { while true { } } }
}
fn cancelled() {
  let t = spawn { while true { } }
  sleep(20)
  cancel(t)
  return true
}
"""
IDEAL_SECONDS = 0.5


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _resident() -> int:
    """Return the memory of this process; the most it ever had where nothing tells what it has now."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return pages * resource.getpagesize()


def spawn_micros() -> float:
    """Return the microseconds of one spawn and await."""
    return within(TEXT, lambda f: min(_seconds(lambda: f["spawn_join"](SPAWNED)) for _ in range(3))) / SPAWNED * 1e6


def parked_bytes() -> float:
    """Return the memory of one task that waits."""

    def measure(functions: Functions) -> float:
        functions["park"](10, lambda *_: None)
        gc.collect()
        before = _resident()
        after: list[int] = []
        functions["park"](PARKED, lambda *_: after.append(_resident()))
        return (after[0] - before) / PARKED

    return within(TEXT, measure)


def waiting_ratio() -> float:
    """Return how much longer than ideal 1000 tasks take that wait 5 times 100 ms each."""
    return within(TEXT, lambda functions: _seconds(lambda: functions["waits"](WAITING))) / IDEAL_SECONDS


def lateness() -> float:
    """Return the milliseconds by which a deadline or a cancel of a busy loop comes too late, at worst."""

    def measure(functions: Functions) -> float:
        deadline = max(_seconds(functions["late"]) for _ in range(5)) - 0.05
        cancel = max(_seconds(functions["cancelled"]) for _ in range(5)) - 0.02
        return max(deadline, cancel) * 1000

    return within(TEXT, measure)
