"""The speed of parsing, compiling, linting and formatting."""

from __future__ import annotations

import ast
import time

from harnlite.analysis.linting.linter import Linter
from harnlite.compiler.compilation import compile_source
from harnlite.diagnostics.source import Source
from harnlite.stack import on_large_stack
from harnlite.syntax.parser import parse
from harnlite.syntax.printer import format_source

PIECE = """struct S{i} {{ a: int, b: string }}
impl S{i} {{
  fn size(self, k) {{ return self.a * k + len(self.b) }}
}}

// Counts things and gives them a name.
fn work{i}(n, name = "x{i}") {{
  var total = 0
  var seen = {{}}
  for k in 0 to n {{
    if k % 3 == 0 && k > 2 {{
      total += k * 2
    }} else {{
      seen["k${{k}}"] = total
    }}
  }}
  let s = S{i} {{a: total, b: name}}
  let label = match s.size(2) {{
    0 -> {{ "none" }}
    1 | 2 -> {{ "few" }}
    _ -> {{ "many ${{len(seen)}}" }}
  }}
  let items = [1, 2, 3].map({{ x -> x + n }}).filter({{ x -> x > 1 }})
  return {{label: label, total: total, items: items}}
}}

"""


TWIN = """class S{i}:
    def __init__(self, a: int, b: str):
        self.a = a
        self.b = b
    def size(self, k):
        return self.a * k + len(self.b)


# Counts things and gives them a name.
def work{i}(n, name="x{i}"):
    total = 0
    seen = {{}}
    for k in range(0, n + 1):
        if k % 3 == 0 and k > 2:
            total += k * 2
        else:
            seen[f"k{{k}}"] = total
    s = S{i}(a=total, b=name)
    match s.size(2):
        case 0:
            label = "none"
        case 1 | 2:
            label = "few"
        case _:
            label = f"many {{len(seen)}}"
    items = [x for x in map(lambda x: x + n, [1, 2, 3]) if x > 1]
    return {{"label": label, "total": total, "items": items}}


"""
"""The same in Python."""


def reading_speeds(pieces: int = 100, rounds: int = 9) -> dict[str, tuple[float, float]]:
    """Return lines per second of the linter and the formatter, and their time for a line over that of `ast.parse`."""
    text, twin = ("".join(piece.format(i=i) for i in range(pieces)) for piece in (PIECE, TWIN))
    unformatted = text.replace("  ", "    ").replace(", ", ",")
    linter = Linter()
    works = {
        "ast.parse": (twin, lambda: ast.parse(twin)),
        "lint": (text, lambda: linter.lint(Source(text))),
        "fmt": (text, lambda: format_source(Source(text))),
        "fmt, unformatted": (unformatted, lambda: format_source(Source(unformatted))),
    }

    def measure() -> dict[str, float]:
        best = dict.fromkeys(works, float("inf"))
        for _ in range(rounds):
            for name, (read, work) in works.items():
                start = time.thread_time()
                work()
                best[name] = min(best[name], (time.thread_time() - start) / read.count("\n"))
        return best

    found = on_large_stack(measure)
    python = found.pop("ast.parse")
    return {name: (1 / taken, taken / python) for name, taken in found.items()}


def speeds(pieces: int = 200, rounds: int = 5) -> tuple[float, float, float]:
    """Return lines per second of the parser and of the whole way to a code object, and a ratio to Python's parser.

    The ratio is the time of the whole way over the time in which `ast.parse` reads the same program in Python.
    """
    text = "".join(PIECE.format(i=i) for i in range(pieces))
    twin = "".join(TWIN.format(i=i) for i in range(pieces))
    lines = text.count("\n")

    def measure() -> tuple[float, float, float]:
        best = [float("inf")] * 3
        steps = (lambda: parse(Source(text)), lambda: compile_source(Source(text)), lambda: ast.parse(twin))
        for _ in range(rounds):
            for number, step in enumerate(steps):
                start = time.thread_time()
                step()
                best[number] = min(best[number], time.thread_time() - start)
        parsing, compiling, reading = best
        return lines / parsing, lines / compiling, compiling / reading

    return on_large_stack(measure)
