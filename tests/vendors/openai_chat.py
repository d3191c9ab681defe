"""Chat completions, as OpenAI and the hosts that follow it answer them."""

import typing

from tests.vendors.api import CREATED, Body, Ids, NextReply
from tests.vendors.checks import Refused
from tests.vendors.exchange import EVENTS, SSE_PADDING, Answer, encoded, event
from tests.vendors.hosts import Host
from tests.vendors.replies import Reply, Thinking

FINISH_REASONS = {
    "end": "stop", "tool_use": "tool_calls", "max_tokens": "length", "stop_sequence": "stop", "refusal": "stop",
    "pause": "stop", "context_window": "length",
}  # fmt: skip
DONE = b"data: [DONE]\n\n"


class Chat:
    """Answers to checked chat requests."""

    def __init__(self, host: Host, name: str, ids: Ids) -> None:
        self._host = host
        self._name = name
        self._ids = ids
        self._reasoning: dict[str, str] = {}

    def answer(self, body: Body, next_reply: NextReply) -> Answer:
        """Answer a chat request."""
        for rule in self._host.rules:
            rule(body)
        if self._name == "deepseek":
            self._check_reasoning_comes_back(body["messages"])
        reply = next_reply()
        message = self._message(reply)
        head = {"id": self._ids.next("chatcmpl-", 29), "created": CREATED, "model": body["model"]}
        reason = FINISH_REASONS[reply.stop]
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reason}
            answer = {**head, "object": "chat.completion", "choices": [choice], "usage": self._usage(reply)}
            return Answer(events=[encoded(answer)], reply=reply)
        head["object"] = "chat.completion.chunk"
        asked = bool((body.get("stream_options") or {}).get("include_usage"))
        return Answer(
            events=self._stream(head, message, reply, asked),
            reply=reply,
            streamed=True,
            content_type=EVENTS,
            filler=self._chunk(head, {"content": "and so on "}),
            padding=SSE_PADDING,
        )

    def _check_reasoning_comes_back(self, messages: list[Body]) -> None:
        last_user = max((index for index, message in enumerate(messages) if message["role"] == "user"), default=0)
        for index, message in enumerate(messages[last_user:], last_user):
            for call in message.get("tool_calls", []):
                expected = self._reasoning.get(call["id"])
                if expected is not None and message.get("reasoning_content") != expected:
                    text = f"Missing `reasoning_content` field in the assistant message at message index {index}"
                    raise Refused(400, text)

    def _message(self, reply: Reply) -> Body:
        thinking = "".join(part.text for part in reply.thinking)
        refused = reply.stop == "refusal"
        message: Body = {"role": "assistant", "content": None if refused else reply.text or None}
        if self._name == "openai":
            message.update(refusal=reply.text if refused else None, annotations=[])
        field = self._host.reasoning_field
        if field == "mistral":
            if thinking:
                thought = {"type": "thinking", "thinking": [{"type": "text", "text": thinking}], "closed": True}
                message["content"] = [thought, {"type": "text", "text": reply.text}]
            elif message["content"] is None:
                message["content"] = ""
        elif field and thinking:
            message[field] = thinking
            if self._name == "openrouter":
                message["reasoning_details"] = [_detail(part) for part in reply.thinking]
        if reply.tool_calls:
            message["tool_calls"] = [
                {
                    "id": call.id or self._ids.next(*self._host.ids),
                    "type": "function",
                    "function": {"name": call.name, "arguments": encoded(dict(call.arguments)).decode()},
                }
                for call in reply.tool_calls
            ]
            if thinking:
                self._reasoning.update({call["id"]: thinking for call in message["tool_calls"]})
        return message

    def _usage(self, reply: Reply) -> Body:
        usage = reply.usage
        counts: Body = {
            "prompt_tokens": usage.input_tokens,
            "completion_tokens": usage.output_tokens,
            "total_tokens": usage.input_tokens + usage.output_tokens,
        }
        if self._name == "mistral":
            return counts
        counts["prompt_tokens_details"] = {"cached_tokens": usage.cache_read_tokens}
        if usage.cache_write_tokens:
            counts["prompt_tokens_details"]["cache_write_tokens"] = usage.cache_write_tokens
        counts["completion_tokens_details"] = {"reasoning_tokens": usage.thinking_tokens}
        if self._name == "deepseek":
            counts["prompt_cache_hit_tokens"] = usage.cache_read_tokens
            counts["prompt_cache_miss_tokens"] = usage.input_tokens - usage.cache_read_tokens
        return counts

    def _chunk(self, head: Body, delta: Body, reason: str | None = None, **fields: object) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return event({**head, "choices": [choice], **fields})

    def _stream(self, head: Body, message: Body, reply: Reply, asked: bool) -> list[bytes]:  # noqa: FBT001
        extra: Body = {"usage": None} if asked else {}
        start: Body = {"role": "assistant", "content": ""}
        chunks = [self._host.ping] if self._host.ping and reply.pings else []
        chunks.append(self._chunk(head, start, **extra))
        chunks += [self._chunk(head, delta, **extra) for delta in self._deltas(message, reply)]
        usage = self._usage(reply)
        reason = FINISH_REASONS[reply.stop]
        if self._name == "groq":
            extra = {**extra, "x_groq": {"id": "req_01", "usage": usage}}
        elif self._host.usage_always and not asked:
            extra = {"usage": usage}
        chunks.append(self._chunk(head, {}, reason, **extra))
        if asked:
            chunks.append(event({**head, "choices": [], "usage": usage}))
        return [*chunks, DONE]

    def _deltas(self, message: Body, reply: Reply) -> list[Body]:
        deltas: list[Body] = []
        thinking = "".join(part.text for part in reply.thinking)
        field = self._host.reasoning_field
        if field == "mistral":
            deltas += [
                {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": piece}]}]}
                for piece in reply.pieces(thinking)
            ]
        elif field and thinking:
            deltas += [{field: piece} for piece in reply.pieces(thinking)]
            if self._name == "openrouter":
                deltas.append({"reasoning_details": message["reasoning_details"]})
        name = "refusal" if reply.stop == "refusal" and self._name == "openai" else "content"
        deltas += [{name: piece} for piece in reply.pieces(reply.text)]
        for index, call in enumerate(message.get("tool_calls", [])):
            arguments = call["function"]["arguments"]
            if self._name in {"mistral", "groq"}:  # these send a call in one piece
                deltas.append({"tool_calls": [{**call, "index": index}]})
                continue
            opening = {**call, "index": index, "function": {"name": call["function"]["name"], "arguments": ""}}
            deltas.append({"tool_calls": [opening]})
            deltas += [
                {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
                for piece in reply.pieces(arguments)
            ]
        return deltas


def _detail(part: Thinking) -> Body:
    if part.redacted:
        return {"type": "reasoning.encrypted", "data": part.signature, "format": "anthropic-claude-v1", "index": 0}
    kind = {"type": "reasoning.text", "text": part.text, "signature": part.signature}
    return typing.cast("Body", {**kind, "format": "anthropic-claude-v1", "index": 0})
