"""The choice of the provider and model for a call."""

from __future__ import annotations

import os

from harnlite.llm import catalogue
from harnlite.llm.addresses import base_url_of
from harnlite.llm.backend import backends_of
from harnlite.llm.configuration import configuration_of
from harnlite.llm.model_flags import flags_of
from harnlite.llm.providers import AZURE, ENDPOINTS, LOCAL, OLLAMA, WITHOUT_BACKEND
from harnlite.models.tables import TIER_MODELS
from harnlite.reminders.capabilities import NATIVE, TEXT, capabilities_of, default_model, glob_fits, infer_provider
from harnlite.runtime.environment_settings import setting
from harnlite.values.errors import runtime_error, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.llm.configuration import Configuration
    from harnlite.reminders.capabilities import Capabilities
    from harnlite.runtime.tasks.execution import Execution

AUTO = "auto"
MOCK = "mock"
ANSWERS_FILE = "answers.jsonl"
"""The file of scripted answers in a new project."""
_TAKES_ANY_MODEL = frozenset({MOCK, "fake", LOCAL, AZURE, OLLAMA, "openrouter"})
_WITHOUT_DEFAULT = {
    AZURE: "the name of a deployment",
    LOCAL: "a model that the server has",
    "huggingface": "a model of the hub",
    "cerebras": "a model of Cerebras",
    "dashscope": "a model of DashScope",
}
"""Providers without a default model, and what their models are."""
NOWHERE = (OLLAMA, "llama3.2")
"""The provider and model that a call appears to have if nothing selects any; only scripted answers reach it."""
BACKEND_PAGE = "docs/models.md#writing-a-backend"


_FALLBACK = "_fallback"
"""The option for the route of a fallback, which takes no model from the environment."""


class Route:
    """A provider and one of its models. `has_model` is false if nothing selects a model and there is no default."""

    __slots__ = ("alias", "has_model", "model", "provider", "tier", "tool_format")

    def __init__(
        self, provider: str, model: str, alias: str | None, tool_format: str, tier: str, *, has_model: bool = True
    ) -> None:
        self.has_model = has_model
        self.provider = provider
        self.model = model
        self.alias = alias
        self.tool_format = tool_format
        self.tier = tier

    def as_dict(self) -> dict[str, object]:
        """Return the route as a dict for a script."""
        return {
            "id": self.model,
            "provider": self.provider,
            "alias": self.alias,
            "tool_format": self.tool_format,
            "tier": self.tier,
        }


def _text(value: object) -> str | None:
    """Return the value if it is a non-empty string, otherwise None."""
    return value if isinstance(value, str) and value else None


def resolve(run: Execution, options: dict[str, Any]) -> Route:
    """Return the route that the options of a call (provider, model, model_tier) and the environment select."""
    known = configuration_of(run)
    asked = _text(options.get("model"))
    tier = _text(options.get("model_tier"))
    route_name = _route_name(known, _text(options.get("provider")), asked, tier)
    if route_name is None:
        if not asked and not (tier and tier_model(known, tier)):
            return _nowhere(known)
        route_name = default_route_name(known)
    alias = asked if asked in known.aliases else None
    is_fallback = options.get(_FALLBACK) is True
    model = model_id(known, asked) if asked else _unasked_model(known, route_name, tier, is_fallback=is_fallback)
    name = model or default_model_of(known, route_name)
    form = tool_format(run, route_name, name, alias)
    return Route(route_name, name, alias, form, tier_of(known, name), has_model=model is not None)


def _nowhere(known: Configuration) -> Route:
    """Return the route of a call for which nothing selects a provider."""
    forced = setting("AGENT_TOOL_FORMAT")
    form = forced if forced in (NATIVE, TEXT) else TEXT
    return Route(*NOWHERE, None, form, tier_of(known, NOWHERE[1]))


def settled(run: Execution, options: dict[str, Any]) -> Route:
    """Return the route for the options of a call, resolved once per run for each combination of options."""
    routes = configuration_of(run).routes
    key = (_text(options.get("provider")), _text(options.get("model")), _text(options.get("model_tier")))
    found = routes.get(key)
    if found is None:
        found = routes[key] = resolve(run, options)
    return found


