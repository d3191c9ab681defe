"""When Enter runs an input, and when it starts another line."""

import pytest

from harnlite.repl.input_completeness import indent_of, is_complete

WHOLE = ["", "1", "fn f() { }", "let = ", "1 +)", ":doc", "?len", '"open', "x = 1 // {", "if x { 1 } else { 2 }", '"{"']
OPEN = [
    "fn f() {",
    "let x =",
    "foo(1,",
    '"""abc',
    "if x {",
    "[1, 2",
    "x +",
    "match x {",
    "a |>",
    "/* abc",
    "{a:",
    "@step",
]


@pytest.mark.parametrize("text", WHOLE)
def test_whole(text):
    assert is_complete(text)


@pytest.mark.parametrize("text", OPEN)
def test_open(text):
    assert not is_complete(text)


def test_the_next_line_is_indented():
    assert indent_of("fn f() {") == "  "
    assert indent_of("fn f() {\n  let x = 1") == "  "
    assert indent_of("fn f() {\n  g(") == "    "
