"""The options of a model call, parsed and checked."""

from __future__ import annotations

from harnlite.llm.budget import budget_of
from harnlite.llm.offered_tools import tool_entries
from harnlite.llm.thinking import DISABLED, thinking_of
from harnlite.options.defaults import defaults
from harnlite.options.model_call import MODEL_CALL
from harnlite.runtime.environment_settings import setting
from harnlite.values.display import display
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    from harnlite.llm.call_plans import CallPlan
    from harnlite.llm.experiments import Experiment
    from harnlite.llm.tool_search import SearchSettings

    LookUp: TypeAlias = Callable[[str], str | None]

_DEFAULTS = defaults(MODEL_CALL)
_TEXT, _JSON_OBJECT, _JSON_SCHEMA = "text", "json_object", "json_schema"
_KINDS = {
    "text": _TEXT,
    "none": _TEXT,
    "off": _TEXT,
    "json": _JSON_OBJECT,
    "json_object": _JSON_OBJECT,
    "json_schema": _JSON_SCHEMA,
    "schema": _JSON_SCHEMA,
}
_RESPONSE_FORMATS = ("json", "json_object", "text")
_PASSED_ON = frozenset(
    {
        "temperature",
        "top_p",
        "top_k",
        "frequency_penalty",
        "presence_penalty",
        "seed",
        "idle_timeout",
        "cache",
        "prefill",
        "reasoning_effort",
        "interleaved_thinking",
        "anthropic_beta_features",
        "vision",
        "audio",
        "pdf",
        "user_visible",
        "logprobs",
        "api_mode",
        "store",
        "previous_response_id",
        "background",
        "include",
        "truncation",
        "provider_tools",
    }
)
"""The options that are passed to the backend unchanged."""

_REMOVED = (
    "llm_call / agent_loop: the `transcript` option was removed. Open or open-and-resume a session with "
    "agent_session_open(id) and pass `session_id: id` instead."
)
_OFF = frozenset({"0", "false"})
PLAIN_OUTPUT: dict[str, Any] = {"kind": _TEXT}


_TEXTS_ONLY = frozenset({str})
_MOST_KNOWN = 16


class CallOptions:
    """The parsed options of a call."""

    __slots__ = (
        "backoff_ms",
        "budget",
        "entries",
        "experiment",
        "fallbacks",
        "given",
        "is_structured",
        "llm_retries",
        "nudge",
        "output_format",
        "output_schema",
        "passed",
        "plan",
        "schema_retries",
        "search",
        "stream",
        "tool_choice",
        "turn_number",
        "validation",
    )

    def __init__(self, given: dict[str, Any], setting: LookUp) -> None:
        self.given = given
        self.plan: CallPlan | None = None
        """What follows from these options for the calls of a run."""
        self.output_format, self.output_schema = _output(given)
        self.is_structured = self.output_format is not PLAIN_OUTPUT or self.output_schema is not None
        """Whether the answer must be JSON."""
        self.turn_number = int_of(given, "_iteration", 0)
        """The number of the loop's iteration, counted from 1, or 0 outside of a loop."""
        thinking = thinking_of(given)
        self.entries = tool_entries(given.get("tools"))
        self.search = _search(given, self.entries)
        self.budget = budget_of(given)
        self.experiment = _experiment(given, setting)
        self.fallbacks = _fallbacks(given.get("fallback_chain"))
        self.llm_retries = _declared(given, "llm_retries")
        self.backoff_ms = _declared(given, "llm_backoff_ms")
        self.schema_retries = _declared(given, "schema_retries")
        self.nudge = given.get("schema_retry_nudge")
        self.validation = given.get("output_validation") or _DEFAULTS["output_validation"]
        self.tool_choice = given.get("tool_choice")
        self.stream = _streams(given, setting)
        self.passed = _passed_on(given, setting)
        if self.output_format is not PLAIN_OUTPUT:
            self.passed["output_format"] = self.output_format
        if thinking is not DISABLED:
            self.passed["thinking"] = thinking

    def passed_to(self, route_name: str) -> dict[str, Any]:
        """Return the options for the backend of a provider."""
        own = self.given.get(route_name)
        return {**self.passed, **own} if isinstance(own, dict) else self.passed


def _search(given: dict[str, Any], entries: list[dict[str, Any]]) -> SearchSettings | None:
    if not given.get("tool_search"):
        return None
    from harnlite.llm.tool_search import search_settings

    return search_settings(given["tool_search"], entries)


def read_options(given: dict[str, Any], setting: LookUp = setting) -> CallOptions:
    """Parse the options of a call; throw if they are not valid."""
    if given.get("transcript") is not None:
        raise thrown(_REMOVED)
    return CallOptions(given, setting)


