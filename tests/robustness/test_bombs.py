"""Small texts, values and patterns that stand for enormous work have a result or a clear error within a short time."""

import time
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

import harnlite
from harnlite.formats.json.writing import json_text, pretty_json
from harnlite.formats.schemas.forms import canonical
from harnlite.formats.schemas.validation import Validator
from harnlite.formats.yaml.reading import YamlSyntaxError, read_yaml
from harnlite.formats.yaml.writing import yaml_text
from harnlite.library.globs import _Machine, _Reader, compile_glob
from harnlite.values.display import display
from harnlite.values.equality import equal
from harnlite.values.keys import equality_key, key_text, structural_key
from harnlite.values.limits import DEFAULTS, NAMES, TABLE, Limits

LARGE = "Value too large"
LATE = "Deadline exceeded"
SHARED = """
fn lists(n) { var x = ["a"]
  for i in 1 to n { x = [x, x] }
  return x }
fn dicts(n) { var x = {a: "a"}
  for i in 1 to n { x = {a: x, b: x} }
  return x }
fn pairs(n) { var x = pair(1, 1)
  for i in 1 to n { x = pair(x, x) }
  return x }
fn schemas(key) { var s = {type: "int"}
  for i in 1 to 60 { s = {[key]: [s, s]} }
  return s }
fn objects() { var s = {type: "dict"}
  for i in 1 to 60 { s = {properties: {a: s, b: s}} }
  return s }
fn references() { var all = {a0: {type: "string"}}
  for i in 1 to 60 {
    let next = {"$ref": "#/definitions/a${i - 1}"}
    all = {...all, ["a${i}"]: {all_of: [next, next]}}
  }
  return {definitions: all, "$ref": "#/definitions/a60"} }
fn large_floats() { return range(6000).map({ i -> 1e300 + i * 1e290 }).to_list() }
fn tools(schema) {
  let config = {parameters: {p: schema}, executor: "host_bridge", host_capability: "a.b"}
  return tool_define(tool_registry(), "t", "d", config)
}
fn laughs() { var y = "a0: &a0 [lol,lol,lol,lol,lol,lol,lol,lol,lol]\\n"
  for i in 1 to 12 {
    let one = "*a${i - 1}"
    y = y + "a${i}: &a${i} [${one},${one},${one},${one},${one},${one},${one},${one},${one}]\\n"
  }
  return y }
"""
BOMBS = {
    "yaml: flow lists": ('yaml_parse("[" * 200000)', "YAML parse error: more than 1,000 levels of nesting"),
    "yaml: block lists": ('yaml_parse("- " * 200000)', "YAML parse error: more than 1,000 levels of nesting"),
    "yaml: keys": ('yaml_parse("? " * 200000)', "yaml_parse: a mapping cannot be a key"),
    "yaml: aliases": ("yaml_parse(laughs())", "YAML parse error: more than 1,000,000 values that the aliases"),
    "yaml: tags": ('yaml_parse("%TAG !a! b\\n" * 100000)', "YAML parse error: "),
    "yaml: hexadecimal": ('yaml_parse("0x" + "f" * 1000000)', "inf"),
    "display: lists": ('"${lists(60)}"', LARGE),
    "display: dicts": ('"${dicts(60)}"', LARGE),
    "display: pairs": ('"${pairs(60)}"', LARGE),
    "json: lists": ("json_stringify(lists(60))", LARGE),
    "json: dicts": ("json_stringify(dicts(60))", LARGE),
    "yaml: written": ("yaml_stringify(lists(60))", LARGE),
    "toml: written": ("toml_stringify(dicts(60))", "toml_stringify: more than 1,000,000 values"),
    "equality: lists": ("lists(60) == lists(60)", "true"),
    "equality: dicts": ("dicts(60) == dicts(60)", "true"),
    "equality: pairs": ("pairs(60) == pairs(60)", "true"),
    "equality: different": ("lists(60) == lists(61)", "false"),
    "order: pairs": ("pairs(60) < pairs(60)", "false"),
    "sort: pairs": ("len([pairs(60), pairs(60)].sort())", "2"),
    "hash": ("hash_value(lists(60))", LARGE),
    "set": ("len(set(lists(60), dicts(60), dicts(60)))", "2"),
    "set: member": ("dicts(60) in set(dicts(60))", "true"),
    "unique": ("len([lists(60), lists(60)].unique())", "1"),
    "index_of": ("[1, lists(60)].index_of(lists(60))", "1"),
    "assert_eq": ("assert_eq(lists(60), lists(60))", "nil"),
    "jq: doubling": ('jq(1, "(.,.)" + "|(.,.)" * 40)', "jq: more than 3,000,000 results"),
    "jq: descendants": ('jq(lists(60), "..")', "jq: more than 3,000,000 results"),
    "jq: long": ('jq(1, "." + "|." * 200000)', "jq: more than 100,000 characters"),
    "glob: stars": ('len(glob("*a" * 60 + "b*", "."))', "0"),
    "glob: braces": ('len(glob("{a*,*a}" * 60 + "b", "."))', "0"),
    "glob: long": ('glob("a" * 10000000)', "glob: error parsing glob 'aaa"),
    "schema: all_of": ('schema_is(1, schemas("all_of"))', "true"),
    "schema: union": ('schema_is("x", schemas("union"))', "false"),
    "schema: properties": ("schema_is(dicts(61), objects())", "true"),
    "schema: references": ('schema_is("x", references())', "true"),
    "schema: errors": ("schema_check(1, references())", "schema_check: more than 100,000 errors"),
    "schema: converted": ('type_of(schema_to_json_schema(schemas("all_of")))', "dict"),
    "schema: partial": ('type_of(schema_partial(schemas("union")))', "dict"),
    "json: empty lists": ('json_parse("[" + "[]," * 20000000 + "[]]")', LARGE),
    "json: brackets": ('json_parse("[" * 500000)', "JSON parse error: recursion limit exceeded"),
    "text: last_index_of": ('("a" * 1000000).last_index_of("b" + "a" * 400000)', "-1"),
    "text: pieces": ('("ab," * 30000000).split(",")', LARGE),
    "text: characters": ('("é中" * 20000000).chars()', LARGE),
    "text: upper case": ('("ΐ" * 50000000).upper()', LARGE),
    "text: marks": ('unicode_normalize("\\u{301}\\u{316}" * 200000)', "Runtime error: unicode_normalize: more than"),
    "text: format": ('format("{a}" * 100000, {a: "x" * 100000})', LARGE),
    "range: list": ("range(60000000).to_list()", LARGE),
    "regex: long": ('regex_match("a" * 100000, "a")', "Invalid regex: more than 50,000 characters"),
    "tools: schemas": ("type_of(tool_schema(tools(objects())))", "dict"),
    "tokens": ('type_of(estimate_tokens([{role: "user", content: lists(60)}]))', "int"),
    "stored": ('store_set("a", dicts(60))', LARGE),
    "toml: dots": ('toml_parse("a." * 200000 + "b = 1")', "TOML parse error: a key has more than 1,000 parts"),
    "regex: nested": ('regex_match("(a*)*b", "a" * 5000)', "nil"),
}
"""What is called, and how its text or that of its error starts."""

