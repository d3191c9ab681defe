"""Schemas: canonical form, validation, conversion, and the checks of typed parameters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import harnlite
from harnlite.formats.schemas.forms import canonical
from harnlite.formats.schemas.matching import UndecidedError, quick_check
from harnlite.formats.schemas.validation import Validator
from harnlite.library import schema as builtins
from harnlite.runtime.parameter_checks import check_interface, check_param
from harnlite.runtime.tasks.execution import Execution
from harnlite.values.data_types import Native, Struct, StructType, ok
from harnlite.values.display import display
from harnlite.values.equality import equal
from harnlite.values.errors import ScriptError
from harnlite.values.sets import set_of

POINT = StructType("Point", ("x", "y"))


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "object", "unknown": 1}, {"type": "dict"}),
        ({"type": "array", "items": {"type": "integer"}}, {"type": "list", "items": {"type": "int"}}),
        ({"type": ["string", "null"]}, {"union": [{"type": "string"}, {"type": "nil"}]}),
        ({"type": "number", "minimum": 1, "max": 2}, {"type": "float", "min": 1, "max": 2}),
        ({"type": "boolean", "nullable": True}, {"type": "bool", "nullable": True}),
        ({"nullable": False}, {}),
        ({"required": True}, {"required": []}),
        ({"minLength": 1, "maxLength": 2, "minItems": 3, "maxItems": 4}, None),
        ({"oneOf": [{"type": "null"}]}, {"union": [{"type": "nil"}]}),
        ({"anyOf": [{"type": "null"}]}, {"union": [{"type": "nil"}]}),
        ({"allOf": [{"type": "integer"}]}, {"all_of": [{"type": "int"}]}),
        ({"additionalProperties": {"type": "integer"}}, {"additional_properties": {"type": "int"}}),
        ({"additionalProperties": False}, {"additional_properties": False}),
        ({"type": "array", "uniqueItems": True}, {"type": "set"}),
        ({"type": "array", "x-harn-type": "set"}, {"type": "set", "x-harn-type": "set"}),
        ({"type": "string", "title": "t", "format": "f", "$defs": {}}, {"type": "string", "title": "t", "format": "f"}),
        ({"const": None, "default": 1}, {"const": None, "default": 1}),
        ({"definitions": {"X": {"type": "integer"}}}, {"definitions": {"X": {"type": "int"}}}),
        ({"components": {"schemas": {"X": {"type": "null"}}}}, {"components": {"schemas": {"X": {"type": "nil"}}}}),
    ],
)
def test_canonical_form(schema, expected):
    if expected is None:
        expected = {"min_length": 1, "max_length": 2, "min_items": 3, "max_items": 4}
    assert builtins.schema_from_json_schema(schema) == expected
    assert builtins.schema_from_openapi_schema(schema) == expected
    assert canonical(expected) == expected


NAMES = {
    "type": "dict",
    "properties": {"a": {"type": "int"}, "b": {"type": "list", "items": {"properties": {"c": {"type": "string"}}}}},
    "required": ["z", "a"],
    "additional_properties": False,
}
TREE = {
    "$ref": "#/definitions/Node",
    "definitions": {
        "Node": {"type": "dict", "properties": {"kids": {"type": "list", "items": {"$ref": "#/definitions/Node"}}}}
    },
}


@pytest.mark.parametrize(
    ("value", "schema", "errors"),
    [
        (1, {"type": "any"}, []),
        (1, {"type": "float"}, ["at root: expected type 'float', got 'int'"]),
        (1.0, {"type": "int"}, ["at root: expected type 'int', got 'float'"]),
        (True, {"type": "int"}, ["at root: expected type 'int', got 'bool'"]),
        (None, {"type": "int", "nullable": True}, []),
        (None, {"type": "int"}, ["at root: expected type 'int', got 'nil'"]),
        (Struct(POINT, {"x": 1}), {"type": "dict", "required": ["y"]}, ["at root: missing required key 'y'"]),
        (
            {"a": "x", "b": [{"c": "1"}, {"c": 2}], "q": 1, "p": 1},
            NAMES,
            [
                "at root: missing required key 'z'",
                "at a: expected type 'int', got 'string'",
                "at b[1].c: expected type 'string', got 'int'",
                "at root: unexpected key 'p'",
                "at root: unexpected key 'q'",
            ],
        ),
        ({"k": 1}, {"additional_properties": {"type": "string"}}, ["at k: expected type 'string', got 'int'"]),
        ([1, "x"], {"items": {"type": "int"}}, ["at [1]: expected type 'int', got 'string'"]),
        ([1], {"min_items": 2, "max_items": 0}, None),
        (set_of([1]), {"type": "set", "items": {"type": "string"}}, ["at [0]: expected type 'string', got 'int'"]),
        ("é", {"min_length": 2}, ["at root: expected length >= 2, got 1"]),
        ("abc", {"max_length": 2.0}, []),
        ("abc", {"max_length": 2}, ["at root: expected length <= 2, got 3"]),
        ("abc", {"pattern": "^b"}, ["at root: value does not match pattern '^b'"]),
        ("abc", {"pattern": "b"}, []),
        ("abc", {"pattern": "("}, ["at root: invalid regex pattern '(': unclosed group"]),
        (5, {"min": 6.0, "max": 4.5}, ["at root: expected value >= 6, got 5", "at root: expected value <= 4.5, got 5"]),
        (5.0, {"maximum": 4}, ["at root: expected value <= 4, got 5"]),
        ("c", {"enum": ["a", 1]}, ["at root: value must be one of [a, 1]"]),
        (1.0, {"enum": [1]}, []),
        (None, {"enum": [1]}, ["at root: value must be one of [1]"]),
        ([1], {"enum": [2]}, []),
        (2, {"const": [1], "type": "string"}, ["at root: expected constant [1], got 2"]),
        (2, {"union": [{"type": "string"}, {"const": 2}]}, []),
        (2, {"union": [{"type": "string"}, {"const": 3}]}, ["at root: value did not match any union branch"]),
        (2, {"union": [{"type": "int"}], "max": 1}, ["at root: expected value <= 1, got 2"]),
        (
            5,
            {"all_of": [{"max": 1}, {"max": 2}], "min": 9},
            [
                "at root: expected value <= 1, got 5",
                "at root: expected value <= 2, got 5",
                "at root: expected value >= 9, got 5",
            ],
        ),
        ({"kids": [{"kids": []}, {"kids": 1}]}, TREE, ["at kids[1].kids: expected type 'list', got 'int'"]),
        (1, {"$ref": "#/definitions/X"}, ["at root: unresolved schema reference '#/definitions/X'"]),
        (1, {"$ref": "#/x", "x": {}}, ["at root: unresolved schema reference '#/x'"]),
        (
            1,
            {"$ref": "#/definitions/A", "definitions": {"A": {"$ref": "#/definitions/A"}}},
            ["at root: unresolved schema reference '#/definitions/A'"],
        ),
        (1, {"$ref": "#/components/schemas/X", "components": {"schemas": {"X": {"type": "integer"}}}}, []),
    ],
)
def test_validation(value, schema, errors):
    if errors is None:
        errors = ["at root: expected at least 2 items, got 1", "at root: expected at most 0 items, got 1"]
    result = builtins.schema_check(value, schema)
    run = Execution()
    assert builtins.schema_is(run, value, schema) is builtins.is_type(run, value, schema) is (not errors)
    if not errors:
        assert equal(result, ok(value))
        assert builtins.schema_expect(value, schema) is not NotImplemented
        assert builtins.json_validate(value, schema) is True
        return
    assert result.variant == "Err"
    assert result.fields[0]["errors"] == errors
    assert result.fields[0]["message"] == errors[0]
    for builtin in (builtins.schema_expect, builtins.json_validate):
        with pytest.raises(ScriptError) as caught:
            builtin(value, schema)
        assert caught.value.value == "; ".join(errors)


DEFAULTS = {
    "type": "dict",
    "properties": {
        "n": {"type": "int", "default": 3},
        "sub": {"type": "dict", "default": {}, "properties": {"deep": {"default": "d"}}},
        "bad": {"type": "int"},
    },
    "required": ["n", "bad"],
}


def test_defaults_are_filled_in_only_when_parsing():
    filled = {"n": 3, "sub": {"deep": "d"}, "bad": 1}
    given = {"bad": 1}
    assert equal(builtins.schema_parse(given, DEFAULTS), ok(filled))
    assert builtins.schema_expect(given, DEFAULTS, apply_defaults=True) == filled
    assert builtins.schema_check(given, DEFAULTS).fields[0]["errors"] == ["at root: missing required key 'n'"]
    assert given == {"bad": 1}


def test_the_value_of_a_failure_keeps_bad_properties_and_drops_bad_items():
    result = builtins.schema_parse({"bad": "x"}, DEFAULTS).fields[0]
    assert result["value"] == {"n": 3, "sub": {"deep": "d"}, "bad": "x"}
    result = builtins.schema_check([1, "x", 2], {"items": {"type": "int"}}).fields[0]
    assert result["value"] == [1, 2]


@pytest.mark.parametrize("schema", [5, {"properties": {"a": 1}}, {"union": [1]}])
def test_a_schema_must_be_a_dict(schema):
    assert equal(
        builtins.schema_check(1, schema).fields[0],
        {"errors": ["schema must be a dict"], "message": "schema must be a dict"},
    )
    with pytest.raises(ScriptError) as caught:
        builtins.schema_is(Execution(), 1, schema)
    assert caught.value.value == "schema must be a dict"


def test_a_union_must_be_a_list():
    with pytest.raises(ScriptError) as caught:
        builtins.schema_partial({"oneOf": {}})
    assert caught.value.value == "schema union/all_of must be a list"


@pytest.mark.parametrize(
    ("name", "args", "count"),
    [
        *((name, (1,), 2) for name in ("schema_check", "schema_parse", "schema_expect", "json_validate")),
        *((name, (1,), 2) for name in ("schema_is", "is_type", "schema_extend", "schema_pick", "schema_omit")),
        *((name, (), 1) for name in ("schema_of", "schema_partial", "schema_to_json_schema")),
        *((f"schema_{name}", (), 1) for name in ("to_openapi_schema", "from_json_schema", "from_openapi_schema")),
    ],
)
def test_too_few_arguments(name, args, count):
    with pytest.raises(ScriptError) as caught:
        getattr(builtins, name)(*([Execution()] if name in {"schema_is", "is_type"} else []), *args)
    assert caught.value.value == f"{name} requires {count} arguments"


def test_schema_of():
    assert builtins.schema_of({"a": 1}) == {"a": 1}
    with pytest.raises(ScriptError) as caught:
        builtins.schema_of(5)
    assert caught.value.value == "schema_of: expected a type alias or schema dict, got int"


def test_to_json_schema():
    schema = {
        "type": "dict",
        "properties": {
            "s": {"type": "set", "items": {"type": "int", "min": 1, "max": 2.5}},
            "f": {"type": "closure"},
            "t": {"type": "string", "nullable": True, "min_length": 1},
            "u": {"union": [{"type": "nil"}, {"all_of": [{"type": "bool"}]}], "nullable": True},
        },
        "required": ["s"],
        "additional_properties": {"type": "float"},
    }
    expected = {
        "type": "object",
        "properties": {
            "s": {
                "type": "array",
                "uniqueItems": True,
                "items": {"type": "integer", "minimum": 1.0, "maximum": 2.5},
            },
            "f": {"type": "string", "x-harn-type": "closure"},
            "t": {"type": ["string", "null"], "minLength": 1},
            "u": {"oneOf": [{"type": "null"}, {"allOf": [{"type": "boolean"}]}, {"type": "null"}]},
        },
        "required": ["s"],
        "additionalProperties": {"type": "number"},
    }
    result = builtins.schema_to_json_schema(schema)
    assert result == expected
    assert type(result["properties"]["s"]["items"]["minimum"]) is float
    openapi = builtins.schema_to_openapi_schema(schema)
    assert openapi["properties"]["t"] == {"type": "string", "nullable": True, "minLength": 1}


def test_changes():
    base = {"type": "object", "properties": {"a": {"required": ["x"]}, "b": {}}, "required": ["a", "b"]}
    assert builtins.schema_extend(base, {"required": ["a"], "title": "t"}) == {
        "type": "dict",
        "properties": {"a": {"required": ["x"]}, "b": {}},
        "required": ["a"],
        "title": "t",
    }
    assert builtins.schema_partial(base) == {"type": "dict", "properties": {"a": {}, "b": {}}}
    assert builtins.schema_partial({"items": base, "union": [base], "additional_properties": base}) == {
        key: [builtins.schema_partial(base)] if key == "union" else builtins.schema_partial(base)
        for key in ("items", "union", "additional_properties")
    }
    assert builtins.schema_pick(base, ["a"])["required"] == ["a"]
    assert list(builtins.schema_omit(base, ["a"])["properties"]) == ["b"]
    for name in ("schema_pick", "schema_omit"):
        with pytest.raises(ScriptError) as caught:
            getattr(builtins, name)(base, "a")
        assert caught.value.value == f"{name}: keys must be a list"


USER = {
    "type": "dict",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "int"},
        "home": {"type": "dict", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        "tags": {"type": "list", "items": {"type": "string"}},
        "id": {"union": [{"type": "string"}, {"type": "int"}]},
        "mode": {"enum": ["a", "b"], "type": "string"},
    },
    "required": ["name"],
}
INTS = {"items": {"type": "int"}, "type": "list"}
LABEL = {"union": [{"type": "int"}, {"type": "string"}]}


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        (1, {"type": "float"}),
        (1.5, {"type": "int"}),
        ("x", LABEL),
        (1.5, LABEL),
        (None, {"union": [{"type": "int"}, {"type": "nil"}]}),
        ([1, 2.5], INTS),
        (lambda: None, {"type": "closure"}),
        (Native("len", len, 1), {"type": "closure"}),
        ({"name": "n", "age": 2.5, "id": 1, "mode": "a", "tags": [], "extra": 1}, USER),
        (Struct(POINT, {"name": "n"}), USER),
        ({"a": 1}, {"additional_properties": {"type": "int"}, "type": "dict"}),
        ("a", {"enum": ["a"], "type": "string"}),
        (1, {"const": 1, "type": "int"}),
        (1, {}),
    ],
)
def test_parameters_that_fit(value, schema):
    check_param("p", value, schema)


@pytest.mark.parametrize(
    ("value", "schema", "text"),
    [
        ("hello", {"type": "int"}, "Runtime error: TypeError: parameter 'p' expected int, got string (hello)"),
        (None, {"type": "bool"}, "Runtime error: TypeError: parameter 'p' expected bool, got nil (nil)"),
        (True, {"type": "int"}, "Runtime error: TypeError: parameter 'p' expected int, got bool (true)"),
        (True, LABEL, "Runtime error: TypeError: parameter 'p' expected int|string, got bool (true)"),
        (5, INTS, "Runtime error: TypeError: parameter 'p' expected list, got int (5)"),
        (5, {"type": "dict"}, "Runtime error: TypeError: parameter 'p' expected dict, got int (5)"),
        (
            [1, "a", None],
            INTS,
            (
                "Runtime error: TypeError: parameter 'p': at root[1]: expected type 'int', got 'string'; "
                "at root[2]: expected type 'int', got 'nil'"
            ),
        ),
        (
            "c",
            {"enum": ["a", "b"], "type": "string"},
            "Runtime error: TypeError: parameter 'p': value must be one of [a, b]",
        ),
        (5, {"enum": ["a"], "type": "string"}, "Runtime error: TypeError: parameter 'p' expected string, got int (5)"),
        ("b", {"const": "a", "type": "string"}, "Runtime error: TypeError: parameter 'p': expected constant a, got b"),
        (
            ["x"],
            {"union": [INTS, {"type": "string"}]},
            "Runtime error: TypeError: parameter 'p': value did not match any union branch",
        ),
        (
            2,
            {"union": [{"const": "a", "type": "string"}, {"const": 1, "type": "int"}]},
            "Runtime error: TypeError: parameter 'p': value did not match any union branch",
        ),
        (5, USER, "Type error: parameter 'p': expected dict or struct, got int"),
        ({}, USER, "Type error: parameter 'p': missing field 'name' (string)"),
        ({"nmae": 1}, USER, "Type error: parameter 'p': missing field 'name' (string), did you mean 'nmae'?"),
        ({"game": 1}, USER, "Type error: parameter 'p': missing field 'name' (string)"),
        ({"name": 1}, USER, "Type error: parameter 'p': field 'name' expected string, got int"),
        ({"name": None}, USER, "Type error: parameter 'p': field 'name' expected string, got nil"),
        ({"name": "n", "home": 1}, USER, "Type error: parameter 'p': field 'home' expected dict or struct, got int"),
        ({"name": "n", "home": {}}, USER, "Type error: parameter 'p.home': missing field 'city' (string)"),
        (
            {"name": "n", "home": {"city": 1}},
            USER,
            "Type error: parameter 'p.home': field 'city' expected string, got int",
        ),
        ({"name": "n", "tags": 1}, USER, "Type error: parameter 'p': field 'tags' expected list, got int"),
        (
            {"name": "n", "tags": [1]},
            USER,
            "Runtime error: TypeError: parameter 'p.tags': at root[0]: expected type 'string', got 'int'",
        ),
        ({"name": "n", "id": True}, USER, "Type error: parameter 'p': field 'id' expected string|int, got bool"),
        (
            {"name": "n", "mode": "z"},
            USER,
            "Runtime error: TypeError: parameter 'p.mode': value must be one of [a, b]",
        ),
        (
            {"k": "x"},
            {"additional_properties": {"type": "int"}, "type": "dict"},
            "Type error: parameter 'p': field 'k' expected int, got string",
        ),
        (
            [],
            {"additional_properties": {"type": "int"}, "type": "dict"},
            "Type error: parameter 'p': expected dict or struct, got list",
        ),
        (
            {"k": 1},
            {"additional_properties": False, "type": "dict"},
            "Type error: parameter 'p': unexpected field 'k'",
        ),
        (1, {"type": "closure"}, "Runtime error: TypeError: parameter 'p' expected closure, got int (1)"),
    ],
)
def test_parameters_that_do_not_fit(value, schema, text):
    with pytest.raises(ScriptError) as caught:
        check_param("p", value, schema)
    assert caught.value.value == text
    assert not caught.value.thrown


def test_an_interface_takes_structs_only():
    check_interface("p", "Sized", Struct(POINT, {}))
    with pytest.raises(ScriptError) as caught:
        check_interface("p", "Sized", {"x": 1})
    assert caught.value.value == "Type error: parameter 'p': expected value satisfying interface 'Sized', got dict"
    assert display(Struct(POINT, {"x": 1})) == "Point {x: 1}"


TYPES = st.sampled_from(["int", "float", "string", "bool", "nil", "bytes", "list", "dict", "set", "any", "closure"])
SIMPLE = st.fixed_dictionaries({"type": TYPES}, optional={"nullable": st.booleans(), "title": st.just("t")})
SCHEMAS = st.recursive(
    SIMPLE | st.fixed_dictionaries({"type": st.lists(TYPES, max_size=2)}),
    lambda inner: st.fixed_dictionaries(
        {"type": st.sampled_from(["dict", "list"])},
        optional={
            "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
            "required": st.lists(st.sampled_from("abcd"), max_size=3),
            "additional_properties": st.booleans(),
            "items": inner,
            "union": st.lists(inner, max_size=2),
            "min": st.just(1),
        },
    ),
    max_leaves=6,
)
VALUES = st.recursive(
    st.sampled_from([None, True, 1, 2.5, "a", b"b", set_of([1]), Struct(POINT, {"x": 1, "y": "a"})]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4),
    max_leaves=6,
)


@given(SCHEMAS, VALUES)
def test_a_quick_check_agrees_with_the_validator(schema, value):
    form = canonical(schema)
    check = quick_check(form)
    if check is not None:
        try:
            found = check(value)
        except UndecidedError:
            return
        assert found is Validator(form, "test").matches(value)


def test_a_record_has_a_quick_check():
    record = {
        "type": "dict",
        "properties": {
            "a": {"type": "int"},
            "b": {"type": ["string", "null"]},
            "c": {"type": "list", "items": {"type": "int"}},
        },
        "required": ["a"],
        "additional_properties": False,
    }
    check = quick_check(canonical(record))
    assert check({"a": 1}) is check({"a": 1, "b": None, "c": [1]}) is True
    for value in ({}, {"a": True}, {"a": 1, "c": [1.5]}, {"a": 1, "d": 1}, [], None):
        assert check(value) is False
    with pytest.raises(UndecidedError):
        check(Struct(POINT, {"x": 1, "y": 2}))
    value: dict[str, object] = {"type": "int"}
    for _ in range(60):
        value = {"type": "dict", "properties": {"a": value, "b": value}}
    assert quick_check(canonical(value)) is None


def test_a_schema_that_a_script_changes_is_prepared_again():
    program = """
fn found() {
  var schema = {type: "dict", properties: {a: {type: "int"}}}
  var all = []
  for kind in ["int", "string", "bool"] {
    schema.properties.a.type = kind
    all = all.push(schema_is({a: 1}, schema))
    schema["additional_properties"] = false
    all = all.push(schema_is({b: 1}, schema))
    schema["additional_properties"] = true
  }
  return all
}
println(found())
var count = 0
for n in 1 to 500 { if schema_is(n, {type: if n % 2 == 0 { "int" } else { "string" }}) { count = count + 1 } }
println(count)
"""
    assert harnlite.Engine(cache=False).run(program).stdout == "[true, false, false, false, false, false]\n250\n"
