"""The dialect of Ollama."""

from __future__ import annotations

from harnlite.llm.dialects.content import IMAGE, MEDIA, REASONING, RESULT, refused, result_text, text_of
from harnlite.llm.dialects.dialect import JSON_LINES, WireRequest
from harnlite.llm.dialects.functions import NONE, REQUIRED, callable_functions, choice_of
from harnlite.llm.dialects.ollama_replies import OLLAMA, ChatReader, read_chat
from harnlite.llm.dialects.parameters import Parameters, merged, without_empty
from harnlite.llm.dialects.replies import http_failure
from harnlite.llm.dialects.turns import ASSISTANT, alternating, instructions, turns_of, with_text_first

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnlite.llm.backend import ChatReply, ChatRequest
    from harnlite.llm.dialects.content import Block
    from harnlite.llm.dialects.dialect import Host
    from harnlite.llm.dialects.turns import Turn
    from harnlite.values.errors import ScriptError

    Fields = dict[str, Any]

_RUNTIME = frozenset(
    {"numa", "num_ctx", "num_batch", "num_gpu", "main_gpu", "low_vram", "vocab_only", "use_mmap", "use_mlock"}
    | {"num_thread", "num_keep", "num_predict", "min_p", "tfs_z", "typical_p", "repeat_last_n", "repeat_penalty"}
    | {"mirostat", "mirostat_tau", "mirostat_eta", "penalize_newline"}
)
"""The options of the model's runtime, which belong into `options`."""

_FIELDS = frozenset(
    {"format", "keep_alive", "logprobs", "options", "shift", "think", "tools", "top_logprobs", "truncate"}
)
"""The fields of a request. Ollama ignores others without a word, so they are not sent."""

_LEVELS = {"minimal": "low", "xhigh": "high"}


class Ollama:
    """Requests and replies of `/api/chat`."""

    framing = JSON_LINES

    def wire(self, request: ChatRequest, host: Host) -> WireRequest:
        """Return the request as Ollama demands it."""
        parameters = Parameters(request)
        texts, turns = instructions(turns_of(request.messages))
        turns = alternating(turns)
        system = "\n\n".join([text for text in (request.system, *texts) if text])
        if system and host.flags.get("accepts_system") is False:
            turns, system = with_text_first(turns, system), ""
        messages = [{"role": "system", "content": system}] if system else []
        body: Fields = {
            "model": request.model,
            "messages": messages + [message for turn in turns for message in _messages(turn, parameters)],
            "stream": request.stream,
            **_structure(parameters),
            **_tools(request, parameters),
            **_thinking(request, parameters, host),
        }
        logprobs = parameters.get("logprobs")
        if logprobs:
            body["logprobs"] = True
            if logprobs.__class__ is int:
                body["top_logprobs"] = logprobs
        body["options"] = _options(parameters, host)
        parameters.skip("cache", "interleaved_thinking", "anthropic_beta_features")
        body = merged(body, _extra(parameters))
        return WireRequest(_url(host), dict(host.headers), body, tuple(parameters.notes))

    def reply(self, body: Mapping[str, Any], request: ChatRequest, host: Host) -> ChatReply:  # noqa: ARG002 - the protocol
        """Return the reply of a request that was not streamed."""
        return read_chat(body, request)

    def reader(self, request: ChatRequest, host: Host) -> ChatReader:  # noqa: ARG002 - the protocol
        """Return a reader for the reply of a streamed request."""
        return ChatReader(request)

    def failure(self, status: int, body: str, host: Host, retry_after: str | None = None) -> ScriptError:
        """Return the error for an HTTP error response."""
        return http_failure(host.provider, status, body, retry_after=retry_after)


def _url(host: Host) -> str:
    base = host.base_url.rstrip("/")
    if host.chat_endpoint:
        return f"{base}/{host.chat_endpoint.lstrip('/')}"
    return f"{base}/chat" if base.endswith("/api") else f"{base}/api/chat"


