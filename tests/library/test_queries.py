"""JSON pointers and jq."""

from __future__ import annotations

import copy

import pytest

from harnlite.library.jq import jq, jq_first
from harnlite.library.pointers import json_pointer, json_pointer_delete, json_pointer_set
from harnlite.values.equality import equal
from harnlite.values.errors import ScriptError

PLACES = {"a": [1, {"b~/": 2}], "": 3, "s": "text"}


@pytest.mark.parametrize(
    ("pointer", "expected"),
    [
        ("", PLACES),
        ("/a/0", 1),
        ("/a/1/b~0~1", 2),
        ("/", 3),
        ("/x", None),
        ("/a/01", None),
        ("/a/-", None),
        ("/a/-1", None),
        ("/a/2", None),
        ("/a/0/b", None),
        ("/s/0", None),
        ("/x/y/z", None),
    ],
)
def test_pointer(pointer, expected):
    assert json_pointer(PLACES, pointer) == expected


@pytest.mark.parametrize(
    ("pointer", "expected"),
    [
        ("", 9),
        ("/s", {**PLACES, "s": 9}),
        ("/new", {**PLACES, "new": 9}),
        ("/a/0", {**PLACES, "a": [9, {"b~/": 2}]}),
        ("/a/2", {**PLACES, "a": [1, {"b~/": 2}, 9]}),
        ("/a/-", {**PLACES, "a": [1, {"b~/": 2}, 9]}),
        ("/a/3", PLACES),
        ("/a/x", PLACES),
        ("/a/1/c", {**PLACES, "a": [1, {"b~/": 2, "c": 9}]}),
        ("/x/y", PLACES),
        ("/s/y", PLACES),
    ],
)
def test_pointer_set(pointer, expected):
    before = copy.deepcopy(PLACES)
    assert json_pointer_set(PLACES, pointer, 9) == expected
    assert before == PLACES


@pytest.mark.parametrize(
    ("pointer", "expected"),
    [
        ("", None),
        ("/a/0", {**PLACES, "a": [{"b~/": 2}]}),
        ("/a/1/b~0~1", {**PLACES, "a": [1, {}]}),
        ("/a/5", PLACES),
        ("/x/y", PLACES),
        ("/", {"a": PLACES["a"], "s": "text"}),
    ],
)
def test_pointer_delete(pointer, expected):
    assert json_pointer_delete(PLACES, pointer) == expected


@pytest.mark.parametrize(
    ("builtin", "args", "text"),
    [
        (json_pointer, (1,), "json_pointer requires 2 arguments"),
        (json_pointer_set, (1, ""), "json_pointer_set requires 3 arguments"),
        (json_pointer_delete, (1,), "json_pointer_delete requires 2 arguments"),
        (json_pointer, (1, "a"), "json_pointer: pointer must be empty or start with '/'"),
        (json_pointer_set, (1, "/a~2", 0), "json_pointer_set: invalid escape '~2' in pointer"),
        (json_pointer_delete, (1, "/~~"), "json_pointer_delete: invalid escape '~~' in pointer"),
        (json_pointer, (1, "/a~"), "json_pointer: dangling '~' in pointer"),
        (json_pointer, (1, "/a~/b"), "json_pointer: dangling '~' in pointer"),
    ],
)
def test_pointer_errors(builtin, args, text):
    with pytest.raises(ScriptError) as caught:
        builtin(*args)
    assert caught.value.value == text


