"""The result dict of a model call."""

from __future__ import annotations

from harnlite.digests import sha256
from harnlite.formats.json.writing import json_text
from harnlite.llm.budget import cache_savings
from harnlite.llm.offered_tools import tool_names
from harnlite.llm.sanitizer import sanitised
from harnlite.llm.text_protocol import has_tags, parse_reply
from harnlite.reminders.capabilities import ANTHROPIC
from harnlite.reminders.messages import message_event
from harnlite.values.data_types import LazyDict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.llm.backend import ChatReply, ChatRequest
    from harnlite.llm.options import CallOptions
    from harnlite.llm.structured_answers import Answer
    from harnlite.runtime.tasks.execution import Execution

_PARSED = ("protocol_violations", "tool_parse_errors", "done_marker", "canonical_text")


def result_dict(
    run: Execution, request: ChatRequest, reply: ChatReply, options: CallOptions, answer: Answer | None
) -> dict[str, Any]:
    """Return the result dict for a request and its reply."""
    calls = list(reply.tool_calls)
    usage = usage_of(run, reply)
    text = reply.text
    result: dict[str, Any] = {
        "text": text,
        "model": reply.model,
        "provider": reply.provider,
        "native_tool_calls": calls,
        "blocks": list(reply.blocks),
        "usage": usage,
        "transcript": LazyDict(None, _TranscriptMaker(run, request, reply, options)),
        **usage,
    }
    parsed = None
    if options.entries or calls or has_tags(text):
        parsed = parse_reply(text, _known_tools(options) if options.entries else None)
    result["prose"] = prose = text if parsed is None else parsed["prose"]
    result["visible_text"] = prose if options.entries and not calls else sanitised(text)
    if parsed is not None:
        result.update({name: parsed[name] for name in _PARSED if parsed.get(name)})
    tool_calls = calls or (parsed["calls"] if parsed else [])
    if tool_calls:
        result["tool_calls"] = tool_calls
    if answer is not None and answer.has_data:
        result["data"] = answer.data
    if reply.thinking is not None:
        result["thinking"] = result["private_reasoning"] = reply.thinking
    if reply.thinking_summary is not None:
        result["thinking_summary"] = reply.thinking_summary
    if reply.stop_reason is not None:
        result["stop_reason"] = reply.stop_reason
    if reply.logprobs is not None:
        result["logprobs"] = reply.logprobs
    if reply.response_id is not None:
        result["response_id"] = reply.response_id
    return result


def _known_tools(options: CallOptions) -> list[str]:
    names = tool_names(options.entries)
    return names if options.search is None else [*names, options.search.name]


def usage_of(run: Execution, reply: ChatReply) -> dict[str, Any]:
    """Return the token and cache usage of a reply."""
    read = reply.cache_read_tokens
    total = max(read, reply.input_tokens)
    return {
        "input_tokens": reply.input_tokens,
        "output_tokens": reply.output_tokens,
        "cache_read_tokens": read,
        "cache_write_tokens": reply.cache_write_tokens,
        "cache_creation_input_tokens": reply.cache_write_tokens,
        "cache_hit_ratio": read / total if total else 0.0,
        "cache_savings_usd": cache_savings(run, reply.model, read) if read else 0.0,
    }


def no_usage() -> dict[str, Any]:
    """Return the usage fields for a result without a model call."""
    counts = dict.fromkeys(
        (
            "input_tokens",
            "output_tokens",
            "cache_read_tokens",
            "cache_write_tokens",
            "cache_creation_input_tokens",
        ),
        0,
    )
    return {**counts, "cache_hit_ratio": 0.0, "cache_savings_usd": 0.0}


# The transcript of a call, built when a script first reads it


