"""Hashable keys that represent values in an index: the structural key, its text, and the equality key."""

from __future__ import annotations

from harnlite.digests import sha256
from harnlite.values.data_types import Duration, EnumValue, Pair, Struct, type_name
from harnlite.values.display import display
from harnlite.values.interrupts import BUILTINS, poll_here
from harnlite.values.iteration import POLL_FROM, iterate, polled
from harnlite.values.size_limits import join_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence
    from typing import Any, TypeAlias

    Keys: TypeAlias = dict[int, Any]
    """The keys of large containers by address, so that one with many references gets its key once."""

_EXACT = 2**53
_MOST_PARTS = 1_000


_COUNT = 0
"""The key of `Keys` for the number of parts so far; those of a container count for each reference to it."""


def _repeated(owner: object, keys: Keys) -> Hashable:
    """Return the known key of a container, or NO_ENTRY."""
    found = keys.get(id(owner))
    if found is None:
        return NO_ENTRY
    keys[_COUNT] += found[2]
    key: Hashable = found[1]
    return key


def _kept(owner: object, key: Hashable, count: int, keys: Keys) -> Hashable:
    """Return the key of a container with many parts as a digest, because Python hashes a tuple from all its parts."""
    if key is not NO_KEY:
        key = ("#", sha256(_encoded(key).encode("utf-8", "surrogatepass")).digest())
    keys[id(owner)] = (owner, key, count)
    return key


def _encoded(key: Hashable) -> str:
    """Return a text of a key; equal keys have equal texts, and other keys have other texts."""
    if BUILTINS["_hintr"]:
        poll_here()
    if key.__class__ is tuple:
        return f"({','.join([_encoded(part) for part in key])})"
    if key.__class__ is frozenset:
        return f"{{{','.join(sorted([_encoded(part) for part in key]))}}}"
    if key.__class__ is float and key % 1 == 0:
        return repr(int(key))
    return repr(key)


class _NoKey:
    __slots__ = ()


NO_KEY = _NoKey()
NO_ENTRY = _NoKey()


# The structural key: builtins use it to find duplicates. Strings, ints, bytes and nil are their own keys.


def structural_key(value: object) -> Hashable:
    """Return a hashable key; two values with the same structure have the same key. 1 and 1.0 have different keys."""
    make = _STRUCTURAL.get(value.__class__)
    return _structural_container(value, {_COUNT: 0}) if make is None else make(value)


def _structural_part(value: object, keys: Keys) -> Hashable:
    make = _STRUCTURAL.get(value.__class__)
    return _structural_container(value, keys) if make is None else make(value)


def _structural_container(value: Any, keys: Keys) -> Hashable:  # noqa: ANN401 - any value class
    if BUILTINS["_hintr"]:
        poll_here()
    if len(keys) > 1 and (known := _repeated(value, keys)) is not NO_ENTRY:
        return known
    before, kind = keys[_COUNT], value.__class__
    key: Hashable
    if kind is list:
        keys[_COUNT] += len(value)
        key = ("L", *[_structural_part(item, keys) for item in (polled(value) if len(value) > POLL_FROM else value)])
    elif kind is dict:
        keys[_COUNT] += len(value)
        key = ("D", *[(name, _structural_part(value[name], keys)) for name in sorted(value)])
    elif type_name(value) == "set":
        keys[_COUNT] += len(value)
        key = ("S", frozenset([_structural_part(item, keys) for item in iterate(value)]))
    else:
        return ("o", type_name(value), display(value))
    count = keys[_COUNT] - before
    return _kept(value, key, count, keys) if count > _MOST_PARTS else key


def _itself(value: Hashable) -> Hashable:
    return value


_STRUCTURAL: dict[type, Callable[[Any], Hashable]] = {
    str: _itself,
    int: _itself,
    bytes: _itself,
    type(None): _itself,
    bool: lambda value: ("T",) if value else ("F",),
    float: lambda value: ("f", value.hex()),
    Duration: lambda value: ("d", value.ms),
}

_SELF_KEYED: tuple[frozenset[type], ...] = (frozenset({str}), frozenset({int}))


def distinct(items: list[object]) -> list[object]:
    """Return the items without those whose structural key occurred earlier."""
    if set(map(type, items)) in _SELF_KEYED:
        return list(dict.fromkeys(items))
    found: dict[Hashable, object] = {}
    for item in polled(items):
        found.setdefault(structural_key(item), item)
    return list(found.values())


# The text of a structural key, which `hash_value` hashes.