LONG = {
    "yaml": 'yaml_parse("[" + "a," * 5000000 + "]")',
    "json": 'json_parse("[" + "{\\"a\\":1}," * 5000000 + "{}]")',
    "json, invalid": 'json_parse("\\"" + "\\\\u0041" * 10000000 + "x")',
    "json_extract": 'json_extract("{" * 20000000)',
    "toml": 'toml_parse("a = [" + "1," * 5000000 + "]")',
    "jq": 'jq(lists(60), "..")',
    "names": 'camel_to_snake("aB" * 20000000)',
    "words": 'title_case("a" * 50000000)',
    "format": 'format("{a}" * 10000000, {a: 1})',
    "graphemes": 'unicode_graphemes("é" * 10000000)',
    "normal form": 'unicode_normalize("é" * 20000000, "NFD")',
    "hash": 'hash_value("a" * 20000000)',
    "regex": 'regex_match("(?:a{1,100}){1,100}b", "a" * 1000000)',
    "replacement": 'regex_replace("a", "$" * 3000000, "a")',
    "answer": 'agent_parse_tool_calls("<tool_call>" * 300000)',
    "time": 'date_format(0, "%Y" * 3000000)',
    "mixed order": "range(1000000).to_list().map({ i -> pair(i * 7919 % 1000003, i) }).sort()",
    "set of large floats": "set(large_floats()) == set(large_floats())",
    "json text": 'json_stringify("\\u{1}" * 50000000)',
    "yaml text": 'yaml_stringify("\\u{1}" * 30000000)',
}


def outcome(call: str, **settings) -> tuple[str, float]:
    """Return the text of a call's result or error, and how long the run took."""
    program = f'{SHARED}\nlet found = try {{ {call} }} catch (e) {{ e }}\nprintln("${{found}}".substring(0, 200))\n'
    started = time.monotonic()
    result = harnlite.Engine(cache=False, **settings).run(program)
    return result.stdout or result.stderr, time.monotonic() - started


@pytest.mark.parametrize("name", BOMBS)
def test_bomb(name, tmp_path):
    call, expected = BOMBS[name]
    text, seconds = outcome(call, cwd=str(tmp_path), deadline=30)
    assert text.startswith(expected), text[:300]
    assert seconds < 60


@pytest.mark.parametrize("name", LONG)
def test_a_long_call_ends_with_its_deadline(name):
    text, seconds = outcome(f"deadline 100ms {{ {LONG[name]} }}")
    assert text == LATE + "\n"
    assert seconds < 30


# Shared structure changes how long something takes, but not its result.

scalars = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.5, 1.0, "a", "b"])


