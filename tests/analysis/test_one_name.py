"""The bindings of one name are the same whether one name or all names of a file are resolved."""

import random
import re

import pytest

from harnlite.analysis.names.one_name import resolve_one
from harnlite.analysis.names.resolver import resolve
from harnlite.diagnostics.source import Source
from harnlite.syntax.parser import parse
from harnlite.syntax.visitor import walk
from tests.property.editing import texts
from tests.samples import count, sampled

FILES = count(10_000, 150)
WORD = re.compile(r"[A-Za-z_]\w*")


def _facts(binding):
    if binding is None:
        return None
    flags = binding.mutable, binding.captured, binding.early, binding.assignments
    frame = binding.frame.kind, binding.frame.node
    return binding.name, binding.kind, binding.decl, frame, *flags, binding.redeclared, binding.values


def _of_name(resolution, statement, name):
    """Return what is known of a name in a statement: its bindings, what they hide, and where they are visible."""
    bound = {
        node: _facts(resolution.bindings[node])
        for node in walk(statement)
        if node in resolution.bindings and name in (getattr(node, "name", None), getattr(node, "text", None))
    }
    hidden = {node: [_facts(one) for one in resolution.hidden[node]] for node in bound if node in resolution.hidden}
    visible = {}
    for node in bound:
        scope = resolution.scopes.get(node)
        while scope is not None and name not in scope.names:
            scope = scope.parent
        visible[node] = None if scope is None else _facts(scope.names[name])
    return bound, hidden, visible


def _compare(text, chance):
    module = parse(Source(text)).module
    checked = 0
    for statement in module.statements:
        names = sorted({*WORD.findall(text, statement.start, statement.end)})
        whole = resolve(module, text, only=statement)
        for name in chance.sample(names, min(len(names), 5)):
            found = _of_name(resolve_one(module, text, name, statement), statement, name)
            assert found == _of_name(whole, statement, name), (name, text[statement.start : statement.end])
            checked += len(found[0])
    return checked


@sampled
def test_programs_and_damaged_programs():
    chance = random.Random(5)
    programs = texts()
    checked = 0
    for text in chance.sample(programs, min(len(programs), FILES)):
        cut = chance.randrange(len(text) + 1)
        checked += _compare(text, chance) + _compare(text[:cut] + text[cut + 3 :], chance)
    assert checked > FILES


@pytest.mark.parametrize(
    "text",
    [
        "fn f(a) {\n  let a = a\n  { x -> a + x }\n  a = 2\n}",
        "fn f() {\n  fn g() { late }\n  let late = 1\n  late += 1\n  g()\n}",
        "pipeline base(task) {\n  let n = 1\n}\npipeline main(task) extends base {\n  n\n  n = 2\n}",
        "fn f(xs) {\n  for {a, b} in xs { let [c, ...d] = a }\n  match xs { {a} -> { a } [b] -> { b } _ -> { c } }\n}",
        "let print = 1\nfn f() {\n  fn print(x) { x }\n  if true {\n    let print = 2\n    print(print)\n  }\n}",
        "const a = 1\nfn f() {\n  let b = a\n  b = 2\n  try { a } catch (a) { a } finally { b }\n}",
    ],
)
def test_forms_of_binding(text):
    assert _compare(text, random.Random(1))
