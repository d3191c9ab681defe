"""Gemini: `:generateContent`, `:streamGenerateContent`, and the list of models."""

import re
import urllib.parse

from tests.vendors.api import Body, Ids, NextReply, read_body
from tests.vendors.checks import Refused
from tests.vendors.exchange import EVENTS, SSE_PADDING, Answer, RecordedRequest, encoded, event
from tests.vendors.gemini_rules import BODY, camel, check_body, explain, version_of
from tests.vendors.replies import Reply, Thinking, ToolCall

STATUSES = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
            429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED"}  # fmt: skip
CRLF = b"\r\n"
FINISH_REASONS = {
    "end": "STOP", "tool_use": "STOP", "max_tokens": "MAX_TOKENS", "stop_sequence": "STOP", "refusal": "SAFETY",
    "pause": "STOP", "context_window": "MAX_TOKENS",
}  # fmt: skip
SIGNATURE = "EjQKMgEMOdbHO0Gd8dKnrj9GMPEPQxGC"
PATH = re.compile(r"/v1(?:beta)?/models/(?P<model>[^/:]+):(?P<method>generateContent|streamGenerateContent)")


class Gemini:
    """The Gemini API of the public endpoint."""

    mount = ""

    def __init__(self, key: str, models: tuple[str, ...]) -> None:
        self._key = key
        self._models = models or ("gemini-2.5-pro", "gemini-2.5-flash", "gemini-3-pro-preview")
        self._ids = Ids()
        self._signatures: dict[str, str] = {}

    def answer(self, request: RecordedRequest, next_reply: NextReply) -> Answer:
        """Answer a request."""
        self._check_key(request)
        if re.fullmatch(r"/v1(beta)?/models", request.path) and request.method == "GET":
            return Answer(events=[encoded({"models": [_model(name) for name in self._models]})])
        match = PATH.fullmatch(urllib.parse.unquote(request.path))
        if match is None or request.method != "POST":
            raise Refused(404, f"The requested URL {request.path} was not found on this server.")
        model = match["model"]
        if not re.match(r"(gemini|gemma|learnlm)-", model):
            raise Refused(404, f"models/{model} is not found for API version v1beta, or is not supported.")
        body: Body = {}

        def shape(value: object, path: tuple[str | int, ...]) -> None:
            completed = camel(value)
            BODY(completed, path)
            body.update(completed if isinstance(completed, dict) else {})

        read_body(request, shape, explain)
        check_body(body, model)
        self._check_signatures(body)
        is_stream = match["method"] == "streamGenerateContent"
        if is_stream and request.query.get("alt") != "sse":
            raise Refused(400, "this server streams server-sent events only: alt=sse is missing")
        reply = next_reply()
        parts = self._parts(reply, model)
        head = {"modelVersion": model, "responseId": self._ids.next("", 22)}
        if not is_stream:
            candidate = {
                "content": {"parts": parts, "role": "model"},
                "finishReason": FINISH_REASONS[reply.stop],
                "index": 0,
            }
            if not parts:
                del candidate["content"]
            return Answer(
                events=[encoded({"candidates": [candidate], "usageMetadata": _usage(reply), **head})], reply=reply
            )
        return Answer(
            events=_stream(parts, reply, head),
            reply=reply,
            streamed=True,
            content_type=EVENTS.partition(";")[0],
            filler=_chunk([{"text": "and so on "}], head),
            padding=SSE_PADDING,
        )

    def error_body(self, refusal: Refused) -> bytes:
        """Return the error JSON. A wrong key has a reason of its own."""
        status = refusal.status
        name = STATUSES.get(status, "UNKNOWN")
        error: Body = {"code": status, "message": refusal.message, "status": name}
        if refusal.code == "API_KEY_INVALID":
            kind = "type.googleapis.com/google.rpc.ErrorInfo"
            domain = {"domain": "googleapis.com", "metadata": {"service": "generativelanguage.googleapis.com"}}
            error["details"] = [{"@type": kind, "reason": refusal.code, **domain}]
        return encoded({"error": error})

    def error_event(self, message: str | None, code: str | None) -> bytes:
        """Return the event of an error inside a stream."""
        status = int(code) if code and code.isdigit() else 503
        return event(
            {"error": {"code": status, "message": message or "The model is overloaded.", "status": STATUSES[status]}},
            newline=CRLF,
        )

    def _check_key(self, request: RecordedRequest) -> None:
        if "key" in request.query or self._key in request.target:
            raise Refused(400, "the key must be in the header x-goog-api-key, not in the URL")
        key = request.header("x-goog-api-key")
        if key is None:
            text = "Method doesn't allow unregistered callers (callers without established identity)."
            raise Refused(403, text)
        if key != self._key:
            raise Refused(400, "API key not valid. Please pass a valid API key.", code="API_KEY_INVALID")

    def _check_signatures(self, body: Body) -> None:
        """Refuse a call whose signature is not the one that this server has issued with it."""
        for content in body["contents"]:
            for part in content["parts"]:
                call = part.get("functionCall", {})
                issued = self._signatures.get(call.get("id", ""))
                if issued and part.get("thoughtSignature") not in {None, issued}:
                    raise Refused(400, "Corrupted thought signature.")

    def _parts(self, reply: Reply, model: str) -> list[Body]:
        parts: list[Body] = []
        needs_signature = version_of(model) >= 3
        pending: str | None = None
        for part in reply.parts:
            if isinstance(part, Thinking):
                pending = part.signature
                if part.text:
                    parts.append({"text": part.text, "thought": True})
            elif isinstance(part, ToolCall):
                identifier = part.id or self._ids.next("", 8)
                call = {"name": part.name, "args": dict(part.arguments), "id": identifier}
                default = SIGNATURE if needs_signature else None
                parts.append({"functionCall": call})
                signature = part.signature or pending or default
                if signature and (part.signature or not any("thoughtSignature" in other for other in parts)):
                    parts[-1]["thoughtSignature"] = self._signatures[identifier] = signature
                pending = None
            else:
                parts.append({"text": part})
        if pending and parts and "text" in parts[-1]:
            parts[-1]["thoughtSignature"] = pending
        return parts


