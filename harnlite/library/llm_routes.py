"""Builtins that describe providers and models: names, capabilities, costs, budgets and rate limits."""

from __future__ import annotations

import math

from harnlite.library.argument_types import dict_argument, int_argument, mismatch, optional_text, text_argument
from harnlite.library.native import native
from harnlite.llm import catalogue_queries, routes
from harnlite.llm.budget import cost, spending_of
from harnlite.llm.configuration import capability_rows, configuration_of
from harnlite.llm.model_flags import flags_of
from harnlite.llm.rate_limits import rate_limits_of
from harnlite.llm.tokens import estimate_tokens as estimated
from harnlite.llm.tokens import microcompact as compacted
from harnlite.values.errors import runtime_error, thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.runtime.tasks.execution import Execution

_MAX_CHARS = 20_000


@native("llm_infer_provider")
def llm_infer_provider(run: Execution, model: object = None) -> str:
    """Return the provider that a model belongs to."""
    model = text_argument("llm_infer_provider", "model", model)
    return routes.infer(configuration_of(run), model)


@native("llm_model_tier")
def llm_model_tier(run: Execution, model: object = None) -> str:
    """Return the tier of a model."""
    model = text_argument("llm_model_tier", "model", model)
    return routes.tier_of(configuration_of(run), model)


@native("llm_resolve_model")
def llm_resolve_model(run: Execution, selector: object = None) -> dict[str, object]:
    """Return the model that an alias or a name refers to."""
    selector = text_argument("llm_resolve_model", "selector", selector)
    return routes.of_model(run, selector).as_dict()


@native("llm_model_info")
def llm_model_info(run: Execution, selector: object = None) -> dict[str, object]:
    """Return the known facts about a model."""
    selector = text_argument("llm_model_info", "selector", selector)
    return catalogue_queries.model_info(run, selector)


@native("llm_pick_model")
def llm_pick_model(run: Execution, target: object = None, options: object = None) -> dict[str, object]:
    """Return the model for an alias, a name or a tier."""
    target = text_argument("llm_pick_model", "target", target)
    wanted = dict_argument("llm_pick_model", "options", options).get("provider")
    return catalogue_queries.pick_model(run, target, wanted if isinstance(wanted, str) and wanted else None)


@native("llm_known_models")
def llm_known_models(run: Execution) -> list[str]:
    """Return the aliases of models, sorted."""
    return sorted(configuration_of(run).aliases)


@native("llm_available_providers")
def llm_available_providers(run: Execution) -> list[str]:
    """Return the providers that can be called with the current configuration."""
    return catalogue_queries.available(run)


@native("llm_providers")
def llm_providers(run: Execution) -> list[str]:
    """Return the names of all known providers."""
    return configuration_of(run).route_names()


@native("llm_provider_catalog")
def llm_provider_catalog(run: Execution) -> dict[str, object]:
    """Return the catalog of all providers and models."""
    return catalogue_queries.catalog(run)


@native("llm_config")
def llm_config(run: Execution, provider: object = None) -> dict[str, Any] | None:
    """Return the endpoint configuration of a provider, or of all providers."""
    provider = optional_text("llm_config", "provider", provider)
    if provider is not None:
        return catalogue_queries.endpoint(run, provider)
    return {name: catalogue_queries.endpoint(run, name) for name in sorted(configuration_of(run).endpoints)}


@native("provider_capabilities")
def provider_capabilities(run: Execution, provider: object = None, model: object = None) -> dict[str, object]:
    """Return the capabilities of a model of a provider."""
    provider = text_argument("provider_capabilities", "provider", provider)
    model = optional_text("provider_capabilities", "model", model)
    known = configuration_of(run)
    name = routes.model_id(known, model) if model else routes.default_model_of(known, provider)
    return flags_of(run, provider, name)


