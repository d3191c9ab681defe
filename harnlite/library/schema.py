"""Builtins that check values against schemas, and convert and change schemas."""

from __future__ import annotations

from harnlite.formats.schemas.forms import SchemaError, canonical, json_schema, with_properties, without_required
from harnlite.formats.schemas.matching import UndecidedError, quick_check
from harnlite.formats.schemas.validation import Validator
from harnlite.library.native import MISSING, native
from harnlite.values.data_types import err, ok, type_name
from harnlite.values.display import display
from harnlite.values.errors import thrown
from harnlite.values.operators import truthy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.formats.schemas.forms import Schema
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.values.data_types import EnumValue

_MOST_KNOWN = 200


def _require(caller: str, count: int, last: object) -> None:
    if last is MISSING:
        raise thrown(f"{caller} requires {count} arguments")


def _form(schema: object) -> Schema:
    try:
        return canonical(schema)
    except SchemaError as error:
        raise thrown(str(error)) from None


def _result(caller: str, value: object, schema: object, *, defaults: bool) -> EnumValue:
    """Check a value and return the outcome as a Result."""
    _require(caller, 2, schema)
    try:
        form = canonical(schema)
    except SchemaError as error:
        return err({"errors": [str(error)], "message": str(error)})
    validator = Validator(form, caller, defaults=defaults)
    checked = validator.check(value)
    if validator.errors:
        return err({"errors": list(validator.errors), "message": validator.errors[0], "value": checked})
    return ok(checked)


def _expected(caller: str, value: object, schema: object, *, defaults: bool = False) -> object:
    """Check a value and return its normalized form, or throw all its errors."""
    _require(caller, 2, schema)
    validator = Validator(_form(schema), caller, defaults=defaults)
    checked = validator.check(value)
    if validator.errors:
        raise thrown("; ".join(validator.errors))
    return checked


def _matches(run: Execution, caller: str, value: object, schema: object) -> bool:
    prepared = _prepared(run, caller, schema)
    check = prepared.check
    if check is not None:
        try:
            return check(value)
        except UndecidedError:
            pass
    return Validator(prepared.form, caller).matches(value)


class _Prepared:
    """A schema that a run has used, its canonical form, and its quick check if it has one."""

    __slots__ = ("check", "form", "schema")

    def __init__(self, schema: object) -> None:
        self.schema = schema
        self.form = _form(schema)
        self.check = quick_check(self.form)


def _prepared(run: Execution, caller: str, schema: object) -> _Prepared:
    """Return a schema prepared for checks. A dict that a builtin has received never changes."""
    known: dict[int, _Prepared] = run.state("schemas", dict)
    found = known.get(id(schema))
    if found is None:
        _require(caller, 2, schema)
        found = _Prepared(schema)
        if type(schema) is dict:
            if len(known) >= _MOST_KNOWN:
                known.clear()
            known[id(schema)] = found
    return found


@native("schema_check")
def schema_check(value: object = None, schema: object = MISSING) -> EnumValue:
    """Return Ok with the value if it matches a schema, or Err with its errors."""
    return _result("schema_check", value, schema, defaults=False)


@native("schema_parse")
def schema_parse(value: object = None, schema: object = MISSING) -> EnumValue:
    """Return Ok with the value and the defaults of a schema if it matches, or Err with its errors."""
    return _result("schema_parse", value, schema, defaults=True)


@native("schema_expect")
def schema_expect(value: object = None, schema: object = MISSING, apply_defaults: object = False) -> object:  # noqa: FBT002 - positional in the language
    """Return a value if it matches a schema, or throw its errors."""
    return _expected("schema_expect", value, schema, defaults=truthy(apply_defaults))


@native("json_validate")
def json_validate(value: object = None, schema: object = MISSING) -> bool:
    """Return true if a value matches a schema, or throw its errors."""
    _expected("json_validate", value, schema)
    return True


@native("schema_is")
def schema_is(run: Execution, value: object = None, schema: object = MISSING) -> bool:
    """Return whether a value matches a schema."""
    return _matches(run, "schema_is", value, schema)


@native("is_type")
def is_type(run: Execution, value: object = None, schema: object = MISSING) -> bool:
    """Return whether a value matches a schema."""
    return _matches(run, "is_type", value, schema)


@native("schema_of")
def schema_of(schema: object = MISSING) -> object:
    """Return the schema of a type alias, or a schema dict unchanged."""
    _require("schema_of", 1, schema)
    if schema.__class__ is not dict:
        raise thrown(f"schema_of: expected a type alias or schema dict, got {type_name(schema)}")
    return schema


@native("schema_to_json_schema")
def schema_to_json_schema(schema: object = MISSING) -> Schema:
    """Return a schema as JSON Schema."""
    _require("schema_to_json_schema", 1, schema)
    return json_schema(_form(schema), openapi=False)


@native("schema_to_openapi_schema")
def schema_to_openapi_schema(schema: object = MISSING) -> Schema:
    """Return a schema in the OpenAPI dialect."""
    _require("schema_to_openapi_schema", 1, schema)
    return json_schema(_form(schema), openapi=True)


@native("schema_from_json_schema")
def schema_from_json_schema(schema: object = MISSING) -> Schema:
    """Return the canonical form of a JSON Schema."""
    _require("schema_from_json_schema", 1, schema)
    return _form(schema)


@native("schema_from_openapi_schema")
def schema_from_openapi_schema(schema: object = MISSING) -> Schema:
    """Return the canonical form of an OpenAPI schema."""
    _require("schema_from_openapi_schema", 1, schema)
    return _form(schema)


@native("schema_extend")
def schema_extend(base: object = None, overrides: object = MISSING) -> Schema:
    """Return a schema with some of its keys replaced by those of another."""
    _require("schema_extend", 2, overrides)
    return {**_form(base), **_form(overrides)}


@native("schema_partial")
def schema_partial(schema: object = MISSING) -> Schema:
    """Return a schema in which no key is required, at any depth."""
    _require("schema_partial", 1, schema)
    return without_required(_form(schema))


def _names(caller: str, keys: object) -> set[str]:
    _require(caller, 2, keys)
    if keys.__class__ is not list:
        raise thrown(f"{caller}: keys must be a list")
    return {display(key) for key in keys}


@native("schema_pick")
def schema_pick(schema: object = None, keys: object = MISSING) -> Schema:
    """Return a schema with only these properties."""
    names = _names("schema_pick", keys)
    return with_properties(_form(schema), names.__contains__)


@native("schema_omit")
def schema_omit(schema: object = None, keys: object = MISSING) -> Schema:
    """Return a schema without these properties."""
    names = _names("schema_omit", keys)
    return with_properties(_form(schema), lambda name: name not in names)