class ReadOptions:
    """The options of earlier calls of a run that consist of texts only: most scripts repeat theirs with each call."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[tuple[tuple[str, str], ...], CallOptions] = {}

    def of(self, given: dict[str, Any], setting: LookUp) -> CallOptions:
        """Return the options of a call; throw if they are not valid."""
        # Other values could be equal to different ones, such as 1 and true, or change later.
        if not _TEXTS_ONLY.issuperset(map(type, given.values())):
            return read_options(given, setting)
        key = tuple(given.items())
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            found = self._known[key] = read_options(given, setting)
        return found


def int_of(options: dict[str, Any], name: str, default: int) -> int:
    """Return the value of an int option, at least 0, or the default if it is not an int."""
    value = options.get(name)
    return max(value, 0) if value.__class__ is int else default


def _declared(options: dict[str, Any], name: str) -> int:
    return int_of(options, name, _DEFAULTS[name])


def _streams(given: dict[str, Any], setting: LookUp) -> bool:
    value = given.get("stream")
    if value is None:
        return (setting("LLM_STREAM") or "").lower() not in _OFF
    return bool(value)


def _passed_on(given: dict[str, Any], setting: LookUp) -> dict[str, Any]:
    passed = {name: value for name, value in given.items() if name in _PASSED_ON and value is not None}
    passed["max_tokens"] = _declared(given, "max_tokens")
    passed["timeout"] = _timeout(given, setting)
    if given.get("stop"):
        passed["stop"] = given["stop"]
    if given.get("_completion") is not None:
        passed["completion"] = given["_completion"]
    return passed


def _timeout(given: dict[str, Any], setting: LookUp) -> float:
    """Return the time limit of a call in seconds."""
    seconds, ms = given.get("timeout"), given.get("timeout_ms")
    if seconds.__class__ in (int, float):
        return seconds
    if ms.__class__ in (int, float):
        return -(-ms // 1000)
    text = setting("LLM_TIMEOUT") or ""
    return int(text) if text.isascii() and text.isdigit() else _DEFAULTS["timeout"]


def _experiment(given: dict[str, Any], setting: LookUp) -> Experiment | None:
    """Return the structural experiment that options or the environment ask for."""
    if "structural_experiment" in given:
        wanted = given["structural_experiment"]
    else:
        wanted = setting("STRUCTURAL_EXPERIMENT") or None
    if wanted is None or wanted is False:
        return None
    from harnlite.llm.experiments import experiment_of

    return experiment_of(wanted)


def _fallbacks(value: object) -> list[str]:
    if value is None:
        return []
    items: Sequence[object] = ()
    if value.__class__ is str:
        items = value.split(",")
    elif value.__class__ is list:
        items = value
    names = [display(item).strip() for item in items if item is not None]
    return list(dict.fromkeys([name for name in names if name]))


# Structured output


def _output(given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Return the requested output format, and the schema that the answer is validated with or None."""
    response = given.get("response_format")
    if response is not None and response not in _RESPONSE_FORMATS:
        choices = '"json", "json_object", or "text"'
        raise thrown(f'response_format: expected {choices}, got "{display(response)}"')
    name = "json_schema" if given.get("json_schema") is not None else "schema"
    schema = _schema("json_schema", given.get(name))
    checked = _schema("output_schema", given.get("output_schema"))
    wanted = given.get("output_format")
    if wanted is not None:
        form = _read_format(wanted, schema)
    elif schema is not None and response != _TEXT:
        form = _with_schema(schema, strict=True)
    else:
        form = PLAIN_OUTPUT if response in (None, _TEXT) else {"kind": _JSON_OBJECT}
    return form, checked or schema or form.get("schema")


def _schema(name: str, value: object) -> dict[str, Any] | None:
    if value is not None and value.__class__ is not dict:
        raise thrown(f"{name}: expected a JSON Schema object")
    return value


def _with_schema(schema: dict[str, Any], *, strict: object) -> dict[str, Any]:
    return {"kind": _JSON_SCHEMA, "schema": schema, "strict": strict}


def _read_format(wanted: object, schema: dict[str, Any] | None) -> dict[str, Any]:
    if wanted.__class__ is str:
        fields: dict[str, Any] = {"kind": wanted}
    elif wanted.__class__ is dict:
        fields = wanted
    else:
        raise thrown("output_format: expected string or dict")
    own = fields.get("schema", fields.get("json_schema"))
    kind = fields.get("kind")
    if kind is None and own is not None:
        kind = _JSON_SCHEMA
    form = _KINDS.get(kind) if kind.__class__ is str else None
    if form is None:
        choices = '"text" | "json_object" | "json_schema"'
        raise thrown(f'output_format.kind: expected {choices}, got "{display(kind)}"')
    if form != _JSON_SCHEMA:
        return PLAIN_OUTPUT if form == _TEXT else {"kind": form}
    own = schema if own is None else own
    if own.__class__ is not dict:
        raise thrown('output_format: kind "json_schema" requires a `schema` field')
    return _with_schema(own, strict=fields.get("strict", True))
