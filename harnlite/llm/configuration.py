"""The providers and models that a run knows: from the catalogue, configuration files and the script."""

from __future__ import annotations

import os

from harnlite.known_keys import add_key
from harnlite.llm import catalogue, providers
from harnlite.llm.secrets import secret_parts
from harnlite.models.tables import ALIASES
from harnlite.regular_files import regular_file
from harnlite.reminders.capabilities import glob_fits
from harnlite.resources import PROJECT_FILE, is_file, project_above
from harnlite.runtime.environment_settings import setting
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from harnlite.llm.routes import Route
    from harnlite.models.tables import Prices
    from harnlite.reminders.capabilities import Capabilities
    from harnlite.runtime.tasks.execution import Execution

    # the provider that a capability row applies to, and the row
    CapabilityRow = tuple[str, dict[str, Any]]

BUILT_IN = "<built-in defaults>"
_ALIASES: dict[str, dict[str, Any]] = {
    name: {"id": model, "provider": route_name} for name, (model, route_name) in ALIASES.items()
}
_USER_FILES = ("harnlite/providers.toml", "harn/providers.toml")


class Configuration:
    """The providers and models that are known to a run, and their settings."""

    __slots__ = (
        "aliases",
        "capabilities",
        "chosen_model",
        "chosen_provider",
        "default_route_name",
        "edition",
        "endpoints",
        "files",
        "flags",
        "inference",
        "installed_rows",
        "models",
        "prices",
        "project_rows",
        "registered",
        "routes",
        "source",
        "tier_models",
        "tier_rules",
    )

    def __init__(self) -> None:
        self.source = BUILT_IN
        # `provider` and `model` of a configuration file
        self.chosen_provider: str | None = None
        self.chosen_model: str | None = None
        self.default_route_name: str | None = None
        self.endpoints: dict[str, dict[str, Any]] = dict(providers.ENDPOINTS)
        # the files in which a setting of a provider stands, by provider and setting
        self.files: dict[tuple[str, str], ConfigurationFile] = {}
        self.registered: list[str] = []
        self.aliases: dict[str, dict[str, Any]] = _ALIASES.copy()
        self.models: dict[str, dict[str, Any]] = {}
        self.inference: list[tuple[str, str]] = []
        self.tier_rules: list[tuple[str, str]] = []
        self.tier_models: dict[str, dict[str, Any]] = {}
        self.installed_rows: list[CapabilityRow] = []
        self.project_rows: list[CapabilityRow] = []
        # cached prices, by model
        self.prices: dict[str, Prices | None] = {}
        # cached results from the capability rows, by provider and model
        self.flags: dict[tuple[str, str], dict[str, object]] = {}
        self.capabilities: dict[tuple[str, str], Capabilities] = {}
        # what is cached elsewhere belongs to one edition: the number of changes of the capability rows
        self.edition = 0
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

    def read(self, path: str, values: dict[str, Any], *, is_project: bool = False) -> None:
        """Add the settings of a configuration file."""
        self.source = path
        self.default_route_name = _string(values.get("default_provider")) or self.default_route_name
        self.chosen_provider = _string(values.get("provider")) or self.chosen_provider
        self.chosen_model = _string(values.get("model")) or self.chosen_model
        self.read_providers(path, values.get("providers"), is_project=is_project)
        for name, entry in _tables(values.get("aliases")):
            if entry.get("id").__class__ is str:
                self.aliases[name] = entry
        for name, entry in _tables(values.get("models")):
            self.models[name] = entry
        for name, entry in _tables(values.get("tiers")):
            self.tier_models[name] = entry
        self.inference[:0] = _rules(values.get("inference_rules"), "provider")
        self.tier_rules[:0] = _rules(values.get("tier_rules"), "tier")

    def read_providers(self, path: str, tables: object, *, is_project: bool) -> None:
        """Add the settings of providers in a configuration file."""
        file = ConfigurationFile(path, is_project=is_project)
        for name, entry in _tables(tables):
            given = _endpoint(entry)
            self.endpoints[name] = {**self.endpoints.get(name, {}), **given}
            for part in secret_parts(given.get("headers") or {}):
                add_key(part)
            for setting_name in given:
                self.files[name, setting_name] = file

    def install(self, rows: list[CapabilityRow]) -> None:
        """Give capability rows precedence over all others; they replace the rows that were installed earlier."""
        self.installed_rows = rows
        self.edition += 1
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
        """Return the configured settings of a model: of its name, its name without a date, or the first pattern."""
        models = self.models
        if not models:
            return {}
        found = models.get(name) or models.get(catalogue.undated(name))
        if found is None:
            lowered = name.lower()
            found = next((models[glob] for glob in models if "*" in glob and glob_fits(glob.lower(), lowered)), None)
        return found or {}

    def context_window(self, model: str) -> int | None:
        """Return the size of a model's context window in tokens, or None if it is not known."""
        return self._limit(model, "context_window")

    def max_output_tokens(self, model: str) -> int | None:
        """Return the maximum number of tokens in a reply of a model, or None if it is not known."""
        return self._limit(model, "max_output_tokens")

    def _limit(self, model: str, name: str) -> int | None:
        known = str(self.aliases.get(model, {}).get("id", model))
        configured = self.model_settings(known).get(name)
        facts = catalogue.facts_of(known)
        return configured if configured.__class__ is int else getattr(facts, name) if facts else None

    def key_names(self, name: str) -> list[str]:
        """Return the environment variables that may contain the API key of a provider."""
        return list(self.endpoints.get(name, {}).get("auth_envs", ()))

    def needs_key(self, name: str) -> bool:
        """Return whether a provider answers only with an API key."""
        entry = self.endpoints.get(name, {})
        needs = entry.get("needs_key")
        return bool(entry.get("auth_envs") or entry.get("key_cmd")) if needs is None else bool(needs)

    def key_variable(self, name: str) -> str | None:
        """Return the environment variable that contains the API key of a provider, or None if none is set."""
        return next((variable for variable in self.key_names(name) if os.environ.get(variable, "").strip()), None)

    def address_variable(self, name: str) -> str | None:
        """Return the environment variable that contains the address of a provider, or None if none is set."""
        variables = self.endpoints.get(name, {}).get("base_url_envs", ())
        return next((variable for variable in variables if os.environ.get(variable)), None)

    def has_key(self, name: str) -> bool:
        """Return whether a provider can be called: its key is there or it does not need one, and it has an address."""
        entry = self.endpoints.get(name)
        if entry is None:
            return name in self.registered
        if self.needs_key(name):
            return bool(entry.get("key_cmd")) or self.key_variable(name) is not None
        is_set = self.address_variable(name) is not None or (name, "base_url") in self.files
        return is_set or not entry.get("base_url_envs")


