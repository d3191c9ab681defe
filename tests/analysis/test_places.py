"""Findings point to the smallest wrong expression, and labels point to the related code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Check

CASES = [
    ("fn f(a: int) { return a }\nf(1, 2, 3)", "2, 3", ["f"]),
    ('fn f(a: int) { return a }\nf("x")', '"x"', ["a: int"]),
    ('let n: int = "a"', '"a"', ["int"]),
    ('var n: int = 1\nn = "a"', '"a"', ["n"]),
    ('fn f() -> int { return "a" }', '"a"', ["int"]),
    ('struct P { x: int }\nlet p = P {x: "a"}', '"a"', ["x: int"]),
    ("struct P { x: int }\nlet p = P {x: 1, z: 2}", "z", ["P"]),
    ("enum E { A, B }\nlet e1 = E.C", "C", ["E"]),
    ("lenn([1])", "lenn", []),
    ("[1].puhs(1)", "puhs", []),
    ('let x = 1 + "a"', '1 + "a"', ["1", '"a"']),
    ("let x = 1\nx = 2", "x", ["x"]),
    ("fn f() { return 1; log(2) }", "log(2)", ["return 1"]),
    ('fn f(l: "a" | "b") { match l { "a" -> { 1 } } }', "match l", []),
    ("type T<out A> = fn(A) -> int", "A", ["out A"]),
    ("pipeline default() extends lost { log(1) }", "lost", []),
]


@pytest.mark.parametrize(("text", "place", "others"), CASES)
def test_places(findings: Check, text: str, place: str, others: list[str]) -> None:
    [found] = findings(text)
    assert text[found.span.start : found.span.end] == place
    assert [text[label.span.start : label.span.end] for label in found.labels] == others


def test_labels_say_what_was_declared(findings: Check) -> None:
    [found] = findings('let xs: list<int> = "a"')
    assert [label.message for label in found.labels] == ["declared as list<int> here"]


def test_findings_do_not_hide_each_other(findings: Check) -> None:
    text = 'fn f(a: int) -> string { return a + nope(lenn("x")) }\nlet s: int = f("y")\nbreak\n'
    assert [found.message for found in findings(text)] == [
        "call target `nope` is not defined or imported",
        "call target `lenn` is not defined or imported — did you mean `len`?",
        "'s' declared as int, but assigned string",
        "Argument 1 ('a'): expected int, got string",
        "break outside of loop",
    ]


def test_healthy_parts_of_a_broken_file(findings: Check) -> None:
    text = 'let x: int = "a"\nfn broken( { return 1 }\nlet y: string = 1\nbroken(1)\n'
    assert "'x' declared as int, but assigned string" in [found.message for found in findings(text)]
    assert not [found for found in findings(text) if "call target" in found.message]


def test_deep_and_long_programs(findings: Check) -> None:
    chain = " + ".join(["1"] * 2000)
    assert [found.message for found in findings(f'let x: string = {chain}\nlet y: string = {chain} + "a"\n')] == [
        "'x' declared as string, but assigned int",
        "can't add int and string",
    ]
    logic = " && ".join(["x != nil"] * 500)
    assert not findings(f"fn f(x: int | nil) {{ if {logic} {{ let y: int = x }} }}")
    assert not findings("let x = " + "[" * 1000 + "]" * 1000)
    steps = "".join(f".map({{ x{i} -> x{i} }})" for i in range(500))
    assert not findings(f"[1]{steps}")
