"""Harn programs and equivalent hand-written Python, run in turn in one process."""

from __future__ import annotations

import io
import time
from math import exp, log
from pathlib import Path
from typing import TYPE_CHECKING

from harnlite.compiler.compilation import written_code
from harnlite.diagnostics.source import Source
from harnlite.library import Natives
from harnlite.runtime.modules import Modules, Program
from harnlite.runtime.tasks.execution import Execution
from harnlite.stack import on_large_stack

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

HERE = Path(__file__).parent / "programs"
ROUNDS = 7
LARGE, SMALL, WRITES = 30_000, 100, 100_000
MICRO = {
    "loop_sum": 200_000,
    "fib": 22,
    "floats": 60,
    "sieve": 40_000,
    "dicts": 40_000,
    "properties": 60_000,
    "closures": 40_000,
    "strings": 30_000,
    "structs": 20_000,
    "matching": 30_000,
    "errors": 20_000,
    "generators": 40_000,
}
REALISTIC = {"words": 400, "reminders": 300, "queens": 7, "matrix": 40}
OWNED = """fn lists(n, writes) {
  var xs = (0 to n exclusive).to_list()
  for k in 0 to writes exclusive { xs[k % n] = k }
  return len(xs)
}
fn dicts(n, writes) {
  var d = {}
  for k in 0 to n exclusive { d["k${k}"] = k }
  for k in 0 to writes exclusive { d["k7"] = k }
  return len(d)
}
"""


def compiled(source: Source) -> Program:
    """Compile without the cache and the checks."""
    return Program(source, *written_code(source))


def within(text: str, work: Callable[[dict[str, Callable[..., object]]], T], run: Execution | None = None) -> T:
    """Do work with the functions of a program, inside a run."""
    run = run or Execution(stdout=io.StringIO())
    modules = run.context["modules"] = Modules(run, compiled, Natives())
    program = compiled(Source(text))
    return on_large_stack(lambda: run.enter(lambda: work(modules.functions(program))))


def by_hand(name: str, folder: Path = HERE) -> Callable[..., object]:
    """Return the Python twin of a program."""
    space: dict[str, Callable[..., object]] = {}
    exec(compile((folder / f"{name}.py").read_text(), name, "exec"), space)
    return space["work"]


def best(*works: Callable[[], object]) -> list[float]:
    """Return the least processor time of each of several works, done in turn."""
    times = [float("inf")] * len(works)
    for _ in range(ROUNDS):
        for number, work in enumerate(works):
            start = time.thread_time()
            work()
            times[number] = min(times[number], time.thread_time() - start)
    return times


def ratio(name: str, size: int, folder: Path = HERE) -> float:
    """Return how many times longer a program takes than its twin."""
    theirs = by_hand(name, folder)

    def measure(functions: dict[str, Callable[..., object]]) -> float:
        ours = functions["work"]
        if ours(size) != theirs(size):
            message = f"{name}: the program and its twin disagree"
            raise AssertionError(message)
        own, hand = best(lambda: ours(size), lambda: theirs(size))
        return own / hand

    return within((folder / f"{name}.harn").read_text(), measure)


def ratios(programs: dict[str, int]) -> dict[str, float]:
    """Return the ratios of several programs."""
    return {name: ratio(name, size) for name, size in programs.items()}


def mean(values: dict[str, float]) -> float:
    """Return the geometric mean."""
    return exp(sum(map(log, values.values())) / len(values))


def owned_growth() -> float:
    """Return how much longer a write to a large owned container takes than one to a small one."""
    return within(OWNED, lambda functions: max(_growth(functions[name]) for name in ("lists", "dicts")))


def _growth(write: Callable[..., object]) -> float:
    large, small, large_base, small_base = best(
        lambda: write(LARGE, WRITES),
        lambda: write(SMALL, WRITES),
        lambda: write(LARGE, 0),
        lambda: write(SMALL, 0),
    )
    return (large - large_base) / (small - small_base)
