"""Snippets and long values in the prompt."""

import pytest

from harnlite.analysis.editing.snippets import SNIPPETS
from harnlite.diagnostics.source import Source
from harnlite.repl.snippets import Snippet
from harnlite.repl.value_display import laid_out, literal
from harnlite.syntax.parser import parse


@pytest.mark.parametrize("body", SNIPPETS.values(), ids=SNIPPETS)
def test_a_snippet_becomes_a_program(body):
    snippet = Snippet(body, "  ")
    assert "$" not in snippet.text
    assert not parse(Source(snippet.text)).diagnostics
    end = len(snippet.text) - snippet.after
    assert snippet.text[end - snippet.size : end] in body


def test_the_first_place_and_the_indentation():
    snippet = Snippet("for ${1:item} in ${2:items} {\n  $0\n}", "    ")
    assert snippet.text == "for item in items {\n      \n    }"
    end = len(snippet.text) - snippet.after
    assert (snippet.text[end - snippet.size : end], snippet.text[end:]) == ("item", " in items {\n      \n    }")
    assert (Snippet("try { $0 }", "").after, Snippet("try { $0 }", "").size) == (0, 0)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([1, 2], "[1, 2]"),
        (["aaaaaaaaa", "bbbbbbbbb"], '[\n  "aaaaaaaaa",\n  "bbbbbbbbb",\n]'),
        ({"k": [1000000, 2000000], "a": 1}, "{\n  a: 1,\n  k: [\n    1000000,\n    2000000,\n  ],\n}"),
        ("a" * 30, f'"{"a" * 30}"'),
    ],
)
def test_what_is_wider_than_the_screen_gets_lines(value, expected):
    assert laid_out(value, 20) == expected
    assert laid_out(value, 200) == literal(value)
