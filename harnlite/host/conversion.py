"""The conversion of values between Python and scripts, in both directions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import singledispatch
from typing import TYPE_CHECKING

from harnlite.diagnostics.errors import LanguageError
from harnlite.stack import on_large_stack
from harnlite.values.data_types import Duration, Native, Pair, Range, StructType, type_name
from harnlite.values.data_types import EnumValue as HarnEnumValue
from harnlite.values.data_types import Struct as HarnStruct
from harnlite.values.display import display
from harnlite.values.errors import runtime_error
from harnlite.values.iterators import HarnIter
from harnlite.values.keys import distinct
from harnlite.values.sets import HarnSet

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")
    K = TypeVar("K")

INT_BITS = 63
_MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class StructValue:
    """A struct of a script: the name of its type, and its fields. Passed back, it becomes a struct of the same type."""

    type: str
    fields: dict[str, object]
    origin: object = field(default=None, repr=False, compare=False)

    def __getitem__(self, name: str) -> object:
        """Return the value of a field."""
        return self.fields[name]


@dataclass(frozen=True, slots=True)
class EnumValue:
    """A value of an enum, including `Result`: `EnumValue("Result", "Ok", (1,))`."""

    enum: str
    variant: str
    fields: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class Handle:
    """A value that only the script can use, such as a channel: its type, its text, and the original to pass back."""

    type: str
    text: str
    origin: object = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class ScriptFunction:
    """A closure of a script as a Python callable, which works until the run of the script ends."""

    text: str
    origin: Callable[..., object] = field(repr=False)

    def __call__(self, *arguments: object) -> object:
        """Call the closure with Python values and return a Python value."""
        return to_python(self.origin(*(to_harn(argument) for argument in arguments)))


def convert_deeply(convert: Callable[[T], object], value: T) -> object:
    """Convert a value on a large stack; raise ValueError if the value is nested too deeply even for that."""
    try:
        return on_large_stack(lambda: convert(value))
    except RecursionError:
        raise ValueError("a value is nested too deeply to be converted") from None


def to_harn(value: object) -> object:
    """Convert a Python value to a script value; raise TypeError or ValueError if that is not possible."""
    return _import(value, set())


@singledispatch
def _import(value: object, _inside: set[int]) -> object:
    if value is None or hasattr(value, "harn_type"):
        return value
    if callable(value):
        return native_of(value)
    raise TypeError(f"a Python {type(value).__name__} cannot be converted to a script value")


@_import.register
def _import_bool(value: bool, _inside: set[int]) -> bool:  # noqa: FBT001 - a value, not a flag
    return value


@_import.register
def _import_int(value: int, _inside: set[int]) -> int:
    if value.bit_length() > INT_BITS and value != -1 << INT_BITS:
        raise ValueError("the int does not fit in 64 bits")
    return int(value)


@_import.register
def _import_float(value: float, _inside: set[int]) -> float:
    return float(value)


@_import.register
def _import_str(value: str, _inside: set[int]) -> str:
    return _well_formed(str(value))


def _well_formed(text: str) -> str:
    """Replace lone surrogates with U+FFFD, because a string of a script is Unicode text."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@_import.register
def _import_bytes(value: bytes | bytearray, _inside: set[int]) -> bytes:
    return bytes(value)


@_import.register(list)
@_import.register(tuple)
def _import_list(value: list[object] | tuple[object, ...], inside: set[int]) -> list[object]:
    return _import_items(value, inside)


@_import.register(set)
@_import.register(frozenset)
def _import_set(value: set[object] | frozenset[object], inside: set[int]) -> HarnSet:
    return HarnSet(distinct(_import_items(value, inside)))


@_import.register(Mapping)
def _import_mapping(value: Mapping[K, object], inside: set[int]) -> dict[str, object]:
    for key in value:
        if not isinstance(key, str):
            raise TypeError(f"the keys of a dict must be strings, not {type(key).__name__}")
    keys = [_well_formed(str(key)) for key in value]
    return dict(zip(keys, _import_items(value.values(), inside, value), strict=True))


@_import.register
def _import_range(value: range, _inside: set[int]) -> object:
    return Range(value.start, value.stop, exclusive=True) if value.step == 1 else list(value)


@_import.register
def _import_duration(value: timedelta, _inside: set[int]) -> Duration:
    return Duration(value // _MILLISECOND)


@_import.register(Iterator)
def _import_iterator(value: Iterator[object], _inside: set[int]) -> object:
    return value if hasattr(value, "harn_type") else HarnIter(map(to_harn, value))


@_import.register
def _import_struct(value: StructValue, inside: set[int]) -> HarnStruct:
    fields = _import_mapping(value.fields, inside)
    origin = value.origin
    return HarnStruct(origin if isinstance(origin, StructType) else StructType(value.type, tuple(fields)), fields)


@_import.register
def _import_enum(value: EnumValue, inside: set[int]) -> HarnEnumValue:
    return HarnEnumValue(value.enum, value.variant, tuple(_import_items(value.fields, inside)))


@_import.register
def _import_own(value: Handle | ScriptFunction, _inside: set[int]) -> object:
    return value.origin


def _import_items(values: Iterable[object], inside: set[int], owner: object = None) -> list[object]:
    """Convert the items of a container; raise ValueError if it contains itself."""
    key = id(values if owner is None else owner)
    if key in inside:
        raise ValueError("a value that contains itself cannot be passed to a script")
    inside.add(key)
    items = [_import(value, inside) for value in values]
    inside.discard(key)
    return items


def native_of(function: Callable[..., object]) -> Native:
    """Wrap a Python callable as a builtin that converts its arguments and result and turns exceptions into errors."""
    name = getattr(function, "__name__", type(function).__name__)

    def call(*arguments: object) -> object:
        try:
            return to_harn(function(*map(to_python, arguments)))
        except (LanguageError, RecursionError, MemoryError):
            raise
        except Exception as error:
            raise runtime_error(f"{name}: {type(error).__name__}: {error}") from error

    return Native(name, call, None)


@singledispatch
def to_python(value: object) -> object:
    """Convert a script value to a Python value."""
    if value is None:
        return None
    if callable(value):
        return ScriptFunction(display(value), value)
    return Handle(type_name(value), display(value), value)


@to_python.register(bool)
@to_python.register(int)
@to_python.register(float)
@to_python.register(str)
@to_python.register(bytes)
def _export_unchanged(value: object) -> object:
    return value


@to_python.register(list)
def _export_list(value: list[object]) -> list[object]:
    return [to_python(item) for item in value]


@to_python.register(dict)
def _export_dict(value: dict[str, object]) -> dict[str, object]:
    return {key: to_python(value[key]) for key in sorted(value)}


@to_python.register
def _export_set(value: HarnSet) -> object:
    """Return a set, or a list if an item is not hashable or two items are equal in Python."""
    items = list(map(to_python, value.harn_iterate()))
    try:
        as_set = set(items)
    except TypeError:
        return items
    return as_set if len(as_set) == len(items) else items


@to_python.register
def _export_pair(value: Pair) -> tuple[object, object]:
    return to_python(value.first), to_python(value.second)


@to_python.register
def _export_range(value: Range) -> range:
    return value.ints


@to_python.register
def _export_duration(value: Duration) -> timedelta:
    return timedelta(milliseconds=value.ms)


@to_python.register
def _export_struct(value: HarnStruct) -> StructValue:
    return StructValue(value.type.name, {name: to_python(item) for name, item in value.fields.items()}, value.type)


@to_python.register
def _export_enum(value: HarnEnumValue) -> EnumValue:
    return EnumValue(value.enum, value.variant, tuple(map(to_python, value.fields)))
