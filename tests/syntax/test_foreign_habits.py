"""Code as in other languages: the error where the parser stops names the Harn form, and a fix writes it."""

import pytest

import harnlite
from harnlite.diagnostics.source import Source
from harnlite.syntax.foreign_habits import OPERATORS, WRITTEN_BEFORE, WRITTEN_HERE
from harnlite.syntax.parser import parse


def errors(text):
    return parse(Source(text, "t")).diagnostics


def first(text):
    return errors(text)[0]


def fixed(text):
    fixes = first(text).fixes
    for edit in sorted(fixes[0].edits if fixes else (), key=lambda edit: -edit.span.start):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text if fixes else None


TABLE = [
    ("let a = true and false", "write `&&`", "let a = true && false"),
    ("if true or false { }", "write `||`", "if true || false { }"),
    ("if not true { }", "write `!`", "if !true { }"),
    ("def f(x) { return x }", "declared with `fn`", "fn f(x) { return x }"),
    ("for i in 0..3 { }", "`0 to 3 exclusive`", None),
    ("for i in 0..=3 { }", "`1 to 3`", "for i in 0 to 3 { }"),
    ("for k, v in {a: 1} { }", "`for {key, value} in …`", None),
    ("if true { } elif false { }", "write `else if`", "if true { } else if false { }"),
    ("function f(x) { return x }", "declared with `fn`", "fn f(x) { return x }"),
    ('println "x"', "in parentheses: `println(…)`", 'println("x")'),
    ('let x = f"a"', "strings need no prefix", None),
    ("var x = 1\nx++", "write `+= 1`", "var x = 1\nx += 1"),
    ('let x = "a" ++ "b"', "joined with `+`", 'let x = "a" + "b"'),
    ("let x = 1 === 1", "`==`", "let x = 1 == 1"),
    ("let x = 1 !== 1", "`!=`", "let x = 1 != 1"),
    ("let x = 1 <> 2", "`!=`", "let x = 1 != 2"),
    ("let x = nil ?: 3", "`??`", "let x = nil ?? 3"),
    ("x := 3", "`let name = …`", None),
    ("fn f(x): int { return x }", "follows `->`", "fn f(x) -> int { return x }"),
    ("while true:\n  println(1)", "in braces", None),
    ("val x = 3", "`let`", "let x = 3"),
    ("foreach x in [1] { }", "`for item in items", "for x in [1] { }"),
    ('raise "x"', "`throw`", 'throw "x"'),
    ("loop { break }", "`while true", "while true { break }"),
    ("let mut x = 3", "`var`", None),
    ("let x = 3 if true else 4", "`condition ? a : b`", None),
    ("import std.math", "the path is a string", None),
    ('from "std/math" import sqrt', "`import { name }", None),
    ("let (a, b) = [1, 2]", "`let [a, b] = …`", None),
    ("[x for x in [1]]", "`items.map(", None),
    ("try { } except { }", "`catch (e)", None),
]


@pytest.mark.parametrize(("text", "hint", "result"), TABLE)
def test_the_hint_and_the_fix(text, hint, result):
    assert hint in first(text).help[0]
    assert fixed(text) == result
    if result is not None:
        assert not errors(result)


@pytest.mark.parametrize("word", WRITTEN_HERE)
def test_each_word_where_the_parser_stops_has_its_hint(word):
    assert first(f"println(1) {word} println(2)").help == (WRITTEN_HERE[word][0],)


@pytest.mark.parametrize("word", WRITTEN_BEFORE)
def test_each_word_before_the_stop_has_its_hint(word):
    assert first(f"{word} name").help == (WRITTEN_BEFORE[word][0],)


@pytest.mark.parametrize(("operator", "hint"), [row[:2] for row in OPERATORS if row[0] != "--"])
def test_each_operator_has_its_hint(operator, hint):
    assert first(f"let b = a {operator} )").help == (hint,)


@pytest.mark.parametrize(
    "text", ["let not_ = 1", "let def = 1\nprintln(def)", "let a = [...[1]]", "let loop = { -> 1 }"]
)
def test_the_words_are_ordinary_names(text):
    assert not errors(text)


@pytest.mark.parametrize("text", ["let a = (1", "let a = 1 2", "f(...)", "fn (", "let = 3", 'let a = 1 "x"'])
def test_other_errors_have_no_hint(text):
    assert not [hint for hint in first(text).help if "write" in hint or "declared" in hint]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("x = 3", "bind a new name with `let x = …`, or with `var x = …` if it changes"),
        ("let x = None", "write `nil`"),
        ("println(null)", "write `nil`"),
        ("println(True)", "write `true`"),
        ("while true { pass }", "an empty block needs no statement: `{ }`"),
        ("for (k, v) in {a: 1} { println(k) }", "write `for {key, value} in …` for the entries of a dict"),
    ],
)
def test_a_name_or_value_of_another_language_has_a_hint_at_run_time(text, hint):
    result = harnlite.run(text)
    assert result.diagnostics[-1].help == (hint,)
