"""Anthropic: `POST /v1/messages` and `GET /v1/models`."""

import typing

from tests.vendors.anthropic_rules import SHAPES, check_body, explain
from tests.vendors.api import Body, Ids, NextReply, bearer_token, blocks_of, read_body, refuse_key_in_url
from tests.vendors.checks import Refused
from tests.vendors.exchange import EVENTS, SSE_PADDING, Answer, RecordedRequest, encoded, event
from tests.vendors.replies import Reply, Thinking, ToolCall

ERROR_TYPES = {
    400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error",
    404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error", 500: "api_error",
    504: "timeout_error", 529: "overloaded_error",
}  # fmt: skip
STOP_REASONS = {
    "end": "end_turn", "tool_use": "tool_use", "max_tokens": "max_tokens", "stop_sequence": "stop_sequence",
    "refusal": "refusal", "pause": "pause_turn", "context_window": "model_context_window_exceeded",
}  # fmt: skip
PING = event({"type": "ping"}, "ping")
SIZE_LIMIT = 32 * 1024 * 1024


def _event(kind: str, **fields: object) -> bytes:
    return event({"type": kind, **fields}, kind)


class Anthropic:
    """The Messages API."""

    mount = ""

    def __init__(self, key: str, models: tuple[str, ...]) -> None:
        self._key = key
        self._models = models or ("claude-sonnet-4-6", "claude-haiku-4-5-20251001", "claude-opus-4-5-20251101")
        self._ids = Ids()
        self._issued: dict[str, set[str]] = {}  # the texts that belong to each signature

    def answer(self, request: RecordedRequest, next_reply: NextReply) -> Answer:
        """Answer a request."""
        self._check_headers(request)
        if request.path == "/v1/models" and request.method == "GET":
            return Answer(events=[encoded(self._model_list())])
        if request.path != "/v1/messages":
            raise Refused(404, "Not found")
        if request.method != "POST":
            raise Refused(405, "Method Not Allowed")
        if len(request.body) > SIZE_LIMIT:
            raise Refused(413, "Request exceeds the maximum size")
        body = read_body(request, SHAPES[request.header("anthropic-version") or ""], explain)
        check_body(body, request.header("anthropic-beta") or "")
        self._check_thinking_is_unchanged(body)
        reply = next_reply()
        message = self._message(body, reply)
        headers = (("request-id", self._ids.next("req_")),)
        if body.get("stream"):
            return Answer(
                events=_stream(message, reply), reply=reply, streamed=True, content_type=EVENTS, headers=headers,
                filler=_event("content_block_delta", index=0, delta={"type": "text_delta", "text": "and so on "}),
                padding=SSE_PADDING,
            )  # fmt: skip
        return Answer(events=[encoded(message)], reply=reply, headers=headers)

    def error_body(self, refusal: Refused) -> bytes:
        """Return the error JSON."""
        usual = "api_error" if refusal.status >= 500 else "invalid_request_error"
        kind = refusal.code or ERROR_TYPES.get(refusal.status, usual)
        error = {"type": kind, "message": refusal.message}
        return encoded({"type": "error", "error": error, "request_id": self._ids.next("req_")})

    def error_event(self, message: str | None, code: str | None) -> bytes:
        """Return the event of an error inside a stream."""
        error = {"type": code or "overloaded_error", "message": message or "Overloaded"}
        return _event("error", error=error)

    def _check_headers(self, request: RecordedRequest) -> None:
        refuse_key_in_url(request, self._key)
        key, token = request.header("x-api-key"), bearer_token(request)
        if key is None and token is None:
            raise Refused(401, "x-api-key header is required")
        if key not in {None, self._key}:
            raise Refused(401, "invalid x-api-key")
        if token not in {None, self._key}:
            raise Refused(401, "Invalid bearer token")
        version = request.header("anthropic-version")
        if version is None:
            raise Refused(400, "anthropic-version: header is required")
        if version not in SHAPES:
            raise Refused(400, f'anthropic-version: "{version}" is not a valid version')

    def _model_list(self) -> Body:
        data = [
            {"type": "model", "id": name, "display_name": name, "created_at": "2026-02-01T00:00:00Z"}
            for name in self._models
        ]
        return {"data": data, "has_more": False, "first_id": self._models[0], "last_id": self._models[-1]}

    def _check_thinking_is_unchanged(self, body: Body) -> None:
        for index, message in enumerate(body["messages"]):
            for at, block in enumerate(blocks_of(message["content"])):
                if (
                    block["type"] == "thinking"
                    and block["signature"] in self._issued
                    and block["thinking"] not in self._issued[block["signature"]]
                ):
                    raise Refused(
                        400,
                        f"messages.{index}.content.{at}: `thinking` or `redacted_thinking` blocks in the latest "
                        "assistant message cannot be modified.",
                    )

    def _message(self, body: Body, reply: Reply) -> Body:
        content = [self._block(part) for part in reply.parts]
        usage = reply.usage
        message: Body = {
            "id": self._ids.next("msg_01", 22),
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": content,
            "stop_reason": STOP_REASONS[reply.stop],
            "stop_sequence": (body.get("stop_sequences") or [None])[0] if reply.stop == "stop_sequence" else None,
            "usage": {
                "input_tokens": usage.input_tokens - usage.cache_read_tokens - usage.cache_write_tokens,
                "cache_creation_input_tokens": usage.cache_write_tokens,
                "cache_read_input_tokens": usage.cache_read_tokens,
                "cache_creation": {
                    "ephemeral_5m_input_tokens": usage.cache_write_tokens,
                    "ephemeral_1h_input_tokens": 0,
                },
                "output_tokens": usage.output_tokens,
                "output_tokens_details": {"thinking_tokens": usage.thinking_tokens},
                "service_tier": "standard",
            },
        }
        if reply.stop == "refusal":
            message["stop_details"] = {"type": "refusal", "category": "cyber", "explanation": None}
        return message

    def _block(self, part: object) -> Body:
        if isinstance(part, Thinking):
            if part.redacted:
                return {"type": "redacted_thinking", "data": part.signature}
            self._issued.setdefault(part.signature, set()).add(part.text)
            return {"type": "thinking", "thinking": part.text, "signature": part.signature}
        if isinstance(part, ToolCall):
            identifier = part.id or self._ids.next("toolu_01", 22)
            return {"type": "tool_use", "id": identifier, "name": part.name, "input": dict(part.arguments)}
        return {"type": "text", "text": typing.cast("str", part)}


