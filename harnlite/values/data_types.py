"""The value types of the language that Python does not have.

nil, bool, int, float, string, list, dict and bytes are Python's own types; ints stay within 64 bits, and dict keys are
strings. A closure is a Python function that accepts any number of arguments. Every class here names its type
(`harn_type`) and renders its own text (`harn_text`, which receives the function that displays nested values). A value
is true in the language if it is true in Python. There are two optional hooks: `harn_equals(other)` compares with a
value of the same class (without it, equality is identity), and `harn_iterate()` makes a value iterable.
"""

from __future__ import annotations

from types import FunctionType

from harnlite.values.size_limits import join_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, ItemsView, Iterator, KeysView, ValuesView
    from typing import Any, ClassVar, TypeAlias, TypeGuard

    from typing_extensions import TypeIs

    Display: TypeAlias = Callable[[object], str]

_HOUR_MS, _MINUTE_MS, _SECOND_MS = 3_600_000, 60_000, 1_000
_UNITS = ((_HOUR_MS, "h"), (_MINUTE_MS, "m"), (_SECOND_MS, "s"), (1, "ms"))


class Missing:
    """The type of `MISSING`, the default of an argument where an omitted argument differs from nil."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<missing>"


MISSING: Any = Missing()


class Duration:
    """A span of time in whole milliseconds."""

    __slots__ = ("ms",)
    harn_type: ClassVar[str] = "duration"

    def __init__(self, ms: int) -> None:
        self.ms = ms

    def __bool__(self) -> bool:
        return self.ms != 0

    def harn_text(self, _display: Display) -> str:
        """Return the duration in the largest unit that is exact."""
        if self.ms == 0:
            return "0ms"
        unit, name = next((unit, name) for unit, name in _UNITS if self.ms % unit == 0)
        sign = "-" if self.ms < 0 else ""
        return f"{sign}{abs(self.ms) // unit}{name}"


class Pair:
    """A pair of values."""

    __slots__ = ("first", "second")
    harn_type: ClassVar[str] = "pair"

    def __init__(self, first: object, second: object) -> None:
        self.first = first
        self.second = second

    def harn_text(self, display: Display) -> str:
        """Return `(a, b)`."""
        return f"({join_texts([display(self.first), display(self.second)])})"


class Range:
    """The ints from low to high; an exclusive range does not contain high."""

    __slots__ = ("exclusive", "high", "low")
    harn_type: ClassVar[str] = "range"

    def __init__(self, low: object, high: object, exclusive: bool = False) -> None:  # noqa: FBT001, FBT002 - as written: low to high exclusive
        self.low: int = low if low.__class__ is int else 0
        self.high: int = high if high.__class__ is int else 0
        self.exclusive = exclusive

    @property
    def ints(self) -> range:
        """Return the ints as Python's range."""
        return range(self.low, self.high if self.exclusive else self.high + 1)

    @property
    def size(self) -> int:
        """Return the number of ints in the range."""
        return max(0, self.high - self.low + (not self.exclusive))

    def harn_text(self, _display: Display) -> str:
        """Return the range as a script writes it."""
        return f"{self.low} to {self.high}{' exclusive' if self.exclusive else ''}"


class StructType:
    """A struct declaration: it holds the methods, and calling it with a dict makes a struct."""

    __slots__ = ("fields", "methods", "name")
    harn_type: ClassVar[str] = "closure"

    def __init__(self, name: str, fields: tuple[str, ...]) -> None:
        self.name = name
        self.fields = fields
        self.methods: dict[str, Callable[..., object]] = {}

    def __call__(self, values: object = None, *_: object) -> Struct:
        """Make a struct from the values of the declared fields; other keys are ignored."""
        if values.__class__ is not dict:
            return Struct(self, {})
        return Struct(self, {name: values[name] for name in self.fields if name in values})

    def harn_text(self, _display: Display) -> str:
        """Return the text of the constructor."""
        return f"<fn({self.name})>"


class Struct:
    """A struct value. Its fields dict is never changed in place once the value is shared."""

    __slots__ = ("fields", "type")
    harn_type: ClassVar[str] = "struct"

    def __init__(self, type_: StructType, fields: dict[str, object]) -> None:
        self.type = type_
        self.fields = fields

    def harn_text(self, display: Display) -> str:
        """Return `Point {x: 1}`, fields sorted by name."""
        inner = join_texts([f"{name}: {display(self.fields[name])}" for name in sorted(self.fields)])
        return f"{self.type.name} {{{inner}}}"


class EnumType:
    """An enum declaration: its name, and the field names of each variant."""

    __slots__ = ("name", "variants")
    harn_type: ClassVar[str] = "closure"

    def __init__(self, name: str, variants: dict[str, tuple[str, ...]]) -> None:
        self.name = name
        self.variants = variants

    def harn_text(self, _display: Display) -> str:
        """Return the text of the enum itself."""
        return f"<enum {self.name}>"


