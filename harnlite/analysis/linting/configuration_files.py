"""Find and read the configuration of a project: `harn.toml`, or `[tool.harnlite]` in `pyproject.toml`."""

from __future__ import annotations

import os

from harnlite.analysis.linting.code_selection import ALL, known_rules
from harnlite.analysis.linting.context.configuration import (
    COUNT,
    FLAG,
    KEYS,
    NUMBER,
    PERCENT,
    SECTIONS,
    STYLE,
    TEXT,
    WORDS,
    WORDS_BY_GLOB,
    LintConfig,
)
from harnlite.diagnostics.renderers import RENDERERS
from harnlite.diagnostics.suggest import near_name
from harnlite.regular_files import regular_file
from harnlite.resources import PROJECT_FILE, working_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from typing import Any

PYPROJECT = "pyproject.toml"
LINT, TEST = "lint", "test"
TABLES = (
    "asset_roots",
    "capabilities",
    "description",
    "entry",
    "fmt",
    "hooks",
    "limits",
    LINT,
    "llm",
    "name",
    "package",
    "providers",
    "skills",
    TEST,
    "version",
)
"""The keys allowed at the top level of a configuration; each is read by its own subsystem."""

HANDLER_MARK = "::"
"""The mark between the file and the function in the handler of a declared hook."""

CODE_KEYS = ("select", "extend_select", "ignore")
_WHOLE = 100


class ConfigurationError(Exception):
    """An error in a configuration; its text names the place and the reason."""


