"""JSON: writing, reading, and the text of every error."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnlite.formats.json.plain_writing import plain_json
from harnlite.formats.json.reading import JsonError, _Scanner, read_json
from harnlite.formats.json.writing import _NESTED, json_text
from harnlite.library import json as builtins
from harnlite.stack import on_large_stack
from harnlite.values.data_types import Duration, Pair, Range, Struct, StructType, ok
from harnlite.values.equality import equal
from harnlite.values.errors import ScriptError
from harnlite.values.sets import set_of

MISTAKES = [
    ("", "EOF while parsing a value at line 1 column 0"),
    (" ", "EOF while parsing a value at line 1 column 1"),
    ("not json", "expected ident at line 1 column 2"),
    ("tru", "EOF while parsing a value at line 1 column 3"),
    ("fals0", "expected ident at line 1 column 5"),
    ("@", "expected value at line 1 column 1"),
    ("NaN", "expected value at line 1 column 1"),
    ("Infinity", "expected value at line 1 column 1"),
    ("-Infinity", "invalid number at line 1 column 2"),
    ("'a'", "expected value at line 1 column 1"),
    ("\n\n  x", "expected value at line 3 column 3"),
    ("{", "EOF while parsing an object at line 1 column 1"),
    ('{"a"', "EOF while parsing an object at line 1 column 4"),
    ('{"a":', "EOF while parsing a value at line 1 column 5"),
    ('{"a":1', "EOF while parsing an object at line 1 column 6"),
    ('{"a":1,', "EOF while parsing a value at line 1 column 7"),
    ('{"a":1,}', "trailing comma at line 1 column 8"),
    ('{"a" 1}', "expected `:` at line 1 column 6"),
    ('{"a":1 "b":2}', "expected `,` or `}` at line 1 column 8"),
    ("{1:2}", "key must be a string at line 1 column 2"),
    ('{"a":1,2}', "key must be a string at line 1 column 8"),
    ("[", "EOF while parsing a list at line 1 column 1"),
    ("[1", "EOF while parsing a list at line 1 column 2"),
    ("[1,", "EOF while parsing a value at line 1 column 3"),
    ("[1,\n", "EOF while parsing a value at line 2 column 0"),
    ("[1,]", "trailing comma at line 1 column 4"),
    ("[,1]", "expected value at line 1 column 2"),
    ("[1 2]", "expected `,` or `]` at line 1 column 4"),
    ('["é" x]', "expected `,` or `]` at line 1 column 7"),
    ("1 2", "trailing characters at line 1 column 3"),
    ("[]]", "trailing characters at line 1 column 3"),
    ('"a', "EOF while parsing a string at line 1 column 2"),
    ('"a\\', "EOF while parsing a string at line 1 column 3"),
    ('"\\x"', "invalid escape at line 1 column 3"),
    ('"\\u12', "EOF while parsing a string at line 1 column 5"),
    ('"\\u12zz"', "invalid escape at line 1 column 7"),
    ('"\\ud800"', "unexpected end of hex escape at line 1 column 8"),
    ('"\\ud800\\n"', "unexpected end of hex escape at line 1 column 9"),
    ('"\\ud800\\u0041"', "lone leading surrogate in hex escape at line 1 column 13"),
    ('"\\udc00"', "lone leading surrogate in hex escape at line 1 column 7"),
    ('"\t"', "control character (\\u0000-\\u001F) found while parsing a string at line 1 column 2"),
    ('"a\nb"', "control character (\\u0000-\\u001F) found while parsing a string at line 2 column 0"),
    ("01", "invalid number at line 1 column 2"),
    ("-", "EOF while parsing a value at line 1 column 1"),
    ("-x", "invalid number at line 1 column 2"),
    ("+1", "expected value at line 1 column 1"),
    (".5", "expected value at line 1 column 1"),
    ("1.", "EOF while parsing a value at line 1 column 2"),
    ("1.x", "invalid number at line 1 column 3"),
    ("1e", "EOF while parsing a value at line 1 column 2"),
    ("1e+", "EOF while parsing a value at line 1 column 3"),
    ("1ex", "invalid number at line 1 column 3"),
    ("1e999", "number out of range at line 1 column 5"),
    ("[1, -2e400]", "number out of range at line 1 column 10"),
    ("9" * 400, "number out of range at line 1 column 400"),
    ("[" * 128 + "]" * 128, "recursion limit exceeded at line 1 column 128"),
    ('{"a":' * 128 + "1" + "}" * 128, "recursion limit exceeded at line 1 column 636"),
    ("[" * 100_000, "recursion limit exceeded at line 1 column 128"),
]


@pytest.mark.parametrize(("text", "reason"), MISTAKES)
def test_mistakes(text, reason):
    with pytest.raises(ScriptError) as caught:
        builtins.json_parse(text)
    assert caught.value.value == f"JSON parse error: {reason}"
    assert caught.value.thrown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("9223372036854775808", 2.0**63),
        ("-9223372036854775809", -(2.0**63)),
        ("999999999999999999999999999999", 1e30),
        ("1.0", 1.0),
        ("1e2", 100.0),
        ("1E-400", 0.0),
        ("0", 0),
        ("2024", 2024),
        ('{"a":1,"a":2}', {"a": 2}),
        ('"\\ud83d\\ude00\\u00e9\\/\\b"', "😀é/\b"),
        (" \t\r\n[ ] ", []),
        ("[" * 127 + "]" * 127, None),
        ('["-0", "2024-01-02", "0e9", 12]', ["-0", "2024-01-02", "0e9", 12]),
    ],
)
def test_values(text, expected):
    value = builtins.json_parse(text)
    if expected is not None:
        assert value == expected
        assert type(value) is type(expected)


def test_minus_zero_is_a_float():
    for text in ("-0", "[-0]", '{"a":-0}'):
        value = builtins.json_parse(text)
        while type(value) is not float:
            value = next(iter(value.values() if type(value) is dict else value))
        assert math.copysign(1, value) == -1


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"b": 1.0, "a": [True, None, False]}, '{"a":[true,null,false],"b":1}'),
        (1e21, "1000000000000000000000"),
        (1e-7, "0.0000001"),
        (-0.0, "-0"),
        (math.nan, "NaN"),
        (-math.inf, "-inf"),
        ('q"\\\n\r\t\b\f\x00\x7f\x9f é/\u2028', '"q\\"\\\\\\n\\r\\t\\u0008\\u000c\\u0000\\u007f\\u009f é/\u2028"'),
        (b"hi", '{"$bytes_b64":"aGk="}'),
        (set_of([1, "a"]), '[1,"a"]'),
        (Struct(StructType("P", ("x", "y")), {"y": 1, "x": [2.5]}), '{"x":[2.5],"y":1}'),
        (Range(1, 3), '"1 to 3"'),
        ([ok(1), Duration(5), Pair(1, 2), len], "[null,null,null,null]"),
    ],
)
def test_writing(value, expected):
    assert builtins.json_stringify(value) == expected


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (('x [{"a":1}] y',), {"a": 1}),
        (("x [1, [2]] y",), [1, [2]]),
        (('pre\n```json\n{"a": 1}\n```\npost', "a"), 1),
        (('```{"a":1}```',), {"a": 1}),
        (('{"a":"}"} z',), {"a": "}"}),
        ((' "text" ',), "text"),
        (('```json\n{"a": 1}',), {"a": 1}),
        (('{"nil": 3}', None), 3),
        (('use {a {"b": 1}', "b"), 1),
    ],
)
def test_extraction(args, expected):
    assert builtins.json_extract(*args) == expected


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ((), "json_extract requires at least 1 argument: text"),
        (("none",), "json_extract: failed to parse JSON: expected ident at line 1 column 2"),
        (('{"a":1}', "b"), "json_extract: key 'b' not found"),
        (("[1]", "b"), "json_extract: parsed value is not a dict, cannot extract key"),
    ],
)
def test_extraction_errors(args, text):
    with pytest.raises(ScriptError) as caught:
        builtins.json_extract(*args)
    assert caught.value.value == text


scalars = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
)
documents = st.recursive(
    scalars | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=5),
    max_leaves=20,
)


@given(documents)
def test_valid_documents_are_read_as_python_reads_them(value):
    text = json.dumps(value, ensure_ascii=len(repr(value)) % 2 == 0)
    assert equal(read_json(text), value)
    assert equal(_Scanner(text.encode()).read(), value)


@given(documents)
def test_what_is_written_is_read_again(value):
    again = read_json(json_text(value))
    assert equal(again, value)


@given(st.text(st.sampled_from('[]{}:,"\\u0d8e1-. \ntrfalsn'), max_size=12))
def test_both_ways_of_reading_agree(text):
    try:
        slow = _Scanner(text.encode()).read()
    except JsonError:
        with pytest.raises(JsonError):
            read_json(text)
    else:
        assert equal(read_json(text), slow)
        assert json.loads(text) is not None or slow is None


PLAIN_TEXTS = st.text(st.sampled_from('ab"\\/\b\f\n\r\t\x00\x1f\x7f\x85\x9f\xa0é\u2028\ud800😀'), max_size=8)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | PLAIN_TEXTS,
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(PLAIN_TEXTS, inner, max_size=12),
)


@given(st.lists(PLAIN) | st.dictionaries(PLAIN_TEXTS, PLAIN))
def test_both_ways_to_write_plain_data_agree(value):
    quick = plain_json(value)
    if quick is not None:
        assert quick == _NESTED[value.__class__](value, {})


FLOATS = st.sampled_from([1.0, -0.0, 0.5, 1e15, 1e16, -1e22, 1e-5, 1e-4, 123456789012345.0, 2.0**53]) | st.floats()
FLOAT_TEXTS = st.sampled_from(
    [":1.0,", ",1.0,", 'a":1.0,', '\\":1.0}', "[2.0]", "1e-5", "2e+16", "\\", '"', "k", ".0,", "x_"]
)
LARGE = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | FLOATS | PLAIN_TEXTS | FLOAT_TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(PLAIN_TEXTS | FLOAT_TEXTS, inner, max_size=4),
)
PADDINGS = [
    [0] * 600,
    [{"key": [number, 0.5]} for number in range(300)],
    ["a b"] * 600,
    [{"k": 2.0}] * 300,
    [["é\n"]] * 300,
]


@given(LARGE, st.sampled_from(PADDINGS))
def test_both_ways_to_write_larger_data_agree(value, padding):
    data = [value, {"a": padding, "b": value}]
    quick, complete = on_large_stack(lambda: (plain_json(data), _NESTED[list](data, {})))
    assert quick in (None, complete)
    assert json_text(data) == complete


@pytest.mark.parametrize("padding", PADDINGS)
def test_larger_data_is_written_by_python(padding):
    for value in ([1.0, -3.5, 0.0], {"a": 1.0, "b c": -2.0, "ok": "1.0,"}, ["n\\", 1.0], 1e20):
        data = [value, *padding]
        assert on_large_stack(lambda data=data: plain_json(data)) == _NESTED[list](data, {})
    for value in (
        math.nan,
        math.inf,
        1e-7,
        b"",
        set_of([1]),
        Range(1, 2),
        Struct(StructType("P", ("x",)), {"x": 1}),
        len,
        ok(1),
    ):
        data = [*padding, {"a": value}]
        assert on_large_stack(lambda data=data: plain_json(data)) is None
        assert on_large_stack(lambda data=data: json_text(data)) == _NESTED[list](data, {})


def test_a_long_list_is_written_in_steps():
    items = [{"k": 1.0, "text": "a" * 600, "number": number} for number in range(13_000)]
    text = on_large_stack(lambda: plain_json(items))
    assert text == _NESTED[list](items, {})
    assert len(text) > 8_000_000
    assert on_large_stack(lambda: plain_json([*items, b""])) is None


def test_large_values_that_are_deep_or_stand_for_exponential_texts_are_not_written_by_python():
    value: list[object] = [0] * 1_000
    for _ in range(60):
        value = [value, value]
    assert on_large_stack(lambda: plain_json(value)) is None
    text = "x" * 100_000
    assert on_large_stack(lambda: plain_json([text] * 1_000)) is None
    for depth in (400, 110_000, 500_000):
        value = [0] * 1_000
        for _ in range(depth):
            value = [value]
        quick = on_large_stack(lambda value=value: plain_json(value))
        assert quick is None or len(quick) == 2 * depth + 2_001
        while depth and type(value[0]) is list:
            value = value[0]


def test_plain_data_is_written_by_python():
    assert plain_json([1.0, -2.5, 1e20, 0.0, True, None, "\n\x7f"]) == (
        '[1,-2.5,100000000000000000000,0,true,null,"\\n\\u007f"]'
    )
    assert plain_json([1e-7]) is plain_json([-0.0]) is plain_json([math.nan]) is plain_json([b""]) is None
    assert plain_json(["x" * 10_000_001]) is plain_json(["x" * 100_000] * 200) is None


def test_values_that_stand_for_exponential_texts_are_not_written_by_python():
    value: list[object] = [1, 1]
    for _ in range(60):
        value = [value, value]
    assert plain_json(value) is None


NUMBERS = st.sampled_from(
    "-0 0 -0.0 -0e1 9223372036854775807 9223372036854775808 -9223372036854775809 1e5 1E400 1e99 1e-400 12 -1.5 1e+308 "
    f"1e309 123456789012345678e290 0.{'0' * 400}1 1{'0' * 320}".split()
)
STRINGS = st.sampled_from(
    ['"-0"', '"12e456"', '"]]["', r'"\""', r'"\\"', r'"[\"{"', "true", r'"\ud83d\ude00"', '"é😀"']
)
PARTS = st.recursive(
    NUMBERS | STRINGS,
    lambda inner: (
        st.lists(inner).map(lambda parts: f"[{','.join(parts)}]")
        | st.lists(inner).map(lambda parts: "{" + ", ".join(f'"k{n}": {part}' for n, part in enumerate(parts)) + "}")
    ),
)
DEPTHS = st.sampled_from([0, 1, 126, 127, 128, 200])


def reading(read, text):
    try:
        return repr(read(text))
    except JsonError as error:
        return str(error)


@given(
    PARTS, st.sampled_from([0, 1, 127, 128, 200]), st.sampled_from(["[", '{"a":']), st.sampled_from(["", " " * 5000])
)
def test_both_readers_agree(part, depth, opening, blanks):
    text = opening * depth + part + blanks + ("]" if opening == "[" else "}") * depth
    assert reading(read_json, text) == reading(lambda text: _Scanner(text.encode("utf-8")).read(), text)


@given(
    PARTS,
    st.sampled_from([0, 1, 125, 126, 127]),
    st.sampled_from(
        [",1" * 400, ',"a b"' * 300, ',{"a":[-1.5,{}]}' * 150, f',"{"x" * 9_000}"', ',["\u00e9","日本"]' * 200]
    ),
)
def test_both_readers_agree_about_longer_texts(part, depth, padding):
    text = f"[{'[' * depth}{part}{']' * depth}{padding},{part}{padding}]"
    assert reading(read_json, text) == reading(lambda text: _Scanner(text.encode("utf-8")).read(), text)


@pytest.mark.parametrize(
    "escape", [r"\ud83d\ude00", r"\ud83d", r"\ude00\ud83d", r"\\ud83d\ude00", r"\\\ud83d\ude00", r"\ud55c"]
)
@pytest.mark.parametrize("padding", ["", ',"a"' * 500, f',"{"x" * 9_000}"', ",1" * 500])
def test_both_readers_agree_about_surrogates(escape, padding):
    text = f'["{escape}"{padding}]'
    assert reading(read_json, text) == reading(lambda text: _Scanner(text.encode("utf-8")).read(), text)
