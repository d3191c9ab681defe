"""The providers and models that a run knows: from the catalogue, configuration files and the script."""

from __future__ import annotations

import os

from harnlite.llm import catalogue
from harnlite.regular_files import regular_file
from harnlite.resources import PROJECT_FILE
from harnlite.runtime.environment_settings import setting
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from harnlite.llm.routes import Route
    from harnlite.reminders.capabilities import Capabilities
    from harnlite.runtime.tasks.execution import Execution

    # the provider that a capability row applies to, and the row
    CapabilityRow = tuple[str, dict[str, Any]]

BUILT_IN = "<built-in defaults>"
_USER_FILES = ("harnlite/providers.toml", "harn/providers.toml")


class Configuration:
    """The providers and models that are known to a run, and their settings."""

    __slots__ = (
        "aliases",
        "capabilities",
        "default_route_name",
        "endpoints",
        "flags",
        "inference",
        "installed_rows",
        "models",
        "project_rows",
        "registered",
        "routes",
        "source",
        "tier_models",
        "tier_rules",
    )

    def __init__(self) -> None:
        self.source = BUILT_IN
        self.default_route_name: str | None = None
        self.endpoints: dict[str, dict[str, Any]] = dict(catalogue.ENDPOINTS)
        self.registered: list[str] = []
        self.aliases: dict[str, dict[str, Any]] = {
            name: {"id": model, "provider": route_name} for name, (model, route_name) in catalogue.ALIASES.items()
        }
        self.models: dict[str, dict[str, Any]] = {}
        self.inference: list[tuple[str, str]] = []
        self.tier_rules: list[tuple[str, str]] = []
        self.tier_models: dict[str, dict[str, Any]] = {}
        self.installed_rows: list[CapabilityRow] = []
        self.project_rows: list[CapabilityRow] = []
        # cached results from the capability rows, by provider and model
        self.flags: dict[tuple[str, str], dict[str, object]] = {}
        self.capabilities: dict[tuple[str, str], Capabilities] = {}
        # cached routes, by requested provider, model and tier
        self.routes: dict[tuple[str | None, str | None, str | None], Route] = {}

    @property
    def rows(self) -> list[CapabilityRow]:
        """Return the capability rows that take precedence over the built-in ones, those of the script first."""
        return self.installed_rows + self.project_rows

    def rows_of(self, name: str) -> list[dict[str, Any]]:
        """Return the capability rows of one provider."""
        owner = name.lower()
        return [row for known, row in self.rows if known == owner]

    def read(self, path: str, values: dict[str, Any]) -> None:
        """Add the settings of a configuration file."""
        self.source = path
        default = values.get("default_provider")
        if default.__class__ is str:
            self.default_route_name = default
        for name, entry in _tables(values.get("providers")):
            self.endpoints[name] = {**self.endpoints.get(name, {}), **_endpoint(entry)}
        for name, entry in _tables(values.get("aliases")):
            if entry.get("id").__class__ is str:
                self.aliases[name] = entry
        for name, entry in _tables(values.get("models")):
            self.models[name] = entry
        for name, entry in _tables(values.get("tiers")):
            self.tier_models[name] = entry
        self.inference[:0] = _rules(values.get("inference_rules"), "provider")
        self.tier_rules[:0] = _rules(values.get("tier_rules"), "tier")

    def install(self, rows: list[CapabilityRow]) -> None:
        """Give capability rows precedence over all others; they replace the rows that were installed earlier."""
        self.installed_rows = rows
        self.flags.clear()
        self.capabilities.clear()
        self.routes.clear()

    def register(self, name: str) -> None:
        """Register a provider whose calls a host or script answers."""
        if name not in self.endpoints and name not in self.registered:
            self.registered.append(name)

    def route_names(self) -> list[str]:
        """Return the names of all known providers, sorted."""
        return sorted({*self.endpoints, *self.registered})

    def model_settings(self, name: str) -> dict[str, Any]:
        """Return the configured settings of a model, or those of its name without a date."""
        return self.models.get(name) or self.models.get(catalogue.undated(name), {})

    def context_window(self, model: str) -> int | None:
        """Return the size of a model's context window in tokens, or None if it is not known."""
        name = str(self.aliases.get(model, {}).get("id", model))
        configured = self.model_settings(name).get("context_window")
        row = catalogue.row_of(name)
        return configured if configured.__class__ is int else row[2] if row else None

    def key_names(self, name: str) -> list[str]:
        """Return the environment variables that may contain the API key of a provider."""
        return list(self.endpoints.get(name, {}).get("auth_envs", ()))

    def has_key(self, name: str) -> bool:
        """Return whether a provider can be called: its API key is set, or it does not need one."""
        entry = self.endpoints.get(name)
        if entry is None:
            return name in self.registered
        keys = entry.get("auth_envs") or ()
        if keys:
            return any(os.environ.get(key) for key in keys)
        base = entry.get("base_url_env")
        return bool(os.environ.get(base)) if base else True


