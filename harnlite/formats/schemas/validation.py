"""The validation of values against schemas in canonical form."""

from __future__ import annotations

from harnlite.formats.patterns.cursor import PatternError
from harnlite.formats.patterns.matching import compile_pattern
from harnlite.values.data_types import Struct, is_callable, type_name
from harnlite.values.display import display
from harnlite.values.equality import equal
from harnlite.values.errors import thrown
from harnlite.values.interrupts import BUILTINS, poll_here
from harnlite.values.limits import beyond, limits_here
from harnlite.values.sets import HarnSet, set_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnlite.formats.schemas.forms import Schema

_NUMBERS = frozenset({"int", "float"})
_CONTAINERS: frozenset[type] = frozenset({dict, list, Struct, HarnSet})
_BRANCHING = frozenset({"$ref", "all_of", "union"})


class _Failed:
    __slots__ = ()


_FAILED = _Failed()


def matches_type(value: object, expected: str, *, lenient: bool) -> bool:
    """Return whether a value has a type; leniently, int and float match each other, and a callable is a closure."""
    name = type_name(value)
    if expected in (name, "any"):
        return True
    if expected == "dict":
        return name == "struct"
    if not lenient:
        return False
    return (name in _NUMBERS and expected in _NUMBERS) or (expected == "closure" and is_callable(value))


class _Mismatch(Exception):
    """A value does not match a schema, and only this fact matters."""


