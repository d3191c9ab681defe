"""Fields and calls of members: optimised code, which expects structs and dicts, does what plain code does."""

from itertools import product

import pytest
from test_differential import outputs_of

START = """enum Shape { Circle(r: int), Dot }
struct Point { x: int, y: int }
struct Line { start: Point, end: Point, go: int }
impl Point {
  fn sum(self) { return self.x + self.y }
}
impl Line {
  fn width(self) { return self.end.x - self.start.x }
  fn rest(self) {
    let ends = [self.start.y, self.end.z]
    return ends
  }
  fn is_long(self, other) { return self.end.x > other.x && self.start.y != other.end.y }
  fn sums(self) { return "${self.start.sum()} ${self.end.sum()}" }
}
fn report(name, work) {
  println(try { "${name}: ${work()}" } catch (e) { "${name}: ${e}" })
}
let point = Point {x: 3, y: 4}
"""
PARTS = [
    "point",
    "Point {x: 1.5, y: nil}",
    "Point {x: point}",
    "{x: 7, y: 8, z: 9}",
    "{}",
    "nil",
    "5",
    '"text"',
    "[1, 2]",
    "Shape.Circle(2)",
    "Shape.Dot",
    "pair(1, 2)",
    "{ x -> x }",
]
RECEIVERS = [
    *PARTS,
    "Line {start: point, end: point, go: { a, b -> [a, b] }}",
    "Line {start: {y: 1}, end: 5}",
    "{go: { a, b -> [a, b] }, sum: { -> 6 }}",
    "{go: println, end: point}",
    "{go: Point}",
    "{go: 5}",
    "{go: nil}",
    "set(1)",
    "(1 to 3)",
]


@pytest.mark.parametrize("end", PARTS)
def test_fields_of_fields(end):
    lines = []
    for start, other in product(PARTS, PARTS[:6]):
        lines += [
            f"let line = Line {{start: {start}, end: {end}}}",
            f"let other = {other}",
            'report("width", { -> line.width() })',
            'report("rest", { -> line.rest() })',
            'report("long", { -> line.is_long(other) })',
            'report("sums", { -> line.sums() })',
        ]
    text = START + "\n".join(f"if true {{\n{line}" if line[:8] == "let line" else line for line in lines)
    text = text.replace("line.sums() })", "line.sums() })\n}")
    optimised, plain = outputs_of(text)
    assert optimised == plain
    assert optimised.count("width: ") == len(PARTS) * 6


@pytest.mark.parametrize("receiver", RECEIVERS)
def test_calls_of_members(receiver):
    lines = [f"fn subject() {{ return {receiver} }}", "fn given(it) {", "  var n = 0"]
    calls = [
        "go(1, 2)",
        "go()",
        "go(n, noted(n), 3)",
        "go(...[1, 2])",
        "sum()",
        "missing(1)",
        "go({ -> it.go })",
        "x(1)",
    ]
    lines += [f'  report("{number}", {{ -> it.{call} }})' for number, call in enumerate(calls)]
    lines += [f"  try {{ n = it.{call}\n  println(n) }} catch (e) {{ println(e) }}" for call in calls]
    lines += ["}", "fn noted(n) {", '  println("noted ${n}")', "  return n", "}", "given(subject())"]
    direct = [call for call in calls if "n" not in call and "it" not in call]
    lines += [f'report("direct", {{ -> subject().{call} }})' for call in direct]
    optimised, plain = outputs_of(START + "\n".join(lines))
    assert optimised == plain
    assert optimised.count("direct: ") == 5
