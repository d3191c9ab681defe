"""A model on loopback that answers with a script, in the protocols of four providers, and records the requests.

Requests that offer no tools come from features beside the conversation, such as the title of a session: they get a
short text and do not advance the script.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

MODEL = "scripted-model"
_ASIDE = "ok"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A step of the script: the model calls a tool."""

    name: str
    arguments: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Request:
    """A request of the agent."""

    path: str
    body: dict

    @property
    def is_turn(self) -> bool:
        """Whether the request belongs to the conversation."""
        return bool(self.body.get("tools"))

    @property
    def text(self) -> str:
        """Every text in the request, each on a line of its own."""
        return "\n".join(_texts(self.body))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


@dataclass(frozen=True, slots=True)
class Turn:
    """What answers a request: a step under an id, and the number of tokens of the request."""

    id: str
    step: ToolCall | str
    tokens: int
    model: str


class ModelServer:
    """Answers the turns of a conversation with one step each; the last step is repeated.

    Each answer says that the prompt had this number of tokens.
    """

    def __init__(self, steps: Sequence[ToolCall | str], tokens: int = 1000) -> None:
        self.requests: list[Request] = []
        self.others: list[str] = []
        """Requests that are not for the model."""
        self._steps = list(steps)
        self._tokens = tokens
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"model": self}))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    @property
    def turns(self) -> list[Request]:
        """The requests of the conversation."""
        return [request for request in self.requests if request.is_turn]

    def answer(self, request: Request) -> Turn:
        """Record a request and return what answers it."""
        with self._lock:
            self.requests.append(request)
            number, model = len(self.turns), str(request.body.get("model", MODEL))
            if not request.is_turn:
                return Turn(f"aside_{len(self.requests)}", _ASIDE, 100, model)
            return Turn(str(number), self._steps[min(number, len(self._steps)) - 1], self._tokens, model)


class _Handler(BaseHTTPRequestHandler):
    model: ModelServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the interface
        """Write nothing to the terminal."""

    def do_GET(self) -> None:
        self.model.others.append(f"GET {self.path}")
        self._json({"data": [], "models": [], "object": "list"})

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(data)
        except ValueError:
            body = None
        path = self.path.partition("?")[0]
        if not isinstance(body, dict) or path.endswith(("count_tokens", ":countTokens")):
            self.model.others.append(f"POST {self.path}")
            counted = isinstance(body, dict)
            self._json({"input_tokens": 100, "totalTokens": 100} if counted else {})
            return
        for ending, answer in _ANSWERS.items():
            if path.endswith(ending):
                whole, events = answer(self.model.answer(Request(path, body)))
                streams = ending.startswith(":stream") or body.get("stream") is True
                self._stream(events) if streams else self._json(whole)
                return
        self.model.others.append(f"POST {self.path}")
        self._json({})

    def _json(self, value: object) -> None:
        self._send("application/json", json.dumps(value).encode())

    def _stream(self, events: Sequence[tuple[str, object]]) -> None:
        lines = []
        for name, value in events:
            text = value if isinstance(value, str) else json.dumps(value)
            lines.append((f"event: {name}\n" if name else "") + f"data: {text}\n\n")
        self._send("text/event-stream", "".join(lines).encode())

    def _send(self, kind: str, data: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _messages(turn: Turn) -> tuple[object, list[tuple[str, object]]]:
    """Answer in the Messages API of Anthropic."""
    step = turn.step
    if isinstance(step, str):
        block, stop = {"type": "text", "text": step}, "end_turn"
        start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": step}
    else:
        block = {"type": "tool_use", "id": f"toolu_{turn.id}", "name": step.name, "input": step.arguments}
        start, stop = {**block, "input": {}}, "tool_use"
        delta = {"type": "input_json_delta", "partial_json": json.dumps(step.arguments)}
    usage = {
        "input_tokens": turn.tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": 10,
    }
    message = {"id": f"msg_{turn.id}", "type": "message", "role": "assistant", "usage": usage}
    message["model"] = turn.model
    whole = {**message, "content": [block], "stop_reason": stop, "stop_sequence": None}
    values = (
        {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    )
    return whole, [(str(value["type"]), value) for value in values]


def _responses(turn: Turn) -> tuple[object, list[tuple[str, object]]]:
    """Answer in the Responses API of OpenAI."""
    step = turn.step
    if isinstance(step, str):
        content = [{"type": "output_text", "text": step, "annotations": []}]
        item = {"type": "message", "id": f"m{turn.id}", "role": "assistant", "status": "completed", "content": content}
    else:
        item = {
            "type": "function_call",
            "id": f"f{turn.id}",
            "call_id": f"call_{turn.id}",
            "name": step.name,
            "arguments": json.dumps(step.arguments),
        }
        if set(step.arguments) == {"input"}:
            text = step.arguments["input"]
            item = {**item, "type": "custom_tool_call", "input": text}
            del item["arguments"]
    usage = {
        "input_tokens": turn.tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 10,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": turn.tokens + 10,
    }
    response = {"id": f"resp_{turn.id}", "object": "response", "status": "completed", "output": [item], "usage": usage}
    values = (
        {"type": "response.created", "response": {"id": f"resp_{turn.id}"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    )
    return response, [(str(value["type"]), value) for value in values]


def _generated(turn: Turn) -> tuple[object, list[tuple[str, object]]]:
    """Answer in the API of Gemini."""
    step = turn.step
    if isinstance(step, str):
        part: dict[str, object] = {"text": step}
    else:
        part = {"functionCall": {"id": f"call_{turn.id}", "name": step.name, "args": step.arguments}}
    used = {"promptTokenCount": turn.tokens, "candidatesTokenCount": 10, "totalTokenCount": turn.tokens + 10}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    whole = {"candidates": [candidate], "usageMetadata": used, "modelVersion": MODEL}
    return whole, [("", whole)]


def _completion(turn: Turn) -> tuple[object, list[tuple[str, object]]]:
    """Answer in the chat completions of OpenAI."""
    step = turn.step
    message: dict[str, object] = {"role": "assistant", "content": step}
    reason = "stop"
    if isinstance(step, ToolCall):
        function = {"name": step.name, "arguments": json.dumps(step.arguments)}
        calls = [{"index": 0, "id": f"call_{turn.id}", "type": "function", "function": function}]
        message, reason = {"role": "assistant", "content": None, "tool_calls": calls}, "tool_calls"
    usage = {"prompt_tokens": turn.tokens, "completion_tokens": 10, "total_tokens": turn.tokens + 10}
    head = {"id": f"chat_{turn.id}", "created": 1, "model": MODEL}
    whole = {**head, "object": "chat.completion", "usage": usage}
    whole["choices"] = [{"index": 0, "message": message, "finish_reason": reason}]
    chunk = {**head, "object": "chat.completion.chunk"}
    events: list[tuple[str, object]] = [
        ("", {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}),
        ("", {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}),
        ("", {**chunk, "choices": [], "usage": usage}),
        ("", "[DONE]"),
    ]
    return whole, events


_ANSWERS = {
    "/messages": _messages,
    "/responses": _responses,
    ":generateContent": _generated,
    ":streamGenerateContent": _generated,
    "/chat/completions": _completion,
}
