"""The values that the text of a file shows: literals, names bound once, spreads, and the limits of this."""

import pytest

from harnlite.analysis.linting.context.constant_values import (
    UNKNOWN,
    Duration,
    Function,
    Known,
    LiteralDict,
    LiteralList,
    Text,
    literal_dicts,
    literal_of,
    type_name,
)
from harnlite.analysis.linting.context.linted_file import Linting
from harnlite.analysis.linting.linter import Linter
from harnlite.diagnostics.source import Source
from harnlite.syntax import nodes
from harnlite.syntax.parser import parse
from harnlite.syntax.visitor import walk

DECLARATIONS = Linter().declarations


def linting_of(text):
    source = Source(text)
    return Linting(source, parse(source).module, declarations=DECLARATIONS)


def value_of(text):
    """Return what is known of the argument of the call of `look`."""
    linting = linting_of(text)
    calls = [node for node in walk(linting.module) if isinstance(node, nodes.CallExpr)]
    look = next(call for call in calls if isinstance(call.callee, nodes.NameExpr) and call.callee.name == "look")
    return plain(literal_of(linting, look.args[0]))


def plain(value):
    """Return a known value as data, `?` for what is unknown and `...` for what may follow."""
    if not isinstance(value, Known):
        return "?"
    inner = value.value
    if isinstance(inner, LiteralList):
        return [plain(item) for _, item in inner.items] + (["..."] if inner.is_open else [])
    if isinstance(inner, LiteralDict):
        found = {key: plain(entry.value) for key, entry in inner.entries.items()}
        return {**found, "...": True} if inner.is_open else found
    return type_name(inner) if isinstance(inner, (Duration, Function, Text)) else inner


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("look(nil)", None),
        ("look(true)", True),
        ("look(!true)", False),
        ("look(-3)", -3),
        ("look(-1.5)", -1.5),
        ('look("x")', "x"),
        ("look(5s)", "duration"),
        ("look({ x -> x })", "closure"),
        ('look("${x}")', "string"),
        ('look("a" + x + 1)', "string"),
        ("let a = 1\nlook(a)", 1),
        ("var a = 1\nlook(a)", 1),
        ("fn f() { look(a) }\nvar a = 1", 1),
        ('look("${""}")', ""),
        ('look("a${"b"}c" + "d")', "abcd"),
        ('look("a" + "b" + x)', "string"),
        ("look({a: 1} + {b: 2} + {a: 3})", {"a": 3, "b": 2}),
        ("look({a: 1} + x)", {"a": "?", "...": True}),
        ("look(x + {a: 1})", {"a": 1, "...": True}),
        ("look([1] + [2])", [1, 2]),
        ("look([1] + x)", [1, "..."]),
        ("const a = 1\nlet b = a\nlook([b, -b])", [1, -1]),
        ("fn f() {}\nlook(f)", "closure"),
        ("look([1, ...[2, 3]])", [1, 2, 3]),
        ("look([1, ...x, 2])", [1, 2, "..."]),
        ("look({a: 1, ...{b: 2, a: 3}})", {"a": 3, "b": 2}),
        ('let k = "b"\nlook({a: 1, [k]: 2})', {"a": 1, "b": 2}),
        ("look({a: 1, ...x, b: 2})", {"a": "?", "b": 2, "...": True}),
        ("look({a: 1, [x]: 3, b: 2})", {"a": "?", "b": 2, "...": True}),
        ("let base = {a: 1, ...x, b: 2}\nlook({c: 0, ...base, a: 4})", {"a": 4, "b": 2, "c": "?", "...": True}),
        ("look({a: {b: [x]}})", {"a": {"b": ["?"]}}),
        ('const c = {a: {b: 1}}\nlook([c.a.b, c?.a, c["a"].b, c.x, c.a.len, c[x]])', [1, {"b": 1}, 1, "?", "?", "?"]),
        ("const c = {a: 1, ...x}\nlook(c.a)", "?"),
    ],
)
def test_what_is_written_is_known(text, value):
    assert value_of(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "look(x)",
        "look(1 + 1)",
        'look(x + "a")',
        "look(f())",
        "look(-x)",
        "look(!1)",
        "const c = 1\nlet a = 1\na = 2\nlook(a)",
        "const c = 1\nlet a = {x: 1}\na.x = 2\nlook(a)",
        "fn f(a) { look(a) }",
        "fn f(a = 1) { look(a) }",
        "for a in [1] { look(a) }",
        "let [a] = [1]\nlook(a)",
        "let {a} = {a: 1}\nlook(a)",
        "let a = 1\nlet a = 2\nlook(a)",
        "var a = 1\na = 2\nlook(a)",
        "var a = 1\na += 1\nlook(a)",
        "var a = {x: 1}\na.x = 2\nlook(a)",
        "var a = [1]\nfn f() { a[0] = 2 }\nlook(a)",
        "var a = 1\nvar a = 2\nlook(a)",
        "look(x + y)",
        "look(x + [1])",
    ],
)
def test_what_may_be_anything_is_unknown(text):
    assert value_of(text) == "?"


def test_an_inner_name_is_not_the_outer_one():
    assert value_of("let a = 1\nfn f() {\n  let a = 2\n  look(a)\n}") == 2


def test_a_missing_key_is_nil_only_where_nothing_can_supply_it():
    linting = linting_of("println([{a: 1}, {a: 1, ...x}])")
    closed, opened = sorted(literal_dicts(linting), key=lambda found: found.node.start)
    assert closed.get("b").value is None
    assert opened.get("b") is UNKNOWN
    assert closed.node_of("b") is closed.node
    assert linting.text(closed.node_of("a")) == "1"


def test_a_function_knows_its_node():
    linting = linting_of("let f = { x -> x }\nprintln(f)")
    call = linting.module.statements[1].value
    found = literal_of(linting, call.args[0])
    assert isinstance(found.value, Function)
    assert linting.text(found.value.node) == "{ x -> x }"
