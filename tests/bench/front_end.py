"""The speed of parsing and compiling."""

from __future__ import annotations

import time

from harnlite.compiler.compilation import compile_source
from harnlite.diagnostics.source import Source
from harnlite.stack import on_large_stack
from harnlite.syntax.parser import parse

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


def speeds(pieces: int = 200, rounds: int = 5) -> tuple[float, float]:
    """Return lines per second of the parser, and of the whole way to a code object."""
    text = "".join(PIECE.format(i=i) for i in range(pieces))
    lines = text.count("\n")

    def measure() -> tuple[float, float]:
        parsing = compiling = float("inf")
        for _ in range(rounds):
            start = time.thread_time()
            parse(Source(text))
            parsing = min(parsing, time.thread_time() - start)
            start = time.thread_time()
            compile_source(Source(text))
            compiling = min(compiling, time.thread_time() - start)
        return lines / parsing, lines / compiling

    return on_large_stack(measure)