@st.composite
def shared_values(draw):
    """Return a value with shared parts, and the same value without them."""
    pool = [draw(scalars) for _ in range(3)]
    for _ in range(draw(st.integers(1, 12))):
        parts = [pool[draw(st.integers(0, len(pool) - 1))] for _ in range(draw(st.integers(0, 3)))]
        pool.append(parts if draw(st.booleans()) else dict(zip("abc", parts, strict=False)))
    return pool[-1]


def unshared(value):
    if isinstance(value, list):
        return [unshared(item) for item in value]
    if isinstance(value, dict):
        return {key: unshared(item) for key, item in value.items()}
    return value


@given(shared_values(), shared_values())
def test_equality_and_texts_do_not_depend_on_sharing(left, right):
    plain, other = unshared(left), unshared(right)
    assert equal(left, right) == equal(plain, other) == equal(left, other)
    assert equal(left, plain)
    for make in (display, json_text, pretty_json, yaml_text, structural_key, equality_key, key_text):
        assert make(left) == make(plain)


@given(st.integers(0, 16), st.integers(2, 4))
def test_long_texts_do_not_depend_on_sharing(levels, width):
    value = ["a", 1]
    for level in range(min(levels, 14 // width)):
        value = {str(key): value for key in range(width)} if level % 2 else [value] * width
    plain = unshared(value)
    for make in (display, json_text, pretty_json, yaml_text, structural_key, equality_key, key_text):
        assert make(value) == make(plain)
    assert equal(value, plain)


schemas = st.recursive(
    st.fixed_dictionaries({}, optional={"type": st.sampled_from(["int", "string", "list", "dict", "any"])}),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "union": st.lists(inner, min_size=1, max_size=2).map(lambda branches: branches * 2),
            "all_of": st.lists(inner, max_size=2).map(lambda branches: branches * 2),
            "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
            "items": inner,
            "$ref": st.sampled_from(["#/definitions/x", "#/definitions/y"]),
            "required": st.just(["a"]),
        },
    ),
    max_leaves=5,
)


class Forgetful(dict):
    """A memory of results that keeps nothing."""

    def __setitem__(self, key, value):
        pass


@given(schemas, schemas, schemas, shared_values(), st.booleans())
def test_schemas_do_not_depend_on_what_is_remembered(schema, x, y, value, defaults):
    form = canonical({**schema, "definitions": {"x": x, "y": y}})
    found, plain = (Validator(form, "test", defaults=defaults) for _ in range(2))
    plain._known = Forgetful()
    assert equal(found.check(value), plain.check(unshared(value)))
    assert found.errors == plain.errors
    assert Validator(form, "test", defaults=defaults).matches(value) == (not plain.errors)


@given(st.text("ab*?", max_size=8), st.text("ab/", max_size=10))
def test_globs_match_what_fnmatch_matches(pattern, path):
    assert bool(compile_glob(pattern.replace("**", "*"))(path)) == fnmatchcase(path, pattern)


@given(
    st.lists(st.sampled_from(["a", "b", "*", "?", "**/", "/", "{a,b*}", "{,ab}", "[!a]"]), max_size=7), st.text("ab/")
)
def test_both_ways_to_match_a_glob_agree(pieces, path):
    pattern = "".join(pieces)
    assert bool(compile_glob(pattern)(path)) == _Machine(_Reader(pattern).parts()).matches(path)


# The limits


def test_limits_can_be_set():
    limits = {"yaml_depth": 3, "query_steps": 10, "max_items": 1_000_000}
    assert outcome('yaml_parse("[[[[]]]]")', limits=limits)[0].startswith("YAML parse error: more than 3 levels")
    assert outcome('jq(range(20).to_list(), ".[]")', limits=limits)[0].startswith("jq: more than 10 results")
    assert outcome('"x" * 1000001', limits=limits)[0] == LARGE + "\n"
    assert outcome('{ -> var s = "x"\nfor i in 1 to 30 { s = s + s }\nlen(s) }()', limits=limits)[0] == LARGE + "\n"
    assert outcome('yaml_parse("[" * 2000 + "]" * 2000) == 1', limits={"yaml_depth": 3000})[0] == "false\n"


def test_an_unknown_limit_is_an_error():
    with pytest.raises(ValueError, match="unknown limit 'depth'; the limits are max_items, "):
        Limits({"depth": 1})
    with pytest.raises(ValueError, match="the limit 'max_items' must be an int of at least 1000000"):
        Limits({"max_items": 3})


def test_every_limit_has_its_default():
    assert {name: getattr(DEFAULTS, name) for name in NAMES} == {row[0]: row[1] for row in TABLE}


def test_an_alias_counts_what_it_repeats():
    assert read_yaml("a: &a [1, 2]\nb: [*a, *a]") == {"a": [1, 2], "b": [[1, 2], [1, 2]]}
    with pytest.raises(YamlSyntaxError, match="aliases"):
        read_yaml("a: &a [" + "1," * 2000 + "]\nb: [" + "*a," * 1000 + "]")
