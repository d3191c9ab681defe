"""The check whether a model answers: one call with a short prompt and a short answer."""

from __future__ import annotations

from harnlite.llm.errors import error_fields
from harnlite.llm.model_call import call
from harnlite.llm.routes import is_chosen, settled
from harnlite.llm.structured_calls import guarded
from harnlite.options.defaults import defaults
from harnlite.options.model_call import HEALTHCHECK
from harnlite.values.errors import ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.runtime.tasks.execution import Execution

_DEFAULTS = defaults(HEALTHCHECK)


def health(run: Execution, given: dict[str, Any]) -> dict[str, Any]:
    """Call a model once and return `{ok, provider, model, latency_ms, error?}`; never throw."""
    options = {**_DEFAULTS, **{key: value for key, value in given.items() if value is not None}}
    if given.get("timeout") is None and given.get("timeout_ms") is not None:
        del options["timeout"]
    prompt = options.pop("prompt")
    answer: dict[str, Any] = {}
    started = run.clock.monotonic()
    _, error = guarded(run, lambda: answer.update(call(run, prompt, None, options)))
    latency = int((run.clock.monotonic() - started) * 1000)
    if error is not None:
        return _failed(run, given, error, latency)
    return {"ok": True, "provider": answer["provider"], "model": answer["model"], "latency_ms": latency}


def refused_health(run: Execution, refusal: ScriptError, options: object) -> dict[str, Any]:
    """Return the result of a check that the run may not make."""
    return _failed(run, options if isinstance(options, dict) else {}, error_fields(run, refusal), 0)


def _failed(run: Execution, given: dict[str, Any], error: dict[str, Any], latency: int) -> dict[str, Any]:
    named = {**_chosen(run, given), **{key: value for key, value in error.items() if value is not None}}
    found = {"ok": False, "provider": named.get("provider"), "model": named.get("model")}
    return {**found, "latency_ms": latency, "error": error}


def _chosen(run: Execution, given: dict[str, Any]) -> dict[str, object]:
    """Return the provider and the model of a call that was not made, if something selects them."""
    try:
        if is_chosen(run, given):
            route = settled(run, given)
            return {"provider": route.provider, "model": route.model}
    except ScriptError:
        pass
    return {"provider": given.get("provider"), "model": given.get("model")}