def _tables(value: object) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, dict):
        yield from ((name, entry) for name, entry in value.items() if isinstance(entry, dict))


def _rules(value: object, key: str) -> list[tuple[str, str]]:
    rows = value if isinstance(value, list) else []
    return [
        (row["pattern"].lower(), row[key])
        for row in rows
        if isinstance(row, dict) and isinstance(row.get("pattern"), str) and isinstance(row.get(key), str)
    ]


def _endpoint(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the entry of a provider with its key variables as a list."""
    keys = entry.get("auth_envs", entry.get("auth_env"))
    found = {key: value for key, value in entry.items() if key != "auth_env"}
    if isinstance(keys, str):
        keys = [keys]
    if isinstance(keys, list):
        found["auth_envs"] = [key for key in keys if isinstance(key, str)]
    return found


def configuration_of(run: Execution) -> Configuration:
    """Return the configuration of a run; the configuration files are read on the first call."""
    return run.state("llm_configuration", lambda: _loaded(run))


def _loaded(run: Execution) -> Configuration:
    found = Configuration()
    for path in _user_paths():
        if os.path.isfile(path):
            found.read(path, read_toml(path))
            break
    project = _project_file(run)
    if project is not None:
        values = read_toml(project)
        check_manifest(project, values)
        llm = values.get("llm")
        if isinstance(llm, dict):
            found.read(project, llm)
        capabilities = values.get("capabilities")
        if isinstance(capabilities, dict):
            found.project_rows = capability_rows(capabilities)
    return found


def _user_paths() -> Iterator[str]:
    given = setting("PROVIDERS_CONFIG")
    if given:
        yield given
        return
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    for name in _USER_FILES:
        yield os.path.join(home, name)


def _project_file(run: Execution) -> str | None:
    """Return the nearest project file at or above the folder of the script, or of the run if it has no script."""
    script = run.context.get("script")
    here = os.path.dirname(os.path.abspath(script)) if isinstance(script, str) else run.cwd
    while True:
        path = os.path.join(here, PROJECT_FILE)
        if os.path.isfile(path):
            return path
        parent = os.path.dirname(here)
        if parent == here:
            return None
        here = parent


def read_toml(path: str) -> dict[str, Any]:
    """Read a TOML file; throw if it cannot be read or parsed."""
    import tomllib

    try:
        with open(path, "rb", opener=regular_file) as file:
            return tomllib.load(file)
    except (OSError, ValueError) as error:
        raise thrown(f"cannot read {path}: {error}") from None


def check_manifest(path: str, values: dict[str, Any]) -> None:
    """Throw if a project file has an unknown key or a wrong value."""
    from harnlite.options.manifest import manifest_fault, place_of

    fault = manifest_fault(values)
    if fault is None:
        return
    with open(path, encoding="utf-8", errors="replace", opener=regular_file) as file:
        found = place_of(file.read(), fault.path)
    place = "" if found is None else f":{found[0]}:{found[1]}"
    raise thrown(f"{os.path.relpath(path)}{place}: {fault.message}")


def capability_rows(tables: dict[str, Any]) -> list[CapabilityRow]:
    """Return the capability rows in `[[provider.X]]` tables, in order of precedence."""
    routes = tables.get("provider")
    if not isinstance(routes, dict):
        return []
    return [
        (name.lower(), row)
        for name, rows in routes.items()
        for row in (rows if isinstance(rows, list) else [rows])
        if isinstance(row, dict)
    ]
