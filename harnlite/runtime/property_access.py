"""Reading and writing properties, items and slices."""

from __future__ import annotations

from harnlite.values.data_types import MISSING, EnumType, EnumValue, Pair, Range, Struct, type_name
from harnlite.values.display import display
from harnlite.values.errors import runtime_error, type_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    Reader: TypeAlias = Callable[[Any, Any], object]
    Writer: TypeAlias = Callable[[Any, Any, object], object]


# Properties


_OF_LIST: dict[str, Callable[[list[object]], object]] = {
    "count": len,
    "empty": lambda items: not items,
    "first": lambda items: items[0] if items else None,
    "last": lambda items: items[-1] if items else None,
}

_OF_STRING: dict[str, Callable[[str], object]] = {"count": len, "empty": lambda text: not text}

_OF_ENUM: dict[str, Callable[[EnumValue], object]] = {
    "variant": lambda value: value.variant,
    "fields": lambda value: list(value.fields),
}


def _list_property(items: list[object], name: str) -> object:
    read = _OF_LIST.get(name)
    return read(items) if read is not None else None


def _string_property(text: str, name: str) -> object:
    read = _OF_STRING.get(name)
    return read(text) if read is not None else None


def _enum_property(value: EnumValue, name: str) -> object:
    read = _OF_ENUM.get(name)
    return read(value) if read is not None else None


def _pair_property(pair: Pair, name: str) -> object:
    if name == "first":
        return pair.first
    if name == "second":
        return pair.second
    raise type_error(f"cannot access property `{name}` on pair (expected `first` or `second`)")


_PROPERTIES: dict[type, Reader] = {
    dict: lambda entries, name: entries.get(name),
    Struct: lambda value, name: value.fields.get(name),
    list: _list_property,
    str: _string_property,
    EnumValue: _enum_property,
    EnumType: lambda enum, name: EnumValue(enum.name, name),
    Pair: _pair_property,
}


def get_property(value: object, name: str) -> object:
    """Return `value.name`."""
    read = _PROPERTIES.get(value.__class__)
    if read is None:
        raise type_error(f"cannot access property `{name}` on {type_name(value)}")
    return read(value, name)


def get_property_optional(value: object, name: str) -> object:
    """Return `value?.name`; nil where `.name` would be an error."""
    read = _PROPERTIES.get(value.__class__)
    if read is None or (read is _pair_property and name not in ("first", "second")):
        return None
    return read(value, name)


# Items


def _item_at(items: list[object] | str, index: int) -> object:
    try:
        return items[index]
    except IndexError:
        return None


def _int_at(ints: Range, index: int) -> object:
    size = ints.size
    if 0 <= index < size:
        return ints.low + index
    raise runtime_error(f"range index out of range: index {index} for range of length {size}")


_BY_INT: dict[type, Reader] = {list: _item_at, str: _item_at, Range: _int_at}


def get_index(value: object, index: object) -> object:
    """Return `value[index]`."""
    if value.__class__ is dict:
        return value.get(index if index.__class__ is str else display(index))
    read = _BY_INT.get(value.__class__)
    if read is None or index.__class__ is not int:
        raise type_error(f"cannot index into {type_name(value)} with {type_name(index)}")
    return read(value, index)


def get_index_optional(value: object, index: object) -> object:
    """Return `value?[index]`; nil if the value is nil."""
    return None if value is None else get_index(value, index)


def get_slice(value: object, low: object = MISSING, high: object = MISSING) -> object:
    """Return `value[low:high]`."""
    if value.__class__ is not list and value.__class__ is not str:
        raise type_error(f"cannot slice {type_name(value)}")
    return value[_bound(low, "start") : _bound(high, "end")]


def _bound(bound: object, which: str) -> int | None:
    if bound is MISSING:
        return None
    if bound.__class__ is not int:
        raise type_error(f"slice {which} must be an integer, got {type_name(bound)}")
    return bound


# Writing: functions that copy the container, and functions that change a container that the caller owns


def _with_field(value: Struct, name: str, field: object) -> Struct:
    return Struct(value.type, {**value.fields, name: field})


_WITH_PROPERTY: dict[type, Writer] = {
    dict: lambda entries, name, value: {**entries, name: value},
    Struct: _with_field,
}


def set_property(container: object, name: str, value: object) -> object:
    """Return a copy of the container in which `.name` is the value."""
    write = _WITH_PROPERTY.get(container.__class__)
    if write is None:
        raise type_error(f"cannot set property `{name}` on {type_name(container)}")
    return write(container, name, value)


def set_property_in_place(container: object, name: str, value: object) -> None:
    """Set a property of a container that has no other reference."""
    if container.__class__ is dict:
        container[name] = value
    elif container.__class__ is Struct:
        container.fields[name] = value
    else:
        raise type_error(f"cannot set property `{name}` on {type_name(container)}")


def set_index(container: object, index: object, value: object) -> object:
    """Return a copy of the container in which `[index]` is the value."""
    if container.__class__ is dict:
        key = index if index.__class__ is str else display(index)
        return {**container, key: value}
    if container.__class__ is list and index.__class__ is int:
        items: list[object] = container[:]
        set_index_in_place(items, index, value)
        return items
    raise type_error(f"cannot set index on {type_name(container)}")


def set_index_in_place(container: object, index: object, value: object) -> None:
    """Set an item of a container that has no other reference."""
    if container.__class__ is list and index.__class__ is int:
        try:
            container[index] = value
        except IndexError:
            size = len(container)
            raise runtime_error(f"Index {index} out of bounds for list of length {size}") from None
    elif container.__class__ is dict:
        container[index if index.__class__ is str else display(index)] = value
    else:
        raise type_error(f"cannot set index on {type_name(container)}")
