"""The dialect of the Messages API of Anthropic."""

from __future__ import annotations

from harnlite.formats.json.writing import json_text
from harnlite.llm.dialects.anthropic_messages import (
    drop_marks,
    mark_cached,
    starts_with_thinking,
    turns_and_system,
    wire_messages,
    with_user_last,
)
from harnlite.llm.dialects.anthropic_options import (
    Model,
    add_sampling,
    add_thinking,
    add_tools,
    answer_tool,
    betas,
    closed,
    max_tokens,
    uses_answer_tool,
)
from harnlite.llm.dialects.anthropic_replies import MessageReader, read_message
from harnlite.llm.dialects.content import nothing_to_send, refused
from harnlite.llm.dialects.dialect import SSE, WireRequest
from harnlite.llm.dialects.parameters import Parameters
from harnlite.llm.dialects.replies import http_failure
from harnlite.llm.dialects.turns import with_text_first

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnlite.llm.backend import ChatReply, ChatRequest
    from harnlite.llm.dialects.dialect import Host
    from harnlite.values.errors import ScriptError

_VERSION = "2023-06-01"
_ONLY_JSON = "Answer with one JSON object and nothing else: no prose, no Markdown fences."
_ONLY_SCHEMA = "Answer with JSON of this JSON Schema and nothing else: no prose, no Markdown fences.\n{schema}"


class Anthropic:
    """Requests and replies of `/v1/messages`."""

    framing = SSE

    def wire(self, request: ChatRequest, host: Host) -> WireRequest:
        """Return the request as Anthropic demands it."""
        parameters = Parameters(request)
        model = Model(request, host)
        if parameters.get("prefill") and model.refuses_prefill:
            raise refused(f"option `prefill` is not supported by `{request.model}` (provider `{request.provider}`).")
        turns, system = turns_and_system(request, parameters)
        if not turns:
            raise nothing_to_send(request)
        body: dict[str, Any] = {"model": request.model, "max_tokens": max_tokens(parameters, host)}
        add_thinking(body, parameters, model, host)
        if body.get("thinking", {}).get("type") == "enabled" and not starts_with_thinking(turns):
            parameters.note("thinking is not sent: the tool calls that are being answered were made without it")
            del body["thinking"]
        if "thinking" in body and parameters.get("prefill"):
            raise refused("option `prefill` cannot be combined with `thinking`")
        if model.refuses_prefill or "thinking" in body:
            turns = with_user_last(turns, parameters)
        system = "\n\n".join([text for text in (system, _structure(body, request, host, parameters)) if text])
        if system and host.flags.get("accepts_system") is False:
            turns, system = with_text_first(turns, system), ""
        if system:
            body["system"] = system
        body["messages"] = wire_messages(turns)
        add_tools(body, request, parameters)
        add_sampling(body, parameters, model)
        stops = [text for text in parameters.stops() if text.strip()]
        if stops:
            body["stop_sequences"] = stops
        parameters.skip("seed", "frequency_penalty", "presence_penalty", "logprobs")
        if parameters.get("cache"):
            mark_cached(body)
        drop_marks(body, request, parameters)
        if request.stream:
            body["stream"] = True
        body = parameters.added_to(body)
        return WireRequest(_url(host), _headers(host, parameters), body, tuple(parameters.notes))

    def reply(self, body: Mapping[str, Any], request: ChatRequest, host: Host) -> ChatReply:
        """Return the reply of a request that was not streamed."""
        return read_message(body, request, is_answer=_has_answer_tool(request, host))

    def reader(self, request: ChatRequest, host: Host) -> MessageReader:
        """Return a reader for the reply of a streamed request."""
        return MessageReader(request, is_answer=_has_answer_tool(request, host))

    def failure(self, status: int, body: str, host: Host, retry_after: str | None = None) -> ScriptError:
        """Return the error for an HTTP error response."""
        return http_failure(host.provider, status, body, retry_after=retry_after)


def _has_answer_tool(request: ChatRequest, host: Host) -> bool:
    return uses_answer_tool(request, host, Parameters(request).schema())


def _structure(body: dict[str, Any], request: ChatRequest, host: Host, parameters: Parameters) -> str:
    """Add the fields for a structured answer, and return the instruction that replaces them where there are none."""
    schema = parameters.schema()
    if schema is None:
        return _ONLY_JSON if parameters.wants_json else ""
    if uses_answer_tool(request, host, schema):
        body["tools"] = [answer_tool(schema)]
        return ""
    strict = closed(schema)
    if host.flags.get("structured_output") == "native" and strict is not None:
        body["output_config"] = {**body.get("output_config", {}), "format": {"type": "json_schema", "schema": strict}}
        return ""
    parameters.note("output_format is sent as an instruction: the model has no structured output")
    return _ONLY_SCHEMA.format(schema=json_text(schema))


def _url(host: Host) -> str:
    base = host.base_url.rstrip("/")
    if host.chat_endpoint:
        return f"{base}/{host.chat_endpoint.lstrip('/')}"
    return f"{base}/messages" if base.endswith("/v1") else f"{base}/v1/messages"


def _headers(host: Host, parameters: Parameters) -> dict[str, str]:
    """Return the headers of the host with the version of the API and the beta features."""
    headers = {name.lower(): value for name, value in host.headers.items()}
    headers.setdefault("anthropic-version", _VERSION)
    features = betas(parameters, headers.get("anthropic-beta", ""))
    if features:
        headers["anthropic-beta"] = features
    return headers


DIALECT = Anthropic()
