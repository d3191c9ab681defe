"""The expressions that a closure may return."""

import pytest

from harnlite.analysis.linting.context.closure_results import results_of
from harnlite.analysis.linting.context.constant_values import Function
from harnlite.diagnostics.source import Source
from harnlite.syntax import nodes
from harnlite.syntax.parser import parse
from harnlite.syntax.visitor import walk


def results(text, kind=nodes.ClosureExpr):
    source = Source(text)
    function = next(node for node in walk(parse(source).module) if isinstance(node, kind))
    found = results_of(Function(function))
    return [source.text[one.node.start : one.node.end] for one in found], [one.is_only for one in found]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("f({ x -> })", []),
        ("f({ x -> let y = 1 })", []),
        ("f({ x -> if x { return 1 } })", ["1"]),
        ("f({ x -> if x { 1 } else if y { 2 } else { 3 } })", ["1", "2", "3"]),
        ("f({ x -> return x ? 1 : 2 })", ["1", "2"]),
        ('f({ x -> match x { 1 -> { "a" } _ -> { return "b" } } })', ['"a"', '"b"']),
        ("f({ x -> try { 1 } catch (e) { 2 } })", ["1", "2"]),
        ("f({ x -> x ?? 2 })", ["x", "2"]),
        ("f({ x -> retry 2 { 1 } })", ["1"]),
        ("f({ x -> for y in x { if y { return 1 } }; nil })", ["1", "nil"]),
        ("f({ x -> let g = { y -> return 1 }; let t = spawn { return 2 }; g })", ["g"]),
        ("f({ x -> fn g() { return 1 }; 2 })", ["2"]),
        ("f({ x -> yield 1; 2 })", []),
    ],
)
def test_every_way_out_counts(text, values):
    assert results(text)[0] == values


def test_a_named_function_gives_back_what_it_returns():
    assert results("fn f(x) {\n  if x { return 1 }\n  2\n}", nodes.FnDecl)[0] == ["1"]


@pytest.mark.parametrize(
    ("text", "is_only"),
    [
        ("f({ x -> 1 })", [True]),
        ("f({ x -> return 1 })", [True]),
        ("f({ x -> g(x); return 1 })", [True]),
        ("f({ x -> if x { return 1 } })", [False]),
        ("f({ x -> if x { return 1 }; 2 })", [False, False]),
        ("f({ x -> x ? 1 : 2 })", [False, False]),
    ],
)
def test_the_only_result_is_known_as_such(text, is_only):
    assert results(text)[1] == is_only
