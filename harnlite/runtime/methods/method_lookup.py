"""The lookup and call of methods."""

from __future__ import annotations

from harnlite.diagnostics.suggest import near_name
from harnlite.runtime.methods.dicts import DICT_METHODS
from harnlite.runtime.methods.iters import ITER_METHODS
from harnlite.runtime.methods.lists import LIST_METHODS
from harnlite.runtime.methods.ranges import RANGE_METHODS
from harnlite.runtime.methods.sets import SET_METHODS
from harnlite.runtime.methods.strings import STRING_METHODS
from harnlite.values.data_types import CALLABLES, EnumType, EnumValue, Range, Struct, type_name
from harnlite.values.errors import runtime_error, type_error
from harnlite.values.iterators import HarnIter, iter_of
from harnlite.values.sets import HarnSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

# Each method takes the receiver as its first argument and ignores extra arguments.
METHODS: dict[type, dict[str, Callable[..., object]]] = {
    list: LIST_METHODS,
    str: STRING_METHODS,
    dict: DICT_METHODS,
    HarnSet: SET_METHODS,
    Range: RANGE_METHODS,
    HarnIter: ITER_METHODS,
}


def invoke(receiver: object, name: str, *args: object) -> object:
    """Return the value of `receiver.name(args)`."""
    methods = METHODS.get(receiver.__class__)
    if methods is not None:
        method = methods.get(name)
        if method is not None:
            return method(receiver, *args)
    return _BEYOND.get(receiver.__class__, _invoke_hook)(receiver, name, args)


def invoke_optional(receiver: object, name: str, *args: object) -> object:
    """Return the value of `receiver?.name(args)`; nil if the receiver is nil."""
    return None if receiver is None else invoke(receiver, name, *args)


def _no_method(owner: str, name: str, names: Iterable[str]) -> Exception:
    near = near_name(name, names)
    hint = f" (did you mean `{near}`?)" if near is not None else ""
    return runtime_error(f"{owner} has no method `{name}`{hint}")


def _invoke_hook(receiver: object, name: str, args: tuple[object, ...]) -> object:
    """Call a method from the table of the receiver's class, or from the class attribute `harn_methods`."""
    methods: dict[str, Callable[..., object]]
    methods = METHODS.get(receiver.__class__) or getattr(receiver.__class__, "harn_methods", {})
    method = methods.get(name)
    if method is None:
        raise _no_method(type_name(receiver), name, methods)
    return method(receiver, *args)


def _invoke_entry(receiver: dict[str, Any], name: str, args: tuple[object, ...]) -> object:
    entry = receiver.get(name)
    if entry.__class__ in CALLABLES:
        return entry(*args)  # type: ignore[operator]  # a call of is_callable would slow each method call
    callable_keys = [key for key, value in receiver.items() if value.__class__ in CALLABLES]
    raise _no_method("dict", name, [*DICT_METHODS, *callable_keys])


def _invoke_impl(receiver: Struct, name: str, args: tuple[object, ...]) -> object:
    methods = receiver.type.methods
    method = methods.get(name)
    if method is not None:
        return method(receiver, *args)
    field = receiver.fields.get(name)
    if field.__class__ in CALLABLES:
        return field(*args)  # type: ignore[operator]  # a call of is_callable would slow each method call
    raise _no_method(receiver.type.name, name, methods)


def _invoke_nil(_receiver: None, name: str, _args: tuple[object, ...]) -> object:
    raise type_error(f"value of type nil has no method `{name}`")


def _make_variant(receiver: EnumType, name: str, args: tuple[object, ...]) -> object:
    return EnumValue(receiver.name, name, args)


def _invoke_on_iter(receiver: Range, name: str, args: tuple[object, ...]) -> object:
    return invoke(iter_of(receiver), name, *args)


_BEYOND: dict[type, Callable[[Any, str, tuple[object, ...]], object]] = {
    dict: _invoke_entry,
    Struct: _invoke_impl,
    type(None): _invoke_nil,
    EnumType: _make_variant,
    Range: _invoke_on_iter,
}