def fallback_of(run: Execution, name: str, model: str | None) -> Route:
    """Return the route to a fallback provider: with the given model, or else its default one."""
    return resolve(run, {"provider": name, "model": model, _FALLBACK: True})


def of_model(run: Execution, selector: str) -> Route:
    """Return the route for an alias or model name, without other options."""
    known = configuration_of(run)
    alias = selector if selector in known.aliases else None
    route_name = infer(known, selector)
    model = model_id(known, selector)
    return Route(route_name, model, alias, tool_format(run, route_name, model, alias), tier_of(known, model))


def _route_name(known: Configuration, given: str | None, model: str | None, tier: str | None) -> str | None:
    """Return the provider, or None if nothing selects one; the order of the checks is their precedence."""
    if given and (model or given != AUTO):
        return infer(known, model or "") if given == AUTO else given
    elsewhere = setting("LLM_MODEL")
    named = _named(known, elsewhere if model is None else None)
    if named is not None:
        return named
    if model and (found := _recognised(known, model)):
        return found
    if os.environ.get("LOCAL_LLM_BASE_URL") and (model or elsewhere or os.environ.get("LOCAL_LLM_MODEL")):
        return LOCAL
    if not model and tier and known.tier_models.get(tier, {}).get("provider"):
        return _tier_route_name(known, tier)
    implied = model or elsewhere or known.chosen_model
    return _inferred(known, implied) if implied else _preferred(known)


def _named(known: Configuration, model: str | None) -> str | None:
    """Return the provider that the environment names, or a configuration file for what the environment leaves open.

    `model` is the model that the environment names; it belongs to one provider, whatever a file says.
    """
    named = setting("LLM_PROVIDER") or os.environ.get("LLM_PROVIDER")
    if named:
        return None if named == AUTO else named
    chosen = known.chosen_provider
    if chosen in (None, AUTO):
        return None
    return (model and chosen not in _TAKES_ANY_MODEL and _recognised(known, model)) or chosen


def _inferred(known: Configuration, model: str) -> str | None:
    """Return the provider of a model, or else the only one that is configured, or None if there are several."""
    found = _recognised(known, model) or _preferred(known)
    return found or (None if configured_providers(known) else default_route_name(known))


def _preferred(known: Configuration) -> str | None:
    """Return the default provider that is configured, or else the only provider that can be called, or None."""
    configured = setting("DEFAULT_PROVIDER") or known.default_route_name
    if configured:
        return configured
    found = configured_providers(known)
    return found[0] if len(found) == 1 else None


def configured_providers(known: Configuration) -> list[str]:
    """Return the providers for which the environment or a configuration file has a key or an address, sorted."""
    return [name for name in known.route_names() if name in known.endpoints and _is_configured(known, name)]


def _is_configured(known: Configuration, name: str) -> bool:
    if known.needs_key(name):
        return known.has_key(name)
    return known.address_variable(name) is not None or (name, "base_url") in known.files


def _tier_route_name(known: Configuration, tier: str) -> str:
    configured = known.tier_models.get(tier, {}).get("provider")
    return configured if isinstance(configured, str) else default_route_name(known)


def default_route_name(known: Configuration) -> str:
    """Return the provider for calls when no option or environment variable selects one."""
    return setting("DEFAULT_PROVIDER") or known.default_route_name or catalogue.DEFAULT_PROVIDER


def _recognised(known: Configuration, model: str) -> str | None:
    """Return the provider of a model according to the aliases, configuration, catalogue and rules, or None."""
    alias = known.aliases.get(model)
    if alias is not None and isinstance(alias.get("provider"), str):
        return str(alias["provider"])
    name = str(alias["id"]) if alias else model
    entry = known.model_settings(name)
    if isinstance(entry.get("provider"), str):
        return str(entry["provider"])
    facts = catalogue.facts_of(name)
    if facts is not None and facts.is_named:
        return facts.provider
    lowered = name.lower()
    matched = next((found for pattern, found in known.inference if glob_fits(pattern, lowered)), None)
    return matched or infer_provider(name)


def infer(known: Configuration, model: str) -> str:
    """Return the provider of a model, or the default provider if it is not known."""
    return _recognised(known, model) or default_route_name(known)


def model_id(known: Configuration, asked: str) -> str:
    """Return the id of a model at its provider."""
    alias = known.aliases.get(asked)
    if alias is not None:
        return str(alias["id"])
    for prefix in catalogue.STRIPPED:
        if asked.startswith(prefix):
            return asked[len(prefix) :]
    return asked


