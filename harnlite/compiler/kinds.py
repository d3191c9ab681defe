"""The kinds of values that the compiler can infer, and their common kinds.

A kind is `int`, `float`, `string`, `bool`, `nil`, `range`, or one of these tuples; None means any kind:

- `("list", item)` and `("dict", value)`: the kind of every item, or of every value;
- `("rec", fields)`: a dict with exactly these keys; `fields` are pairs of a key and a kind, sorted by key;
- `("struct", variable, fields)`: a value of a struct type with exactly these fields, or ANY_STRUCT;
- `("maybe", kind)`: that kind or nil.

Containers are values, so a container keeps its kind wherever it goes. BOTTOM is the kind of a variable without a value.
"""

from __future__ import annotations

from typing import Any, TypeAlias

Kind: TypeAlias = "str | tuple[Any, ...] | None"
Fields: TypeAlias = "tuple[tuple[str, Kind], ...]"

BOTTOM = "bottom"
ANY_LIST: Kind = ("list", None)
ANY_DICT: Kind = ("dict", None)
ANY_STRUCT: Kind = ("struct", "", ())
DEEPEST = 4
MOST_FIELDS = 24
NUMBERS = frozenset({"int", "float"})
ARITHMETIC = frozenset({"+", "-", "*", "/", "%"})
COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">=", "in", "not in", "&&", "||"})
BASES = {"list": "list", "dict": "dict", "rec": "dict"}


def base_of(kind: Kind) -> str | None:
    """Return the built-in type of a kind, or None if it is not certain or not a built-in type."""
    return BASES.get(kind[0]) if isinstance(kind, tuple) else kind


def is_kind(kind: Kind, label: str) -> bool:
    """Return whether a kind has a form: list, dict, rec, struct or maybe."""
    return kind.__class__ is tuple and kind[0] == label


def inner(kind: Kind) -> Kind:
    """Return the kind of the items, the values or the value that is not nil."""
    found: Kind = kind[1] if isinstance(kind, tuple) else None
    return found


def fields_of(kind: Kind) -> Fields:
    """Return the fields of a rec or a struct."""
    found: Fields = kind[-1] if isinstance(kind, tuple) and kind[0] in {"rec", "struct"} else ()
    return found


def present(kind: Kind) -> Kind:
    """Return the kind of a value that is not nil."""
    return kind[1] if kind.__class__ is tuple and kind[0] == "maybe" else kind


def maybe(kind: Kind) -> Kind:
    """Return the kind of a value that may be missing."""
    return kind if kind is None or kind == "nil" or is_kind(kind, "maybe") else ("maybe", kind)


def list_of(item: Kind) -> Kind:
    """Return the kind of a list."""
    return ("list", item if _depth(item) < DEEPEST else None)


def dict_of(value: Kind) -> Kind:
    """Return the kind of a dict whose keys are not known."""
    return ("dict", value if _depth(value) < DEEPEST else None)


def rec_of(fields: Fields) -> Kind:
    """Return the kind of a dict with known keys."""
    return ("rec", _bounded(fields)) if len(fields) <= MOST_FIELDS else ANY_DICT


def struct_of(variable: str, fields: Fields) -> Kind:
    """Return the kind of a value of a struct type."""
    return ("struct", variable, _bounded(fields)) if len(fields) <= MOST_FIELDS else None


def _bounded(fields: Fields) -> Fields:
    return tuple(sorted((key, kind if _depth(kind) < DEEPEST else None) for key, kind in fields))


def _depth(kind: Kind) -> int:
    if not isinstance(kind, tuple):
        return 0
    if kind[0] in {"rec", "struct"}:
        depths = [_depth(field) for _, field in fields_of(kind)]
        return 1 + max(depths, default=0)
    return _depth(inner(kind)) + int(kind[0] != "maybe")


def value_of(kind: Kind) -> Kind:
    """Return the common kind of all values of a dict."""
    if not is_kind(kind, "rec"):
        return inner(kind)
    common: Kind = BOTTOM
    for _, field in fields_of(kind):
        common = join(common, field)
    return common


def join(left: Kind, right: Kind) -> Kind:
    """Return the common kind of two alternatives."""
    if right in (left, BOTTOM):
        return left
    if left == BOTTOM:
        return right
    if left is None or right is None:
        return None
    if left == "nil":
        return maybe(right)
    if right == "nil":
        return maybe(left)
    if is_kind(left, "maybe") or is_kind(right, "maybe"):
        return maybe(join(present(left), present(right)))
    return _join_containers(left, right)


def _join_containers(left: Kind, right: Kind) -> Kind:
    if not isinstance(left, tuple) or not isinstance(right, tuple):
        return None
    if left[0] == right[0] == "list":
        return list_of(join(inner(left), inner(right)))
    if base_of(left) == base_of(right) == "dict":
        if left[0] == right[0] == "rec" and _keys(left) == _keys(right):
            return rec_of(_joined(left, right))
        return dict_of(join(value_of(left), value_of(right)))
    if left[:2] == right[:2] and left[0] == "struct" and _keys(left) == _keys(right):
        return struct_of(str(left[1]), _joined(left, right))
    return ANY_STRUCT if left[0] == right[0] == "struct" else None


def _keys(kind: Kind) -> list[str]:
    return [key for key, _ in fields_of(kind)]


def _joined(left: Kind, right: Kind) -> Fields:
    pairs = zip(fields_of(left), fields_of(right), strict=True)
    return tuple((key, join(one, other)) for (key, one), (_, other) in pairs)


def field_of(kind: Kind, key: str) -> Kind:
    """Return the kind of a field of a rec or struct; a missing field is nil."""
    if kind == ANY_STRUCT:
        return None
    return next((field for name, field in fields_of(kind) if name == key), "nil")


def has_field(kind: Kind, key: str) -> bool:
    """Return whether a rec or struct certainly has a field."""
    return any(name == key for name, _ in fields_of(kind))


def with_field(kind: Kind, key: str, value: Kind) -> Kind:
    """Return the kind of a variable to which a container with a changed field is assigned."""
    if is_kind(kind, "rec") and has_field(kind, key):
        return rec_of(tuple((name, join(old, value) if name == key else old) for name, old in fields_of(kind)))
    if is_kind(kind, "struct") and isinstance(kind, tuple):
        if not has_field(kind, key):
            return None
        changed = tuple((name, join(old, value) if name == key else old) for name, old in fields_of(kind))
        return struct_of(str(kind[1]), changed)
    return dict_of(join(value_of(kind), value)) if base_of(kind) == "dict" else None


def binary_kind(op: str, left: Kind, right: Kind) -> Kind:
    """Return the kind of the result of a binary operator."""
    if op in COMPARISONS:
        return "bool"
    if op == "??":
        return right if left == "nil" else join(present(left), right) if is_kind(left, "maybe") else left
    if op not in ARITHMETIC:
        return None
    # An operator on nil fails, so that it has no result.
    left, right = present(left), present(right)
    if BOTTOM in (left, right):
        return BOTTOM
    if left in NUMBERS and right in NUMBERS:
        return "int" if left == right == "int" else "float"
    if "float" in (left, right) and op != "%":
        # With a float operand, the result is a float, or the operator fails.
        return "float"
    return _sum_kind(left, right) if op == "+" else None


def _sum_kind(left: Kind, right: Kind) -> Kind:
    if "string" in (left, right):
        return "string"
    if is_kind(left, "list") or is_kind(right, "list"):
        return list_of(join(inner(left), inner(right))) if base_of(left) == base_of(right) == "list" else ANY_LIST
    if base_of(left) == base_of(right) == "dict":
        return ANY_DICT
    return None
