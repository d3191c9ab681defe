"""Facts about this installation and its environment, for `harnlite doctor`."""

from __future__ import annotations

import os
import platform
import re
import sqlite3
import sys
from importlib.metadata import PackageNotFoundError, entry_points, requires, version

from harnlite import resources
from harnlite.formats.patterns.linear import linear_pattern
from harnlite.host.settings_table import address_rows, environment_rows
from harnlite.llm.configuration import configuration_of
from harnlite.llm.installed_backends import ENTRY_POINTS
from harnlite.runtime.tasks.execution import Execution
from harnlite.values.errors import ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Rows = Iterator[tuple[str, str]]

MISSING, BROKEN = BAD = ("MISSING", "BROKEN")
_SETTINGS = ("NO_COLOR", "FORCE_COLOR", "TERM", "PYTHONNODEBUGRANGES")
_NAME = re.compile(r"[\w.-]+")


def installation() -> Rows:
    """Yield the versions of Python and the system, and the locations of the package and its data."""
    yield "python", f"{platform.python_version()} ({platform.python_implementation()}, {sys.executable})"
    yield "system", platform.platform()
    yield "package", os.path.dirname(os.path.abspath(resources.__file__))
    for name, find in (("grammar", resources.grammar_file), ("builtins", resources.builtins_file)):
        try:
            path = find()
        except FileNotFoundError as error:
            yield name, f"{MISSING}: {error}"
        else:
            yield name, path if os.path.isfile(path) else f"{MISSING}: {path}"


def packages() -> Rows:
    """Yield the packages that harnlite requires, with their versions; packages of an extra may be absent."""
    try:
        wanted = requires("harnlite") or []
    except PackageNotFoundError:
        wanted = []
    for requirement in sorted(wanted, key=str.lower):
        found = _NAME.match(requirement)
        _, _, marker = requirement.partition(";")
        _, _, extra = marker.partition("extra ==")
        if found is None or "dev" in extra:
            continue
        try:
            yield found[0], version(found[0])
        except PackageNotFoundError:
            if extra:
                yield found[0], f"not installed, extra {extra.strip()}"
            else:
                yield found[0], "not installed, optional here" if marker else MISSING


def abilities() -> Rows:
    """Yield the optional features and whether they work on this system."""
    posix = os.name == "posix"
    yield "SIGTERM ends a run cleanly", "yes" if posix else "no, POSIX only"
    yield "cache folder is checked for its owner", "yes" if posix else "no, POSIX only"
    yield "positions within a line in errors", "no, PYTHONNODEBUGRANGES is set" if _lines_only() else "yes"
    yield "SQLite with full-text search (FTS5)", _full_text()
    yield "regular expressions in linear time (RE2)", _linear_patterns()


def _lines_only() -> bool:
    code = compile("x", "", "eval")
    return all(column is None for _, _, column, _ in code.co_positions())


def _full_text() -> str:
    try:
        with sqlite3.connect(":memory:") as base:
            base.execute("CREATE VIRTUAL TABLE probe USING fts5(text)")
    except sqlite3.Error as error:
        return f"no: {error}"
    return f"yes, SQLite {sqlite3.sqlite_version}"


def _linear_patterns() -> str:
    if linear_pattern(("a",), ascii_only=True) is not None:
        return "yes"
    return "no, google-re2 cannot be loaded; regular expressions have a time limit instead"


def models() -> Rows:
    """Yield the providers that have a backend, and which API key variables are set, but never their values."""
    installed = sorted(entry_points(group=ENTRY_POINTS).names)
    yield "backends", f"mock, and those of `harnlite models`{''.join(f', {name}' for name in installed)}"
    try:
        known = configuration_of(Execution())
    except ScriptError as error:
        yield "providers", f"{BROKEN}: {error.value}"
        return
    for name in known.route_names():
        states = [f"{key} {'is set' if os.environ.get(key) else 'is not set'}" for key in known.key_names(name)]
        if known.endpoints.get(name, {}).get("key_cmd"):
            states.append("key_cmd is configured")
        if states:
            yield f"keys of {name}", ", ".join(states)


def environment() -> Rows:
    """Yield the environment variables that are set and affect harnlite."""
    for name, value, _ in [*environment_rows(), *address_rows()]:
        if value is not None:
            yield name, value
    for name in _SETTINGS:
        if name in os.environ:
            yield name, os.environ[name]
