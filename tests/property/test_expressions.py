"""Optimised code and code with one helper call per operator give the same value or error for any expression.

Each program has many short expressions over variables with values at the edges of the ranges.
"""

import os
import random

import pytest
from programs import FORMS, HEAD, expression
from test_differential import outputs_of

from tests.samples import count

EXPRESSIONS = int(os.environ.get("HARNLITE_FUZZ", "0")) * 20 or count(10_000, 2000)
A_FUNCTION, A_PROGRAM = 20, 200
EDGES = ["0", "1", "-1", "2", "3", "-7", "1073741823", "1073741824", "-1073741825", "3037000499", "3037000500"]
EDGES += ["4294967296", "4611686018427387904", "9223372036854775807", "(-9223372036854775807 - 1)"]
VALUES = {
    "c1 c2 j": EDGES,
    "i": ["0", "1", "-1", "3", "-7", "50"],  # the depth of a recursion, as `n` is
    "n": ["0", "1", "3", "10", "50"],
    "f g r1 r2": ["0.0", "-0.0", "1.5", "2.0", "-3.25", "1e300", "-1e-300", "0.1", "9007199254740993.0"],
    "s u": ['""', '"a"', '"key"', '"12"', '"héé"', '"a,b"', '" B "'],
    "b": ["true", "false"],
    "a p": [*EDGES[:4], "nil", "2.5", '"a"', "true", "[1, 2]", "{a: 1}", "2s", "Point {x: 1, y: 2}", "Shape.Dot"],
    "xs ys": ["[]", "[1, 2, 3]", '["a", nil, 2.5]', "[[1], [2, 3]]"],
    "d m": ["{}", "{a: 1, b: 2}", '{a: {b: [1, 2]}, key: "v"}'],
    "li": ["[]", "[1, 2, 3]", "[9223372036854775807, 1]", "[1073741823, -1073741824, 5]"],
    "ln": ["[1, nil, 3]", "[nil]"],
    "lf": ["[0.5, 1.5]", "[1e308, 1e308]", "[]"],
    "ls": ['["a", "Bb", ""]', "[]"],
    "mm": ["[[1, 2], [3, 4], [5, 6]]", "[[], [1]]"],
    "di": ["{a: 1, b: 2}", "{}"],
    "rec": ["{x: 3, y: 4}", "{x: 9223372036854775807, y: 2}"],
    "pt": ["Point {x: 1, y: 2}", "Point {x: 9223372036854775807, y: 1}"],
    "pf": ["Point {x: 1.5, y: 2.5}", "Point {x: 1e308, y: 10.0}"],
}


def function(dice, number):
    """Return a function that prints the values or errors of some expressions."""
    lines = [f"var {name} = {dice.choice(values)}" for names, values in VALUES.items() for name in names.split()]
    for at in range(A_FUNCTION):
        text = expression(dice, dice.choice(list(FORMS)), 3)
        lines.append(f'println("{at}: ${{try {{ {text} }} catch (e) {{ e }}}}")')
    return "\n".join([f"fn part{number}() {{", *(f"  {line}" for line in lines), "}", f"part{number}()", ""])


@pytest.mark.parametrize("seed", range(max(EXPRESSIONS // A_PROGRAM, 1)))
def test_optimised_code_gives_the_values_of_plain_code(seed):
    dice = random.Random(seed)
    text = HEAD + "".join(function(dice, number) for number in range(A_PROGRAM // A_FUNCTION))
    optimised, plain = outputs_of(text)
    assert optimised.split("\n") == plain.split("\n")
    assert optimised.count("\n") >= A_PROGRAM
