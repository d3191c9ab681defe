"""The check whether a model answers: one call with a short prompt and a short answer."""

from __future__ import annotations

from harnlite.llm.model_call import call
from harnlite.llm.routes import is_chosen, settled
from harnlite.llm.structured_calls import guarded
from harnlite.options.defaults import defaults
from harnlite.options.model_call import HEALTHCHECK
from harnlite.values.errors import ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnlite.runtime.tasks.execution import Execution

_DEFAULTS = defaults(HEALTHCHECK)


def health(run: Execution, given: dict[str, Any], check_permission: Callable[[], None]) -> dict[str, Any]:
    """Call a model once and return `{ok, provider, model, latency_ms, error?}`; never throw."""
    options = {**_DEFAULTS, **{key: value for key, value in given.items() if value is not None}}
    if given.get("timeout") is None and given.get("timeout_ms") is not None:
        del options["timeout"]
    prompt = options.pop("prompt")
    answer: dict[str, Any] = {}

    def work() -> object:
        check_permission()
        answer.update(call(run, prompt, None, options))
        return None

    started = run.clock.monotonic()
    _, error = guarded(run, work)
    found: dict[str, Any] = {"ok": error is None}
    named = answer if error is None else {**_chosen(run, given), **error}
    found["provider"], found["model"] = named.get("provider"), named.get("model")
    found["latency_ms"] = int((run.clock.monotonic() - started) * 1000)
    if error is not None:
        found["error"] = error
    return found


def _chosen(run: Execution, given: dict[str, Any]) -> dict[str, object]:
    """Return the provider and the model of a call that was not made, if something selects them."""
    try:
        if is_chosen(run, given):
            route = settled(run, given)
            return {"provider": route.provider, "model": route.model}
    except ScriptError:
        pass
    return {"provider": given.get("provider"), "model": given.get("model")}
