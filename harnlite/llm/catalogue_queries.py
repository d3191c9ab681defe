"""Queries of scripts about the known providers and models."""

from __future__ import annotations

from harnlite.llm import catalogue, routes
from harnlite.llm.addresses import base_url_of
from harnlite.llm.budget import PRICES, prices_of
from harnlite.llm.configuration import configuration_of
from harnlite.llm.model_flags import flags_of
from harnlite.llm.providers import ENDPOINTS
from harnlite.llm.rate_limits import rate_limits_of
from harnlite.llm.secrets import shown_headers
from harnlite.models.tables import IDS
from harnlite.runtime.access_control import may
from harnlite.runtime.environment_settings import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution

_PASSED_ON = ("cost_per_1k_in", "cost_per_1k_out")


def model_info(run: Execution, selector: str) -> dict[str, object]:
    """Return everything that is known about a model."""
    route = routes.of_model(run, selector)
    return {
        **route.as_dict(),
        "capabilities": flags_of(run, route.provider, route.model),
        "catalog": model_entry(run, route.model),
        "auth_available": configuration_of(run).has_key(route.provider),
    }


def model_entry(run: Execution, model: str) -> dict[str, object] | None:
    """Return the catalogue entry of a model, or None if it has none."""
    known = configuration_of(run)
    facts = catalogue.facts_of(model)
    settings = known.model_settings(model)
    if not settings and facts is None:
        return None
    return {
        "id": model,
        "provider": routes.infer(known, model),
        "family": settings.get("family", facts.family if facts else None),
        "tier": routes.tier_of(known, model),
        "context_window": known.context_window(model),
        "max_output_tokens": known.max_output_tokens(model),
        "pricing": pricing(run, model),
    }


def pricing(run: Execution, model: str) -> dict[str, float] | None:
    """Return the known prices of a model, or None if there are none."""
    prices = prices_of(run, model)
    if prices is None:
        return None
    return {name: float(price) for name, price in zip(PRICES, prices, strict=True) if price is not None}


def pick_model(run: Execution, target: str, route_name: str | None) -> dict[str, object]:
    """Return the model that an alias, a name or a tier refers to, at the given provider if there is one."""
    known = configuration_of(run)
    model = routes.tier_model(known, target, route_name)
    if model is None:
        model = routes.model_id(known, target)
        return _picked(model, route_name or routes.infer(known, target), routes.tier_of(known, model))
    return _picked(model, route_name or routes.infer(known, model), target)


def _picked(model: str, route_name: str, tier: str) -> dict[str, object]:
    return {"id": model, "provider": route_name, "tier": tier}


def available(run: Execution) -> list[str]:
    """Return the providers that can be called now, sorted."""
    known = configuration_of(run)
    return [name for name in known.route_names() if known.has_key(name)]


def endpoint(run: Execution, name: str) -> dict[str, object] | None:
    """Return the endpoint settings of a provider, or None for an unknown provider."""
    known = configuration_of(run)
    entry = known.endpoints.get(name)
    if entry is None:
        return None
    found: dict[str, object] = {
        "base_url": _address_for_script(run, name),
        "auth_style": entry.get("auth_style", "bearer"),
        "auth_envs": known.key_names(name),
        "auth_available": known.has_key(name),
        "chat_endpoint": entry.get("chat_endpoint", ""),
    }
    variables = entry.get("base_url_envs")
    if variables:
        found["base_url_env"] = variables[0]
    if entry.get("headers"):
        found["extra_headers"] = shown_headers(entry["headers"])
    for key in ("display_name", *_PASSED_ON):
        if entry.get(key) is not None:
            found[key] = entry[key]
    rpm = rate_limits_of(run).limit(name)
    if rpm is not None:
        found["rpm"] = rpm
    return found


def _address_for_script(run: Execution, name: str) -> str:
    """Return the address of a provider, which is the configured one if it may not see a variable.

    A variable that only a configuration names may contain anything, so the run needs the capability to read it.
    """
    known = configuration_of(run)
    variable = known.address_variable(name)
    usual = ENDPOINTS.get(name, {}).get("base_url_envs", ())
    is_hidden = variable is not None and variable not in usual and not may(run, "env.read", variable)  # type: ignore[operator]  # a list of names
    if is_hidden:
        return str(known.endpoints[name].get("base_url") or "")
    return base_url_of(known, name) or ""


def catalog(run: Execution) -> dict[str, object]:
    """Return everything that is known about providers and models."""
    known = configuration_of(run)
    models = sorted({*IDS, *[name for name in known.models if "*" not in name]})
    return {
        "providers": [{"name": name, **(endpoint(run, name) or {})} for name in known.route_names()],
        "known_model_names": sorted(known.aliases),
        "available_providers": available(run),
        "aliases": [
            {
                "name": name,
                "id": entry["id"],
                "provider": routes.infer(known, name),
                "tool_format": routes.of_model(run, name).tool_format,
            }
            for name, entry in sorted(known.aliases.items())
        ],
        "models": [model_entry(run, model) for model in models],
    }


def environment_info(run: Execution) -> dict[str, object]:
    """Return the provider and model that the environment selects."""
    known = configuration_of(run)
    route_name = setting("LLM_PROVIDER") or known.chosen_provider or routes.default_route_name(known)
    return {
        "provider": route_name,
        "model": setting("LLM_MODEL") or known.chosen_model or "",
        "api_key_set": known.has_key(route_name),
    }
