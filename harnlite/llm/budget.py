"""The costs of model calls, the spending of a run, and the limits that stop a call before it is sent."""

from __future__ import annotations

from harnlite.llm import catalogue
from harnlite.llm.configuration import configuration_of
from harnlite.llm.errors import BUDGET_EXCEEDED
from harnlite.llm.tokens import projected_tokens, strings_of
from harnlite.models.tables import ALIASES
from harnlite.options.defaults import defaults
from harnlite.options.model_call import MODEL_CALL
from harnlite.runtime.tasks.execution import SPANS_KEY
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.llm.backend import ChatRequest
    from harnlite.llm.configuration import Configuration
    from harnlite.models.tables import Prices
    from harnlite.runtime.tasks.execution import Execution

_PER_MILLION = 1_000_000
_INFINITY = float("inf")
DEFAULT_MAX_TOKENS: int = defaults(MODEL_CALL)["max_tokens"]
_MOST_MODELS = 1000
PRICES = ("input_per_mtok", "output_per_mtok", "cache_read_per_mtok", "cache_write_per_mtok")
_COSTS = ("max_cost_usd", "total_budget_usd")
_COUNTS = ("max_input_tokens", "max_output_tokens")
_KEYS = dict.fromkeys((*_COSTS, *_COUNTS)).keys()


class Spending:
    """The total cost of the model calls in a run so far, and the ceiling for it."""

    __slots__ = ("calls", "ceiling", "duration_ms", "input_tokens", "output_tokens", "total_cost", "traced_calls")

    def __init__(self) -> None:
        self.total_cost = 0.0
        self.calls = 0
        # counted only while tracing is on
        self.traced_calls = 0
        self.input_tokens = 0
        self.output_tokens = 0
        self.duration_ms = 0
        self.ceiling: float | None = None


class Budget:
    """The limits of a call, each None if it is not set."""

    __slots__ = ("max_cost_usd", "max_input_tokens", "max_output_tokens", "total_budget_usd")

    def __init__(self, limits: dict[str, Any]) -> None:
        self.max_cost_usd: float | None = limits.get("max_cost_usd")
        self.total_budget_usd: float | None = limits.get("total_budget_usd")
        self.max_input_tokens: int | None = limits.get("max_input_tokens")
        self.max_output_tokens: int | None = limits.get("max_output_tokens")


def spending_of(run: Execution) -> Spending:
    """Return the spending of a run."""
    return run.state("llm_spending", Spending)


def budget_of(options: dict[str, Any]) -> Budget | None:
    """Return the limits in the options, or None if there are none; throw if one is not valid."""
    given = options.get("budget")
    if given is None:
        if _KEYS.isdisjoint(options):
            return None
        given = {}
    elif given.__class__ is not dict:
        raise thrown(f"budget: expected a dict {{{', '.join(key + '?' for key in _KEYS)}}}")
    limits: dict[str, float | int] = {}
    for key in _KEYS:
        value = given.get(key)
        name = f"budget.{key}"
        if value is None:
            value, name = options.get(key), key
        if value is not None:
            limits[key] = _amount(name, value) if key in _COSTS else _count(name, value)
    return Budget(limits) if limits else None


def _amount(name: str, value: object) -> float:
    if value.__class__ is float and not -_INFINITY < value < _INFINITY:
        raise thrown(f"{name}: expected a finite number")
    if value.__class__ not in (int, float) or value < 0:
        raise thrown(f"{name}: expected a non-negative number")
    return value


def _count(name: str, value: object) -> int:
    if value.__class__ is not int or value < 0:
        raise thrown(f"{name}: expected a non-negative integer")
    return value


def prices_of(run: Execution | None, model: str) -> Prices | None:
    """Return the prices of input, output, cached reads and cached writes in USD per million tokens, or None."""
    if run is None:
        return catalogue.prices_of(ALIASES[model][0] if model in ALIASES else model)
    known = configuration_of(run)
    if model not in known.prices:
        if len(known.prices) >= _MOST_MODELS:
            known.prices.clear()
        known.prices[model] = _prices_in(known, model)
    return known.prices[model]


def _prices_in(known: Configuration, model: str) -> Prices | None:
    name = str(known.aliases.get(model, {}).get("id", model))
    pricing = known.model_settings(name).get("pricing")
    if isinstance(pricing, dict):
        return _configured_prices(pricing, catalogue.prices_of(name))
    return catalogue.prices_of(name)