def _stream(message: Body, reply: Reply) -> list[bytes]:
    usage = message["usage"]
    start = {
        **message,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {**usage, "output_tokens": 1},
    }
    start.pop("stop_details", None)
    events = [_event("message_start", message=start)]
    for index, block in enumerate(message["content"]):
        deltas = _deltas(block, reply)
        empty: dict[str, Body] = {
            "text": {"text": ""},
            "tool_use": {"input": {}},
            "thinking": {"thinking": "", "signature": ""},
        }
        events.append(
            _event("content_block_start", index=index, content_block={**block, **empty.get(block["type"], {})})
        )
        if reply.pings and index == 0:
            events.append(PING)
        events += [_event("content_block_delta", index=index, delta=delta) for delta in deltas]
        events.append(_event("content_block_stop", index=index))
    delta = {name: message[name] for name in ("stop_reason", "stop_sequence", "stop_details") if name in message}
    total = {name: count for name, count in usage.items() if name not in {"cache_creation", "service_tier"}}
    return [*events, _event("message_delta", delta=delta, usage=total), _event("message_stop")]


def _deltas(block: Body, reply: Reply) -> list[Body]:
    if block["type"] == "text":
        return [{"type": "text_delta", "text": piece} for piece in reply.pieces(block["text"])]
    if block["type"] == "tool_use":
        pieces = reply.pieces(encoded(block["input"]).decode()) if block["input"] else []
        return [{"type": "input_json_delta", "partial_json": piece} for piece in ["", *pieces]]
    if block["type"] == "thinking":
        texts = [{"type": "thinking_delta", "thinking": piece} for piece in reply.pieces(block["thinking"])]
        return [*texts, {"type": "signature_delta", "signature": block["signature"]}]
    return []
