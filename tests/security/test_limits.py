"""Huge values and endless work cause a clear error and do not bring down the machine."""

import time

import pytest

import harnlite
from tests.samples import slow

TOO_LARGE = "Value too large"
BIG = "1000000000000"
SIZES = {
    "repeat": (f'"x" * {BIG}', TOO_LARGE),
    "repeat from the left": (f'{BIG} * "x"', TOO_LARGE),
    "repeat method": (f'"x".repeat({BIG})', TOO_LARGE),
    "pad left": (f'"x".pad_left({BIG})', TOO_LARGE),
    "pad right": (f'"x".pad_right({BIG}, "ab")', TOO_LARGE),
    "str_pad": (f'str_pad("x", {BIG})', TOO_LARGE),
    "doubling": ('{ -> var s = "x" * 1000\n for i in 1 to 40 { s = s + s }\n len(s) }()', TOO_LARGE),
    "doubling by text": (
        '{ -> var s = "x" * 1000\n for i in 1 to 40 { s = "${s}${s}" } }()',
        TOO_LARGE,
    ),
    "replace": ('("a" * 20000000).replace("a", "0123456789")', TOO_LARGE),
    "list of a range": (f"(1 to {BIG}).to_list()", TOO_LARGE),
    "power wraps": ("2 ** 4294967295", "0"),
    "power beyond": ("10 ** 10000000000", "inf"),
    "power of a float": ("10.0 ** 400", "inf"),
    "power of floats": ("pow(10.0, 400)", "inf"),
    "exp": ("exp(100000)", "inf"),
    "range has a length": (f"len(1 to {BIG})", BIG),
    "range is lazy": (f"(1 to {BIG}).contains(5)", "true"),
    "nested json": ('json_parse("[" * 100000)', "JSON parse error: recursion limit exceeded"),
    "chunks": (f"chunk([1, 2], {BIG})", "[[1, 2]]"),
    "window": (f"window([1, 2], {BIG})", "[]"),
    "slice": (f"[1, 2, 3][-{BIG}:{BIG}]", "[1, 2, 3]"),
    "substring": (f'"abc".substring(0, {BIG})', "abc"),
    "index": (f"[1][{BIG}]", "nil"),
    "take": (f"[1, 2].take({BIG})", "[1, 2]"),
    "channel": (f'channel("c", {BIG})', "<channel:c>"),
}


@pytest.mark.parametrize("name", SIZES)
def test_size(name: str) -> None:
    expression, expected = SIZES[name]
    started = time.monotonic()
    result = harnlite.Engine(cache=False).run(f"println(try {{ {expression} }} catch (e) {{ e }})\n")
    assert result.stdout.startswith(expected), result.stdout[:200] + result.stderr
    assert time.monotonic() - started < 20


def test_a_regular_expression_cannot_hang() -> None:
    result = harnlite.Engine(cache=False).run('println(try { regex_match("(a*)*b", "a" * 5000) } catch (e) { e })\n')
    assert result.stdout in ("nil\n", "Runtime error: regex_match: pattern takes too long\n")


def test_a_run_can_have_a_deadline() -> None:
    started = time.monotonic()
    result = harnlite.Engine(cache=False, deadline=0.3).run('println("on")\nwhile true { }\n')
    assert result.stdout == "on\n"
    assert not result.ok
    assert time.monotonic() - started < 10


def test_a_run_can_have_an_output_limit() -> None:
    result = harnlite.Engine(cache=False, max_output=10_000, deadline=20).run('while true { println("spam") }\n')
    assert not result.ok
    assert len(result.stdout) <= 20_000


DEPTHS = {
    "callbacks": "fn f(x) { return [x].map(f) }\nf(1)",
    "sort keys": "fn f(x) { return [1, 2].sort_by(f) }\nf(1)",
    "iterators": "fn f(x) { return iter([x]).map(f).to_list() }\nf(1)",
    "methods": "struct S { x: int }\nimpl S { fn m(self) { return [self.m()] } }\nS {x: 1}.m()",
    "defaults": "fn f(x = f()) { return [x] }\nf()",
    "interpolation": 'fn f(x) { return "${f(x)}" }\nf(1)',
    "guards": "fn f(x) { return [match x { n if f(n) -> { 1 } }] }\nf(1)",
    "tasks": "fn f(x) { return [await(spawn { f(x) })] }\nf(1)",
    "generators": "fn f() { for x in f() { yield x } }\nfor x in f() { println(x) }",
    "finally": "fn f() { try { return 1 + f() } finally { 1 } }\nf()",
    "dict entries": "let d = {}\nfn f(x) { return [{m: f}.m(x)] }\nf(1)",
}


@pytest.mark.parametrize("name", [pytest.param(name, marks=slow if name == "tasks" else ()) for name in DEPTHS])
def test_endless_recursion_is_an_error_that_can_be_caught(name: str) -> None:
    *declarations, call = DEPTHS[name].split("\n")
    body = "\n".join(declarations)
    program = f'{body}\ntry {{\n{call}\n}} catch (e) {{ println("caught ${{e}}") }}\nprintln("alive")\n'
    result = harnlite.Engine(cache=False).run(program)
    assert result.stdout == "caught Stack overflow: too many nested calls\nalive\n", result.stderr[:500]
