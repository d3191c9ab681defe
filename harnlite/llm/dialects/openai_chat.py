"""The dialect of Chat Completions, the API of OpenAI that many other hosts have, too."""

from __future__ import annotations

from harnlite.llm.dialects import compatible_hosts as quirk
from harnlite.llm.dialects.chat_messages import ChatMessages, mentions_json, system_text, turns_for
from harnlite.llm.dialects.chat_replies import ChatReader, reply_of
from harnlite.llm.dialects.compatible_hosts import CHAT_PATH, quirks_of, url_of
from harnlite.llm.dialects.dialect import SSE, WireRequest
from harnlite.llm.dialects.openai_options import (
    Notes,
    answer_format,
    log_probabilities,
    output_limit,
    sampling_fields,
    takes_completion_tokens,
    thinking_fields,
    with_own,
)
from harnlite.llm.dialects.openai_tools import choice_of, functions_of
from harnlite.llm.dialects.vendor_errors import http_failure_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnlite.llm.backend import ChatReply, ChatRequest
    from harnlite.llm.dialects.dialect import Host
    from harnlite.values.errors import ScriptError

    Body = dict[str, Any]

_RESPONSES_OPTIONS = ("background", "include", "previous_response_id", "truncation")
_STORING = ("openai", "azure_openai")


class OpenAiChat:
    """Chat Completions, with the quirks of the host."""

    __slots__ = ()

    framing = SSE

    def wire(self, request: ChatRequest, host: Host) -> WireRequest:
        """Return the request as the host demands it."""
        notes = Notes(request.provider)
        turns = turns_for(request, host)
        form = answer_format(request, host, notes)
        sentence = form.sentence
        if form.needs_word and mentions_json(request, turns, system=True):
            sentence = None
        body: Body = {
            "model": request.model,
            "messages": ChatMessages(request, host, notes).of(turns, system_text(request, sentence)),
        }
        body.update(_limit(request, host, notes))
        body.update(sampling_fields(request, host, notes))
        wanted = log_probabilities(request, host, notes)
        if wanted is not None:
            body["logprobs"] = True
            if wanted:
                body["top_logprobs"] = wanted
        body.update(thinking_fields(request, host, notes))
        if form.field is not None:
            body["response_format"] = _response_format(form.field)
        body.update(_tools(request, notes))
        if request.stream:
            body["stream"] = True
            if quirk.STREAM_USAGE in quirks_of(host):
                body["stream_options"] = {"include_usage": True}
        for name in _unavailable(request, host):
            notes.unsent(name)
        body = with_own(body, request, notes, _unavailable(request, host))
        return WireRequest(url_of(request, host, CHAT_PATH), dict(host.headers), body, tuple(notes.texts))

    def reply(self, body: Mapping[str, Any], request: ChatRequest, host: Host) -> ChatReply:  # noqa: ARG002 - the interface
        """Return the reply of a request that was not streamed."""
        return reply_of(body, request)

    def reader(self, request: ChatRequest, host: Host) -> ChatReader:
        """Return a reader for the reply of a streamed request."""
        return ChatReader(request, needs_end_mark=quirk.EXACT_END in quirks_of(host))

    def failure(self, status: int, body: str, host: Host, retry_after: str | None = None) -> ScriptError:
        """Return the error for an HTTP error response."""
        return http_failure_of(host.provider, status, body, retry_after)


def _limit(request: ChatRequest, host: Host, notes: Notes) -> Body:
    limit = output_limit(request, host, notes)
    if limit is None:
        return {}
    return {"max_completion_tokens" if takes_completion_tokens(request.model, host) else "max_tokens": limit}


def _response_format(field: Body) -> Body:
    if field["type"] != "json_schema":
        return field
    return {"type": "json_schema", "json_schema": {key: value for key, value in field.items() if key != "type"}}


def _tools(request: ChatRequest, notes: Notes) -> Body:
    functions = functions_of(request, notes)
    tools = [{"type": "function", "function": function} for function in functions]
    own = request.options.get("provider_tools")
    if isinstance(own, list):
        tools += own
    mode, name = choice_of(request, tools, notes)
    fields: Body = {"tools": tools} if tools else {}
    if mode is not None:
        fields["tool_choice"] = mode if name is None else {"type": "function", "function": {"name": name}}
    return fields


def _unavailable(request: ChatRequest, host: Host) -> list[str]:
    """Return the options of the request that only the Responses API has."""
    names = [name for name in _RESPONSES_OPTIONS if name in request.options]
    if host.provider not in _STORING and "store" in request.options:
        names.append("store")
    if request.options.get("api_mode") == "responses":
        names.append("api_mode")
    return names


OPENAI_CHAT = OpenAiChat()
