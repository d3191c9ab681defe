"""The names and default values in tables of options, for the code that reads options."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_CONSTANTS = {"true": True, "false": False, "nil": None}
_READ: dict[str, dict[str, Any]] = {}


def defaults(table: str) -> Mapping[str, Any]:
    """Return the declared defaults in a table, by option; a tuple has one default for each profile."""
    found = _READ.get(table)
    if found is None:
        found = _READ[table] = {}
        for line in table.split("\n"):
            declared, mark, rest = line.partition(" = ")
            if mark and ";" not in declared:
                found[declared.partition(":")[0]] = value_of(rest.partition("; ")[0])
    return found


def names(table: str) -> tuple[str, ...]:
    """Return the names of the options, or of the values, in a table."""
    return tuple([line.partition(":")[0] for line in table.split("\n") if line and line[0] != "+"])


def value_of(text: str) -> object:
    """Return the value of a default in the notation of the tables."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text.startswith('"'):
        return text.strip('"')
    if ", " in text:
        return tuple([value_of(part) for part in text.split(", ")])
    return float(text) if "." in text else int(text)
