"""Builtins that call models."""

from __future__ import annotations

from harnlite.agent.sessions.current import current_session_id
from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.sessions.reminding import SessionReminders
from harnlite.library.argument_types import dict_argument, optional_text, text_argument
from harnlite.library.native import MISSING, native
from harnlite.llm.errors import refused_call
from harnlite.llm.model_call import call
from harnlite.runtime.access_control import require
from harnlite.values.errors import ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.llm.backend import ReminderSource
    from harnlite.runtime.concurrency.channels import Channel
    from harnlite.runtime.tasks.execution import Execution


def _reminders(run: Execution, options: object) -> ReminderSource | None:
    """Return the reminders of the session that a call belongs to: the one named in the options, or the current one."""
    named = options.get("session_id") if isinstance(options, dict) else None
    session_id = named if isinstance(named, str) and named else current_session_id(run)
    session = sessions_of(run).get(session_id) if session_id is not None else None
    return None if session is None else SessionReminders(run, session)


def _require_model(run: Execution, function: str, options: object) -> None:
    """Raise the error dict of a model call if the run may not call models."""
    try:
        require(run, "llm.call", function)
    except ScriptError as refusal:
        raise refused_call(run, refusal, options) from None


@native("llm_call")
def llm_call(run: Execution, prompt: object = None, system: object = None, options: object = None) -> dict[str, Any]:
    """Call a model and return the result dict."""
    _require_model(run, "llm_call", options)
    optional_text("llm_call", "system", system)
    return call(run, prompt, system, options, _reminders(run, options))


@native("llm_call_safe")
def llm_call_safe(
    run: Execution, prompt: object = None, system: object = None, options: object = None
) -> dict[str, Any]:
    """Call a model and return `{ok, response, error}`."""
    from harnlite.llm.structured_calls import guarded

    optional_text("llm_call_safe", "system", system)

    def work() -> object:
        _require_model(run, "llm_call_safe", options)
        return call(run, prompt, system, options, _reminders(run, options))

    result, error = guarded(run, work)
    return {"ok": error is None, "response": result, "error": error}


@native("llm_call_structured")
def llm_call_structured(
    run: Execution, prompt: object = None, schema: object = MISSING, options: object = None
) -> object:
    """Call a model and return the data of its answer, which must match the schema."""
    from harnlite.llm.structured_calls import structured_outcome

    _require_model(run, "llm_call_structured", options)
    return structured_outcome(run, prompt, schema, options, _reminders(run, options)).result.get("data")


@native("llm_call_structured_safe")
def llm_call_structured_safe(
    run: Execution, prompt: object = None, schema: object = MISSING, options: object = None
) -> dict[str, Any]:
    """Call a model like `llm_call_structured` and return `{ok, data, error}`."""
    from harnlite.llm.structured_calls import guarded, structured_outcome

    def work() -> object:
        _require_model(run, "llm_call_structured_safe", options)
        return structured_outcome(run, prompt, schema, options, _reminders(run, options)).result.get("data")

    data, error = guarded(run, work)
    return {"ok": error is None, "data": data, "error": error}


@native("llm_call_structured_result")
def llm_call_structured_result(
    run: Execution, prompt: object = None, schema: object = MISSING, options: object = None
) -> dict[str, Any]:
    """Call a model like `llm_call_structured` and return the data with all details of the answer."""
    from harnlite.llm.structured_calls import failed_result, structured_result

    try:
        _require_model(run, "llm_call_structured_result", options)
    except ScriptError as refusal:
        return failed_result(run, refusal, options)
    return structured_result(run, prompt, schema, options, _reminders(run, options))


@native("llm_completion")
def llm_completion(
    run: Execution, prefix: object = None, suffix: object = None, system: object = None, options: object = None
) -> dict[str, Any]:
    """Call a model to continue a text, optionally up to a suffix."""
    from harnlite.llm.streaming import complete

    _require_model(run, "llm_completion", options)
    before = text_argument("llm_completion", "prefix", prefix)
    after = optional_text("llm_completion", "suffix", suffix)
    optional_text("llm_completion", "system", system)
    return complete(run, before, after, system, options, _reminders(run, options))


@native("llm_stream")
def llm_stream(run: Execution, prompt: object = None, system: object = None, options: object = None) -> Channel:
    """Call a model and return a channel that receives the pieces of its answer."""
    from harnlite.llm.streaming import stream

    _require_model(run, "llm_stream", options)
    optional_text("llm_stream", "system", system)
    return stream(run, prompt, system, options, _reminders(run, options))


@native("llm_healthcheck")
def llm_healthcheck(run: Execution, options: object = None) -> dict[str, Any]:
    """Make the smallest model call and return `{ok, provider, model, latency_ms, error?}`."""
    from harnlite.llm.healthcheck import health, refused_health

    try:
        _require_model(run, "llm_healthcheck", options)
    except ScriptError as refusal:
        return refused_health(run, refusal, options)
    return health(run, dict_argument("llm_healthcheck", "options", options))