def _unasked_model(known: Configuration, route_name: str, tier: str | None, *, is_fallback: bool) -> str | None:
    """Return the model of a call that names none, or None if its provider has no default model."""
    if tier and (found := tier_model(known, tier, route_name)):
        return found
    if not is_fallback:
        for elsewhere in (setting("LLM_MODEL"), known.chosen_model):
            if elsewhere and _may_have(known, route_name, elsewhere):
                return model_id(known, elsewhere)
    if route_name == LOCAL and os.environ.get("LOCAL_LLM_MODEL"):
        return os.environ["LOCAL_LLM_MODEL"]
    has_own = isinstance(known.endpoints.get(route_name, {}).get("default_model"), str)
    return default_model_of(known, route_name) if has_own or route_name not in _WITHOUT_DEFAULT else None


def _may_have(known: Configuration, route_name: str, model: str) -> bool:
    """Return whether a model is not known to be another provider's; a configured host may have any model."""
    return (
        route_name in _TAKES_ANY_MODEL or route_name not in ENDPOINTS or _recognised(known, model) in (None, route_name)
    )


def default_model_of(known: Configuration, route_name: str) -> str:
    """Return the default model of a provider."""
    configured = known.endpoints.get(route_name, {}).get("default_model")
    return configured if isinstance(configured, str) else default_model(route_name)


def tier_model(known: Configuration, tier: str, route_name: str | None = None) -> str | None:
    """Return the id of a provider's model of a tier, or None for an unknown tier."""
    configured = known.tier_models.get(tier)
    if configured and isinstance(configured.get("id"), str) and configured.get("provider") in (None, route_name):
        return str(configured["id"])
    row = TIER_MODELS.get(route_name or default_route_name(known), TIER_MODELS[catalogue.DEFAULT_PROVIDER])
    return row.get(tier)


def tier_of(known: Configuration, model: str) -> str:
    """Return the tier of a model: small, mid or frontier."""
    name = model_id(known, model)
    entry = known.model_settings(name)
    if isinstance(entry.get("tier"), str):
        return str(entry["tier"])
    facts = catalogue.facts_of(name)
    if facts is not None:
        return facts.tier
    lowered = name.lower()
    matched = next((tier for pattern, tier in known.tier_rules if glob_fits(pattern, lowered)), None)
    return matched or ("small" if any(part in lowered for part in catalogue.SMALL_NAMES) else "mid")


def tool_format(run: Execution, route_name: str, model: str, alias: str | None = None) -> str:
    """Return the format in which tools are described to a model and called by it: `native` or `text`."""
    forced = setting("AGENT_TOOL_FORMAT")
    if forced in (NATIVE, TEXT):
        return forced
    known = configuration_of(run)
    for entry in (known.aliases.get(alias or "", {}), known.model_settings(model)):
        if entry.get("tool_format") in (NATIVE, TEXT):
            return str(entry["tool_format"])
    found = flags_of(run, route_name, model)["preferred_tool_format"]
    return found if isinstance(found, str) else TEXT


def capabilities_of_route(run: Execution, route: Route) -> Capabilities:
    """Return the reminder capabilities of a route."""
    known = configuration_of(run)
    key = (route.provider, route.model)
    found = known.capabilities.get(key)
    if found is None:
        found = known.capabilities[key] = capabilities_of(*key, known.rows_of(route.provider))
    return found


# Access


def is_chosen(run: Execution, options: dict[str, Any]) -> bool:
    """Return whether the options of a call, the environment or a configuration select a provider."""
    given, model, tier = (_text(options.get(key)) for key in ("provider", "model", "model_tier"))
    return _route_name(configuration_of(run), given, model, tier) is not None


def require_choice(run: Execution, answered: int) -> None:
    """Throw, for a call for which nothing selects a provider, what to set.

    `answered` is the number of calls that scripted answers have answered in this run.
    """
    calls = f"{answered} call{'' if answered == 1 else 's'}"
    used_up = f"the scripted answers are used up after {calls}, and " if answered else ""
    error = runtime_error(used_up + _what_to_set(configuration_of(run)))
    error.notes = _own_answers(run)
    raise error