class _KeyTexts(dict[int, tuple[object, str]]):
    """The long texts so far, so that a container with many references is written once."""

    __slots__ = ()


_KEPT_FROM = 2_048


def key_text(value: object) -> str:
    """Return the structural key as the text that `hash_value` hashes."""
    return _key_text(value, _KeyTexts())


def _key_text(value: Any, texts: _KeyTexts) -> str:  # noqa: ANN401 - any value class
    make = _KEY_TEXTS.get(value.__class__)
    if make is not None:
        return make(value)
    if BUILTINS["_hintr"]:
        poll_here()
    if texts and id(value) in texts:
        return texts[id(value)][1]
    text = _container_text(value, texts)
    if len(text) > _KEPT_FROM:
        texts[id(value)] = (value, text)
    return text


def _container_text(value: Any, texts: _KeyTexts) -> str:  # noqa: ANN401 - any value class
    if value.__class__ is list:
        return f"L{join_texts([f'{_key_text(item, texts)},' for item in polled(value)], '')}]"
    if value.__class__ is dict:
        parts = [f"{_octets(key)}:{key}={_key_text(value[key], texts)}," for key in sorted(value)]
        return f"D{join_texts(parts, '')}}}"
    name = type_name(value)
    if name == "set":
        inner = sorted([_key_text(item, texts) for item in iterate(value)])
        return f"S{join_texts([f'{key},' for key in inner], '')}}}"
    text = display(value)
    return f"o{_octets(name)}:{name}{_octets(text)}:{text}"


def _octets(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _float_text(value: float) -> str:
    import struct

    return f"f{struct.unpack('>Q', struct.pack('>d', value))[0]};"


_KEY_TEXTS: dict[type, Callable[[Any], str]] = {
    type(None): lambda _: "N",
    bool: lambda value: "T" if value else "F",
    int: lambda value: f"i{value};",
    float: _float_text,
    str: lambda value: f"s{_octets(value)}:{value}",
    bytes: lambda value: f"b{value.hex()};",
    Duration: lambda value: f"d{value.ms};",
}


# The equality key: two values have the same key if and only if they are equal. Not every value has one.


def equality_key(value: object) -> Hashable:
    """Return the hashable key of a value under `==`, or NO_KEY if the value has to be compared with `equal`."""
    make = _EQUALITY.get(value.__class__)
    return _equality_container(value, {_COUNT: 0}) if make is None else make(value)


def _number_key(value: float) -> Hashable:
    return value if -_EXACT < value < _EXACT else NO_KEY


def _equality_container(value: Any, keys: Keys) -> Hashable:  # noqa: ANN401 - any value class
    parts_of = _PARTS.get(value.__class__)
    if parts_of is None:
        return NO_KEY
    if BUILTINS["_hintr"]:
        poll_here()
    if len(keys) > 1 and (known := _repeated(value, keys)) is not NO_ENTRY:
        return known
    before = keys[_COUNT]
    tag, parts = parts_of(value)
    keys[_COUNT] += len(parts)
    key: Hashable = _joined_key(tag, parts if len(parts) <= POLL_FROM else polled(parts), keys)
    count = keys[_COUNT] - before
    return _kept(value, key, count, keys) if count > _MOST_PARTS else key


def _joined_key(tag: Hashable, values: Iterable[object], keys: Keys) -> Hashable:
    found: list[Hashable] = []
    for value in values:
        make = _EQUALITY.get(value.__class__)
        key = _equality_container(value, keys) if make is None else make(value)
        if key is NO_KEY:
            return NO_KEY
        found.append(key)
    return (tag, tuple(found))


_EQUALITY: dict[type, Callable[[Any], Hashable]] = {
    str: _itself,
    bytes: _itself,
    type(None): _itself,
    int: _number_key,
    float: _number_key,
    bool: lambda value: ("T",) if value else ("F",),
    Duration: lambda value: ("d", value.ms),
}


def _fields(tag: Hashable, fields: dict[str, object]) -> tuple[Hashable, list[object]]:
    names = sorted(fields)
    return (tag, *names), [fields[name] for name in names]


_PARTS: dict[type, Callable[[Any], tuple[Hashable, Sequence[Any]]]] = {
    list: lambda value: ("L", value),
    dict: lambda value: _fields("D", value),
    Pair: lambda value: ("P", (value.first, value.second)),
    Struct: lambda value: _fields(("R", value.type.name), value.fields),
    EnumValue: lambda value: (("E", value.enum, value.variant), value.fields),
}
