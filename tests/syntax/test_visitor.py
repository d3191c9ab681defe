"""Traversal of trees."""

from harnlite.diagnostics.source import Source
from harnlite.syntax import nodes
from harnlite.syntax.nodes import BinaryExpr, CallExpr, Ident, ImportDecl, LetStmt, NameExpr, ReturnStmt
from harnlite.syntax.parser import parse
from harnlite.syntax.visitor import all_below, visit, walk


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


def test_all_below_sees_what_a_walk_sees():
    text = 'import { a } from "std/math"\nfn f(x, y = 2) { return [x, ...y].map({ k -> k?.z ?? "${a}" }) }\n'
    tree = module(text + "for {p, q} in f(1) { }")
    assert sorted(map(id, all_below(tree))) == sorted(map(id, walk(tree)))


def test_children_leave_out_what_is_missing():
    value, name = NameExpr(0, 1, "a"), Ident(0, 1, "b")
    assert ReturnStmt(0, 1, value).children() == [value]
    assert ReturnStmt(0, 1, None).children() == []
    assert LetStmt(0, 1, "let", value, None, value).children() == [value, value]
    imported = ImportDecl(0, 1, "std/math", 0, None)
    assert imported.children() == []
    imported.names = [name]
    assert imported.children() == [name]


def test_nodes_are_plain_objects_with_slots():
    classes = [kind for kind in vars(nodes).values() if isinstance(kind, type)]
    assert len(classes) > 80
    for kind in classes:
        assert type(kind) is type, "with a metaclass of their own each isinstance would take three times as long"
        assert "__slots__" in vars(kind), kind
        assert "__dict__" not in dir(kind), kind
