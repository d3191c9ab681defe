"""The options of a call as fields of a request of the Messages API."""

from __future__ import annotations

from harnlite.llm.dialects.content import refused
from harnlite.llm.dialects.functions import AUTO, NONE, REQUIRED, Function, choice_of, functions_of
from harnlite.reminders.capabilities import version_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.llm.backend import ChatRequest
    from harnlite.llm.dialects.dialect import Host
    from harnlite.llm.dialects.parameters import Parameters

    Fields = dict[str, Any]

ANSWER_TOOL = "structured_answer"
"""The tool by whose arguments a model gives a structured answer, if it has no other way."""
ANSWER_KEY = "value"
"""The argument of that tool for an answer that is not an object."""

_ONE_OF_TWO, _NO_PREFILL, _ADAPTIVE_ONLY = (4, 5), (4, 6), (4, 7)
_LEAST_BUDGET = 1024
_USUAL_BUDGET = 16_000
_BUDGETS = {"minimal": 1024, "low": 2048, "medium": 8192, "high": 16_384, "xhigh": 32_768}
_LEAST_TOP_P = 0.95
_INTERLEAVED = "interleaved-thinking-2025-05-14"
_DEFAULT_MAX_TOKENS = 4096


class Model:
    """What a model accepts: by its flags, and by the version in its name."""

    __slots__ = ("_flags", "_version")

    def __init__(self, request: ChatRequest, host: Host) -> None:
        self._flags = host.flags
        name = request.model.lower()
        self._version = version_of(name[name.find("claude") :] if "claude" in name else name)

    def _is_from(self, version: tuple[int, ...]) -> bool:
        return bool(self._version) and self._version >= version

    @property
    def refuses_prefill(self) -> bool:
        """Return whether the model refuses to continue a message of its own."""
        return self._is_from(_NO_PREFILL)

    @property
    def takes_one_of_two(self) -> bool:
        """Return whether the model refuses a temperature together with top_p."""
        return self._is_from(_ONE_OF_TWO)

    @property
    def has_no_sampling(self) -> bool:
        """Return whether the model refuses sampling options."""
        return self._is_from(_ADAPTIVE_ONLY)

    @property
    def is_adaptive(self) -> bool:
        """Return whether the model can decide itself how much it thinks."""
        modes = self._flags.get("thinking_modes")
        known = not isinstance(modes, list) or "adaptive" in modes
        return known and (not self._version or self._version >= _NO_PREFILL)

    @property
    def takes_budget(self) -> bool:
        """Return whether the model accepts a budget for thinking."""
        modes = self._flags.get("thinking_modes")
        return not self._is_from(_ADAPTIVE_ONLY) and (not isinstance(modes, list) or "enabled" in modes)

    @property
    def structured_output(self) -> object:
        """Return the way in which the model gives structured answers."""
        return self._flags.get("structured_output")

    def effort(self, level: str) -> str:
        """Return the name of a level of effort for the model."""
        if level == "xhigh" and not self._is_from(_ADAPTIVE_ONLY):
            return "high"
        return "low" if level in ("minimal", "none") else level


def max_tokens(parameters: Parameters, host: Host) -> int:
    """Return the limit of the answer, at most that of the model."""
    given = parameters.get("max_tokens")
    wanted = given if given.__class__ is int else _DEFAULT_MAX_TOKENS
    if host.max_output is not None and wanted > host.max_output:
        parameters.note(f"max_tokens is {host.max_output}, the limit of the model")
        return host.max_output
    return wanted


# Thinking


def add_thinking(body: Fields, parameters: Parameters, model: Model, host: Host) -> None:
    """Add the fields for thinking: a budget, or the model's own decision with a level of effort."""
    wanted = parameters.thinking(host)
    if "type" in wanted:
        body["thinking"] = wanted
        return
    mode = wanted.get("mode")
    if mode == "disabled":
        return
    level = wanted.get("level")
    if level == "none":
        return
    if mode == "enabled" and model.takes_budget:
        body["thinking"] = _enabled(body, parameters, wanted.get("budget_tokens"))
    elif model.is_adaptive:
        if mode == "enabled" and wanted.get("budget_tokens") is not None:
            parameters.note("thinking.budget_tokens is not sent: the model decides how much it thinks")
        body["thinking"] = {"type": "adaptive"}
        if isinstance(level, str):
            body["output_config"] = {"effort": model.effort(level)}
    else:
        budget = _BUDGETS.get(level) if isinstance(level, str) else None
        parameters.note("thinking is sent with a budget: the model does not decide how much it thinks")
        body["thinking"] = _enabled(body, parameters, budget)


