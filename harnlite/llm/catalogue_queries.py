"""Queries of scripts about the known providers and models."""

from __future__ import annotations

import os

from harnlite.llm import catalogue, routes
from harnlite.llm.budget import price_of
from harnlite.llm.configuration import configuration_of
from harnlite.llm.model_flags import flags_of
from harnlite.llm.rate_limits import rate_limits_of
from harnlite.runtime.access_control import may
from harnlite.runtime.environment_settings import setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.runtime.tasks.execution import Execution

_PASSED_ON = ("extra_headers", "cost_per_1k_in", "cost_per_1k_out")


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
    if not known.model_settings(model) and catalogue.row_of(model) is None:
        return None
    price_in, price_out = price_of(run, model)
    return {
        "id": model,
        "provider": routes.infer(known, model),
        "tier": routes.tier_of(known, model),
        "context_window": known.context_window(model),
        "pricing": {"input_per_mtok": price_in, "output_per_mtok": price_out},
    }


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
        "base_url": _address_in_environment(run, name, entry) or entry.get("base_url", ""),
        "auth_style": entry.get("auth_style", "bearer"),
        "auth_envs": known.key_names(name),
        "auth_available": known.has_key(name),
        "chat_endpoint": entry.get("chat_endpoint", ""),
    }
    for key in ("display_name", "base_url_env", *_PASSED_ON):
        if entry.get(key) is not None:
            found[key] = entry[key]
    rpm = rate_limits_of(run).limit(name)
    if rpm is not None:
        found["rpm"] = rpm
    return found


def _address_in_environment(run: Execution, name: str, entry: dict[str, object]) -> str | None:
    """Return the address of a provider that the environment contains.

    A variable that only a configuration names may contain anything, so the run needs the capability to read it.
    """
    variable = entry.get("base_url_env")
    if not isinstance(variable, str):
        return None
    is_usual = variable == catalogue.ENDPOINTS.get(name, {}).get("base_url_env")
    return os.environ.get(variable) if is_usual or may(run, "env.read", variable) else None


def catalog(run: Execution) -> dict[str, object]:
    """Return everything that is known about providers and models."""
    known = configuration_of(run)
    models = sorted({*catalogue.MODELS, *known.models})
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
    route_name = setting("LLM_PROVIDER") or routes.default_route_name(known)
    return {
        "provider": route_name,
        "model": setting("LLM_MODEL") or "",
        "api_key_set": known.has_key(route_name),
    }
