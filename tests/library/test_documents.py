"""YAML and TOML."""

from __future__ import annotations

import math
import tomllib

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from harnlite.library.toml import toml_parse, toml_stringify
from harnlite.library.yaml import yaml_parse, yaml_stringify
from harnlite.values.data_types import Duration, Range, Struct, StructType, ok
from harnlite.values.equality import equal
from harnlite.values.errors import ScriptError
from harnlite.values.sets import set_of

DOCUMENT = """\
'': ''
'1': 2
a:
- 1
- 2.0
- x: 1
  y:
  - 1
  - - 2
    - []
- - - 1
    - 2
  - 3
- |-
  m
  l
- {}
- null
- true
b:
  c:
    d: yes
"k\\nk": 1
kk:
- - - |-
      a

      b
"""
VALUE = {
    "kk": [[["a\n\nb"]]],
    "b": {"c": {"d": "yes"}},
    "a": [1, 2.0, {"y": [1, [2, []]], "x": 1}, [[1, 2], 3], "m\nl", {}, None, True],
    "": "",
    "k\nk": 1,
    "1": 2,
}


def test_block_style():
    assert yaml_stringify(VALUE) == DOCUMENT
    assert equal(yaml_parse(DOCUMENT), VALUE)


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (None, "null"),
        (True, "true"),
        (1, "1"),
        (1.0, "1.0"),
        (1e20, "100000000000000000000.0"),
        (1e-7, "0.0000001"),
        (math.inf, ".inf"),
        (-math.inf, "-.inf"),
        (math.nan, ".nan"),
        ([], "[]"),
        ({}, "{}"),
        ("plain text", "plain text"),
        ("it's", "it's"),
        ("é 😀", "é 😀"),
        ("yes", "yes"),
        ("2001-01-01", "2001-01-01"),
        ("true", "'true'"),
        ("Null", "'Null'"),
        ("~", "'~'"),
        ("", "''"),
        ("12", "'12'"),
        ("-1.5e3", "'-1.5e3'"),
        ("0x1F", "'0x1F'"),
        ("007", "'007'"),
        (".inf", "'.inf'"),
        ("a: b", "'a: b'"),
        ("a:", "'a:'"),
        ("a #b", "'a #b'"),
        ("# x", "'# x'"),
        ("- a", "'- a'"),
        ("-", "'-'"),
        ("[x", "'[x'"),
        (" pad ", "' pad '"),
        ("'q'", "'''q'''"),
        ("a\tb", '"a\\tb"'),
        ("\x07", '"\\a"'),
        ("trail \nx", '"trail \\nx"'),
        ("\n", '"\\n"'),
        ("a\u2028b\nc", '"a\\Lb\\nc"'),
        ("m\nl", "|-\n  m\n  l"),
        ("m\nl\n", "|\n  m\n  l"),
        ("m\n\n", "|+\n  m\n"),
        (" m\nl", "|2-\n   m\n  l"),
        (Range(1, 3), "1 to 3"),
        (Duration(1500), "1500ms"),
        (ok(1), "Result.Ok(1)"),
        (b"a", 'b"61"'),
        (set_of([1, 2]), "- 1\n- 2"),
        (Struct(StructType("P", ("x",)), {"x": 1}), "x: 1"),
    ],
)
def test_yaml_of_one_value(value, line):
    assert yaml_stringify(value) == line + "\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ("# nothing", None),
        ("- 0x1F\n- 0o17\n- 017\n- +5\n- 1_000", [31, 15, 17, 5, "1_000"]),
        ("- yes\n- on\n- True\n- FALSE\n- tRue", ["yes", "on", True, False, "tRue"]),
        ("- ~\n-\n- NULL\n- nil", [None, None, None, "nil"]),
        ("- .5\n- 5.\n- 1e3\n- -.INF\n- .", [0.5, 5.0, 1000.0, -math.inf, "."]),
        ("- 99999999999999999999\n- 2001-01-01\n- 12:30:45", [1e20, "2001-01-01", "12:30:45"]),
        ("- '1'\n- \"2\"\n- !!str 3\n- !!int '4'\n- !!float 5", ["1", "2", "3", 4, 5.0]),
        ("1: a\ntrue: b\n1.50: c\n'': d", {"1": "a", "true": "b", "1.5": "c", "": "d"}),
        ("x: |\n  a\n  b\ny: >\n  c\n  d\n", {"x": "a\nb\n", "y": "c d\n"}),
        ("a: &x {b: 1}\nc: *x", {"a": {"b": 1}, "c": {"b": 1}}),
        ("<<: {a: 1}", {"<<": {"a": 1}}),
        ("!point {a: 1}", {"a": 1}),
        ("%YAML 1.2\n---\na\n...\n", "a"),
    ],
)
def test_yaml_is_read_by_the_core_schema(text, expected):
    assert equal(yaml_parse(text), expected)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("a: [1", "YAML parse error: while parsing a flow sequence: "),
        ("a: b: c", "YAML parse error: mapping values are not allowed"),
        ("a: 1\n---\nb: 2", "YAML parse error: expected a single document in the stream: "),
        ("*x", "YAML parse error: found undefined alias"),
        ("{a: 1, a: 2}", "YAML parse error: duplicate key 'a' at line 1 column 8"),
        ("!!int x", "YAML parse error: 'x' is not int at line 1 column 1"),
        ("\x01", "YAML parse error: unacceptable character"),
        ("? [1]\n: 2", "yaml_parse: a list cannot be a key at line 1 column 3"),
        ("? {a: 1}\n: 2", "yaml_parse: a mapping cannot be a key at line 1 column 3"),
        ("~: 1", "yaml_parse: null cannot be a key at line 1 column 1"),
        ("&a [*a]", "yaml_parse: a value contains itself at line 1 column 1"),
    ],
)
def test_yaml_mistakes(text, start):
    with pytest.raises(ScriptError) as caught:
        yaml_parse(text)
    assert caught.value.value.startswith(start)
    assert "\n" not in caught.value.value