class EnumValue:
    """A value of an enum."""

    __slots__ = ("enum", "fields", "variant")
    harn_type: ClassVar[str] = "enum"

    def __init__(self, enum: str, variant: str, fields: tuple[object, ...] = ()) -> None:
        self.enum = enum
        self.variant = variant
        self.fields = fields

    def harn_text(self, display: Display) -> str:
        """Return `Shape.Circle(2.0)`."""
        inner = f"({join_texts([display(field) for field in self.fields])})" if self.fields else ""
        return f"{self.enum}.{self.variant}{inner}"


def ok(value: object = None) -> EnumValue:
    """Make `Result.Ok(value)`."""
    return EnumValue("Result", "Ok", (value,))


def err(value: object = None) -> EnumValue:
    """Make `Result.Err(value)`."""
    return EnumValue("Result", "Err", (value,))


class LazyDict:
    """A dict whose entries are built on first access; `origin` is the object that it represents.

    Its `__class__` is dict, so code that checks the class of a value (tables, guards, isinstance) treats it as a dict,
    and it supports every operation that reads a dict. A copy (`copy`, `{**lazy}`) is a plain dict, so code that writes
    to a copy works too. C code that requires a real dict rejects it; pass `plain()` to such code.
    """

    __slots__ = ("_make", "_plain", "origin")
    __class__ = dict  # type: ignore[assignment]  # what the class is for
    __hash__ = None  # type: ignore[assignment]  # a dict has no hash

    def __init__(self, origin: object, make: Callable[[], dict[str, object]]) -> None:
        self.origin = origin
        self._make: Callable[[], dict[str, object]] | None = make
        self._plain: dict[str, object] = {}

    def plain(self) -> dict[str, object]:
        """Return the real dict, which is built once."""
        make = self._make
        if make is not None:
            self._plain = make()
            self._make = None
        return self._plain

    def get(self, key: str, default: object = None) -> object:
        """Return the value of a key, or the default."""
        return self.plain().get(key, default)

    def keys(self) -> KeysView[str]:
        """Return the keys."""
        return self.plain().keys()

    def values(self) -> ValuesView[object]:
        """Return the values."""
        return self.plain().values()

    def items(self) -> ItemsView[str, object]:
        """Return the entries."""
        return self.plain().items()

    def copy(self) -> dict[str, object]:
        """Return a new plain dict with the same entries."""
        return self.plain().copy()

    def __getitem__(self, key: str) -> object:
        return self.plain()[key]

    def __contains__(self, key: object) -> bool:
        return key in self.plain()

    def __iter__(self) -> Iterator[str]:
        return iter(self.plain())

    def __reversed__(self) -> Iterator[str]:
        return reversed(self.plain())

    def __len__(self) -> int:
        return len(self.plain())

    def __eq__(self, other: object) -> bool:
        return self.plain() == (other.plain() if type(other) is LazyDict else other)

    def __or__(self, other: dict[str, object]) -> dict[str, object]:
        return {**self.plain(), **other}

    def __ror__(self, other: dict[str, object]) -> dict[str, object]:
        return {**other, **self.plain()}

    def __repr__(self) -> str:
        return repr(self.plain())

    def __reduce__(self) -> tuple[type, tuple[dict[str, object]]]:
        return dict, (self.plain(),)


class Native:
    """A builtin as a value; `fn` takes at most `arity` arguments (None: any number), and all of them have defaults."""

    __slots__ = ("arity", "fn", "name")
    harn_type: ClassVar[str] = "builtin"

    def __init__(self, name: str, fn: Callable[..., object], arity: int | None) -> None:
        self.name = name
        self.fn = fn
        self.arity = arity

    def __call__(self, *args: object) -> object:
        """Call the builtin; extra arguments are ignored."""
        return self.fn(*args) if self.arity is None else self.fn(*args[: self.arity])

    def harn_text(self, _display: Display) -> str:
        """Return `<builtin len>`."""
        return f"<builtin {self.name}>"


CALLABLES = frozenset({FunctionType, Native, StructType})

_PLAIN_TYPES: dict[type, str] = {
    type(None): "nil",
    bool: "bool",
    int: "int",
    float: "float",
    str: "string",
    list: "list",
    dict: "dict",
    bytes: "bytes",
    FunctionType: "closure",
}


def type_name(value: object) -> str:
    """Return the type name of a value, as `type_of` does."""
    return _PLAIN_TYPES.get(value.__class__) or value.harn_type  # type: ignore[attr-defined]  # every other class names its type


def is_number(value: object) -> TypeGuard[int | float]:
    """Say whether a value is an int or a float; a bool is neither."""
    return value.__class__ is int or value.__class__ is float


def is_callable(value: object) -> TypeIs[Callable[..., object]]:
    """Return whether a script may call this value."""
    return value.__class__ in CALLABLES
