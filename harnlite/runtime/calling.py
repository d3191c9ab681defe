"""Calls whose target compiled code has to look up at run time."""

from __future__ import annotations

from types import MethodType

from harnlite.runtime.methods.method_lookup import METHODS, invoke
from harnlite.values.catching import CATCHABLE, script_error
from harnlite.values.data_types import CALLABLES, EnumType, EnumValue, Struct, StructType, type_name
from harnlite.values.display import display
from harnlite.values.errors import type_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def callee(value: object, *hidden: object) -> object:
    """Return the target of a call by name: the value or, if it is not callable, the first callable one it hides."""
    if value.__class__ in CALLABLES:
        return value
    for other in hidden:
        if other.__class__ in CALLABLES:
            return other
    raise type_error(f"Cannot call {display(value)}")


def nearest_callee(readers: tuple[Callable[[], object], ...], builtin: object = None) -> object:
    """Return the target of a call by name: the value of the nearest variable that is callable, or the builtin."""
    for read in readers:
        try:
            value = read()
        except CATCHABLE as error:
            if script_error(error) is None:
                raise
        else:
            if value.__class__ in CALLABLES:
                return value
    return builtin if builtin is not None else callee(readers[0]())


def pipe(value: object, function: object) -> object:
    """Return the value of `value |> function`."""
    if function.__class__ in CALLABLES:
        return function(value)  # type: ignore[operator]  # a call of is_callable would slow each pipe
    raise type_error(f"cannot pipe into {type_name(function)}")


def method(receiver: object, name: str) -> Callable[..., object]:
    """Return the target of `receiver.name(…)`; it takes the receiver as its first argument."""
    methods = METHODS.get(receiver.__class__)
    if methods is not None:
        found = methods.get(name)
        if found is not None:
            return found
    elif receiver.__class__ is Struct:
        impl = receiver.type.methods.get(name)
        if impl is not None:
            return impl

    def call(value: object, *args: object) -> object:
        return invoke(value, name, *args)

    return call


def bound_method(receiver: object, name: str) -> Callable[..., object]:
    """Return the target of `receiver.name(…)`, which takes the arguments only."""
    if receiver.__class__ is Struct:
        impl = receiver.type.methods.get(name)
        if impl is not None:
            return MethodType(impl, receiver)
    return lambda *args: invoke(receiver, name, *args)


def methods_of(owner: object) -> dict[str, Callable[..., object]]:
    """Return the method table of a struct type, or a new dict for any other value."""
    return owner.methods if owner.__class__ is StructType else {}


def variant(enum: object, name: str, *fields: object) -> object:
    """Return the value of `Enum.Name(…)`."""
    if enum.__class__ is EnumType:
        return EnumValue(enum.name, name, fields)
    return invoke(enum, name, *fields)


def is_variant(value: object, enum: str, name: str, count: int) -> bool:
    """Return whether a value is the given enum variant with at least `count` fields."""
    return value.__class__ is EnumValue and value.variant == name and value.enum == enum and len(value.fields) >= count