class ConfigurationFile:
    """A file with settings; the file of a project may have been written by somebody else than the user."""

    __slots__ = ("is_project", "path")

    def __init__(self, path: str, *, is_project: bool) -> None:
        self.path = path
        self.is_project = is_project


def _string(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


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


_LISTS = {"auth_env": "auth_envs", "key_env": "auth_envs", "base_url_env": "base_url_envs"}
"""Settings that are kept as lists under another name."""
_RENAMED = {"extra_headers": "headers"}


def _endpoint(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a provider under the names that the built-in ones have."""
    found: dict[str, Any] = {}
    for key, value in entry.items():
        if key in _LISTS or key in _LISTS.values():
            listed = [value] if isinstance(value, str) else value
            found[_LISTS.get(key, key)] = [one for one in listed if isinstance(one, str)]
        else:
            found[_RENAMED.get(key, key)] = value
    if "key_cmd" in found:
        found.setdefault("auth_envs", [])
    if "auth_envs" in found and "needs_key" not in found:
        found["needs_key"] = bool(found["auth_envs"] or found.get("key_cmd"))
    return found


def configuration_of(run: Execution) -> Configuration:
    """Return the configuration of a run; the configuration files are read on the first call."""
    return run.state("llm_configuration", lambda: _loaded(run))


def _loaded(run: Execution) -> Configuration:
    found = Configuration()
    given = setting("PROVIDERS_CONFIG")
    for path in [given] if given else _user_paths():
        if given or is_file(path):
            values = read_toml(path)
            check_manifest(path, values, is_project=False)
            found.read(path, values)
            break
    project = _project_file(run)
    if project is not None:
        values = read_toml(project)
        check_manifest(project, values)
        llm = values.get("llm")
        if isinstance(llm, dict):
            found.read(project, llm, is_project=True)
        if "providers" in values:
            found.source = project
            found.read_providers(project, values["providers"], is_project=True)
        capabilities = values.get("capabilities")
        if isinstance(capabilities, dict):
            found.project_rows = capability_rows(capabilities)
    return found


def _user_paths() -> Iterator[str]:
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    for name in _USER_FILES:
        yield os.path.join(home, name)


def _project_file(run: Execution) -> str | None:
    """Return the nearest project file at or above the folder of the script, or of the run if it has no script."""
    script = run.context.get("script")
    found = project_above(os.path.dirname(os.path.abspath(script)) if isinstance(script, str) else run.cwd)
    return None if found is None else os.path.join(found, PROJECT_FILE)


def read_toml(path: str) -> dict[str, Any]:
    """Read a TOML file; throw if it cannot be read or parsed."""
    import tomllib

    try:
        with open(path, "rb", opener=regular_file) as file:
            return tomllib.load(file)
    except OSError as error:
        raise thrown(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise thrown(f"cannot read {path}: {error}") from None


def check_manifest(path: str, values: dict[str, Any], *, is_project: bool = True) -> None:
    """Throw if a project file, or a file of providers, has an unknown key or a wrong value."""
    from harnlite.options.manifest import manifest_fault, place_of, providers_fault

    fault = manifest_fault(values) if is_project else providers_fault(values)
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