def _messages(turn: Turn, parameters: Parameters) -> list[Fields]:
    """Return the messages of a turn: one for each result of a tool, then one for everything else."""
    results = [block for block in turn.blocks if block["type"] == RESULT]
    found: list[Fields] = [
        {"role": "tool", "tool_name": block["name"], "content": result_text(block)} for block in results
    ]
    message: Fields = {"role": turn.role, "content": text_of(turn.blocks)}
    inner = [item for block in results if isinstance(block["content"], list) for item in block["content"]]
    images = [_image(block) for block in [*turn.blocks, *inner] if block["type"] == MEDIA and "text" not in block]
    texts = [block["text"] for block in turn.blocks if block["type"] == MEDIA and "text" in block]
    if texts:
        message["content"] = "\n\n".join([text for text in (*texts, message["content"]) if text])
    if images:
        message["images"] = images
    if turn.role == ASSISTANT and turn.calls:
        thoughts = [_thought(block) for block in turn.blocks if block["type"] == REASONING]
        thinking = "\n\n".join(text for text in thoughts if text)
        if thinking:
            message["thinking"] = thinking
        message["tool_calls"] = [
            {"function": {"name": call["name"], "arguments": call["arguments"]}} for call in turn.calls
        ]
    for block in turn.blocks:
        if block["type"] == "native":
            parameters.note(f"a content block of type '{block['native'].get('type')}' is not sent to {OLLAMA}")
    if message["content"] or len(message) > 2:  # noqa: PLR2004 - role and content
        found.append(message)
    return found


def _thought(block: Block) -> str:
    text = block["native"].get("thinking") if block["provider"] == OLLAMA else None
    return text if isinstance(text, str) else ""


def _image(block: Block) -> str:
    if block["kind"] != IMAGE:
        raise refused(f"ollama does not take content of the type {block['media_type']}")
    if "data" not in block:
        raise refused("ollama takes images as base64 data, not as URLs")
    data: str = block["data"]
    return data


def _structure(parameters: Parameters) -> Fields:
    schema = parameters.schema()
    if schema is not None:
        return {"format": schema}
    return {"format": "json"} if parameters.wants_json else {}


def _tools(request: ChatRequest, parameters: Parameters) -> Fields:
    functions = callable_functions(request, parameters)
    mode, _name = choice_of(request)
    if mode == REQUIRED and functions:
        parameters.note(f"tool_choice is not sent to {OLLAMA}")
    if not functions or mode == NONE:
        return {}
    return {
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": function.name,
                    "description": function.description,
                    "parameters": function.schema,
                },
            }
            for function in functions
        ]
    }


def _thinking(request: ChatRequest, parameters: Parameters, host: Host) -> Fields:
    wanted = parameters.thinking(host)
    level = wanted.get("level")
    if wanted.get("mode") == "disabled":
        return {"think": False} if parameters.get("reasoning_effort") == "none" else {}
    if level == "none":
        return {"think": False}
    if wanted.get("budget_tokens") is not None:
        parameters.note(f"thinking.budget_tokens is not sent to {OLLAMA}")
    if isinstance(level, str) and "gpt-oss" in request.model:
        return {"think": _LEVELS.get(level, level)}
    return {"think": True}


def _options(parameters: Parameters, host: Host) -> Fields:
    return without_empty(
        (
            ("num_ctx", host.window),
            ("num_predict", parameters.get("max_tokens")),
            ("temperature", parameters.number("temperature")),
            ("top_p", parameters.number("top_p")),
            ("top_k", parameters.get("top_k")),
            ("seed", parameters.get("seed")),
            ("stop", parameters.stops()),
            ("presence_penalty", parameters.number("presence_penalty")),
            ("frequency_penalty", parameters.number("frequency_penalty")),
        )
    )


def _extra(parameters: Parameters) -> Fields:
    """Return the fields that the options give for Ollama, those of its runtime inside `options`."""
    found: Fields = {}
    for name, value in parameters.extra().items():
        if name in _RUNTIME:
            found = merged(found, {"options": {**found.get("options", {}), name: value}})
        elif name in _FIELDS:
            found[name] = {**found.get("options", {}), **value} if name == "options" else value
        else:
            parameters.note(f"option '{name}' is not sent to {OLLAMA}")
    return found


DIALECT = Ollama()