class Validator:
    """Validates values against one root schema; `errors` collects the errors.

    A pair of a value and a schema is checked once if no error was found or if the errors do not matter, because values
    and schemas with shared parts stand for trees of exponential size. The result is not kept if a reference met itself
    during the check: it depends on the references that led there.
    """

    __slots__ = ("_cycles", "_known", "_trials", "caller", "defaults", "errors", "lenient", "root")

    def __init__(self, root: Schema, caller: str, *, defaults: bool = False, lenient: bool = False) -> None:
        self.root = root
        self.caller = caller
        self.defaults = defaults
        self.lenient = lenient
        self.errors: list[str] = []
        self._known: dict[tuple[int, int], tuple[object, object]] = {}
        self._cycles = self._trials = 0

    def check(self, value: object, path: str = "") -> object:
        """Check a value against the root schema, and return the normalised value."""
        return self._check(value, self.root, path)

    def matches(self, value: object) -> bool:
        """Return whether a value matches the root schema; the check ends at the first error."""
        return self._trial(value, self.root, "", ()) is not _FAILED

    def _fail(self, path: str, message: str) -> None:
        if self._trials:
            raise _Mismatch
        if len(self.errors) >= limits_here().schema_errors:
            raise thrown(f"{self.caller}: {beyond('schema_errors')}")
        self.errors.append(f"at {path or 'root'}: {message}")

    def _mismatch(self) -> None:
        """Before an error whose text takes long to make: end the check if errors are not collected."""
        if self._trials:
            raise _Mismatch

    def _trial(self, value: object, schema: Schema, path: str, refs: tuple[str, ...]) -> object:
        """Check a value, and return the normalised value, or _FAILED if it does not match."""
        self._trials += 1
        try:
            return self._check(value, schema, path, refs)
        except _Mismatch:
            return _FAILED
        finally:
            self._trials -= 1

    def _check(self, value: object, schema: Schema, path: str, refs: tuple[str, ...] = ()) -> object:
        if value.__class__ not in _CONTAINERS and _BRANCHING.isdisjoint(schema):
            return self._checked(value, schema, path, refs)
        if BUILTINS["_hintr"]:
            poll_here()
        pair = id(value), id(schema)
        known = self._known.get(pair)
        if known is not None:
            if known[1] is not _FAILED:
                return known[1]
            if self._trials:
                raise _Mismatch
        cycles, errors = self._cycles, len(self.errors)
        try:
            result = self._checked(value, schema, path, refs)
        except _Mismatch:
            if cycles == self._cycles:
                self._known[pair] = value, _FAILED
            raise
        if cycles == self._cycles and errors == len(self.errors):
            self._known[pair] = value, result
        return result

    def _checked(self, value: object, schema: Schema, path: str, refs: tuple[str, ...]) -> object:
        if "$ref" in schema:
            return self._follow(value, display(schema["$ref"]), path, refs)
        if value is None and schema.get("nullable"):
            return value
        if "const" in schema and not equal(value, schema["const"]):
            self._mismatch()
            self._fail(path, f"expected constant {display(schema['const'])}, got {display(value)}")
            return value
        for branch in schema.get("all_of", ()):
            value = self._check(value, branch, path, refs)
        if "union" in schema:
            value = self._check_union(value, schema["union"], path, refs)
        expected = schema.get("type")
        if expected is not None and not matches_type(value, expected, lenient=self.lenient):
            self._fail(path, f"expected type '{expected}', got '{type_name(value)}'")
            return value
        check = _CHECKS.get(value.__class__)
        return value if check is None else check(self, value, schema, path)

    def _follow(self, value: object, reference: str, path: str, refs: tuple[str, ...]) -> object:
        if reference in refs:
            self._cycles += 1
            if self._cycles > limits_here().schema_cycles:
                raise thrown(f"{self.caller}: {beyond('schema_cycles')}")
        target = None if reference in refs else self._resolve(reference)
        if target is None:
            self._fail(path, f"unresolved schema reference '{reference}'")
            return value
        return self._check(value, target, path, (*refs, reference))

    def _resolve(self, reference: str) -> Schema | None:
        first, *steps = reference.split("/")
        if first != "#" or (steps and steps[0] != "definitions" and steps[:2] != ["components", "schemas"]):
            return None
        place: Any = self.root
        for step in steps:
            place = place.get(step.replace("~1", "/").replace("~0", "~")) if place.__class__ is dict else None
        return place if place.__class__ is dict else None

    def _check_union(self, value: object, branches: list[Schema], path: str, refs: tuple[str, ...]) -> object:
        for branch in branches:
            result = self._trial(value, branch, path, refs)
            if result is not _FAILED:
                return result
        self._fail(path, "value did not match any union branch")
        return value

    # Checks by the class of the value

    def _check_struct(self, value: Struct, schema: Schema, path: str) -> object:
        fields = self._check_dict(value.fields, schema, path)
        return value if fields is value.fields else Struct(value.type, fields)

    def _check_dict(self, value: dict[str, object], schema: Schema, path: str) -> dict[str, object]:
        properties: dict[str, Schema] = schema.get("properties", {})
        filled = {}
        if self.defaults:
            filled = {k: s["default"] for k, s in properties.items() if k not in value and "default" in s}
        for name in schema.get("required", ()):
            if name not in value and name not in filled:
                self._fail(path, f"missing required key '{name}'")
        changed: dict[str, object] = {}
        for name in sorted(properties):
            if name in value or name in filled:
                given = value[name] if name in value else filled[name]
                self._check_entry(given, properties[name], f"{path}.{name}" if path else name, name, changed)
        extra = schema.get("additional_properties", True)
        if extra is not True:
            for name in sorted(value.keys() - properties.keys()):
                if extra is False:
                    self._fail(path, f"unexpected key '{name}'")
                else:
                    self._check_entry(value[name], extra, f"{path}.{name}" if path else name, name, changed)
        changed = {name: item for name, item in changed.items() if name not in value or item is not value[name]}
        return {**value, **changed} if changed else value

    def _check_entry(self, given: object, schema: Schema, path: str, name: str, changed: dict[str, object]) -> None:
        before = len(self.errors)
        result = self._check(given, schema, path)
        if len(self.errors) == before:
            changed[name] = result

    def _check_set(self, value: HarnSet, schema: Schema, path: str) -> object:
        items = value.items
        checked = self._check_list(items, schema, path)
        if len(checked) == len(items) and all(a is b for a, b in zip(checked, items, strict=True)):
            return value
        return set_of(checked)

    def _check_list(self, value: list[object], schema: Schema, path: str) -> list[object]:
        least, most = schema.get("min_items"), schema.get("max_items")
        if least.__class__ is int and len(value) < least:
            self._fail(path, f"expected at least {least} items, got {len(value)}")
        if most.__class__ is int and len(value) > most:
            self._fail(path, f"expected at most {most} items, got {len(value)}")
        items = schema.get("items")
        if items is None:
            return value
        kept: list[object] = []
        for index, item in enumerate(value):
            before = len(self.errors)
            result = self._check(item, items, f"{path}[{index}]")
            if len(self.errors) == before:
                kept.append(result)
        return kept

    def _check_string(self, value: str, schema: Schema, path: str) -> object:
        least, most = schema.get("min_length"), schema.get("max_length")
        if least.__class__ is int and len(value) < least:
            self._fail(path, f"expected length >= {least}, got {len(value)}")
        if most.__class__ is int and len(value) > most:
            self._fail(path, f"expected length <= {most}, got {len(value)}")
        if schema.get("pattern").__class__ is str:
            self._check_pattern(value, schema["pattern"], path)
        return self._check_enum(value, schema, path)

    def _check_pattern(self, value: str, pattern: str, path: str) -> None:
        try:
            found = compile_pattern(pattern).found_in(value, self.caller)
        except PatternError as error:
            self._fail(path, f"invalid regex pattern '{pattern}': {error.reason}")
            return
        if not found:
            self._fail(path, f"value does not match pattern '{pattern}'")

    def _check_number(self, value: float, schema: Schema, path: str) -> object:
        least: Any = schema.get("min")
        most: Any = schema.get("max")
        if _is_number(least) and value < least:
            self._fail(path, f"expected value >= {_number_text(least)}, got {_number_text(value)}")
        if _is_number(most) and value > most:
            self._fail(path, f"expected value <= {_number_text(most)}, got {_number_text(value)}")
        return self._check_enum(value, schema, path)

    def _check_enum(self, value: object, schema: Schema, path: str) -> object:
        allowed = schema.get("enum")
        if allowed is not None and not any(equal(value, item) for item in allowed):
            self._mismatch()
            self._fail(path, f"value must be one of [{', '.join(map(display, allowed))}]")
        return value


def _is_number(value: object) -> bool:
    return value.__class__ is int or value.__class__ is float


def _number_text(value: object) -> str:
    return display(value).removesuffix(".0")


_CHECKS: dict[type, Callable[[Validator, Any, Schema, str], object]] = {
    dict: Validator._check_dict,  # noqa: SLF001 - this class's own table
    Struct: Validator._check_struct,  # noqa: SLF001
    list: Validator._check_list,  # noqa: SLF001
    HarnSet: Validator._check_set,  # noqa: SLF001
    str: Validator._check_string,  # noqa: SLF001
    int: Validator._check_number,  # noqa: SLF001
    float: Validator._check_number,  # noqa: SLF001
    bool: Validator._check_enum,  # noqa: SLF001
    type(None): Validator._check_enum,  # noqa: SLF001
}