@native("provider_capabilities_install")
def provider_capabilities_install(run: Execution, toml: object = None) -> bool:
    """Install rows of capabilities that take precedence over the built-in ones."""
    toml = text_argument("provider_capabilities_install", "toml", toml)
    import tomllib

    try:
        tables = tomllib.loads(toml)
    except ValueError as error:
        raise thrown(f"provider_capabilities_install: {error}") from None
    configuration_of(run).install(capability_rows(tables))
    return True


@native("provider_capabilities_clear")
def provider_capabilities_clear(run: Execution) -> bool:
    """Remove the rows of capabilities that the script has installed."""
    configuration_of(run).install([])
    return True


@native("provider_register")
def provider_register(run: Execution, name: object = None) -> bool:
    """Register a provider by its name."""
    name = text_argument("provider_register", "name", name)
    configuration_of(run).register(name)
    return True


@native("llm_info")
def llm_info(run: Execution) -> dict[str, object]:
    """Return the provider and model that the environment selects."""
    return catalogue_queries.environment_info(run)


@native("llm_usage")
def llm_usage(run: Execution) -> dict[str, object]:
    """Return the tokens, time and number of traced model calls."""
    spent = spending_of(run)
    return {
        "input_tokens": spent.input_tokens,
        "output_tokens": spent.output_tokens,
        "total_duration_ms": spent.duration_ms,
        "call_count": spent.traced_calls,
        "total_calls": spent.traced_calls,
    }


@native("llm_rate_limit")
def llm_rate_limit(run: Execution, provider: object = None, options: object = None) -> int | bool | None:
    """Set or return the rate limit of a provider in requests per minute."""
    provider = text_argument("llm_rate_limit", "provider", provider)
    given = dict_argument("llm_rate_limit", "options", options)
    limits = rate_limits_of(run)
    if options is None:
        return limits.limit(provider)
    rpm = given.get("rpm")
    if not isinstance(rpm, int) or isinstance(rpm, bool):
        raise runtime_error("llm_rate_limit: options must include 'rpm' (integer)")
    limits.set_limit(provider, rpm)
    return True


@native("llm_cost")
def llm_cost(run: Execution, model: object = None, input_tokens: object = None, output_tokens: object = None) -> float:
    """Return the cost of a model call in US dollars."""
    model = text_argument("llm_cost", "model", model)
    input_tokens = int_argument("llm_cost", "input_tokens", input_tokens)
    output_tokens = int_argument("llm_cost", "output_tokens", output_tokens)
    return cost(model, input_tokens, output_tokens, run)


@native("llm_session_cost")
def llm_session_cost(run: Execution) -> dict[str, object]:
    """Return the total cost, tokens and number of model calls of the run."""
    spent = spending_of(run)
    return {
        "total_cost": spent.total_cost,
        "input_tokens": spent.input_tokens,
        "output_tokens": spent.output_tokens,
        "call_count": spent.traced_calls,
    }


@native("llm_budget")
def llm_budget(run: Execution, usd: object = None) -> None:
    """Set the maximum cost of the run in US dollars."""
    if usd.__class__ is not float and usd.__class__ is not int:
        raise mismatch("llm_budget", "usd", usd, "float", "int")
    amount = float(usd)
    if not math.isfinite(amount) or amount < 0:
        raise runtime_error("llm_budget: expected a non-negative number")
    spending_of(run).ceiling = amount


@native("llm_budget_remaining")
def llm_budget_remaining(run: Execution) -> float | None:
    """Return the rest of the budget, or nil if none is set."""
    spent = spending_of(run)
    return None if spent.ceiling is None else spent.ceiling - spent.total_cost


@native("estimate_tokens")
def estimate_tokens(messages: object = None) -> int:
    """Return the approximate number of tokens of messages."""
    return estimated(messages)


@native("microcompact")
def microcompact(text: object = None, max_chars: object = None) -> str:
    """Return a text, with its middle removed if it is too long."""
    text = text_argument("microcompact", "text", text)
    limit = int_argument("microcompact", "max_chars", max_chars, _MAX_CHARS)
    if limit < 0:
        raise runtime_error("microcompact: `max_chars` must be >= 0")
    return compacted(text, limit)
