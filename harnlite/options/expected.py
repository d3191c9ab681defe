"""The values that each argument of a function accepts, according to the tables of options."""

from __future__ import annotations

import re
from functools import lru_cache

from harnlite.options import (
    children,
    compaction,
    encoding,
    facts,
    hooks,
    http,
    loop,
    model_call,
    reminders,
    rules,
    sessions,
    tools,
)
from harnlite.options.alternatives import alternatives
from harnlite.options.defaults import value_of
from harnlite.reminders.hook_events import PERSONA_EVENTS, REMINDER_EVENTS, SESSION, STEP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

SUBJECTS = (loop, model_call, compaction, reminders, hooks, children, tools, sessions, facts, encoding, http, rules)
TABLES: dict[str, str] = {
    name.lower(): text
    for subject in SUBJECTS
    for name, text in vars(subject).items()
    if name.isupper() and not name.startswith("_") and name not in {"PLACES", "RETURNED"}
}
_CAPITAL = r"(?<!^)(?=[A-Z])"


class Expected:
    """The description of an accepted value: its types, its choices, the keys of a dict, and the items of a list."""

    __slots__ = ("choices", "default", "is_open", "items", "keys", "kinds", "meaning", "minimum", "type")

    def __init__(self, meaning: str = "") -> None:
        self.meaning = meaning
        self.type = ""
        self.default: object = None
        self.minimum: int | None = None
        self.kinds: frozenset[str] = frozenset()
        self.choices: Mapping[str, str] = {}
        self.is_open = False
        """Whether strings other than the choices are accepted."""
        self.keys: Mapping[str, Expected] = {}
        self.items: Expected | None = None

    @property
    def shown_default(self) -> str:
        """Return the default as text, or an empty string if there is no constant default."""
        if self.default is None:
            return ""
        values = self.default if isinstance(self.default, tuple) else (self.default,)
        shown = [str(value).lower() if isinstance(value, bool) else str(value) for value in values]
        if len(set(shown)) == 1:
            return shown[0] or '""'
        return f"{', '.join(shown[:-1])} or {shown[-1]} by profile"

    @property
    def text(self) -> str:
        """Return the meaning, followed by the default."""
        default = self.shown_default
        return f"{self.meaning} Default: {default}." if default else self.meaning


ANYTHING = Expected()


# Values


def _values(name: str) -> Mapping[str, str]:
    """Return the values of a table of values, with their meanings."""
    make = _NAMED_VALUES.get(name)
    return dict(_pairs(TABLES[name])) if make is None else make()


def _pairs(table: str) -> Iterator[tuple[str, str]]:
    for line in table.splitlines():
        name, mark, meaning = line.partition(": ")
        if mark:
            yield name, meaning


def _events(names: Iterable[str], *, snake_first: bool = False) -> Mapping[str, str]:
    """Return events in both spellings, PascalCase and snake_case."""
    meanings = dict(_pairs(hooks.EVENT))
    pascal = {name: meanings[name] for name in names}
    snake = {re.sub(_CAPITAL, "_", name).lower(): meaning for name, meaning in pascal.items()}
    return {**snake, **pascal} if snake_first else {**pascal, **snake}


def _listed_providers() -> Mapping[str, str]:
    added = _values("canonical_provider")
    return {**added, **{f"-{name}": f"removes the provider that {meaning}" for name, meaning in added.items()}}


_NAMED_VALUES = {
    "reminder_event_name": lambda: _events(sorted(REMINDER_EVENTS)),
    "persona_event_name": lambda: _events(sorted(PERSONA_EVENTS)),
    "step_event_name": lambda: _events(STEP),
    "session_event_name": lambda: _events(SESSION, snake_first=True),
    "listed_provider": _listed_providers,
}


# Types


def _read_type(expected: Expected, text: str) -> None:
    kinds, shown = [], []
    choices: dict[str, str] = {}
    for one in alternatives(text):
        kinds.append(one.kind)
        if one.value is not None:
            choices[one.value] = ""
            shown.append(f'"{one.value}"')
            continue
        if one.minimum is not None:
            expected.minimum = one.minimum
        expected.is_open |= one.kind == "string" and not one.inner
        if one.inner and one.kind == "list":
            expected.items = Expected()
            _read_type(expected.items, one.inner)
            shown.append(f"list<{expected.items.type}>")
            continue
        if one.inner and one.kind == "dict":
            expected.keys = options_in(one.inner)
        elif one.inner:
            choices.update(_values(one.inner))
        shown.append(one.kind)
    expected.choices = choices
    expected.kinds = frozenset() if "any" in kinds else frozenset(kinds)
    expected.type = " | ".join(dict.fromkeys(shown))


@lru_cache(maxsize=256)
def options_in(table: str) -> Mapping[str, Expected]:
    """Return the options that a table declares, by name."""
    return _rows(TABLES[table])


def _rows(block: str) -> Mapping[str, Expected]:
    """Return the options that a block declares; if several tables declare an option, the first one counts."""
    keys: dict[str, Expected] = {}
    for line in block.splitlines():
        if line.startswith("+ "):
            keys.update({key: one for key, one in options_in(line[2:]).items() if key not in keys})
        elif line and not line.startswith(": "):
            name, _, rest = line.partition(": ")
            keys.setdefault(name, _read(rest))
    return keys


def _read(row: str) -> Expected:
    """Parse the part of a row after the name."""
    declared, _, meaning = row.partition("; ")
    kind, mark, default = declared.partition(" = ")
    expected = Expected(meaning)
    if mark:
        expected.default = value_of(default)
    _read_type(expected, kind)
    return expected


# Places


@lru_cache(maxsize=1)
def places() -> Mapping[tuple[str, int], str]:
    """Return the block for each argument, by the name of the function and the index of the argument."""
    found = {}
    for subject in SUBJECTS:
        for names, block in _blocks(getattr(subject, "PLACES", "")):
            for name, index in names:
                found[name, int(index)] = block
    return found


@lru_cache(maxsize=1)
def returned() -> Mapping[tuple[str, str], str]:
    """Return the block for the result of each callback, by function and option."""
    return {(name, key): block for names, block in _blocks(hooks.RETURNED) for name, key in names}


def _blocks(text: str) -> Iterator[tuple[list[tuple[str, str]], str]]:
    for block in text.split("\n= ")[1:]:
        head, _, lines = block.partition("\n")
        split = [one.partition(" ") for one in head.split(", ")]
        yield [(name, rest) for name, _, rest in split], lines


@lru_cache(maxsize=128)
def expected_at(function: str, index: int) -> Expected:
    """Return the accepted values of an argument of a builtin or of a function in std."""
    return _expected(places().get((function, index), ""))


def expected_result(function: str, key: str) -> Expected:
    """Return the accepted results of a callback that is passed as an option or as an argument."""
    return _expected(returned().get((function, key), ""))


def _expected(block: str) -> Expected:
    if not block:
        return ANYTHING
    own = next((line.removeprefix(": ") for line in block.splitlines() if line.startswith(": ")), None)
    expected = Expected() if own is None else _read(own)
    expected.keys = _rows(block) or expected.keys
    return expected


REMINDER = Expected()
REMINDER.keys = options_in("reminder")
