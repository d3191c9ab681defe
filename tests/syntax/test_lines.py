"""Line breaks that end a statement, and those that are ignored."""

import pytest

from harnlite.diagnostics.source import Source
from harnlite.syntax.parser import parse

BEFORE = [
    ".b",
    "?.b",
    "|> b",
    "|| b",
    "&& b",
    "== b",
    "!= b",
    "< b",
    "> b",
    "<= b",
    ">= b",
    "?? b",
    "+ b",
    "* b",
    "/ b",
]
BEFORE += ["% b", "** b", "in b"]
BEHIND = [
    "a.",
    "a?.",
    "a |>",
    "a ||",
    "a &&",
    "a ==",
    "a !=",
    "a <",
    "a >",
    "a <=",
    "a >=",
    "a ??",
    "a +",
    "a -",
    "a *",
]
BEHIND += [
    "a /",
    "a %",
    "a **",
    "a in",
    "a not in",
    "a to",
    "x =",
    "x +=",
    "let x =",
    "[",
    "f(",
    "throw",
    "!",
    "try*",
    "-",
]
BEHIND += ["f(a,", "{ a ->", "[1,", "if", "match", "{k:", "f(..."]
CLOSERS = {
    "[": "]",
    "f(": ")",
    "f(a,": ")",
    "{ a ->": " }",
    "[1,": "]",
    "if": " {}",
    "match": " {}",
    "{k:": "}",
    "f(...": ")",
}
ENDS = ["- b", "[b]", "(b)", "{}"]
APART = ["? b : c", "not in b", "to b", "exclusive", "as stream", "; b", "+= 1"]
HEADERS = [
    "if a {\n}\nelse {\n}",
    "try {\n}\ncatch e {\n}\nfinally {\n}",
    "for x\nin xs {\n}",
    'import { a,\nb }\nfrom "x"',
    "let x\n= 1",
    "let x\n: int = 1",
    "fn f()\n-> int {\n}",
    "match a {\n1\n-> { }\n}",
    "select {\nv\nfrom c { }\n}",
    "[a\n, b\n]",
    "x ? a\n: b",
    "fn f<\nT,\nU\n>() {}",
    "@test\n\n// why\nfn f() {}",
    "interface I {\n\nfn a()\n\nfn b()\n}",
    "match a {\n\n1 -> {}\n\n2 -> {}\n}",
]
BROKEN = [
    "if a\n{\n}",
    "else\n{}",
    "spawn\n{}",
    "let\nx = 1",
    "fn\nf() {}",
    "a\n? b : c",
    "parallel each xs {}\nas stream",
    "let a = 1 let b = 2",
    "{ a: 1\nb: 2 }",
    "struct S { a: int b: int }",
    "f(a b)",
]


def shapes(text):
    result = parse(Source(text))
    return [type(statement).__name__ for statement in result.module.statements], result.diagnostics


@pytest.mark.parametrize("gap", ["\n", "\n\n", " // why\n", "\n  // why\n\n"])
@pytest.mark.parametrize("text", BEFORE)
def test_an_operator_at_the_start_of_a_line_goes_on(text, gap):
    found, errors = shapes(f"a{gap}{text}")
    assert (found, errors) == (["ExprStmt"], [])


@pytest.mark.parametrize("gap", ["\n", "\n\n", " // why\n", "\n  // why\n\n"])
@pytest.mark.parametrize("text", BEHIND)
def test_an_operator_at_the_end_of_a_line_goes_on(text, gap):
    found, errors = shapes(f"{text}{gap}b{CLOSERS.get(text, '')}")
    assert len(found) == 1
    assert errors == []


@pytest.mark.parametrize("text", ENDS)
def test_what_could_begin_a_statement_begins_one(text):
    found, errors = shapes(f"a\n{text}")
    assert (found, errors) == (["ExprStmt", "ExprStmt"], [])


@pytest.mark.parametrize("text", APART)
def test_what_only_goes_on_within_a_line_is_an_error_on_the_next(text):
    assert shapes(f"a\n{text}")[1]


@pytest.mark.parametrize(
    "text", ["(a\n- b)", "f(a\n- b\n)", "[a\n[b]\n]", "f(a\n(b)\n)", '"${a\n- b}"', "(a\n? b\n: c)"]
)
def test_inside_parentheses_and_square_brackets_line_ends_mean_nothing(text):
    found, errors = shapes(text)
    assert (found, errors) == (["ExprStmt"], [])


def test_inside_braces_they_separate_again():
    result = parse(Source("f([{ x ->\n a\n - b\n }])"))
    assert not result.diagnostics
    closure = result.module.statements[0].value.args[0].items[0]
    assert len(closure.body.statements) == 2


@pytest.mark.parametrize("text", HEADERS)
def test_parts_of_headers_may_start_a_line(text):
    found, errors = shapes(text)
    assert len(found) == 1
    assert errors == []


@pytest.mark.parametrize("text", BROKEN)
def test_not_everything_may(text):
    assert shapes(text)[1]


@pytest.mark.parametrize("word", ["return", "yield"])
def test_a_value_stands_on_the_same_line(word):
    assert len(shapes(f"{word}\na")[0]) == 2
    assert len(shapes(f"{word} a")[0]) == 1


def test_a_backslash_joins_lines():
    assert shapes("a \\\n- b") == (["ExprStmt"], [])


@pytest.mark.parametrize(
    "text", ["", "\n\n", "// x", "a;", "a\n", "#!/usr/bin/env harnlite\na", "\ufeffa", "a;\n\nb;", "\r\na\r\n"]
)
def test_edges_of_a_file(text):
    assert shapes(text)[1] == []
