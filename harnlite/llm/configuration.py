"""What a run knows of providers and models: the catalogue, what configuration files add, what a script registers."""

from __future__ import annotations

import os

from harnlite.llm import catalogue
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

    # the provider that a row of capabilities is about, and the row
    CapabilityRow = tuple[str, dict[str, Any]]

BUILT_IN = "<built-in defaults>"
_USER_FILES = ("harnlite/providers.toml", "harn/providers.toml")


class Configuration:
    """Per run: everything that is known of providers and models."""

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
        # what was worked out of the rows: provider and model, and all that this model can do
        self.flags: dict[tuple[str, str], dict[str, object]] = {}
        self.capabilities: dict[tuple[str, str], Capabilities] = {}
        # what was worked out of everything: provider, model and tier that are asked for, and the route
        self.routes: dict[tuple[str | None, str | None, str | None], Route] = {}

    @property
    def rows(self) -> list[CapabilityRow]:
        """Return the rows of capabilities that go before the built-in ones, those of a script first."""
        return self.installed_rows + self.project_rows

    def rows_of(self, name: str) -> list[dict[str, Any]]:
        """Return the rows of capabilities of one provider."""
        owner = name.lower()
        return [row for known, row in self.rows if known == owner]

    def read(self, path: str, values: dict[str, Any]) -> None:
        """Take over what a configuration file says."""
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
        """Put rows of capabilities before all others, in the place of those installed earlier."""
        self.installed_rows = rows
        self.flags.clear()
        self.capabilities.clear()
        self.routes.clear()

    def register(self, name: str) -> None:
        """Make a provider known that a host or script serves."""
        if name not in self.endpoints and name not in self.registered:
            self.registered.append(name)

    def route_names(self) -> list[str]:
        """Return the providers that are known, sorted."""
        return sorted({*self.endpoints, *self.registered})

    def context_window(self, model: str) -> int | None:
        """Return how many tokens a model takes, or nothing if it is not known."""
        name = str(self.aliases.get(model, {}).get("id", model))
        said = self.models.get(name, {}).get("context_window")
        row = catalogue.MODELS.get(name)
        return said if said.__class__ is int else row[2] if row else None

    def key_names(self, name: str) -> list[str]:
        """Return the environment variables that may hold the key of a provider."""
        return list(self.endpoints.get(name, {}).get("auth_envs", ()))

    def has_key(self, name: str) -> bool:
        """Say whether a provider could be asked: its key is there, or it needs none."""
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
    """Return the entry of a provider with its keys as a list."""
    keys = entry.get("auth_envs", entry.get("auth_env"))
    found = {key: value for key, value in entry.items() if key != "auth_env"}
    if isinstance(keys, str):
        keys = [keys]
    if isinstance(keys, list):
        found["auth_envs"] = [key for key in keys if isinstance(key, str)]
    return found


def configuration_of(run: Execution) -> Configuration:
    """Return what a run knows of providers and models; its files are read when it is first asked for."""
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
    """Return the project file above the script, else above the working directory."""
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
    """Return what a TOML file says, or throw what is wrong with it."""
    import tomllib

    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except (OSError, ValueError) as error:
        raise thrown(f"cannot read {path}: {error}") from None


def capability_rows(tables: dict[str, Any]) -> list[CapabilityRow]:
    """Return the rows of capabilities in `[[provider.X]]` tables, first match first."""
    routes = tables.get("provider")
    if not isinstance(routes, dict):
        return []
    return [
        (name.lower(), row)
        for name, rows in routes.items()
        for row in (rows if isinstance(rows, list) else [rows])
        if isinstance(row, dict)
    ]
