"""The usage of a model's context window, calculated from the payload of an event."""

from __future__ import annotations

from harnlite.values.data_types import is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypedDict

    from harnlite.runtime.tasks.execution import Execution

    class Usage(TypedDict):
        """The used tokens, the size of the context window in tokens, and their ratio."""

        used: int | float
        window: int | float
        ratio: float


def context_usage(run: Execution, payload: object, options: object) -> Usage | None:
    """Return the usage of the context window, or None if the used tokens or the size of the window are unknown."""
    facts, given = _dict(payload), _dict(options)
    used = _used(facts)
    window = _window(run, facts, given)
    if used is None or window is None or window <= 0:
        return None
    return {"used": used, "window": window, "ratio": used / window}


def _used(payload: dict[str, Any]) -> int | float | None:
    """Return the number of tokens in the context now, in contrast to the total that the session has used."""
    for key in ("context_tokens", "prompt_tokens"):
        found = _number(payload.get(key))
        if found is not None:
            return found
    parts = [_number(payload.get(key)) for key in ("input_tokens", "output_tokens")]
    if any(part is not None for part in parts):
        return sum(part for part in parts if part is not None)
    return _number(payload.get("tokens_used"))


def _window(run: Execution, payload: dict[str, Any], options: dict[str, Any]) -> int | float | None:
    reminders = _dict(options.get("reminders"))
    config = _dict(_dict(reminders.get("config")).get("token_pressure") or reminders.get("token_pressure"))
    candidates = (
        payload.get("context_window"),
        config.get("context_window"),
        config.get("max_context_tokens"),
        options.get("context_window"),
        options.get("max_context_tokens"),
    )
    for value in candidates:
        found = _number(value)
        if found is not None:
            return found
    model = payload.get("model") or options.get("model")
    if not isinstance(model, str):
        return None
    from harnlite.llm.configuration import configuration_of

    return configuration_of(run).context_window(model)


def _dict(value: object) -> dict[str, Any]:
    return value if value.__class__ is dict else {}


def _number(value: object) -> int | float | None:
    return value if is_number(value) else None
