"""The dialect of the Gemini API."""

from __future__ import annotations

from urllib.parse import quote

from harnlite.formats.json.writing import json_text
from harnlite.llm.dialects.content import nothing_to_send
from harnlite.llm.dialects.dialect import SSE, WireRequest
from harnlite.llm.dialects.functions import REQUIRED, callable_functions, choice_of
from harnlite.llm.dialects.gemini_messages import contents_of
from harnlite.llm.dialects.gemini_replies import ResponseReader, http_error, read_response
from harnlite.llm.dialects.gemini_schemas import plain_schema
from harnlite.llm.dialects.parameters import Parameters, without_empty
from harnlite.llm.dialects.turns import alternating, instructions, turns_of, with_text_first, with_user_first
from harnlite.reminders.capabilities import version_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnlite.llm.backend import ChatReply, ChatRequest
    from harnlite.llm.dialects.dialect import Host
    from harnlite.llm.dialects.functions import Function
    from harnlite.values.errors import ScriptError

    Fields = dict[str, Any]

_VERSIONS = ("/v1", "/v1beta", "/v1alpha")
_LEVELS_SINCE = (3,)
_BUDGETS = {"minimal": 512, "low": 1024, "medium": 8192, "high": 24_576, "xhigh": 24_576}
_DYNAMIC = -1
_MOST_STOPS = 5
_JSON = "application/json"
_ONLY_JSON = "Answer with JSON and nothing else: no prose, no Markdown fences."
_ONLY_SCHEMA = "Answer with JSON of this JSON Schema and nothing else: no prose, no Markdown fences.\n{schema}"


class Gemini:
    """Requests and replies of `:generateContent`."""

    framing = SSE

    def wire(self, request: ChatRequest, host: Host) -> WireRequest:
        """Return the request as Gemini demands it."""
        parameters = Parameters(request)
        texts, turns = instructions(turns_of(request.messages))
        turns = with_user_first(alternating(turns))
        if not turns:
            raise nothing_to_send(request)
        config = _config(request, parameters, host)
        structure = _structure(config, request, parameters)
        system = "\n\n".join([text for text in (request.system, *texts, structure) if text])
        if system and host.flags.get("accepts_system") is False:
            turns, system = with_text_first(turns, system), ""
        body: Fields = {}
        if system:
            body["systemInstruction"] = {"parts": [{"text": system}]}
        body["contents"] = contents_of(turns, parameters, needs_signatures=_is_third(request))
        _add_tools(body, request, parameters)
        body["generationConfig"] = config
        parameters.skip("cache", "interleaved_thinking", "anthropic_beta_features")
        return WireRequest(_url(request, host), dict(host.headers), parameters.added_to(body), tuple(parameters.notes))

    def reply(self, body: Mapping[str, Any], request: ChatRequest, host: Host) -> ChatReply:  # noqa: ARG002 - the protocol
        """Return the reply of a request that was not streamed."""
        return read_response(body, request)

    def reader(self, request: ChatRequest, host: Host) -> ResponseReader:  # noqa: ARG002 - the protocol
        """Return a reader for the reply of a streamed request."""
        return ResponseReader(request)

    def failure(self, status: int, body: str, host: Host, retry_after: str | None = None) -> ScriptError:
        """Return the error for an HTTP error response."""
        return http_error(host.provider, status, body, retry_after)


def _is_third(request: ChatRequest) -> bool:
    """Return whether the model is of the third generation, which has levels of thinking and needs signatures."""
    name = request.model.lower()
    return "gemini" in name and version_of(name[name.find("gemini") :]) >= _LEVELS_SINCE


def _url(request: ChatRequest, host: Host) -> str:
    base = host.base_url.rstrip("/")
    model = quote(request.model if "/" in request.model else f"models/{request.model}", safe="/")
    if host.chat_endpoint:
        return f"{base}/{host.chat_endpoint.lstrip('/')}".replace("{model}", model.partition("/")[2])
    if not base.endswith(_VERSIONS):
        base += "/v1beta"
    return f"{base}/{model}:{'streamGenerateContent?alt=sse' if request.stream else 'generateContent'}"


def _config(request: ChatRequest, parameters: Parameters, host: Host) -> Fields:
    limit = parameters.get("max_tokens")
    if limit.__class__ is int and host.max_output is not None and limit > host.max_output:
        parameters.note(f"max_tokens is {host.max_output}, the limit of the model")
        limit = host.max_output
    logprobs = parameters.get("logprobs")
    count = logprobs if logprobs.__class__ is int else None
    return without_empty(
        (
            ("maxOutputTokens", limit),
            ("temperature", parameters.number("temperature")),
            ("topP", parameters.number("top_p")),
            ("topK", parameters.get("top_k")),
            ("stopSequences", _stops(parameters)),
            ("seed", parameters.get("seed")),
            ("presencePenalty", parameters.number("presence_penalty")),
            ("frequencyPenalty", parameters.number("frequency_penalty")),
            ("responseLogprobs", True if logprobs else None),
            ("logprobs", count),
            ("thinkingConfig", _thinking(request, parameters, host)),
        )
    )


def _stops(parameters: Parameters) -> list[str]:
    stops = parameters.stops()
    if len(stops) > _MOST_STOPS:
        parameters.note(f"only {_MOST_STOPS} texts of option 'stop' are sent to gemini")
    return stops[:_MOST_STOPS]


def _thinking(request: ChatRequest, parameters: Parameters, host: Host) -> Fields | None:
    wanted = parameters.thinking(host)
    mode, level = wanted.get("mode"), wanted.get("level")
    if mode is None:
        return wanted
    if mode == "disabled" or level == "none":
        return None
    found: Fields = {"includeThoughts": True}
    budget = wanted.get("budget_tokens")
    if _is_third(request):
        if isinstance(level, str):
            found["thinkingLevel"] = _level(level, request.model)
        elif isinstance(budget, int):
            found["thinkingBudget"] = budget
        return found
    found["thinkingBudget"] = _BUDGETS[level] if isinstance(level, str) else budget if budget is not None else _DYNAMIC
    return found


def _level(level: str, model: str) -> str:
    if level == "minimal" and "pro" in model.lower():
        return "low"
    return "high" if level == "xhigh" else level


def _structure(config: Fields, request: ChatRequest, parameters: Parameters) -> str:
    """Add the fields for a structured answer, and return the instruction that replaces them where there are none."""
    schema = parameters.schema()
    if schema is None and not parameters.wants_json:
        return ""
    if request.tools and not _is_third(request):
        parameters.note("output_format is sent as an instruction: the model does not take it together with tools")
        return _ONLY_JSON if schema is None else _ONLY_SCHEMA.format(schema=json_text(schema))
    config["responseMimeType"] = _JSON
    if schema is not None:
        config["responseSchema"] = plain_schema(schema)
    return ""


def _add_tools(body: Fields, request: ChatRequest, parameters: Parameters) -> None:
    functions = callable_functions(request, parameters)
    if not functions:
        return
    body["tools"] = [{"functionDeclarations": [_declaration(function) for function in functions]}]
    mode, name = choice_of(request)
    if mode is not None:
        choice: Fields = {"mode": "ANY" if mode == REQUIRED else mode.upper()}
        if name is not None:
            choice["allowedFunctionNames"] = [name]
        body["toolConfig"] = {"functionCallingConfig": choice}


def _declaration(function: Function) -> Fields:
    declared: Fields = {"name": function.name, "description": function.description}
    if function.schema.get("properties"):
        declared["parameters"] = plain_schema(function.schema)
    return declared


DIALECT = Gemini()
