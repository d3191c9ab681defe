"""The providers and models that a project can call, for `harnlite models`."""

from __future__ import annotations

from harnlite.llm.addresses import base_url_of
from harnlite.llm.catalogue_queries import pricing
from harnlite.llm.configuration import configuration_of
from harnlite.llm.model_flags import flags_of
from harnlite.llm.routes import MOCK, configured_providers, default_model_of, is_chosen, resolve, tier_of
from harnlite.llm.secrets import HIDDEN
from harnlite.llm.vendors.hosts import credentials_of, host_of
from harnlite.llm.vendors.reachability import FAILED, Status, check
from harnlite.models.tables import IDS
from harnlite.runtime.concurrency.parallel import parallel_each
from harnlite.runtime.tasks.execution import Execution
from harnlite.values.display import display
from harnlite.values.errors import ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.llm.configuration import Configuration

ABILITIES = (
    ("t", "native_tools", "tools"),
    ("r", "thinking", "reasoning"),
    ("v", "vision_supported", "vision"),
    ("a", "audio", "audio"),
    ("p", "pdf", "pdf"),
    ("s", "structured_output", "schema"),
    ("c", "prompt_caching", "cache"),
)
"""The capabilities in a listing: a letter, the flag, and a word."""
_SCHEMA_FORMS = ("native", "tool_use", "format")


class Provider:
    """A provider with what configures it and its models. `status` is the result of a check, or None."""

    __slots__ = ("base_url", "default_model", "is_configured", "missing", "models", "name", "source", "status", "title")

    def __init__(self, known: Configuration, run: Execution, name: str) -> None:
        self.name = name
        self.title = str(known.endpoints[name].get("display_name") or name)
        self.is_configured = name in configured_providers(known)
        self.source = _source(known, name) if self.is_configured else None
        self.missing = [] if self.is_configured else _missing(known, name)
        self.base_url = _without_user(base_url_of(known, name))
        route = resolve(run, {"provider": name})
        self.default_model = route.model if route.has_model else None
        self.models = [_model(run, name, model) for model in _names(known, name)]
        self.status: Status | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the provider as data."""
        found: dict[str, Any] = {
            "name": self.name,
            "display_name": self.title,
            "configured": self.is_configured,
            "configured_by": self.source,
            "missing": self.missing,
            "base_url": self.base_url,
            "default_model": self.default_model,
            "models": self.models,
        }
        if self.status is not None:
            found["check"] = {"status": self.status.word, "detail": self.status.detail}
        return found


class Listing:
    """All providers, and the provider and model of a call that specifies neither."""

    __slots__ = ("_run", "chosen", "providers")

    def __init__(self, folder: str) -> None:
        self._run = Execution(cwd=folder)
        known = configuration_of(self._run)
        names = [name for name in known.route_names() if name in known.endpoints and name != MOCK]
        self.providers = [Provider(known, self._run, name) for name in names]
        route = resolve(self._run, {}) if is_chosen(self._run, {}) else None
        self.chosen = None if route is None else (route.provider, route.model)

    def check(self, providers: list[Provider]) -> bool:
        """Ask these providers at the same time and return whether all of them can be called."""
        run = self._run

        def ask(provider: Provider) -> None:
            provider.status = self._status(provider)

        run.enter(lambda: parallel_each(run, providers, ask))
        return all(provider.status is not None and provider.status.is_good for provider in providers)

    def _status(self, provider: Provider) -> Status:
        model = provider.default_model or (provider.models[0]["id"] if provider.models else "unknown")
        try:
            route = resolve(self._run, {"provider": provider.name, "model": model})
            return check(self._run, host_of(self._run, route), credentials_of(self._run, route))
        except ScriptError as error:
            return Status(FAILED, display(error.value).removeprefix("Runtime error: "))


def _without_user(address: str | None) -> str | None:
    """Return an address without the user and password in it."""
    scheme, mark, rest = (address or "").partition("://")
    host, slash, path = rest.partition("/")
    user, sign, host = host.rpartition("@")
    return f"{scheme}{mark}{HIDDEN}@{host}{slash}{path}" if user or sign else address


def _source(known: Configuration, name: str) -> str:
    """Return the variable or the file that configures a provider."""
    variable = known.key_variable(name)
    if variable is not None:
        return variable
    file = known.files.get((name, "key_cmd"))
    if file is not None and known.endpoints[name].get("key_cmd"):
        return f"key_cmd in {file.path}"
    address = known.address_variable(name)
    file = known.files.get((name, "base_url"))
    return address or (file.path if file is not None else "")


def _missing(known: Configuration, name: str) -> list[str]:
    """Return the variables of which a provider needs one, or all that have no alternative."""
    if known.needs_key(name):
        wanted = known.key_names(name)[:1]
        if base_url_of(known, name) is None:
            wanted += known.endpoints[name].get("base_url_envs", [])[:1]
        return wanted
    return list(known.endpoints[name].get("base_url_envs", []))[:1]


def _names(known: Configuration, name: str) -> list[str]:
    """Return the known models of a provider, of the catalogue and of the configuration, sorted."""
    listed = {model for model, (owner, _) in IDS.items() if owner == name}
    listed |= {model for model, entry in known.models.items() if "*" not in model and entry.get("provider") == name}
    default = known.endpoints[name].get("default_model")
    return sorted(listed | ({default} if isinstance(default, str) else set()))


def _model(run: Execution, provider: str, model: str) -> dict[str, Any]:
    known = configuration_of(run)
    flags = flags_of(run, provider, model)
    return {
        "id": model,
        "is_default": model == default_model_of(known, provider),
        "tier": tier_of(known, model),
        "context_window": known.context_window(model),
        "max_output_tokens": known.max_output_tokens(model),
        "pricing": pricing(run, model),
        "capabilities": [word for _, flag, word in ABILITIES if _has(flags, flag)],
    }


def _has(flags: dict[str, object], flag: str) -> bool:
    return flags[flag] in _SCHEMA_FORMS if flag == "structured_output" else bool(flags[flag])
