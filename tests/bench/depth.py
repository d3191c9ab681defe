"""The maximum nesting depth of calls."""

from __future__ import annotations

import harnlite

DEEP, MANY = 19_990, 1_000_000


def recursion() -> float:
    """Return a depth of plain calls that works."""
    text = f"fn f(n) {{ if n == 0 {{ return 0 }}; return 1 + f(n - 1) }}\nreturn f({DEEP})"
    return float(harnlite.run(text).value) + 10


def tail_calls() -> float:
    """Return a number of tail calls that works, through two functions."""
    text = (
        "fn a(n, m) { if n == 0 { return m }; return b(n - 1, m + 1) }\n"
        "fn b(n, m) { if n == 0 { return m }; return a(n - 1, m + 1) }\n"
        f"return a({MANY}, 0)"
    )
    return float(harnlite.run(text).value)
