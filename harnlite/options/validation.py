"""Validation of options at run time against the tables of options.

It reads only the tables that it needs and imports no regular expressions, so that programs with scripted answers start
fast.
"""

from __future__ import annotations

from harnlite.diagnostics.suggest import near_name
from harnlite.options.alternatives import alternatives

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import TypeAlias

    TypeName: TypeAlias = Callable[[object], str]
    Tables: TypeAlias = Mapping[str, object]

_MOST_SHOWN = 12
_READ: dict[str, dict[str, Accepted]] = {}


class Accepted:
    """The accepted values of one option, as its row declares them; an empty set of kinds accepts every value."""

    __slots__ = ("choices", "is_open", "items", "keys", "kinds", "minimum")

    def __init__(self, text: str) -> None:
        self.kinds: dict[str, None] = {}
        self.choices: list[str] = []
        """The permitted strings, and the names of tables of permitted strings after a `:`."""
        self.is_open = False
        self.minimum: int | None = None
        self.keys = ""
        """The name of the table of the keys of a dict."""
        self.items: Accepted | None = None
        for one in alternatives(text):
            self.kinds[one.kind] = None
            if one.minimum is not None:
                self.minimum = one.minimum
            if one.value is not None:
                self.choices.append(one.value)
            elif one.kind == "list" and one.inner:
                self.items = Accepted(one.inner)
            elif one.kind == "dict" and one.inner:
                self.keys = one.inner
            elif one.kind == "string":
                self.is_open |= not one.inner
                self.choices += [f":{one.inner}"] if one.inner else []
        if "any" in self.kinds:
            self.kinds = {}


def rows(table: str, tables: Tables) -> Mapping[str, Accepted]:
    """Return the options of a table by name, with those of the tables that it includes."""
    found = _READ.get(table)
    if found is None:
        found = {}
        for line in table.split("\n"):
            if line.startswith("+ "):
                found |= rows(_table(line[2:], tables), tables)
            elif line:
                name, _, rest = line.partition(": ")
                found[name] = Accepted(rest.partition("; ")[0].partition(" = ")[0])
        _READ[table] = found
    return found


class Validation:
    """A check of options against tables; `exempt` are the paths whose values their readers check.

    Unless it is bounded, numbers may be lower than their minimum, since their readers raise them.
    """

    __slots__ = ("_exempt", "_is_bounded", "_tables", "_type_name")

    def __init__(
        self, tables: Tables, type_name: TypeName, exempt: Collection[str] = (), *, is_bounded: bool = True
    ) -> None:
        self._is_bounded = is_bounded
        self._tables = tables
        self._type_name = type_name
        self._exempt = exempt

    def of_keys(self, given: Mapping[str, object], table: str, path: str = "") -> str | None:
        """Return the text about the first unknown key of a dict or of the dicts in it, or None."""
        known = rows(table, self._tables)
        for key, value in given.items():
            option = known.get(key)
            wrong = unknown_key(key, known, path) if option is None else self._inner_keys(value, option, path + key)
            if wrong is not None:
                return wrong
        return None

    def _inner_keys(self, value: object, option: Accepted, path: str) -> str | None:
        if isinstance(value, dict) and option.keys:
            return self.of_keys(value, _table(option.keys, self._tables), f"{path}.")
        if isinstance(value, list) and option.items is not None:
            found = (self._inner_keys(item, option.items, f"{path}[{index}]") for index, item in enumerate(value))
            return next((wrong for wrong in found if wrong is not None), None)
        return None

    def of_values(self, given: Mapping[str, object], table: str, path: str = "") -> str | None:
        """Return the text about the first value of the wrong type, in a dict or the dicts in it, or None."""
        known = rows(table, self._tables)
        for key, value in given.items():
            option = known.get(key)
            if value is not None and option is not None and path + key not in self._exempt:
                wrong = self._of_value(value, option, path + key)
                if wrong is not None:
                    return wrong
        return None

    def _of_value(self, value: object, option: Accepted, path: str) -> str | None:
        kind = self._type_name(value)
        if option.kinds and kind not in option.kinds and not (kind == "int" and "float" in option.kinds):
            return f"`{path}` must be {_listed(option.kinds)}, got {kind}"
        if isinstance(value, str):
            return self._of_choice(value, option, path)
        if isinstance(value, int | float):
            is_low = self._is_bounded and option.minimum is not None and value < option.minimum
            return f"`{path}` must be at least {option.minimum}, got {value}" if is_low else None
        if isinstance(value, dict) and option.keys:
            return self.of_values(value, _table(option.keys, self._tables), f"{path}.")
        if isinstance(value, list) and option.items is not None:
            found = (self._of_value(item, option.items, f"{path}[{index}]") for index, item in enumerate(value))
            return next((wrong for wrong in found if wrong is not None), None)
        return None

    def _of_choice(self, value: str, option: Accepted, path: str) -> str | None:
        if option.is_open or not option.choices:
            return None
        allowed: list[str] = []
        for one in option.choices:
            table = _table(one[1:], self._tables) if one.startswith(":") else ""
            allowed += [line.partition(": ")[0] for line in table.split("\n") if line] if table else [one]
        if value in allowed:
            return None
        return f"`{path}` must be {_listed(allowed)}, got {value!r}{did_you_mean(value, allowed)}"


def unknown_key(key: object, known: Collection[str], path: str = "") -> str:
    """Return the text about an unknown key, with the one that was meant, or with the known ones if they are few."""
    hint = did_you_mean(key, known)
    if not hint and len(known) <= _MOST_SHOWN:
        hint = f"; the known keys are {', '.join(known)}"
    return f"unknown key `{path}{key}`{hint}"


def did_you_mean(name: object, known: Collection[str]) -> str:
    """Return the end of a message that names the nearest known name, or an empty string."""
    near = near_name(name, known) if isinstance(name, str) else None
    return f"; did you mean `{near}`?" if near else ""


def _listed(names: Collection[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def _table(name: str, tables: Tables) -> str:
    found = tables[name.upper()]
    return found if isinstance(found, str) else ""
