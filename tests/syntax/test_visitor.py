"""Walking over trees."""

from harnlite.diagnostics.source import Source
from harnlite.syntax.nodes import BinaryExpr, CallExpr, NameExpr
from harnlite.syntax.parser import parse
from harnlite.syntax.visitor import visit, walk


def module(text):
    return parse(Source(text)).module


def test_walk_yields_parents_before_children_in_the_order_of_the_text():
    names = [node.name for node in walk(module("a + f(b, c)\nd")) if isinstance(node, NameExpr)]
    assert names == ["a", "f", "b", "c", "d"]


def test_walk_does_not_recurse():
    deep = module("x = " + " + ".join(["1"] * 50_000))
    assert sum(isinstance(node, BinaryExpr) for node in walk(deep)) == 49_999


def test_visit_calls_by_class_and_leaves_out_what_is_below_a_no():
    found = []
    tree = module("a(b(c))\nd")
    visit(tree, {NameExpr: lambda node: found.append(node.name)})
    assert found == ["a", "b", "c", "d"]
    found.clear()
    visit(
        tree,
        {
            CallExpr: lambda node: found.append(node.callee.name) or False,
            NameExpr: lambda node: found.append(node.name),
        },
    )
    assert found == ["a", "d"]
