"""The dialect of the Responses API of OpenAI."""

from __future__ import annotations

from harnlite.llm.dialects.chat_messages import mentions_json, system_text, turns_for, with_system_in_user
from harnlite.llm.dialects.compatible_hosts import RESPONSES_PATH, url_of
from harnlite.llm.dialects.dialect import SSE, WireRequest
from harnlite.llm.dialects.openai_options import (
    MODES,
    Notes,
    answer_format,
    effort_of,
    is_reasoning_model,
    log_probabilities,
    nearest_effort,
    output_limit,
    sampling_fields,
    with_own,
)
from harnlite.llm.dialects.openai_tools import choice_of, functions_of
from harnlite.llm.dialects.responses_input import InputItems
from harnlite.llm.dialects.responses_replies import ResponsesReader, is_stored, reply_of
from harnlite.llm.dialects.turns import ASSISTANT, DEVELOPER
from harnlite.llm.dialects.vendor_errors import http_failure_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnlite.llm.backend import ChatReply, ChatRequest
    from harnlite.llm.dialects.dialect import Host
    from harnlite.llm.dialects.turns import Turn
    from harnlite.values.errors import ScriptError

    Body = dict[str, Any]

_LEAST_OUTPUT = 16
_JSON_OBJECT = "json_object"
_LONGEST_ID = 64
_ENCRYPTED = "reasoning.encrypted_content"
_LOGPROBS = "message.output_text.logprobs"


class OpenAiResponses:
    """The Responses API. Each request contains the whole conversation, unless it continues a stored response."""

    __slots__ = ()

    framing = SSE

    def wire(self, request: ChatRequest, host: Host) -> WireRequest:
        """Return the request as the API demands it."""
        notes = Notes(request.provider)
        options = request.options
        turns = turns_for(request, host, longest_id=_LONGEST_ID)
        form = answer_format(request, host, notes)
        stored = is_stored(request)
        body: Body = {"model": request.model}
        is_plain = form.field is not None and form.field["type"] == _JSON_OBJECT
        system = system_text(request, None if is_plain or form.needs_word else form.sentence)
        if host.flags.get("accepts_system") is False:
            turns = with_system_in_user(turns, system)
        elif system:
            body["instructions"] = system
        if isinstance(options.get("previous_response_id"), str):
            turns = _news(turns)
        items = InputItems(request.provider, notes, is_stored=stored).of(turns)
        if (is_plain and not form.needs_word) or (form.needs_word and not mentions_json(request, turns, system=False)):
            # The word must be in the input; the instructions do not count.
            items = [{"role": DEVELOPER, "content": form.sentence}, *items]
        body["input"] = items
        limit = output_limit(request, host, notes, _LEAST_OUTPUT)
        if limit is not None:
            body["max_output_tokens"] = limit
        body.update(sampling_fields(request, host, notes, has_chat_fields=False))
        body.update(_thinking(request, host, notes))
        if form.field is not None:
            body["text"] = {"format": form.field}
        body.update(_tools(request, notes))
        if request.stream:
            body["stream"] = True
        if not stored:
            body["store"] = False
        _add_included(body, request, host, notes, is_stored=stored)
        handled = ["include", "store"]
        if options.get("background") and not request.stream:
            notes.unsent("background", "its answer would have to be fetched later; it needs `stream: true`")
            handled.append("background")
        body = with_own(body, request, notes, handled)
        return WireRequest(url_of(request, host, RESPONSES_PATH), dict(host.headers), body, tuple(notes.texts))

    def reply(self, body: Mapping[str, Any], request: ChatRequest, host: Host) -> ChatReply:  # noqa: ARG002 - the interface
        """Return the reply of a request that was not streamed."""
        return reply_of(body, request)

    def reader(self, request: ChatRequest, host: Host) -> ResponsesReader:  # noqa: ARG002 - the interface
        """Return a reader for the reply of a streamed request."""
        return ResponsesReader(request)

    def failure(self, status: int, body: str, host: Host, retry_after: str | None = None) -> ScriptError:
        """Return the error for an HTTP error response."""
        return http_failure_of(host.provider, status, body, retry_after)


def _news(turns: list[Turn]) -> list[Turn]:
    """Return the turns that the stored response does not contain: those after the last turn of the assistant.

    Messages of the developer in front, which are reminders, belong to each request.
    """
    last = max((at for at, turn in enumerate(turns) if turn.role == ASSISTANT), default=-1)
    count = next((at for at, turn in enumerate(turns) if turn.role != DEVELOPER), len(turns))
    return [*turns[: min(count, last + 1)], *turns[last + 1 :]]


def _thinking(request: ChatRequest, host: Host, notes: Notes) -> Body:
    """Return the field `reasoning`. The option `thinking` requests a summary, `reasoning_effort` does not."""
    thinking = request.options.get("thinking")
    if isinstance(thinking, dict) and thinking.get("mode") not in MODES:
        notes.unsent("thinking")
        return {}
    effort = effort_of(request, notes)
    if effort is None:
        return {}
    if not is_reasoning_model(request.model, host):
        notes.unsent("thinking" if thinking else "reasoning_effort", f"{request.model} does not accept it")
        return {}
    reasoning: Body = {"effort": nearest_effort(request.model, effort, notes)}
    if thinking and "reasoning_effort" not in request.options:
        reasoning["summary"] = "auto"
    return {"reasoning": reasoning}


def _tools(request: ChatRequest, notes: Notes) -> Body:
    # In this API, tools are strict by default.
    tools: list[Body] = [{"type": "function", **function, "strict": False} for function in functions_of(request, notes)]
    own = request.options.get("provider_tools")
    if isinstance(own, list):
        tools += own
    mode, name = choice_of(request, tools, notes)
    fields: Body = {"tools": tools} if tools else {}
    if mode is not None:
        fields["tool_choice"] = mode if name is None else {"type": "function", "name": name}
    return fields


def _add_included(body: Body, request: ChatRequest, host: Host, notes: Notes, *, is_stored: bool) -> None:
    """Add what the response has to include: reasoning that can be sent back, and log probabilities."""
    given = request.options.get("include")
    included = list(given) if isinstance(given, list) else []
    if not is_stored and is_reasoning_model(request.model, host):
        included.append(_ENCRYPTED)
    wanted = log_probabilities(request, host, notes)
    if wanted is not None:
        included.append(_LOGPROBS)
        if wanted:
            body["top_logprobs"] = wanted
    if included:
        body["include"] = list(dict.fromkeys(included))


OPENAI_RESPONSES = OpenAiResponses()