def _model(name: str) -> Body:
    return {
        "name": f"models/{name}", "version": "001", "displayName": name, "inputTokenLimit": 1_048_576,
        "outputTokenLimit": 65_536, "supportedGenerationMethods": ["generateContent", "countTokens"],
    }  # fmt: skip


def _usage(reply: Reply) -> Body:
    usage = reply.usage
    counts = {
        "promptTokenCount": usage.input_tokens,
        "candidatesTokenCount": usage.output_tokens - usage.thinking_tokens,
        "totalTokenCount": usage.input_tokens + usage.output_tokens,
    }
    if usage.cache_read_tokens:
        counts["cachedContentTokenCount"] = usage.cache_read_tokens
    if usage.thinking_tokens:
        counts["thoughtsTokenCount"] = usage.thinking_tokens
    return counts


def _chunk(parts: list[Body], head: Body, **candidate: object) -> bytes:
    content = {"content": {"parts": parts, "role": "model"}} if parts else {}
    return event({"candidates": [{**content, **candidate, "index": 0}], **head}, newline=CRLF)


def _stream(parts: list[Body], reply: Reply, head: Body) -> list[bytes]:
    """The last chunk has the finish reason, which is the vendor's only end mark."""
    pieces: list[Body] = []
    for part in parts:
        if "text" not in part:
            pieces.append(part)
            continue
        rest = {name: value for name, value in part.items() if name not in {"text", "thoughtSignature"}}
        pieces += [{"text": piece, **rest} for piece in reply.pieces(part["text"])]
        if "thoughtSignature" in part:
            pieces.append({"text": "", "thoughtSignature": part["thoughtSignature"]})
    usage = {"usageMetadata": _usage(reply)}
    chunks = [_chunk([piece], {**usage, **head}) for piece in pieces]
    ending = [] if reply.stop == "refusal" else [{"text": ""}]
    return [*chunks, _chunk(ending, {**usage, **head}, finishReason=FINISH_REASONS[reply.stop])]
