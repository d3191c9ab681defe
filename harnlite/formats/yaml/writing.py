"""A YAML writer: block style with sorted keys."""

from __future__ import annotations

import io

from yaml.emitter import Emitter

from harnlite.formats.yaml.scalars import is_string
from harnlite.values.data_types import Struct
from harnlite.values.display import display, float_text
from harnlite.values.interrupts import BUILTINS, interruptible, poll_here
from harnlite.values.sets import HarnSet
from harnlite.values.size_limits import check_size
from harnlite.values.text_operations import by_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    _Written: TypeAlias = tuple[object, str, list[str], int]
    """A value, the text before it on its first line, its lines, and their size."""

_NESTED: frozenset[type] = frozenset({list, dict})
_KEPT_FROM = 2_048
_LONG = 20_000
_SPECIAL_FLOATS = {"inf": ".inf", "-inf": "-.inf", "NaN": ".nan"}
_OTHER_BREAKS = frozenset("\x85\u2028\u2029")
_ESCAPES = {
    **{code: f"\\x{code:02X}" for code in (*range(0x20), *range(0x7F, 0xA0))},
    0x00: "\\0",
    0x07: "\\a",
    0x08: "\\b",
    0x09: "\\t",
    0x0A: "\\n",
    0x0B: "\\v",
    0x0C: "\\f",
    0x0D: "\\r",
    0x1B: "\\e",
    0x22: '\\"',
    0x5C: "\\\\",
    0x85: "\\N",
    0x2028: "\\L",
    0x2029: "\\P",
    0xFEFF: "\\uFEFF",
}


def yaml_text(value: object) -> str:
    """Return a value as a YAML document that ends with a newline."""
    text = _Writer().text(value)
    check_size(len(text))
    return text


class _Writer:
    """The writer of one document."""

    __slots__ = ("analyser", "known", "lines", "size")

    def __init__(self) -> None:
        self.analyser = Emitter(io.StringIO(), allow_unicode=True)
        self.lines: list[str] = []
        self.size = 0
        self.known: dict[tuple[int, int], _Written] = {}

    def text(self, value: object) -> str:
        """Return the text of a value."""
        self._write("", value, "")
        return "\n".join(self.lines) + "\n"

    def _write(self, lead: str, value: object, indent: str) -> None:
        """Write a value after the text `lead` on the same line; its further lines start with `indent`."""
        value = _plain(value)
        if value.__class__ not in _NESTED or not value:
            self._line(lead + self._scalar(value, indent))
            return
        if BUILTINS["_hintr"]:
            poll_here()
        place = id(value), len(indent)
        if place in self.known:
            self._repeat(lead, self.known[place])
            return
        first, before, start = len(self.lines), self.size, lead
        if value.__class__ is list:
            for item in value:
                self._write(lead + "- ", item, indent + "  ")
                lead = indent
        elif value.__class__ is dict:
            for key in sorted(value):
                self._entry(f"{lead}{self._key(key)}:", value[key], indent)
                lead = indent
        if self.size - before > _KEPT_FROM:
            self.known[place] = value, start, self.lines[first:], self.size - before

    def _repeat(self, lead: str, written: _Written) -> None:
        """Write the lines of a value that was written before at the same indentation."""
        _, start, lines, size = written
        self.size += size
        check_size(self.size)
        self.lines.append(lead + lines[0][len(start) :])
        self.lines += lines[1:]

    def _line(self, text: str) -> None:
        self.size += len(text) + 1
        check_size(self.size)
        self.lines.append(text)

    def _entry(self, lead: str, value: object, indent: str) -> None:
        value = _plain(value)
        if value.__class__ is dict and value:
            self._line(lead)
            self._write(indent + "  ", value, indent + "  ")
        elif value.__class__ is list and value:
            self._line(lead)
            self._write(indent, value, indent)
        else:
            self._write(lead + " ", value, indent + "  ")

    def _key(self, key: str) -> str:
        return _double_quoted(key) if "\n" in key else self._string(key, "")

    def _scalar(self, value: object, indent: str) -> str:
        write = _SCALARS.get(value.__class__)
        return self._string(display(value), indent) if write is None else write(value)

    def _string(self, text: str, indent: str) -> str:
        if not text:
            return "''"
        analyse = self.analyser.analyze_scalar
        analysis = analyse(text) if len(text) <= _LONG else interruptible(analyse, text)
        if analysis.multiline:
            plain = analysis.allow_block and _OTHER_BREAKS.isdisjoint(text)
            return _block(text, indent) if plain else _double_quoted(text)
        if analysis.allow_block_plain and is_string(text) and not _is_padded_number(text):
            return text
        if analysis.allow_single_quoted:
            return "'" + text.replace("'", "''") + "'"
        return _double_quoted(text)


def _plain(value: object) -> object:
    if value.__class__ is HarnSet:
        return value.items
    return value.fields if value.__class__ is Struct else value


def _is_padded_number(text: str) -> bool:
    digits = text.lstrip("+-")
    return digits[:1] == "0" and digits.isdecimal()


def _escaped(text: str) -> str:
    return text.translate(_ESCAPES)


def _double_quoted(text: str) -> str:
    return f'"{by_blocks(_escaped, text)}"'


def _block(text: str, indent: str) -> str:
    """Return a literal block; the sign after `|` depends on the number of line breaks at the end of the text."""
    body = text.rstrip("\n")
    ends = len(text) - len(body)
    sign = "-" if ends == 0 else "" if ends == 1 else "+"
    if not body:
        return _double_quoted(text)
    indent = indent or "  "
    hint = "2" if body[0] in " \n" else ""
    lines = [indent + line if line else "" for line in body.split("\n")]
    lines += [""] * (ends - 1)
    return "\n".join([f"|{hint}{sign}", *lines])


def _float(value: float) -> str:
    text = float_text(value)
    return _SPECIAL_FLOATS.get(text) or (text if "." in text else text + ".0")


_SCALARS: dict[type, Callable[[Any], str]] = {
    type(None): lambda _: "null",
    bool: lambda value: "true" if value else "false",
    int: int.__repr__,
    float: _float,
    list: lambda _: "[]",
    dict: lambda _: "{}",
}
