"""Ollama: `/api/chat` with JSON lines, `/api/tags`, `/api/version`.

The real server ignores unknown fields. This one refuses them, since a client would otherwise never learn of them.
"""

from tests.vendors.api import Body, NextReply, dotted, read_body
from tests.vendors.checks import (
    Invalid,
    Refused,
    array,
    boolean,
    filled_string,
    integer,
    mapping,
    matching,
    number,
    one_of,
    record,
    string,
    tagged,
    text_or,
)  # fmt: skip
from tests.vendors.exchange import Answer, RecordedRequest, encoded
from tests.vendors.replies import Reply

LINES = "application/x-ndjson"
AT = "2026-11-20T12:00:00.000000Z"
CALL = record(
    {"function": record({"name": filled_string, "arguments": mapping}, index=integer)},
    id=string,
    type=one_of("function"),
)
_MESSAGE = {"role": string, "content": string}
MESSAGE = tagged(
    "role",
    {
        "system": record(_MESSAGE),
        "user": record(_MESSAGE, images=array(matching(r"[A-Za-z0-9+/]+={0,2}"))),
        "assistant": record({"role": string}, content=string, thinking=string, tool_calls=array(CALL)),
        "tool": record(_MESSAGE, tool_name=string, tool_call_id=string),
    },
)
OPTIONS = record(
    num_ctx=integer, num_predict=integer,
    num_keep=integer, seed=integer, temperature=number, top_k=integer, top_p=number,
    min_p=number, typical_p=number, repeat_last_n=integer, repeat_penalty=number, presence_penalty=number,
    frequency_penalty=number, mirostat=integer, mirostat_tau=number, mirostat_eta=number, penalize_newline=boolean,
    stop=array(string), numa=boolean, num_batch=integer, num_gpu=integer, main_gpu=integer, use_mmap=boolean,
    num_thread=integer, low_vram=boolean, logits_all=boolean, vocab_only=boolean, f16_kv=boolean, use_mlock=boolean,
    embedding_only=boolean, tfs_z=number,
)  # fmt: skip
TOOL = record(
    {
        "type": one_of("function"),
        "function": record({"name": filled_string}, description=string, parameters=mapping),
    }
)
BODY = record(
    {"model": filled_string},
    messages=array(MESSAGE),
    stream=boolean,
    tools=array(TOOL),
    format=text_or(mapping, one_of("", "json")),
    options=OPTIONS,
    keep_alive=lambda value, path: (number if isinstance(value, int | float) else string)(value, path),
    think=lambda value, path: (boolean if isinstance(value, bool) else one_of("low", "medium", "high", "max"))(
        value, path
    ),
    logprobs=boolean,
    top_logprobs=integer,
    truncate=boolean,
    shift=boolean,
)


def _explain(finding: Invalid) -> Refused:
    place = dotted(finding.path)
    if finding.path == ("model",):
        return Refused(400, "model is required")
    if finding.kind == "unknown":
        return Refused(400, f'unknown field "{place}" (the real server ignores it in silence)')
    if finding.kind == "missing":
        return Refused(400, f'missing field "{place}"')
    if finding.kind == "type":
        given = type(finding.given).__name__
        return Refused(
            400, f"json: cannot unmarshal {given} into Go struct field ChatRequest.{place} of type {finding.detail}"
        )
    return Refused(400, f'invalid value {finding.given!r} of "{place}": {finding.detail}')


class Ollama:
    """A local Ollama, which has no keys."""

    mount = ""

    def __init__(self, _key: str, models: tuple[str, ...]) -> None:
        self._models = models or ("llama3.2:latest", "qwen3:8b")

    def answer(self, request: RecordedRequest, next_reply: NextReply) -> Answer:
        """Answer a request."""
        route = (request.method, request.path)
        if route == ("GET", "/api/version"):
            return Answer(events=[encoded({"version": "0.17.4"})])
        if route == ("GET", "/api/tags"):
            return Answer(events=[encoded({"models": [_model(name) for name in self._models]})])
        if route != ("POST", "/api/chat"):
            raise Refused(404, "404 page not found")
        body = read_body(request, BODY, _explain)
        if not any(body["model"] in {name, name.partition(":")[0]} for name in self._models):
            raise Refused(404, f"model '{body['model']}' not found")
        _check_turns(body.get("messages", []))
        reply = next_reply()
        head = {"model": body["model"], "created_at": AT}
        if body.get("stream", True):
            return Answer(
                events=_lines(reply, head), reply=reply, streamed=True, content_type=LINES, padding=b"\n" * 1024,
                filler=_line(head, {"content": "and so on "}),
            )  # fmt: skip
        message: Body = {"role": "assistant", "content": reply.text}
        if reply.thinking:
            message["thinking"] = "".join(part.text for part in reply.thinking)
        if reply.tool_calls:
            message["tool_calls"] = _calls(reply)
        return Answer(
            events=[encoded({**head, "message": message, **_ending(reply)})], reply=reply,
            content_type="application/json; charset=utf-8",
        )  # fmt: skip

    def error_body(self, refusal: Refused) -> bytes:
        """Return the error JSON."""
        return encoded({"error": refusal.message})

    def error_event(self, message: str | None, code: str | None) -> bytes:  # noqa: ARG002 - errors have no code
        """Return the line of an error inside a stream."""
        return encoded({"error": message or "an error was encountered while running the model"}) + b"\n"


def _check_turns(messages: list[Body]) -> None:
    """The real server takes any order; results without their calls are errors of the client all the same."""
    waiting: list[str] = []
    for index, message in enumerate(messages):
        if message["role"] == "tool":
            name = message.get("tool_name")
            if name is None:
                raise Refused(400, f"messages.{index}: tool_name is missing, so the result belongs to no call")
            if name not in waiting:
                raise Refused(400, f"messages.{index}: no call of {name} is waiting for a result")
            waiting.remove(name)
            continue
        if waiting:
            raise Refused(400, f"messages.{index}: no result of {waiting[0]}")
        waiting = [call["function"]["name"] for call in message.get("tool_calls", [])]
    if waiting:
        raise Refused(400, f"no result of {waiting[0]}")


def _model(name: str) -> Body:
    details = {"family": "llama", "parameter_size": "3B", "quantization_level": "Q4_K_M", "format": "gguf"}
    return {"name": name, "model": name, "modified_at": AT, "size": 1, "digest": "0" * 64, "details": details}


def _calls(reply: Reply) -> list[Body]:
    return [
        {"function": {"index": index, "name": call.name, "arguments": dict(call.arguments)}}
        for index, call in enumerate(reply.tool_calls)
    ]


def _ending(reply: Reply) -> Body:
    usage = reply.usage
    return {
        "done": True, "done_reason": "length" if reply.stop in {"max_tokens", "context_window"} else "stop",
        "total_duration": 1_000_000, "load_duration": 1000, "prompt_eval_count": usage.input_tokens,
        "prompt_eval_duration": 1000, "eval_count": usage.output_tokens, "eval_duration": 1000,
    }  # fmt: skip


def _line(head: Body, message: Body, **rest: object) -> bytes:
    return (
        encoded({**head, "message": {"role": "assistant", "content": "", **message}, **(rest or {"done": False})})
        + b"\n"
    )


def _lines(reply: Reply, head: Body) -> list[bytes]:
    lines = [_line(head, {"thinking": piece}) for part in reply.thinking for piece in reply.pieces(part.text)]
    lines += [_line(head, {"content": piece}) for piece in reply.pieces(reply.text)]
    lines += [_line(head, {"tool_calls": [call]}) for call in _calls(reply)]
    return [*lines, _line(head, {}, **_ending(reply))]
