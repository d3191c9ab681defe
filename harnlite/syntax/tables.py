"""The parse tables: the packaged tables, or newly built ones if those do not match the grammar.

`python -m harnlite.syntax.tables` writes the packaged file. Tables are built at run time only if the grammar of an
installation was changed. They are stored in the user's cache folder if no other user can write to it.
"""

from __future__ import annotations

import marshal
import os
import stat
import sys
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from harnlite import resources

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Arrange = Callable[[list[Any]], Any]
    Rule = tuple[int, str, Callable[..., Any] | None, Arrange | None]

FORMAT = 3
FILE_NAME = "harn.tables"
PACKAGED = os.path.join(os.path.dirname(os.path.abspath(__file__)), FILE_NAME)
_OTHERS_MAY_WRITE = 0o022
_OFF = frozenset(("off", "0", "no", "false"))


class Tables:
    """The rules and rows of an LALR(1) parser, and the grammar that they were built from.

    A rule is (size, origin, callback name, arrangement of arguments). A row maps symbols to actions: a positive number
    is the next state, and a negative number is the complement of the number of the rule to reduce by, minus UNIT if
    the rule only passes its value on. An arrangement lists indices: -1 for a missing optional part, and an index plus
    SPLICE for a list that is spliced in; without an arrangement, the values are the arguments.
    """

    __slots__ = ("arranging", "grammar", "leaps", "rows", "rules", "starts", "symbols")
    SPLICE = 1000
    UNIT = 100_000

    def __init__(
        self,
        grammar: str,
        rules: list[tuple[Any, ...]],
        rows: list[dict[str, int]],
        symbols: list[str],
        starts: dict[str, int],
    ) -> None:
        self.grammar = grammar
        self.rules = rules
        self.rows = rows
        self.symbols = symbols
        self.starts = starts
        self.leaps: dict[tuple[int, int, str], int] = {}
        self.arranging = [_arranging(name, places) for _size, _origin, name, places in rules]

    def rule(self, action: int) -> tuple[Any, ...]:
        """Return the rule of a reduce action."""
        found: tuple[Any, ...] = self.rules[~(action + self.UNIT if action < -self.UNIT else action)]
        return found

    def bind(self, callbacks: Mapping[str, Callable[..., Any]]) -> list[Rule]:
        """Return the rules with their callbacks, and with functions that arrange the arguments."""
        return [
            (size, origin, callbacks[name] if name else None, arrange)
            for (size, origin, name, _places), arrange in zip(self.rules, self.arranging, strict=True)
        ]

    def facts(self) -> tuple[Any, ...]:
        """Return the data that is stored in a file."""
        return FORMAT, self.grammar, self.rules, self.rows, self.symbols, self.starts


def _arranging(name: str, places: tuple[int, ...] | None) -> Arrange | None:
    """Return a function from the values and a None to the arguments, or to the list of a rule without a callback."""
    if places is None:
        return None
    if not name:
        return _added if places[0] >= Tables.SPLICE else _gathered
    is_plain = max(places) < Tables.SPLICE and len(places) > 1
    return itemgetter(*places) if is_plain else partial(_spliced, places)


def _gathered(values: list[Any]) -> list[Any]:
    values.pop()
    return values


def _added(values: list[Any]) -> Any:  # noqa: ANN401 - the list that was collected before
    items = values[0]
    items += values[1:-1]
    return items


def _spliced(places: tuple[int, ...], values: list[Any]) -> list[Any]:
    arguments: list[Any] = []
    for place in places:
        if place >= Tables.SPLICE:
            arguments += values[place - Tables.SPLICE]
        else:
            arguments.append(values[place])
    return arguments


def grammar_text() -> str:
    """Return the text of the grammar file."""
    with open(resources.grammar_file(), encoding="utf-8") as file:
        return file.read()


def load(folder: str | None = None) -> Tables:
    """Return the tables of the grammar: the packaged ones, those of a folder, or new ones, which are stored there."""
    grammar = grammar_text()
    found = _read(PACKAGED, grammar)
    if found is not None:
        return found
    place = default_folder() if folder is None else folder
    if place and is_trusted(place):
        found = _read(os.path.join(place, FILE_NAME), grammar)
        if found is not None:
            return found
    from harnlite.syntax import table_generator  # noqa: PLC0415 - it needs lark, and users never come here

    found = table_generator.build(grammar)
    if place:
        _keep(found, place)
    return found


def default_folder() -> str:
    """Return the folder for tables in the user's cache, or an empty string if there is none."""
    setting = os.environ.get("HARNLITE_CACHE", "")
    if setting:
        return "" if setting.lower() in _OFF else os.path.abspath(setting)
    base = os.environ.get("XDG_CACHE_HOME") or (
        os.environ.get("LOCALAPPDATA", "") if sys.platform == "win32" else os.path.expanduser("~/.cache")
    )
    return os.path.join(base, "harnlite", "tables") if os.path.isabs(base) else ""


def is_trusted(folder: str) -> bool:
    """Return whether a folder belongs to the user and only the user can write to it."""
    try:
        facts = os.lstat(folder)
    except OSError:
        return False
    if not hasattr(os, "getuid"):
        return os.path.isdir(folder)
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.getuid() and not facts.st_mode & _OTHERS_MAY_WRITE


def _read(path: str, grammar: str) -> Tables | None:
    """Return the tables in a file, or None if they are not for this grammar."""
    try:
        with open(path, "rb") as file:
            data = marshal.loads(file.read())  # noqa: S302 - ours, or in a folder that only the user can write to
        form, *rest = data
        return Tables(*rest) if form == FORMAT and rest[0] == grammar else None
    except (OSError, ValueError, EOFError, TypeError, IndexError):
        return None


def _keep(tables: Tables, folder: str) -> None:
    """Write tables to a folder; errors are ignored, because this run already has its tables."""
    temporary = os.path.join(folder, f"{FILE_NAME}.{os.getpid()}")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if is_trusted(folder):
            with open(temporary, "xb") as file:
                file.write(marshal.dumps(tables.facts()))
            os.replace(temporary, os.path.join(folder, FILE_NAME))
    except OSError:
        pass


def main() -> None:
    """Write the packaged tables."""
    from harnlite.syntax import table_generator  # noqa: PLC0415 - as above

    data = marshal.dumps(table_generator.build(grammar_text()).facts(), 4)
    with open(PACKAGED, "wb") as file:
        file.write(data)


if __name__ == "__main__":
    main()
