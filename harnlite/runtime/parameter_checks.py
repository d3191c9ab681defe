"""Checks of typed parameters. Compiled code tests scalars inline and calls these functions only if a test fails."""

from __future__ import annotations

from harnlite.diagnostics.suggest import near_name
from harnlite.formats.schemas.validation import Validator, matches_type
from harnlite.values.data_types import Struct, type_name
from harnlite.values.display import display
from harnlite.values.errors import runtime_error, type_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from harnlite.formats.schemas.forms import Schema
    from harnlite.values.errors import ScriptError

    Mismatch: TypeAlias = Callable[[str], ScriptError]


def check_param(name: str, value: object, schema: Schema) -> None:
    """Raise an error if the value of a typed parameter does not match the schema of its type."""

    def mismatch(expected: str) -> ScriptError:
        if _is_dict_like(schema):
            return type_error(f"parameter '{name}': expected dict or struct, got {type_name(value)}")
        return runtime_error(
            f"TypeError: parameter '{name}' expected {expected}, got {type_name(value)} ({display(value)})"
        )

    _check(name, value, schema, mismatch)


def check_interface(name: str, interface: str, value: object) -> None:
    """Raise an error if the value of a parameter with an interface type is not a struct."""
    if value.__class__ is not Struct:
        raise type_error(
            f"parameter '{name}': expected value satisfying interface '{interface}', got {type_name(value)}"
        )


def _check(name: str, value: object, schema: Schema, mismatch: Mismatch) -> None:
    label = _label(schema)
    if label is not None and not any(matches_type(value, kind, lenient=True) for kind in label.split("|")):
        raise mismatch(label)
    if _is_dict_like(schema):
        _check_fields(name, value, schema)
        return
    validator = Validator(schema, "parameter check", lenient=True)
    validator.check(value, "root")
    if validator.errors:
        messages = "; ".join(error.removeprefix("at root: ") for error in validator.errors)
        raise runtime_error(f"TypeError: parameter '{name}': {messages}")


def _is_dict_like(schema: Schema) -> bool:
    return schema.get("type") == "dict" and ("properties" in schema or "additional_properties" in schema)


def _label(schema: Schema) -> str | None:
    """Return the allowed types, joined by `|`, or None if the schema does not depend on types alone."""
    branches = schema.get("union")
    if branches is None:
        return schema.get("type")
    labels = [_label(branch) for branch in branches]
    known = [label for label in labels if label is not None]
    if len(known) < len(labels) or any("const" in branch or "enum" in branch for branch in branches):
        return None
    return "|".join(known)


def _check_fields(name: str, value: object, schema: Schema) -> None:
    fields = value.fields if value.__class__ is Struct else value
    if fields.__class__ is not dict:
        return
    properties: dict[str, Schema] = schema.get("properties", {})
    required = schema.get("required", ())
    for field, field_schema in properties.items():
        if field in fields:
            _check_field(name, field, fields[field], field_schema)
        elif field in required:
            raise type_error(_missing(name, field, field_schema, fields.keys() - properties.keys()))
    extra = schema.get("additional_properties", True)
    if extra is True:
        return
    for field in sorted(fields.keys() - properties.keys()):
        if extra is False:
            raise type_error(f"parameter '{name}': unexpected field '{field}'")
        _check_field(name, field, fields[field], extra)


def _check_field(name: str, field: str, value: object, schema: Schema) -> None:
    def mismatch(expected: str) -> ScriptError:
        wanted = "dict or struct" if _is_dict_like(schema) else expected
        return type_error(f"parameter '{name}': field '{field}' expected {wanted}, got {type_name(value)}")

    _check(f"{name}.{field}", value, schema, mismatch)


def _missing(name: str, field: str, schema: Schema, others: set[str]) -> str:
    near = near_name(field, [other for other in others if other[:1] == field[:1]])
    hint = f", did you mean '{near}'?" if near else ""
    return f"parameter '{name}': missing field '{field}' ({_label(schema) or 'any'}){hint}"