def _configured_prices(pricing: dict[str, Any], usual: Prices | None) -> Prices:
    """Return prices from a configuration file; the catalogue supplies those that the file omits."""
    found = [
        price if isinstance(price := pricing.get(name), int | float) else (usual[place] if usual else None)
        for place, name in enumerate(PRICES)
    ]
    return found[0], found[1], found[2], found[3]


def cost(
    model: str,
    input_tokens: int,
    output_tokens: int,
    run: Execution | None = None,
    cache_read_tokens: int = 0,
    cache_write_tokens: int = 0,
) -> float:
    """Return the cost of a call in USD; a model without a known price is free.

    The cached tokens are a part of the input tokens. Where no price is known for them, they cost what the input does.
    """
    prices = prices_of(run, model)
    if prices is None:
        return 0.0
    price_in, price_out = prices[0] or 0.0, prices[1] or 0.0
    total = input_tokens * price_in + output_tokens * price_out
    if cache_read_tokens and prices[2] is not None:
        total += cache_read_tokens * (prices[2] - price_in)
    if cache_write_tokens and prices[3] is not None:
        total += cache_write_tokens * (prices[3] - price_in)
    return total / _PER_MILLION


def cache_savings(run: Execution, model: str, tokens: int) -> float:
    """Return what is saved by reading input tokens from the cache, in USD."""
    prices = prices_of(run, model)
    if prices is None or prices[0] is None or prices[2] is None:
        return 0.0
    return tokens * (prices[0] - prices[2]) / _PER_MILLION


def _projection(request: ChatRequest) -> tuple[int, int]:
    """Return the estimated input tokens of a request and the maximum output tokens of its answer."""
    texts = [request.system] if request.system else []
    for message in request.messages:
        texts.extend(strings_of(message))
    if request.tools:
        texts.extend(strings_of(request.tools))
    asked = request.options.get("max_tokens")
    return projected_tokens(texts), asked if asked.__class__ is int else DEFAULT_MAX_TOKENS


def check_before(run: Execution, request: ChatRequest, budget: Budget | None) -> None:
    """Throw if a request would exceed one of its limits or the ceiling of the run."""
    spent = spending_of(run)
    if budget is None and spent.ceiling is None:
        return
    tokens_in, tokens_out = _projection(request)
    projected = cost(request.model, tokens_in, tokens_out, run)
    limits = budget or Budget({})
    total = limits.total_budget_usd
    if spent.ceiling is not None:
        total = spent.ceiling if total is None else min(total, spent.ceiling)
    checks = (
        ("max_input_tokens", limits.max_input_tokens, tokens_in, f"input tokens {tokens_in}"),
        ("max_output_tokens", limits.max_output_tokens, tokens_out, f"output tokens {tokens_out}"),
        ("max_cost_usd", limits.max_cost_usd, projected, f"cost ${display(projected)}"),
        ("total_budget_usd", total, spent.total_cost + projected, f"cost ${display(projected)}"),
    )
    for limit, most, amount, what in checks:
        if most is not None and amount > most:
            raise thrown(
                {
                    "category": BUDGET_EXCEEDED,
                    "kind": "terminal",
                    "reason": BUDGET_EXCEEDED,
                    "limit": limit,
                    "limit_value": most,
                    "projected_cost_usd": projected,
                    "session_cost_usd": spent.total_cost,
                    "projected_input_tokens": tokens_in,
                    "projected_output_tokens": tokens_out,
                    "provider": request.provider,
                    "model": request.model,
                    "message": f"LLM budget exceeded before provider call: projected {what} would exceed {limit}",
                }
            )


def charge(
    run: Execution,
    model: str,
    input_tokens: int,
    output_tokens: int,
    duration_ms: int = 0,
    cache_read_tokens: int = 0,
    cache_write_tokens: int = 0,
) -> float:
    """Add a call to the spending of the run and return its cost; throw if the total exceeds the ceiling of the run."""
    spent = spending_of(run)
    paid = cost(model, input_tokens, output_tokens, run, cache_read_tokens, cache_write_tokens)
    spent.total_cost += paid
    spent.calls += 1
    recorder = run.peek(SPANS_KEY)
    if recorder is not None and recorder.on:
        spent.traced_calls += 1
        spent.input_tokens += input_tokens
        spent.output_tokens += output_tokens
        spent.duration_ms += duration_ms
    if spent.ceiling is not None and spent.total_cost > spent.ceiling:
        raise thrown(f"LLM budget exceeded: spent ${display(spent.total_cost)} of ${display(spent.ceiling)} budget")
    return paid
