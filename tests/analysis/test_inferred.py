"""Inferred types when only a part of a file is requested."""

from __future__ import annotations

import pytest

from harnlite.analysis.builtins.digest import load_declarations
from harnlite.analysis.editing.inferred import Noter, noted
from harnlite.analysis.types.representation import text
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


CONTAINERS = """
struct P { x: int }
fn f(ps: list<P>, d: dict<string, P>, s: set<P>, maybe: list<P> | nil, text: string) {
  SHOWN
}
"""


@pytest.mark.parametrize(
    ("shown", "kind"),
    [
        ("ps.map({ it -> it })", "P"),
        ("ps.filter({ it -> it.x > 1 }).sort_by({ it -> it.x }).any({ it -> it })", "P"),
        ("ps.map({ p -> p.x }).map({ it -> it })", "int"),
        ("ps.reduce(0, { total, it -> it })", "P"),
        ("ps.enumerate().map({ it -> it })", "{index: int, value: P}"),
        ("ps.chunk(2).map({ it -> it })", "list<P>"),
        ("ps.flat_map({ p -> [p.x] }).map({ it -> it })", "int"),
        ("ps.group_by({ p -> p.x }).map_values({ it -> it })", "list<P>"),
        ("ps.iter().skip_while({ it -> it }).to_list()", "P"),
        ("ps[0:1].map({ it -> it })", "P"),
        ("ps |> _.map({ it -> it })", "P"),
        ("maybe?.map({ it -> it })", "P"),
        ("d.filter({ it -> it })", "P"),
        ("d.map_keys({ it -> it })", "string"),
        ("d.entries().map({ it -> it })", "{key: string, value: P}"),
        ("s.map({ it -> it })", "P"),
        ("(1 to 3).map({ it -> it })", "int"),
        ('text.split(",").map({ it -> it })', "string"),
        ("parallel each ps { it -> it }", "P"),
        ("parallel 3 { it -> it }", "int"),
        ("let it = ps.find({ p -> p.x == 1 })\nit", "P | nil"),
        ("let it = ps.first\nit", "P | nil"),
        ("let it = ps.first(2)\nit", "list<P>"),
        ("let it = maybe?.reverse()\nit", "list<P> | nil"),
        ("ps.map({ it: int -> it })", "int"),
        ("ps.map({ p -> { it -> it } })", "any"),
        ("ps.join({ it -> it })", "any"),
        ("unknown.map({ it -> it })", "any"),
        ('[1, "a"].map({ it -> it })', "int | string"),
    ],
)
def test_closures_get_what_their_containers_hold(shown, kind):
    source = Source(CONTAINERS.replace("SHOWN", shown), "main.harn")
    statements = parse(source).module.statements
    found = noted([(source, statements)], statements, load_declarations(), lambda _importer, _path: None)
    names = [node for node in walk(statements[-1]) if isinstance(node, nodes.NameExpr) and node.name == "it"]
    assert text(found.types.get(names[-1])) == kind


FUNCTIONS = """
struct P { x: int }
enum E { A(n: int), B }
impl P {
  fn moved(self) { return P {x: self.x + 1} }
  fn same(self) { return self }
}
fn made(n) { return P {x: n} }
fn called(n) { return P({x: n}) }
fn kept() { let p = P {x: 1}; return p }
fn changed() { var p = nil; p = P {x: 1}; return p }
fn some(n) { if n > 1 { return P {x: n} } }
fn either(n) { return n > 1 ? P {x: n} : nil }
fn matched(n) { return match n { 1 -> { E.A(1) } _ -> { E.B } } }
fn several() { return [P {x: 1}, P {x: 2}] }
fn told() { return "${1}" }
fn other() { return made(1) }
fn counted() { yield P {x: 1} }
fn inner() { let f = { -> return 1 }; return P {x: 1} }
let it = SHOWN
it
"""


@pytest.mark.parametrize(
    ("shown", "kind"),
    [
        ("made(1)", "P"),
        ("called(1)", "P"),
        ("made(1).moved().same()", "P"),
        ("kept()", "P"),
        ("changed()", "any"),
        ("some(1)", "P | nil"),
        ("some(1)?.moved()", "P | nil"),
        ("either(1)", "P | nil"),
        ("matched(1)", "E"),
        ("several()[0]", "P"),
        ("several().map({ p -> p.moved() })[0]", "P"),
        ("told()", "string"),
        ("other()", "any"),
        ("counted()", "any"),
        ("inner()", "P"),
    ],
)
def test_functions_that_do_not_say_what_they_return(shown, kind):
    source = Source(FUNCTIONS.replace("SHOWN", shown), "main.harn")
    parsed = parse(source)
    assert not parsed.diagnostics
    statements = parsed.module.statements
    found = noted([(source, statements)], statements[-2:], load_declarations(), lambda _importer, _path: None)
    assert text(found.types.get(statements[-1].value)) == kind