def _what_to_set(known: Configuration) -> str:
    found = configured_providers(known)
    offline = "`harnlite run --llm-mock FILE` answers from a file instead of a model"
    if not found:
        return (
            "no model is configured: set HARNLITE_LLM_PROVIDER (and HARNLITE_LLM_MODEL) or the API key of one "
            f"provider, such as ANTHROPIC_API_KEY, or pass the option `provider` (and `model`); {offline}"
        )
    return (
        f"several providers are configured ({', '.join([_with_source(known, name) for name in found])}), and nothing "
        "chooses one of them: set HARNLITE_LLM_PROVIDER or `provider` in the table [llm] of harn.toml, or pass the "
        f"option `provider`; {offline}"
    )


def _with_source(known: Configuration, name: str) -> str:
    """Return the name of a provider with the variable that configures it."""
    source = known.key_variable(name) or known.address_variable(name)
    return f"{name} by {source}" if source else name


def _own_answers(run: Execution) -> tuple[str, ...]:
    """Return a help line if the folder of the program has scripted answers, as new projects do."""
    script = run.context.get("script")
    if not isinstance(script, str):
        return ()
    folder = os.path.join(run.cwd, "")
    script = os.path.join(folder, script).removeprefix(folder)
    answers = os.path.join(os.path.dirname(script), ANSWERS_FILE)
    if not os.path.isfile(os.path.join(folder, answers)):
        return ()
    return (f"harnlite run {script} --llm-mock {answers} runs with the scripted answers of this project",)


def require_key(run: Execution, route: Route) -> None:
    """Throw if the provider of a route needs an API key that is missing, or a backend that is not installed."""
    known = configuration_of(run)
    if route.provider in known.endpoints:
        require_key_of(known, route.provider)
    else:
        require_backend(run, route.provider)


def require_backend(run: Execution, name: str) -> None:
    """Throw if a provider is one of those that need a backend of an installed package, and has none."""
    if name in WITHOUT_BACKEND and not backends_of(run).has_own(name):
        raise runtime_error(
            f"harnlite has no backend for provider `{name}`; {BACKEND_PAGE} describes how to write and install one"
        )


def require_known(run: Execution, route: Route) -> None:
    """Throw if nothing has ever told of the provider of a route: its name may be misspelt."""
    known = configuration_of(run)
    name = route.provider
    if name in known.endpoints or name in known.registered:
        return
    from harnlite.diagnostics.suggest import near_name

    lowered, names = name.lower(), known.route_names()
    near = lowered if lowered in names else near_name(lowered, names)
    hint = f"; did you mean `{near}`?" if near else f"; a table [providers.{name}] with `base_url` in harn.toml adds it"
    raise runtime_error(f"no backend is installed for provider `{name}`{hint}")


def require_address(run: Execution, route: Route) -> None:
    """Throw if a built-in backend would answer, and the address of its provider or the model is missing."""
    known = configuration_of(run)
    if route.provider in known.endpoints and not backends_of(run).has_own(route.provider):
        require_target(known, route)


def require_target(known: Configuration, route: Route) -> str:
    """Return the address of a route; throw if its address or its model is missing."""
    name = route.provider
    base = base_url_of(known, name)
    if base is None:
        variables = known.endpoints.get(name, {}).get("base_url_envs")
        wanted = f"set {variables[0]}" if variables else f"set `base_url` in the table [providers.{name}] of harn.toml"
        raise runtime_error(f"provider `{name}` has no address: {wanted}")
    if not route.has_model:
        raise runtime_error(
            f"provider `{name}` has no default model: pass the option `model` ({_WITHOUT_DEFAULT[name]}) or set "
            "HARNLITE_LLM_MODEL"
        )
    return base


def require_key_of(known: Configuration, name: str) -> None:
    """Throw if a provider needs an API key that neither the environment nor a command provides."""
    names = known.key_names(name)
    if not known.needs_key(name) or known.has_key(name) or not names:
        return
    wanted = (
        f"{names[0]} environment variable" if len(names) == 1 else f"one of {', '.join(names)} environment variables"
    )
    raise thrown(
        f"Missing API key: set {wanted} (provider '{name}' selected via LLM_PROVIDER / llm.toml @ "
        f"{known.source}; set HARN_LLM_PROVIDER=mock or LLM_PROVIDER=mock for offline use)"
    )
