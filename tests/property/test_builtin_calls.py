"""Builtins for numbers and ranges, which are plain Python for arguments of known kinds, do what plain code does."""

from itertools import product

import pytest
from test_differential import outputs_of

NUMBERS = [
    "0",
    "7",
    "-7",
    "4611686018427387904",
    "9223372036854775807",
    "(-9223372036854775807 - 1)",
    "0.0",
    "-0.0",
    "2.5",
    "-2.5",
    "1e308",
    "nan",
    "infinite",
]
OTHERS = ["nil", "true", '"12"', '"x"', "[1]", "{a: 1}", "(1 to 3)", "[5][3]", "[5, nil][0]", "[2.5, nil][0]"]
VALUES = [*NUMBERS, *OTHERS]
OF_ONE = [
    *("abs", "to_int", "to_float", "to_string", "floor", "ceil", "round", "sqrt", "sin", "exp", "ln", "len", "keys"),
    *("values", "entries", "range", "-"),
]
OF_TWO = [
    *("min({}, {})", "max({}, {})", "({} % {})", "({} / {})", "range({}, {})"),
    *("({} % len([{}, 1, 2]))", "({} / len([{}, 1, 2]))"),
]
START = """let infinite = 1e308 * 10.0
let nan = infinite - infinite
fn report(name, work) {
  println(try { "${name}: ${work()}" } catch (e) { "${name}: ${e}" })
}
"""


def compare(cases: list[tuple[str, list[str]]]) -> None:
    """Compare both kinds of code with variables of known kinds, parameters of any kind, and results in arithmetic."""
    lines = [START]
    for number, (call, values) in enumerate(cases):
        names = [f"v{place}" for place in range(len(values))]
        lets = "\n".join(f"  let {name} = {value}" for name, value in zip(names, values, strict=True))
        called = call.format(*names)
        lines.append(f"fn any{number}({', '.join(names)}) {{ return {called} }}")
        lines.append(f'report("any {number}", {{ -> any{number}({", ".join(values)}) }})')
        lines.append(f'report("{number}", {{ ->\n{lets}\n  let a = {called}\n  "${{a}} ${{type_of(a)}}"\n}})')
        lines.append(f'report("sum {number}", {{ ->\n{lets}\n  {called} + 1\n}})')
        lines.append(f'report("list {number}", {{ ->\n  let xs = [{", ".join(values)}]\n  var n = 0')
        reads = call.format(*(f"xs[{place}]" for place in range(len(values))))
        lines.append(f"  for i in 0 to 2 exclusive {{ n += {reads} }}\n  n\n}})")
    optimised, plain = outputs_of("\n".join(lines))
    assert optimised == plain
    assert optimised.count("\n") > len(cases)


@pytest.mark.parametrize("name", OF_ONE)
def test_calls_with_one_argument(name):
    compare([(f"{name}({{}})", [value]) for value in VALUES])


@pytest.mark.parametrize("call", OF_TWO)
@pytest.mark.parametrize("left", VALUES)
def test_calls_with_two_arguments(call, left):
    compare([(call, list(pair)) for pair in product([left], VALUES)])


@pytest.mark.parametrize("low", ["0", "-2", "nil", "9223372036854775805", "2.0"])
def test_loops_over_ranges(low):
    text = f"""{START}
fn visits(low) {{
  var xs = [10, 20, 30]
  var seen = []
  for i in range(low, 9223372036854775807) {{
    for j in range(i, i + 3) {{ seen = seen.push(xs[j]) }}
    xs[i] += i
    if len(seen) > 8 {{ break }}
  }}
  return [xs, seen]
}}
report("any", {{ -> visits({low}) }})
report("known", {{ ->
  var n = 0
  for i in range({low}, {low} + 3) {{ n = n * 3 + i }}
  for i in range({low}) {{ n = n * 3 + i
    if i > 5 {{ break }} }}
  n
}})
"""
    optimised, plain = outputs_of(text)
    assert optimised == plain


@pytest.mark.parametrize("key", ['"k"', "1", "5", "nil", "1.5", "true", "[1]"])
@pytest.mark.parametrize(
    "before", ["{}", '{k: [1], "5": [2], "nil": [3]}', "{k: nil}", '{k: "text"}', "[[1], [2]]", "nil"]
)
@pytest.mark.parametrize(
    "write",
    [
        *("d[key] = (d[key] ?? []).push(n)", "d[key] = d.get(key, []).push(n)", "d[key] = d[key].push(n)"),
        *("d[key] = xs[n]", "d[key] += xs[n]", "d[0][key] -= xs[0]", "d[xs[0]][key] = xs[n]"),
    ],
)
def test_writes_to_a_place(key, before, write):
    body = f"let other = d\n  let xs = [0, 1, 2, 3]\n  for n in 1 to 3 {{ {write} }}\n  [d, other]"
    text = f"""{START}
fn grown(given, key) {{
  var d = given
  {body}
}}
report("any", {{ -> grown({before}, {key}) }})
report("known", {{ ->
  var d = {before}
  let key = {key}
  {body}
}})
"""
    optimised, plain = outputs_of(text)
    assert optimised == plain