DATA = {
    "a": [{"n": 1, "s": "x"}, {"n": 2, "s": "y"}, {"n": 0}],
    "b": {"c": [1, 2, 3, 4], "d": None},
    "two words": True,
}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (".", [DATA]),
        (".a[].n", [1, 2, 0]),
        (".a | length", [3]),
        (".b.c[1:3]", [[2, 3]]),
        (".b.c[:2], .b.c[3:]", [[1, 2], [4]]),
        (".b.c[-1], .b.c[9], .b[0], .b.c[-9]", [4, None, None, None]),
        ('.b["c"][0], .["two words"], .b.["c"][1]', [1, True, 2]),
        (".b[]", [[1, 2, 3, 4], None]),
        (".b.c[0][], .zz[]", []),
        (".zz.y, .a.n", [None, None]),
        (".b | ..", [DATA["b"], [1, 2, 3, 4], 1, 2, 3, 4, None]),
        (".a | map(.n)", [[1, 2, 0]]),
        (".b | map(length)", [[4, 0]]),
        ("5 | map(.)", [[]]),
        (".a[] | select(.n > 1) | .s", ["y"]),
        (".a[] | select(.s) | .n", [1, 2]),
        ('{x: .a[0].n, "y z": .b.c | length, e: .zz[]}', [{"x": 1, "y z": 4, "e": None}]),
        ("{}", [{}]),
        ("keys", [["a", "b", "two words"]]),
        (".b.c | keys, values", [[0, 1, 2, 3], [1, 2, 3, 4]]),
        (".b | values", [[[1, 2, 3, 4], None]]),
        ("map(type)", [["array", "object", "boolean"]]),
        ('nil, true, 1, 1.5, "s", . | type', ["null", "boolean", "number", "number", "string", "object"]),
        ('"é😀" | length', [2]),
        ("5, true, null | length", [1, 1, 0]),
        ('.a[0].n == 1.0, .a[0] == {n: 1, s: "x"}, .zz != null', [True, True, False]),
        ('"a" < "b", 1 < 1.5, 2 > 1, "2" > 1, null < 1', [True, True, True, False, False]),
        (".b.c[] > 0", [True]),
        (".a[0].n == 2 and .a[1].n == 2 or .a[0].n == 1", [True]),
        (".a[0].n == 2 and .a[1].n == 2 or .a[0].n == 2", [False]),
        ("true or true and false", [False]),
        ("not .zz, not .a, not not .a", [True, False, True]),
        ('"a\\u0041\\n", -1.5e2, 0, nil, null, false', ["aA\n", -150.0, 0, None, None, False]),
        ("(.a[0], .a[1]) | .n", [1, 2]),
        ("\n .b\t| .c[ 0 ]", [1]),
    ],
)
def test_jq(query, expected):
    assert equal(jq(DATA, query), expected)


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("", "expected expression near ''"),
        (".a |", "expected expression near ''"),
        (".a | )", "expected expression near ')'"),
        (".a <= 1", "expected expression near '= 1'"),
        (".a }", "unexpected input near '}'"),
        ("(.a).n", "unexpected input near '.n'"),
        ("foo", "unknown identifier 'foo'"),
        (".a.", "expected field name near ''"),
        (".a.1", "expected field name near '1'"),
        (".[x]", "expected array index or slice bound"),
        (".[:]", "expected array index or slice bound"),
        (".[1", "expected ']' near ''"),
        ("( .a", "expected ')' near ''"),
        ("map .a", "expected '(' near '.a'"),
        ("{a 1}", "expected ':' near '1}'"),
        ("{a: 1", "expected '}' near ''"),
        ("{1: 2}", "expected object key near '1: 2}'"),
        ("{a: 1,}", "expected object key near '}'"),
        ('"abc', "unterminated string literal"),
        ('.["abc]', "unterminated string literal"),
        ("1.2.3", "invalid number near '1.2.3'"),
        ("-", "invalid number near '-'"),
        ("01", "invalid number near '01'"),
    ],
)
def test_jq_mistakes(query, problem):
    with pytest.raises(ScriptError) as caught:
        jq(DATA, query)
    assert caught.value.value == f"jq: {problem}"


def test_jq_first():
    assert jq_first(DATA, ".b.c[]") == 1
    assert jq_first(DATA, ".zz[]") is None


@pytest.mark.parametrize(("builtin", "name"), [(jq, "jq"), (jq_first, "jq_first")])
def test_jq_needs_two_arguments(builtin, name):
    with pytest.raises(ScriptError) as caught:
        builtin(DATA)
    assert caught.value.value == f"{name} requires 2 arguments"