class _TranscriptMaker:
    """A callable that builds the transcript of one call."""

    __slots__ = ("_options", "_reply", "_request", "_run")

    def __init__(self, run: Execution, request: ChatRequest, reply: ChatReply, options: CallOptions) -> None:
        self._run = run
        self._request = request
        self._reply = reply
        self._options = options

    def __call__(self) -> dict[str, Any]:
        uuid7 = self._run.ids.uuid7
        messages = [*self._request.messages, assistant_message(self._reply, self._request)]
        events = [self._event(*event) for event in self._before()]
        events += [message_event(message, uuid7()) for message in messages]
        events += [self._event(*event) for event in self._after()]
        return {
            "_type": "transcript",
            "version": 2,
            "id": uuid7(),
            "messages": messages,
            "events": events,
            "assets": [],
            "state": "active",
        }

    def _event(
        self, kind: str, role: str, visibility: str, text: str, metadata: dict[str, Any] | None
    ) -> dict[str, Any]:
        event: dict[str, Any] = {
            "id": self._run.ids.uuid7(),
            "kind": kind,
            "role": role,
            "visibility": visibility,
            "text": text,
            "blocks": [{"type": "text", "text": text, "visibility": visibility}],
        }
        return event if metadata is None else {**event, "metadata": metadata}

    def _before(self) -> list[tuple[str, str, str, str, dict[str, Any] | None]]:
        system = self._request.system
        return [("system_prompt", "system", "internal", "", prompt_metadata(system))] if system else []

    def _after(self) -> list[tuple[str, str, str, str, dict[str, Any] | None]]:
        reply, experiment = self._reply, self._options.experiment
        metadata: dict[str, Any] = {
            "model": reply.model,
            "input_tokens": reply.input_tokens,
            "output_tokens": reply.output_tokens,
            "tool_calls": list(reply.tool_calls),
            "blocks": list(reply.blocks),
            "thinking_summary": reply.thinking_summary,
            "structural_experiment": None if experiment is None else experiment.as_dict(),
        }
        events: list[tuple[str, str, str, str, dict[str, Any] | None]] = [
            ("provider_payload", "assistant", "internal", "", metadata)
        ]
        for kind, text, visibility in (
            ("private_reasoning", reply.thinking, "private"),
            ("thinking_summary", reply.thinking_summary, "internal"),
        ):
            if text:
                events.append((kind, "assistant", visibility, text, None))
        return events


def prompt_metadata(text: str) -> dict[str, Any]:
    """Return the metadata of a system prompt for its event: its size and hash."""
    data = text.encode("utf-8", "surrogatepass")
    digest = sha256(data).hexdigest()
    return {"bytes": len(data), "hash": f"sha256:{digest}", "sha256": digest}


def assistant_message(reply: ChatReply, request: ChatRequest) -> dict[str, Any]:
    """Return the transcript message for a reply."""
    message: dict[str, Any] = {"role": "assistant"}
    if reply.blocks:
        message["content"] = list(reply.blocks)
    elif reply.tool_calls:
        message.update(call_message(reply.text, list(reply.tool_calls), request.wire_format))
    else:
        message["content"] = reply.text
    if reply.thinking:
        message["reasoning"] = reply.thinking
    return message


def has_to_go_back(blocks: object) -> bool:
    """Return whether the blocks of a reply contain thinking or signatures that its provider needs unchanged."""
    return isinstance(blocks, list) and any(
        isinstance(block.get("native"), dict) or "thought_signature" in block
        for block in blocks
        if isinstance(block, dict)
    )


def call_message(text: str, calls: list[dict[str, Any]], wire_format: str) -> dict[str, Any]:
    """Return the message in which a model calls tools, in the format of its provider."""
    if wire_format == ANTHROPIC:
        content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
        content += [
            {"type": "tool_use", "id": call.get("id"), "name": call.get("name"), "input": call.get("arguments")}
            for call in calls
        ]
        return {"role": "assistant", "content": content}
    functions = [
        {
            "id": call.get("id"),
            "type": "function",
            "function": {"name": call.get("name"), "arguments": json_text(call.get("arguments"))},
        }
        for call in calls
    ]
    return {"role": "assistant", "content": text, "tool_calls": functions}
