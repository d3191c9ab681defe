"""Checks of request bodies: small functions that are combined into the shape that a vendor accepts."""

import json
import re
import typing
from collections.abc import Callable, Mapping, Sequence

Path = tuple[str | int, ...]
Check = Callable[[object, Path], None]
Kind = typing.Literal["unknown", "missing", "type", "value"]


class Invalid(Exception):
    """A value that the vendor refuses. Each vendor turns it into its own error text."""

    def __init__(self, path: Path, kind: Kind, detail: str, given: object = None) -> None:
        super().__init__(f"{path}: {kind}: {detail}")
        self.path = path
        self.kind: Kind = kind
        self.detail = detail
        self.given = given


class Refused(Exception):
    """An answer of the vendor with an error status."""

    def __init__(self, status: int, message: str, *, code: str | None = None, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.param = param


def anything(value: object, path: Path) -> None:
    """Accept any value."""


def _of(kind: type | tuple[type, ...], name: str) -> Check:
    def check(value: object, path: Path) -> None:
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise Invalid(path, "type", name, value)

    return check


string = _of(str, "string")
integer = _of(int, "integer")
number = _of((int, float), "number")
boolean = _of(bool, "boolean")
mapping = _of(dict, "object")
sequence = _of(list, "array")


def filled_string(value: object, path: Path) -> None:
    """Accept a string with at least one character."""
    string(value, path)
    if not value:
        raise Invalid(path, "value", "should have at least 1 character", value)


def between(low: float, high: float, check: Check = number) -> Check:
    """Accept a number in a closed range."""

    def within(value: object, path: Path) -> None:
        check(value, path)
        if not low <= typing.cast("float", value) <= high:
            raise Invalid(path, "value", f"should be between {low:g} and {high:g}", value)

    return within


def one_of(*values: object) -> Check:
    """Accept one of the given values."""

    def check(value: object, path: Path) -> None:
        if value not in values or isinstance(value, bool) != isinstance(values[0], bool):
            raise Invalid(path, "value", f"should be one of {', '.join(map(repr, values))}", value)

    return check


def matching(pattern: str) -> Check:
    """Accept a string that the pattern matches completely."""

    def check(value: object, path: Path) -> None:
        string(value, path)
        if not re.fullmatch(pattern, typing.cast("str", value)):
            raise Invalid(path, "value", f"String should match pattern '{pattern}'", value)

    return check


def nullable(check: Check) -> Check:
    """Accept null and what the check accepts."""
    return lambda value, path: None if value is None else check(value, path)


def array(item: Check, least: int = 0, most: int | None = None) -> Check:
    """Accept an array of items."""

    def check(value: object, path: Path) -> None:
        sequence(value, path)
        items = typing.cast("list[object]", value)
        if len(items) < least:
            raise Invalid(path, "value", f"should have at least {least} item", value)
        if most is not None and len(items) > most:
            raise Invalid(path, "value", f"should have at most {most} items", value)
        for index, element in enumerate(items):
            item(element, (*path, index))

    return check


def values_of(item: Check) -> Check:
    """Accept an object whose values the check accepts."""

    def check(value: object, path: Path) -> None:
        mapping(value, path)
        for name, element in typing.cast("dict[str, object]", value).items():
            item(element, (*path, name))

    return check


class Record:
    """The check of an object with fixed fields."""

    def __init__(self, required: Mapping[str, Check], fields: Mapping[str, Check]) -> None:
        self._required = required
        self.fields = fields

    def __call__(self, value: object, path: Path) -> None:
        """Check an object."""
        mapping(value, path)
        given = typing.cast("dict[str, object]", value)
        for name in self._required:
            if name not in given:
                raise Invalid((*path, name), "missing", "Field required")
        for name, element in given.items():
            if name not in self.fields:
                raise Invalid((*path, name), "unknown", "Extra inputs are not permitted", element)
            self.fields[name](element, (*path, name))


def record(required: Mapping[str, Check] | None = None, /, **optional: Check) -> Record:
    """Accept an object with exactly these fields; the optional ones may be absent."""
    needed = dict(required or {})
    return Record(needed, {**needed, **optional})


def tagged(key: str, shapes: Mapping[str, Check], default: str | None = None) -> Check:
    """Accept an object whose field `key` selects its shape."""

    def check(value: object, path: Path) -> None:
        mapping(value, path)
        fields = typing.cast("dict[str, object]", value)
        if key not in fields and default is None:
            raise Invalid((*path, key), "missing", "Field required")
        tag = fields.get(key, default)
        if not isinstance(tag, str) or tag not in shapes:
            raise Invalid((*path, key), "value", f"should be one of {', '.join(map(repr, shapes))}", tag)
        shapes[tag](value, path)

    return check


def text_or(check: Check, text: Check = string) -> Check:
    """Accept a string, or what the other check accepts."""
    return lambda value, path: (text if isinstance(value, str) else check)(value, path)


def either(*checks: Check) -> Check:
    """Accept what one of the checks accepts; report the finding of the last one."""

    def check(value: object, path: Path) -> None:
        for attempt in checks[:-1]:
            try:
                return attempt(value, path)
            except Invalid:
                continue
        return checks[-1](value, path)

    return check


def json_object_text(value: object, path: Path) -> None:
    """Accept a string that holds a JSON object."""
    string(value, path)
    try:
        parsed = json.loads(typing.cast("str", value))
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict):
        raise Invalid(path, "value", "should be a JSON object in a string", value)


def open_places(schema: object, path: Path = ()) -> list[tuple[Path, str]]:
    """Return the places where a strict schema is not closed, with what is missing there."""
    found: list[tuple[Path, str]] = []
    if isinstance(schema, dict):
        properties = schema.get("properties")
        if schema.get("type") == "object" or isinstance(properties, dict):
            if schema.get("additionalProperties") is not False:
                found.append((path, "'additionalProperties' is required to be supplied and to be false"))
            names = list(properties or {})
            if set(schema.get("required", [])) != set(names):
                found.append((path, "'required' is required to be supplied and to list every key of 'properties'"))
        for name, part in schema.items():
            if name in {"properties", "$defs", "definitions"} and isinstance(part, dict):
                for key, inner in part.items():
                    found += open_places(inner, (*path, name, key))
            elif name in {"items", "anyOf"}:
                found += open_places(part, (*path, name))
    elif isinstance(schema, Sequence) and not isinstance(schema, str):
        for index, part in enumerate(schema):
            found += open_places(part, (*path, index))
    return found