def _enabled(body: Fields, parameters: Parameters, budget: object) -> Fields:
    limit: int = body["max_tokens"]
    if limit <= _LEAST_BUDGET:
        raise refused(f"option `thinking` needs `max_tokens` above {_LEAST_BUDGET}, but it is {limit}")
    wanted = budget if isinstance(budget, int) else min(limit // 2, _USUAL_BUDGET)
    found = max(wanted, _LEAST_BUDGET)
    if found >= limit:
        found = max(_LEAST_BUDGET, limit - _LEAST_BUDGET)
    if isinstance(budget, int) and found != budget:
        parameters.note(
            f"thinking.budget_tokens is {found} instead of {budget}: at least {_LEAST_BUDGET}, below max_tokens"
        )
    return {"type": "enabled", "budget_tokens": found}


def thinks(body: Fields) -> bool:
    """Return whether a request asks for thinking."""
    return isinstance(body.get("thinking"), dict) and body["thinking"].get("type") in ("enabled", "adaptive")


def add_sampling(body: Fields, parameters: Parameters, model: Model) -> None:
    """Add the sampling options that the model accepts."""
    temperature, top_p = parameters.number("temperature"), parameters.number("top_p")
    top_k = parameters.get("top_k")
    if model.has_no_sampling:
        parameters.skip("temperature", "top_p", "top_k")
        return
    if thinks(body):
        if temperature is not None and temperature != 1:
            parameters.skip("temperature")
            temperature = None
        if top_p is not None and top_p < _LEAST_TOP_P:
            parameters.skip("top_p")
            top_p = None
        parameters.skip("top_k")
        top_k = None
    if temperature is not None and temperature > 1:
        parameters.note("temperature is 1, the highest that anthropic accepts")
        temperature = 1
    if temperature is not None and top_p is not None and model.takes_one_of_two:
        parameters.skip("top_p")
        top_p = None
    for name, value in (("temperature", temperature), ("top_p", top_p), ("top_k", top_k)):
        if value is not None:
            body[name] = value


def betas(parameters: Parameters, given: str) -> str:
    """Return the value of the header for beta features, or an empty text."""
    wanted = parameters.get("anthropic_beta_features")
    items = wanted if isinstance(wanted, list) else [wanted]
    names = [name.strip() for item in [given, *items] if isinstance(item, str) for name in item.split(",")]
    if parameters.get("interleaved_thinking"):
        names.append(_INTERLEAVED)
    return ",".join(dict.fromkeys(name for name in names if name))


# Tools and structured answers


def wire_tool(function: Function, *, can_defer: bool) -> Fields:
    """Return a tool of the API; `can_defer` is whether the request has a tool that finds deferred ones."""
    if function.native is not None:
        return {key: value for key, value in function.native.items() if not key.startswith("x-harn-")}
    tool: Fields = {"name": function.name, "input_schema": {"type": "object", **function.schema}}
    if function.description:
        tool = {"name": function.name, "description": function.description, "input_schema": tool["input_schema"]}
    if function.deferred and can_defer:
        tool["defer_loading"] = True
    return tool


def add_tools(body: Fields, request: ChatRequest, parameters: Parameters) -> None:
    """Add the tools, the tool for a structured answer if there is one in the body, and which must be called."""
    functions = functions_of(request)
    can_defer = any(function.native is not None for function in functions)
    tools = [wire_tool(function, can_defer=can_defer) for function in functions]
    answer = body.pop("tools", [])
    if not tools and not answer:
        return
    body["tools"] = [*tools, *answer]
    mode, name = choice_of(request)
    if answer and (mode is None or mode == AUTO or not tools):
        mode, name = (REQUIRED, None) if tools else (REQUIRED, ANSWER_TOOL)
    elif answer and mode == NONE:
        mode, name = REQUIRED, ANSWER_TOOL
    if mode == REQUIRED and thinks(body):
        parameters.note("tool_choice is auto: a model that thinks cannot be required to call a tool")
        mode, name = AUTO, None
    if name is not None:
        body["tool_choice"] = {"type": "tool", "name": name}
    elif mode is not None:
        body["tool_choice"] = {"type": "any" if mode == REQUIRED else mode}


def uses_answer_tool(request: ChatRequest, host: Host, schema: Fields | None) -> bool:
    """Return whether the structured answer of a request comes as a call of the tool for it."""
    if schema is None or any(function.name == ANSWER_TOOL for function in functions_of(request)):
        return False
    way = host.flags.get("structured_output")
    return way == "tool_use" or (way == "native" and closed(schema) is None)


def answer_tool(schema: Fields) -> Fields:
    """Return the tool for an answer with this schema."""
    return {
        "name": ANSWER_TOOL,
        "description": "Gives the answer. Call it once, with the complete answer as its arguments.",
        "input_schema": schema if is_object(schema) else _wrapped(schema),
    }


def is_object(schema: Fields) -> bool:
    """Return whether a schema can be that of the arguments of a tool."""
    return schema.get("type") == "object" and not {"oneOf", "anyOf", "allOf"} & schema.keys()


def _wrapped(schema: Fields) -> Fields:
    """Return the schema of an object whose only key is the answer; definitions stay at the root."""
    inner = {key: value for key, value in schema.items() if key not in ("$defs", "definitions", "$schema")}
    outer: Fields = {"type": "object", "properties": {ANSWER_KEY: inner}, "required": [ANSWER_KEY]}
    return outer | {key: value for key, value in schema.items() if key in ("$defs", "definitions")}


_UNSUPPORTED = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "maxItems"}
    | {"patternProperties", "propertyNames", "minProperties", "maxProperties", "uniqueItems", "not", "if", "oneOf"}
)
_MAPS = ("properties", "$defs", "definitions")


def closed(schema: Any) -> Any:  # noqa: ANN401 - a schema or a part of one
    """Return a schema whose objects all refuse further keys, or None if the API cannot enforce its meaning."""
    if isinstance(schema, list):
        items = [closed(item) for item in schema]
        return None if any(item is None for item in items) else items
    if not isinstance(schema, dict):
        return schema if schema is not None else False
    found: Fields = {}
    if _UNSUPPORTED & schema.keys() or schema.get("additionalProperties") not in (None, False):
        return None
    for name, value in schema.items():
        if name in _MAPS and isinstance(value, dict):
            parts = {key: closed(part) for key, part in value.items()}
            if any(part is None for part in parts.values()):
                return None
            found[name] = parts
        elif name in ("items", "anyOf", "allOf"):
            part = closed(value)
            if part is None:
                return None
            found[name] = part
        else:
            found[name] = value
    if schema.get("type") == "object" or "properties" in schema:
        found["additionalProperties"] = False
    return found
