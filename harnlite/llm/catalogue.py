"""The facts about models that do not depend on the route: provider, tier, context window, output limit and prices."""

from __future__ import annotations

from harnlite.models.tables import FACTS, IDS, PATTERNS
from harnlite.reminders.capabilities import glob_fits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.models.tables import Prices

_DATE_SHAPES = ((8,), (4, 2, 2))
"""The lengths of the numbers in a date: 20250514 and 2024-08-06."""
_MOST_FOUND = 1000

TIERS = ("small", "mid", "frontier")

DEFAULT_PROVIDER = "anthropic"

STRIPPED = ("ollama:", "local:", "huggingface:", "hf:")
"""Prefixes that only specify where a model is served."""

SMALL_NAMES = ("9b", "a3b")
"""Parts of names that identify a small model among unknown models."""


class ModelFacts:
    """The facts about a model; those that are not known are None. `is_named` tells its own name from a pattern."""

    __slots__ = ("context_window", "family", "is_named", "max_output_tokens", "prices", "provider", "tier")

    def __init__(self, provider: str, number: int, *, is_named: bool) -> None:
        self.provider = provider
        self.family, self.tier, self.context_window, self.max_output_tokens, self.prices = FACTS[number]
        self.is_named = is_named


_FOUND: dict[str, ModelFacts | None] = {}


def facts_of(model: str) -> ModelFacts | None:
    """Return what is known about a model: by its name, by its name without a date, or by the first pattern."""
    if model not in _FOUND:
        if len(_FOUND) >= _MOST_FOUND:
            _FOUND.clear()
        _FOUND[model] = _facts(model)
    return _FOUND[model]


def _facts(model: str) -> ModelFacts | None:
    named = IDS.get(model) or IDS.get(undated(model))
    if named is not None:
        return ModelFacts(*named, is_named=True)
    lowered = model.lower()
    fitting = (ModelFacts(name, number, is_named=False) for glob, name, number in PATTERNS if glob_fits(glob, lowered))
    return next(fitting, None)


def prices_of(model: str) -> Prices | None:
    """Return the prices of input, output, cached reads and cached writes per million tokens, or None."""
    facts = facts_of(model)
    return facts.prices if facts else None


def undated(model: str) -> str:
    """Return the name of a model without its date: `claude-sonnet-4` for `claude-sonnet-4-20250514`.

    A revision after the date, as in `-20250514-v1:0`, is removed with it.
    """
    name, mark, revision = model.rpartition("-v")
    dated = name if mark and revision.replace(":", "", 1).isdecimal() else model
    parts = dated.replace("@", "-").split("-")
    for shape in _DATE_SHAPES:
        last = parts[-len(shape) :]
        if len(parts) > len(shape) and all(part.isdecimal() for part in last) and tuple(map(len, last)) == shape:
            return dated[: -len("-".join(last)) - 1]
    return model