texts = st.text(st.sampled_from("ab01 \n\t-:#'\"[]{}|>&*!%@`,?~éx.\x07\x85\u2028\\"), max_size=8)
plain_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@given(plain_values)
def test_yaml_that_is_written_is_read_again(value):
    assert equal(yaml_parse(yaml_stringify(value)), value)


@given(plain_values)
def test_yaml_that_is_written_is_yaml_to_others(value):
    yaml.compose(yaml_stringify(value), yaml.SafeLoader)


def test_toml_is_read():
    text = """
a = 1
utc = 1979-05-27T07:32:00Z
offset = 1979-05-27T00:32:00.999000-07:00
local = 1979-05-27 07:32:00
day = 1979-05-27
hour = 07:32:00.5
[table]
xs = [1, 2.0, "x"]
"""
    assert toml_parse(text) == {
        "a": 1,
        "utc": "1979-05-27T07:32:00Z",
        "offset": "1979-05-27T00:32:00.999-07:00",
        "local": "1979-05-27T07:32:00",
        "day": "1979-05-27",
        "hour": "07:32:00.5",
        "table": {"xs": [1, 2.0, "x"]},
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = ", "TOML parse error: Invalid value (at line 1, column 5)"),
        ("a = 1\na = 2\n", "TOML parse error: Cannot overwrite a value (at line 2, column 6)"),
        ("a = 99999999999999999999", "TOML parse error: the integer 99999999999999999999 does not fit in 64 bits"),
    ],
)
def test_toml_mistakes(text, expected):
    with pytest.raises(ScriptError) as caught:
        toml_parse(text)
    assert caught.value.value == expected


def test_toml_is_written_with_plain_keys_first():
    value = {"b": 1, "a": {"z": 1.5, "y": "q", "sub": {}}, "c": "x\ny", "d": set_of([1])}
    text = toml_stringify(value)
    assert text == 'b = 1\nc = "x\\ny"\nd = [1]\n\n[a]\ny = "q"\nz = 1.5\n\n[a.sub]\n'
    assert tomllib.loads(text) == {**value, "d": [1]}
    assert toml_stringify(Struct(StructType("P", ("x",)), {"x": Duration(2000)})) == 'x = "2s"\n'


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"a": None}, "TOML cannot represent nil (at root.a)"),
        ({"a": [1, {"b": None}]}, "TOML cannot represent nil (at root.a[1].b)"),
        ([1], "the root must be a dict"),
        (None, "the root must be a dict"),
    ],
)
def test_toml_has_no_form_for_some_values(value, reason):
    with pytest.raises(ScriptError) as caught:
        toml_stringify(value)
    assert caught.value.value == f"toml_stringify: {reason}"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": []}, "a = []\n"),
        ({"a": [1, [2, []], "x\ny,\n]", True]}, 'a = [1, [2, []], "x\\ny,\\n]", true]\n'),
        ({"t": {"a": ["[", ","], "b": 1}}, '[t]\na = ["[", ","]\nb = 1\n'),
        ({"a": [{"x": [1, 2]}, 3]}, "a = [{ x = [1, 2] }, 3]\n"),
        ({"a": [{"x": 1}, {"x": 2}], "b": 1}, "a = [{ x = 1 }, { x = 2 }]\nb = 1\n"),
        ({"a": [{"x": [1]}, {"x": [2]}]}, "[[a]]\nx = [1]\n\n[[a]]\nx = [2]\n"),
        ({"[": [1], ",": [2]}, '"," = [2]\n"[" = [1]\n'),
    ],
)
def test_toml_arrays_are_on_one_line(value, text):
    assert toml_stringify(value) == text
    assert tomllib.loads(text) == value
