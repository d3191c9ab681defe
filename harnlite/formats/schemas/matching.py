"""Quick checks, made once per schema, of whether values match it."""

from __future__ import annotations

from harnlite.values.data_types import MISSING, Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet
    from typing import TypeAlias

    from harnlite.formats.schemas.forms import Schema

    Check: TypeAlias = Callable[[object], bool]
    Kinds: TypeAlias = frozenset[type]

_CLASSES: dict[str, type] = {"int": int, "float": float, "string": str, "bool": bool, "nil": type(None), "bytes": bytes}
_NOTES = frozenset(
    {"title", "description", "format", "deprecated", "readOnly", "writeOnly", "example", "examples", "default"}
)
_RECORD_KEYS = frozenset({"type", "properties", "required", "additional_properties"})
_DEEPEST = 3
_MOST_CHECKS = 1_000


class _Unsupported(Exception):
    """A schema that only the validator can check."""


class UndecidedError(Exception):
    """A value that only the validator can check."""


def quick_check(form: Schema) -> Check | None:
    """Return a function that checks whether values match a schema in canonical form, or None if it is not simple.

    The function does the same as the validator, or raises UndecidedError for a value with a struct.
    """
    try:
        return _Maker().check(form, 0)
    except _Unsupported:
        return None


def _kinds(form: Schema) -> Kinds | None:
    """Return the classes that a schema of scalars permits, or None if it is another schema."""
    keys = form.keys() - _NOTES
    if keys - {"nullable"} == {"type"}:
        kind = _CLASSES.get(form["type"])
        if kind is None:
            return None
        return frozenset({kind, type(None)}) if "nullable" in keys else frozenset({kind})
    if keys != {"union"}:
        return None
    found: set[type] = set()
    for branch in form["union"]:
        kinds = _kinds(branch) if "union" not in branch else None
        if kinds is None:
            return None
        found |= kinds
    return frozenset(found)


def _of_kinds(kinds: Kinds) -> Check:
    if len(kinds) == 1:
        (kind,) = kinds
        return lambda value: value.__class__ is kind
    return lambda value: value.__class__ in kinds


class _Maker:
    """Makes the checks of one schema, whose number is limited."""

    __slots__ = ("_count",)

    def __init__(self) -> None:
        self._count = 0

    def check(self, form: Schema, depth: int) -> Check:
        """Return the check of a schema; raise _Unsupported if there is none."""
        self._count += 1
        if self._count > _MOST_CHECKS or depth > _DEEPEST:
            raise _Unsupported
        kinds = _kinds(form)
        if kinds is not None:
            return _of_kinds(kinds)
        keys = form.keys() - _NOTES
        if not keys or (keys == {"type"} and form["type"] == "any"):
            return lambda _: True
        if form.get("type") == "list" and keys <= {"type", "items"}:
            return _list_check(form.get("items"))
        if form.get("type") == "dict" and keys <= _RECORD_KEYS:
            return self._record(form, depth)
        raise _Unsupported

    def _record(self, form: Schema, depth: int) -> Check:
        properties: dict[str, Schema] = form.get("properties", {})
        extra = form.get("additional_properties", True)
        if extra.__class__ is not bool:
            raise _Unsupported
        required = frozenset(form.get("required", ()))
        exact: list[tuple[str, type]] = []
        others: list[tuple[str, Check]] = []
        for name, inner in properties.items():
            kinds = _kinds(inner)
            if kinds is not None and len(kinds) == 1 and name in required:
                exact += [(name, kind) for kind in kinds]
            else:
                others.append((name, self.check(inner, depth + 1)))
        present = required.difference(name for name, _ in exact)
        return _Record(exact, others, present, None if extra else properties.keys()).matches


class _Record:
    """The check of a dict: the keys that must have values of one class, other keys, required keys, and all keys."""

    __slots__ = ("exact", "names", "others", "present")

    def __init__(
        self,
        exact: list[tuple[str, type]],
        others: list[tuple[str, Check]],
        present: frozenset[str],
        names: AbstractSet[str] | None,
    ) -> None:
        self.exact = exact
        self.others = others
        self.present = present
        self.names = names

    def matches(self, value: object) -> bool:
        """Return whether a value is a dict with these entries."""
        if not isinstance(value, dict):
            if value.__class__ is Struct:
                raise UndecidedError
            return False
        get = value.get
        for name, kind in self.exact:
            if get(name, MISSING).__class__ is not kind:
                return False
        for name in self.present:
            if name not in value:
                return False
        for name, check in self.others:
            item = get(name, MISSING)
            if item is not MISSING and not check(item):
                return False
        return self.names is None or value.keys() <= self.names


def _list_check(items: Schema | None) -> Check:
    if items is None:
        return lambda value: value.__class__ is list
    kinds = _kinds(items)
    if kinds is None:
        raise _Unsupported

    def matches(value: object) -> bool:
        return isinstance(value, list) and kinds.issuperset(map(type, value))

    return matches