class ProjectFile:
    """A configuration file: its path and its values."""

    __slots__ = ("path", "values")

    def __init__(self, path: str, values: Mapping[str, Any]) -> None:
        self.path = path
        self.values = values

    @property
    def lint(self) -> dict[str, Any]:
        """Return the checked table `lint`."""
        return self.section(LINT)

    def section(self, name: str) -> dict[str, Any]:
        """Return one of the checked tables."""
        return dict(self.values.get(name, {}))

    @property
    def denied(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return what the table `capabilities` denies and allows."""
        tables = self.values.get("capabilities", {})
        return tuple(tables.get("deny", ())), tuple(tables.get("allow", ()))

    @property
    def capability_rows(self) -> dict[str, list[dict[str, Any]]]:
        """Return the capability rows by provider."""
        tables = self.values.get("capabilities")
        routes = tables.get("provider") if isinstance(tables, dict) else None
        found: dict[str, list[dict[str, Any]]] = {}
        for name, rows in routes.items() if isinstance(routes, dict) else ():
            given = rows if isinstance(rows, list) else [rows]
            found.setdefault(name.lower(), []).extend(row for row in given if isinstance(row, dict))
        return found

    @property
    def hooks(self) -> list[tuple[str, str, str]]:
        """Return the declared hooks: the event as it is written, the path of the file, and the name of the function."""
        rows = self.values.get("hooks")
        found = []
        for row in rows if isinstance(rows, list) else ():
            event, handler = (row.get(key) for key in ("event", "handler")) if isinstance(row, dict) else (None, None)
            if isinstance(event, str) and isinstance(handler, str):
                file, mark, name = handler.partition(HANDLER_MARK)
                if mark:
                    found.append((event, os.path.abspath(os.path.join(os.path.dirname(self.path), file)), name))
        return found


def find_project_file(folder: str) -> ProjectFile | None:
    """Return the nearest configuration at or above a folder; `harn.toml` has precedence over `pyproject.toml`."""
    here = os.path.abspath(folder)
    while True:
        found = _in_folder(here)
        if found is not None:
            return found
        parent = os.path.dirname(here)
        if parent == here:
            return None
        here = parent


def _in_folder(folder: str) -> ProjectFile | None:
    path = os.path.join(folder, PROJECT_FILE)
    if os.path.isfile(path):
        return read_project_file(path)
    path = os.path.join(folder, PYPROJECT)
    if os.path.isfile(path):
        tools = _toml(path).get("tool")
        if isinstance(tools, dict) and "harnlite" in tools:
            return read_project_file(path)
    return None


def read_project_file(path: str) -> ProjectFile:
    """Read and check a configuration; raise ConfigurationError if it is invalid."""
    from harnlite.options.manifest import manifest_fault

    values, name = _toml(path), os.path.relpath(path)
    if os.path.basename(path) == PYPROJECT:
        tools = values.get("tool")
        values, name = tools.get("harnlite", {}) if isinstance(tools, dict) else {}, f"{name}: [tool.harnlite]"
    if not isinstance(values, dict):
        raise ConfigurationError(f"{name} must be a table")
    _refuse_unknown(name, "", values, TABLES)
    fault = manifest_fault(values)
    if fault is not None:
        raise ConfigurationError(f"{_place(path, name, fault.path)}: {fault.message}")
    checked = {section: _section(name, section, values.get(section, {})) for section in SECTIONS}
    return ProjectFile(os.path.abspath(path), {**values, **checked})


def _place(path: str, name: str, keys: tuple[str | int, ...]) -> str:
    """Return the name of the file, with the line and the column of a key if it is found."""
    from harnlite.options.manifest import place_of

    head = ("tool", "harnlite") if os.path.basename(path) == PYPROJECT else ()
    try:
        with open(path, encoding="utf-8", opener=regular_file) as file:
            found = place_of(file.read(), (*head, *keys))
    except (OSError, ValueError):
        found = None
    if found is None:
        return name
    file_name, mark, rest = name.partition(": ")
    return f"{file_name}:{found[0]}:{found[1]}{mark}{rest}"


def _section(name: str, section: str, values: object) -> dict[str, Any]:
    """Return a table with normalized keys; raise ConfigurationError for unknown keys and invalid values."""
    if not isinstance(values, dict):
        raise ConfigurationError(f"{name}: {section} must be a table")
    spelled = {key.replace("-", "_"): value for key, value in values.items()}
    keys = SECTIONS[section]
    _refuse_unknown(name, f"{section}.", spelled, keys)
    for key, value in spelled.items():
        _check_value(f"{name}: {section}.{key}", key, keys[key][0], value)
    return spelled


def _toml(path: str) -> dict[str, Any]:
    import tomllib

    try:
        with open(path, "rb", opener=regular_file) as file:
            return tomllib.load(file)
    except OSError as error:
        raise ConfigurationError(f"cannot read {path!r}: {error.strerror}") from None
    except ValueError as error:
        raise ConfigurationError(f"{os.path.relpath(path)}: {error}") from None


def _refuse_unknown(name: str, prefix: str, values: Mapping[str, object], known: Iterable[str]) -> None:
    for key in values:
        if key not in known:
            near = near_name(key, known)
            owners = [owner for owner, keys in SECTIONS.items() if key.replace("-", "_") in keys]
            meant = f"{owners[0]}.{key}" if owners and owners[0] + "." != prefix else near and prefix + near
            hint = f"; did you mean {meant!r}?" if meant else ""
            raise ConfigurationError(f"{name}: unknown key {prefix + key!r}{hint}")


def _check_value(name: str, key: str, kind: str, value: object) -> None:
    """Raise ConfigurationError for a value of the wrong kind, or with unknown codes."""
    if not _KINDS[kind](value):
        raise ConfigurationError(f"{name} must be {kind}")
    if key in CODE_KEYS and isinstance(value, list):
        check_codes(name, value)
    elif kind == WORDS_BY_GLOB and isinstance(value, dict):
        for prefixes in value.values():
            check_codes(name, prefixes)


def check_codes(name: str, prefixes: Iterable[str]) -> None:
    """Raise ConfigurationError for a prefix that no code begins with."""
    codes = [rule.code for rule in known_rules()]
    for prefix in prefixes:
        if prefix not in ALL and not (prefix and any(code.startswith(prefix) for code in codes)):
            near = _near_prefix(prefix.upper(), {*codes, *(code.rpartition("-")[0] for code in codes)})
            hint = f"; did you mean {near!r}?" if near else ""
            raise ConfigurationError(f"{name}: no code begins with {prefix!r}{hint}")


def _near_prefix(prefix: str, known: Collection[str]) -> str | None:
    return prefix if prefix in known else near_name(prefix, known)


def _are_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_number(value: object, least: int = 0) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_percent(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _WHOLE


_KINDS: dict[str, Callable[[Any], bool]] = {
    WORDS: _are_words,
    WORDS_BY_GLOB: lambda value: isinstance(value, dict) and all(map(_are_words, value.values())),
    FLAG: lambda value: isinstance(value, bool),
    NUMBER: _is_number,
    COUNT: lambda value: _is_number(value, 1),
    PERCENT: _is_percent,
    TEXT: lambda value: isinstance(value, str),
    STYLE: lambda value: isinstance(value, str) and value in RENDERERS,
}


def lint_config(file: ProjectFile | None, flags: Mapping[str, Any]) -> LintConfig:
    """Combine a configuration file with the flags of a command; flags have precedence."""
    values = {**(file.lint if file else {}), **flags}
    chosen = {key: values[key] for key in KEYS if key in values and key in LintConfig.__slots__}
    if file is None:
        return LintConfig(**chosen, root=working_folder())
    config = LintConfig(**chosen, capability_rows=file.capability_rows, root=os.path.dirname(file.path))
    config.hooks = tuple(file.hooks)
    deny, allow = file.denied
    config.denied = (file.path, deny, allow) if deny or allow else None
    return config
