"""Builtins that read and write TOML."""

from __future__ import annotations

import re
import tomllib

import tomli_w

from harnlite.library.native import native
from harnlite.values.data_types import Struct
from harnlite.values.display import display
from harnlite.values.errors import thrown
from harnlite.values.interrupts import interruptible, poll_here
from harnlite.values.limits import beyond, limits_here
from harnlite.values.sets import HarnSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import date, datetime, time
    from typing import Any, TypeAlias

    Toml: TypeAlias = dict[str, "Toml"] | list["Toml"] | str | int | float | date | time | datetime

_MIN_INT, _MAX_INT = -(2**63), 2**63 - 1
_MOST_KEY_PARTS = 1000
_LONG_KEY = re.compile(
    r"""(?:^|[{,])[ \t]*\[{0,2}[ \t]*(?:(?>[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){1000}""", re.MULTILINE
)
_PLAIN = frozenset({str, bool, int, float})


@native("toml_parse")
def toml_parse(text: object = "") -> object:
    """Return the dict of a TOML document; dates and times become strings."""
    source = display(text)
    if source.count(".") >= _MOST_KEY_PARTS and _LONG_KEY.search(source):
        # The parser needs time and memory for each pair of parts.
        raise thrown(f"TOML parse error: a key has more than {_MOST_KEY_PARTS:,} parts")
    try:
        return _value(interruptible(tomllib.loads, source))
    except ValueError as error:
        raise thrown(f"TOML parse error: {_with_position(_with_dotted_name(str(error)), source)}") from None


def _with_dotted_name(reason: str) -> str:
    """Replace the tuple in an error text of the parser by the dotted name of the table."""
    return re.sub(
        r"\((['\"].*?['\"]),?\)",
        lambda found: "'" + ".".join(part.strip("'\"") for part in found[1].split(", ")) + "'",
        reason,
        count=1,
    )


def _with_position(reason: str, source: str) -> str:
    """Replace the parser's "at end of document" by the line and column."""
    line, column = source.count("\n") + 1, len(source) - source.rfind("\n")
    return reason.replace("(at end of document)", f"(at line {line}, column {column})")


def _value(value: Toml) -> object:
    if isinstance(value, dict):
        return {key: _value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_value(item) for item in value]
    if value.__class__ is int and not _MIN_INT <= value <= _MAX_INT:
        raise ValueError(f"the integer {value} does not fit in 64 bits")
    return value if isinstance(value, (str, int, float)) else _moment(value)


def _moment(value: date | time | datetime) -> str:
    """Return a date, a time, or both, in RFC 3339 format."""
    day, middle, clock = value.isoformat().rpartition("T")
    if not middle and ":" not in clock:
        return clock
    if clock.endswith("+00:00"):
        clock = clock.removesuffix("+00:00") + "Z"
    whole, dot, rest = clock.partition(".")
    digits, zone = rest[:6], rest[6:]
    return f"{day}{middle}{whole}{dot}{digits.rstrip('0')}{zone}"


@native("toml_stringify")
def toml_stringify(value: object = None) -> str:
    """Return a dict as a TOML document, with plain keys before tables, both sorted."""
    fields = value.fields if value.__class__ is Struct else value
    if fields.__class__ is not dict:
        raise thrown("toml_stringify: the root must be a dict")
    form = _Form()
    plain = {key: form.plain(fields[key], f"root.{key}") for key in sorted(fields)}
    return interruptible(_document, plain)


def _document(plain: dict[str, object]) -> str:
    """Return the TOML document of a dict, with each array on one line.

    The writer escapes the line breaks in strings, so a line that ends in a bracket or a comma continues an array.
    """
    text = tomli_w.dumps(plain, indent=0)
    return text.replace("[\n", "[").replace(",\n]", "]").replace(",\n", ", ")


class _Form:
    """Converts values to a form that the TOML writer accepts; it writes a shared value for each reference to it."""

    __slots__ = ("known", "limit", "size")

    def __init__(self) -> None:
        self.known: dict[int, tuple[object, int]] = {}
        self.size = 0
        self.limit = limits_here().toml_values

    def plain(self, value: object, path: str) -> object:
        """Return the form of a value."""
        self.size += 1
        if self.size > self.limit:
            raise thrown(f"toml_stringify: {beyond('toml_values')}")
        if value is None:
            raise thrown(f"toml_stringify: TOML cannot represent nil (at {path})")
        if value.__class__ in _PLAIN:
            return value
        if value.__class__ is Struct:
            value = value.fields
        if value.__class__ is HarnSet:
            value = value.items
        if value.__class__ is not dict and value.__class__ is not list:
            return display(value)
        poll_here()
        known = self.known.get(id(value))
        if known is not None:
            self.size += known[1]
            return known[0]
        before, made = self.size, self._items(value, path)
        self.known[id(value)] = made, self.size - before
        return made

    def _items(self, value: Any, path: str) -> object:  # noqa: ANN401 - a list or a dict
        if value.__class__ is dict:
            return {key: self.plain(value[key], f"{path}.{key}") for key in sorted(value)}
        return [self.plain(item, f"{path}[{index}]") for index, item in enumerate(value)]
