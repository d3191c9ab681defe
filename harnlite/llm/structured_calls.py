"""Model calls that return structured data, or a dict that describes a failure instead of throwing it."""

from __future__ import annotations

from harnlite.llm.errors import error_fields
from harnlite.llm.model_call import ModelCall
from harnlite.llm.result import no_usage
from harnlite.llm.structured_answers import NO_JSON
from harnlite.options.defaults import defaults
from harnlite.options.model_call import STRUCTURED_CALL
from harnlite.values.catching import CATCHABLE, script_error
from harnlite.values.data_types import MISSING, type_name
from harnlite.values.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnlite.llm.backend import ReminderSource
    from harnlite.llm.model_call import Outcome
    from harnlite.runtime.tasks.execution import Execution
    from harnlite.values.errors import ScriptError

_DEFAULTS = defaults(STRUCTURED_CALL)


def guarded(run: Execution, work: Callable[[], object]) -> tuple[object, dict[str, Any] | None]:
    """Return the result of some work and None or, if the work throws, None and the error dict."""
    try:
        return work(), None
    except CATCHABLE as error:
        found = script_error(error)
        if found is None:
            raise
        return None, error_fields(run, found)


def structured_options(schema: object, options: object) -> dict[str, Any]:
    """Return the options of a call whose answer must match `schema`; raise a runtime error if that is not a dict."""
    if schema is MISSING or schema is None:
        raise runtime_error(
            "llm_call_structured: missing required `schema` argument (expected (prompt, schema, options?))"
        )
    if not isinstance(schema, dict):
        raise runtime_error(f"llm_call_structured: `schema` must be a dict (JSON Schema), got {type_name(schema)}")
    given: dict[str, Any] = options if isinstance(options, dict) else {}
    retries = given.get("schema_retries")
    if retries is None:
        retries = given.get("retries")
    strict = given.get("strict")
    return {
        **given,
        "output_schema": schema,
        "json_schema": schema,
        "output_format": {
            "kind": "json_schema",
            "schema": schema,
            "strict": _DEFAULTS["strict"] if strict is None else strict,
        },
        "response_format": "json",
        "output_validation": given.get("output_validation") or _DEFAULTS["output_validation"],
        "schema_retries": _DEFAULTS["schema_retries"] if retries is None else retries,
    }


def structured_outcome(
    run: Execution, prompt: object, schema: object, options: object, reminders: ReminderSource | None
) -> Outcome:
    """Make a call whose answer must match a schema."""
    return ModelCall(run, prompt, None, structured_options(schema, options), reminders).outcome()


def structured_result(
    run: Execution, prompt: object, schema: object, options: object, reminders: ReminderSource | None
) -> dict[str, Any]:
    """Make a call whose answer must match a schema and return a dict that describes the outcome; never throw."""
    given: dict[str, Any] = options if isinstance(options, dict) else {}
    plain = {key: value for key, value in given.items() if key != "repair"}
    try:
        outcome = structured_outcome(run, prompt, schema, {**plain, "output_validation": "off"}, reminders)
    except CATCHABLE as error:
        found = script_error(error)
        if found is None:
            raise
        return failed_result(run, found, given)
    result = _summary(outcome)
    repair = given.get("repair")
    if result["ok"] or not _is_enabled(repair):
        return result
    return _repaired(run, schema, plain, repair if isinstance(repair, dict) else {}, result)


def _is_enabled(repair: object) -> bool:
    if isinstance(repair, dict):
        return bool(repair.get("enabled", True))
    return repair is True


def _summary(outcome: Outcome) -> dict[str, Any]:
    answer, result = outcome.answer, outcome.result
    errors = answer.errors if answer is not None else []
    category = None
    if errors:
        category = "missing_json" if errors[0] == NO_JSON else "schema_validation"
    return {
        "ok": not errors,
        "data": answer.data if answer is not None and not errors else None,
        "raw_text": result["text"],
        "error": "; ".join(errors),
        "error_category": category,
        "attempts": outcome.attempts,
        "repaired": False,
        "extracted_json": answer is not None and answer.is_extracted,
        "usage": result["usage"],
        "model": result["model"],
        "provider": result["provider"],
    }


def failed_result(run: Execution, error: ScriptError, options: object) -> dict[str, Any]:
    """Return the result of a call that no model answered."""
    given: dict[str, Any] = options if isinstance(options, dict) else {}
    fields = error_fields(run, error)
    return {
        "ok": False,
        "data": None,
        "raw_text": "",
        "error": fields["message"],
        "error_category": fields["category"],
        "attempts": 0,
        "repaired": False,
        "extracted_json": False,
        "usage": no_usage(),
        "model": fields.get("model") or given.get("model"),
        "provider": fields.get("provider") or given.get("provider"),
    }


def _repaired(
    run: Execution, schema: object, plain: dict[str, Any], overrides: dict[str, Any], bad: dict[str, Any]
) -> dict[str, Any]:
    """Make one more call that asks the model to repair its invalid answer, and return the better result."""
    prompt = (
        "The text below was meant to be JSON that fits a schema, but it does not. Rewrite it so that it does; "
        f"change nothing else.\n\nValidation errors: {bad['error']}\n\nOriginal text:\n{bad['raw_text']}\n\n"
        "Reply with valid JSON only."
    )
    own = {key: value for key, value in overrides.items() if key != "enabled"}
    options = {**plain, **own, "schema_retries": 0, "output_validation": "off"}
    options.pop("messages", None)
    try:
        result = _summary(structured_outcome(run, prompt, schema, options, None))
    except CATCHABLE as error:
        if script_error(error) is None:
            raise
        return {**bad, "error_category": "repair_failed"}
    return {**result, "repaired": True} if result["ok"] else {**bad, "error_category": "repair_failed"}
