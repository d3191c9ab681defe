"""The choice of the provider and model for a call."""

from __future__ import annotations

import os

from harnlite.llm import catalogue
from harnlite.llm.configuration import configuration_of
from harnlite.llm.model_flags import flags_of
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
LOCAL = "local"
ANSWERS_FILE = "answers.jsonl"
"""The file of scripted answers in a new project."""
_TAKES_ANY_MODEL = frozenset({MOCK, "fake", LOCAL, "ollama", "openrouter"})


class Route:
    """A provider and one of its models."""

    __slots__ = ("alias", "model", "provider", "tier", "tool_format")

    def __init__(self, provider: str, model: str, alias: str | None, tool_format: str, tier: str) -> None:
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
    alias = asked if asked in known.aliases else None
    model = model_id(known, asked) if asked else _unasked_model(known, route_name, tier)
    return Route(route_name, model, alias, tool_format(run, route_name, model, alias), tier_of(known, model))


def settled(run: Execution, options: dict[str, Any]) -> Route:
    """Return the route for the options of a call, resolved once per run for each combination of options."""
    routes = configuration_of(run).routes
    key = (_text(options.get("provider")), _text(options.get("model")), _text(options.get("model_tier")))
    found = routes.get(key)
    if found is None:
        found = routes[key] = resolve(run, options)
    return found


def of_model(run: Execution, selector: str) -> Route:
    """Return the route for an alias or model name, without other options."""
    known = configuration_of(run)
    alias = selector if selector in known.aliases else None
    route_name = infer(known, selector)
    model = model_id(known, selector)
    return Route(route_name, model, alias, tool_format(run, route_name, model, alias), tier_of(known, model))


def _route_name(known: Configuration, given: str | None, model: str | None, tier: str | None) -> str:
    """Return the provider; the order of the checks is their precedence."""
    if given and given != AUTO:
        return given
    if given and model:
        return infer(known, model)
    named = setting("LLM_PROVIDER") or os.environ.get("LLM_PROVIDER")
    if named and named != AUTO:
        return named
    if model and (found := _recognised(known, model)):
        return found
    elsewhere = setting("LLM_MODEL")
    if os.environ.get("LOCAL_LLM_BASE_URL") and (model or elsewhere or os.environ.get("LOCAL_LLM_MODEL")):
        return LOCAL
    if model:
        return infer(known, model)
    if tier and tier_model(known, tier):
        return _tier_route_name(known, tier)
    return infer(known, elsewhere) if elsewhere else _default_with_key(known)


def _tier_route_name(known: Configuration, tier: str) -> str:
    configured = known.tier_models.get(tier, {}).get("provider")
    return configured if isinstance(configured, str) else default_route_name(known)


def default_route_name(known: Configuration) -> str:
    """Return the provider for calls when no option or environment variable selects one."""
    return setting("DEFAULT_PROVIDER") or known.default_route_name or catalogue.DEFAULT_PROVIDER


def _default_with_key(known: Configuration) -> str:
    name = default_route_name(known)
    if known.has_key(name):
        return name
    return LOCAL if os.environ.get("LOCAL_LLM_BASE_URL") else "ollama"


def _recognised(known: Configuration, model: str) -> str | None:
    """Return the provider of a model according to the aliases, configuration, catalogue and rules, or None."""
    alias = known.aliases.get(model)
    if alias is not None and isinstance(alias.get("provider"), str):
        return str(alias["provider"])
    name = str(alias["id"]) if alias else model
    entry = known.model_settings(name)
    if isinstance(entry.get("provider"), str):
        return str(entry["provider"])
    row = catalogue.row_of(name)
    if row is not None:
        return row[0]
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


def _unasked_model(known: Configuration, route_name: str, tier: str | None) -> str:
    if tier and (found := tier_model(known, tier, route_name)):
        return found
    elsewhere = setting("LLM_MODEL")
    if elsewhere and (_recognised(known, elsewhere) == route_name or route_name in _TAKES_ANY_MODEL):
        return model_id(known, elsewhere)
    if route_name == LOCAL and os.environ.get("LOCAL_LLM_MODEL"):
        return os.environ["LOCAL_LLM_MODEL"]
    return default_model_of(known, route_name)


def default_model_of(known: Configuration, route_name: str) -> str:
    """Return the default model of a provider."""
    configured = known.endpoints.get(route_name, {}).get("default_model")
    return configured if isinstance(configured, str) else default_model(route_name)


def tier_model(known: Configuration, tier: str, route_name: str | None = None) -> str | None:
    """Return the id of a provider's model of a tier, or None for an unknown tier."""
    configured = known.tier_models.get(tier)
    if configured and isinstance(configured.get("id"), str) and configured.get("provider") in (None, route_name):
        return str(configured["id"])
    row = catalogue.TIER_MODELS.get(
        route_name or default_route_name(known), catalogue.TIER_MODELS[catalogue.DEFAULT_PROVIDER]
    )
    return row.get(tier)


def tier_of(known: Configuration, model: str) -> str:
    """Return the tier of a model: small, mid or frontier."""
    name = model_id(known, model)
    entry = known.model_settings(name)
    if isinstance(entry.get("tier"), str):
        return str(entry["tier"])
    row = catalogue.row_of(name)
    if row is not None:
        return row[1]
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
    """Return whether the options of a call, the environment or a configuration select a provider or a model."""
    known = configuration_of(run)
    if _text(options.get("provider")) not in (None, AUTO) or _text(options.get("model")):
        return True
    tier = known.tier_models.get(_text(options.get("model_tier")) or "", {})
    named = setting("LLM_PROVIDER") or os.environ.get("LLM_PROVIDER")
    if tier.get("provider") or named not in (None, "", AUTO) or setting("LLM_MODEL"):
        return True
    has_server = os.environ.get("LOCAL_LLM_BASE_URL") or os.environ.get("OLLAMA_HOST")
    return bool(has_server) or known.has_key(default_route_name(known))


def require_choice(run: Execution, answered: int) -> None:
    """Throw, for a call for which nothing selects a model, what to set.

    `answered` is the number of calls that scripted answers have answered in this run.
    """
    known = configuration_of(run)
    if setting("DEFAULT_PROVIDER") or known.default_route_name:
        require_key_of(known, default_route_name(known))
    calls = f"{answered} call{'' if answered == 1 else 's'}"
    used_up = f"the scripted answers are used up after {calls}, and " if answered else ""
    error = runtime_error(
        f"{used_up}no model is configured: set HARNLITE_LLM_PROVIDER (and HARNLITE_LLM_MODEL), or pass the option "
        "`provider` (and `model`); `harnlite run --llm-mock FILE` answers from a file instead of a model"
    )
    error.notes = _own_answers(run)
    raise error


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
    """Throw if the provider of a route needs an API key that the environment does not contain."""
    require_key_of(configuration_of(run), route.provider)


def require_key_of(known: Configuration, name: str) -> None:
    """Throw if a provider needs an API key that the environment does not contain."""
    names = known.key_names(name)
    if not names or any(os.environ.get(name) for name in names):
        return
    wanted = (
        f"{names[0]} environment variable" if len(names) == 1 else f"one of {', '.join(names)} environment variables"
    )
    raise thrown(
        f"Missing API key: set {wanted} (provider '{name}' selected via LLM_PROVIDER / llm.toml @ "
        f"{known.source}; set HARN_LLM_PROVIDER=mock or LLM_PROVIDER=mock for offline use)"
    )
