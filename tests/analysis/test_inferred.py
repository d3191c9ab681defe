"""The types of places, when only a part of a file is asked about."""

from __future__ import annotations

import pytest

from harnlite.analysis.digest import load_declarations
from harnlite.analysis.inferred import Noter, noted
from harnlite.analysis.types import text
from harnlite.diagnostics.source import Source
from harnlite.syntax import nodes
from harnlite.syntax.parser import parse
from harnlite.syntax.visitor import walk

PROGRAM = """
struct P { x: int }
let unused = "a"
let base = [1, 2]
let doubled = base.map({ n -> n * 2 })
fn other() { return nowhere }
fn main(p: P, q = 1) {
  for item in base {
    println(item + p.x + q)
  }
  let found: string | nil = nil
  if found != nil { println(found) }
  let f = { one -> one }
  f(1)
  last
}
let last = 1
"""


@pytest.fixture(scope="module")
def noter() -> Noter:
    source = Source(PROGRAM, "main.harn")
    statements = parse(source).module.statements
    wanted = [one for one in statements if isinstance(one, nodes.FnDecl) and one.name.text == "main"]
    at = PROGRAM.index("last\n")
    return noted([(source, statements)], wanted, load_declarations(), lambda _importer, _path: None, at)


def names(noter: Noter, name: str) -> list[str]:
    main = next(one for one in noter.tree if isinstance(one, nodes.FnDecl) and one.name.text == "main")
    found = (node for node in walk(main) if isinstance(node, nodes.NameExpr) and node.name == name)
    return [text(noter.types.get(node)) for node in found]


def test_names_have_the_type_that_is_known_where_they_stand(noter):
    assert names(noter, "item") == ["int"]
    assert names(noter, "found") == ["string | nil", "string"]
    assert names(noter, "base") == ["list<int>"]


def test_names_have_a_type_where_they_are_bound(noter):
    assert text(noter.bound[PROGRAM.index("item in")]) == "int"
    assert text(noter.bound[PROGRAM.index("found:")]) == "string | nil"


def test_what_is_in_sight_at_a_place(noter):
    sight = noter.sight
    assert {"p", "q", "found", "f", "main", "other", "base", "P", "last", "unused"} <= set(sight.names)
    assert "item" not in sight.names
    assert "P" in sight.types
    assert text(sight.type_of(sight.names["unused"])) == "string"


def test_what_is_called(noter):
    called = {node.callee.name: binding for node, binding in noter.meant.items() if isinstance(node, nodes.CallExpr)}
    assert called["println"] is None
    assert [param.name.text for param in noter.closures[called["f"].start].params] == ["one"]
