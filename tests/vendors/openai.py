"""OpenAI, Azure, and the hosts that follow OpenAI."""

import re
import urllib.parse

from tests.vendors.api import CREATED, Body, Ids, NextReply, bearer_token, read_body, refuse_key_in_url
from tests.vendors.checks import Refused
from tests.vendors.exchange import Answer, RecordedRequest, encoded, event
from tests.vendors.hosts import HOSTS
from tests.vendors.openai_chat import DONE, Chat
from tests.vendors.openai_responses import Responses

TYPES = {400: "invalid_request_error", 401: "invalid_request_error", 404: "invalid_request_error",
         429: "requests", 500: "server_error", 503: "server_error"}  # fmt: skip
CODES = {401: "invalid_api_key", 429: "rate_limit_exceeded"}


class OpenAI:
    """OpenAI, or a host that follows it."""

    def __init__(self, name: str, key: str, models: tuple[str, ...]) -> None:
        self._host = HOSTS[name]
        self._name = name
        self._key = key
        self._models = models or self._host.models
        self._ids = Ids()
        self._chat = Chat(self._host, name, self._ids)
        self._responses = Responses(self._ids)
        self._last_is_responses = False
        self.mount = self._host.mount

    def answer(self, request: RecordedRequest, next_reply: NextReply) -> Answer:
        """Answer a request."""
        self._check_key(request)
        if not request.path.startswith(f"{self.mount}/"):
            raise Refused(404, f"Invalid URL ({request.method} {request.path})")
        return self.route(request, request.path.removeprefix(self.mount), next_reply)

    def route(self, request: RecordedRequest, path: str, next_reply: NextReply, model: str | None = None) -> Answer:
        """Answer a request to a path below the base URL; `model` is the deployment in the path of Azure."""
        self._last_is_responses = path == "/responses"
        if (request.method, path) == ("GET", "/models"):
            data = [{"id": name, "object": "model", "created": CREATED, "owned_by": "system"} for name in self._models]
            listed = data if self._name == "together" else {"object": "list", "data": data}
            return Answer(events=[encoded(listed)])
        if (request.method, path) == ("POST", "/chat/completions"):
            return self._chat.answer(self._read(request, model), next_reply)
        if (request.method, path) == ("POST", "/responses") and self._name == "openai":
            return self._responses.answer(request, next_reply)
        status = 405 if path in {"/models", "/chat/completions"} else 404
        raise Refused(status, f"Invalid URL ({request.method} {request.path})")

    def _read(self, request: RecordedRequest, model: str | None) -> Body:
        if model is None:
            return read_body(request, self._host.shape, self._host.explain)

        def shape(value: object, path: tuple[str | int, ...]) -> None:
            completed = {"model": model, **value} if isinstance(value, dict) else value
            self._host.shape(completed, path)

        return {**read_body(request, shape, self._host.explain), "model": model}

    def error_body(self, refusal: Refused) -> bytes:
        """Return the error JSON in the style of the host."""
        status, message = refusal.status, refusal.message
        if self._host.error_style == "openrouter":
            return encoded({"error": {"message": message, "code": status}})
        if self._host.error_style == "vllm":
            error: Body = {"message": message, "type": _class_name(status), "param": refusal.param, "code": status}
            return encoded({"error": error})
        if self._host.error_style == "mistral":
            return _mistral_error(refusal)
        usual = TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
        code = refusal.code or CODES.get(status)
        kind = code if code == "insufficient_quota" else usual
        return encoded({"error": {"message": message, "type": kind, "param": refusal.param, "code": code}})

    def error_event(self, message: str | None, code: str | None) -> bytes:
        """Return the event of an error inside a stream."""
        text = message or "The server had an error while processing your request."
        if self._last_is_responses:
            return self._responses.error_event(text, code)
        if self._name == "openrouter":
            choice: Body = {"index": 0, "delta": {"content": ""}, "finish_reason": "error"}
            error = {"code": code or 502, "message": text}
            return event({"id": "gen-1", "object": "chat.completion.chunk", "error": error, "choices": [choice]})
        return event({"error": {"message": text, "type": "server_error", "param": None, "code": code}})

    def _check_key(self, request: RecordedRequest) -> None:
        refuse_key_in_url(request, self._key)
        token = bearer_token(request)
        if token is None and not self._host.key_required:
            return
        if token is None:
            text = "You didn't provide an API key. You need to provide your API key in an Authorization header."
            raise Refused(401, text)
        if token != self._key:
            masked = f"{token[:7]}****{token[-4:]}"
            raise Refused(401, f"Incorrect API key provided: {masked}.", code="invalid_api_key")


def _class_name(status: int) -> str:
    return {400: "BadRequestError", 401: "AuthenticationError", 404: "NotFoundError"}.get(status, "InternalServerError")


def _mistral_error(refusal: Refused) -> bytes:
    if refusal.status == 422:
        kind = {"unknown": "extra_forbidden", "missing": "missing", "type": "type_error"}.get(
            refusal.code or "", "value_error"
        )
        place = (refusal.param or "body").split("\0")
        return encoded({"detail": [{"type": kind, "loc": place, "msg": refusal.message, "input": None}]})
    if refusal.status == 401:
        return encoded({"detail": "Unauthorized"})
    kind = refusal.code or {429: "rate_limited", 500: "internal_server_error"}.get(refusal.status, "invalid_request")
    code = {429: "1300", 400: "3000"}.get(refusal.status, "1000")
    return encoded({"object": "error", "message": refusal.message, "type": kind, "param": None, "code": code})


def _with_filter_results(answer: Answer) -> Answer:
    """Put the chunk without choices in front that Azure sends first in a stream of chat chunks."""
    if answer.streamed and answer.events[-1] == DONE:
        results = [{"prompt_index": 0, "content_filter_results": {"hate": {"filtered": False, "severity": "safe"}}}]
        first = {"choices": [], "created": 0, "id": "", "model": "", "object": "", "prompt_filter_results": results}
        answer.events.insert(0, event(first))
    return answer


class Azure:
    """Azure: deployments in the path with `api-version`, or the `/openai/v1` form; the key is in `api-key`."""

    mount = ""
    _PATH = re.compile(r"/openai/deployments/(?P<model>[^/]+)(?P<path>/chat/completions)")

    def __init__(self, key: str, models: tuple[str, ...]) -> None:
        self._key = key
        self._api = OpenAI("openai", key, models)

    def answer(self, request: RecordedRequest, next_reply: NextReply) -> Answer:
        """Answer a request."""
        refuse_key_in_url(request, self._key)
        key = request.header("api-key") or bearer_token(request)
        if key != self._key:
            raise Refused(
                401,
                "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key "
                "for an active subscription and use a correct regional API endpoint for your resource.",
                code="401",
            )
        if request.path.startswith("/openai/v1/"):
            return _with_filter_results(self._api.route(request, request.path.removeprefix("/openai/v1"), next_reply))
        if "api-version" not in request.query:
            raise Refused(404, "Resource not found", code="404")
        if request.path in {"/openai/responses", "/openai/models"}:
            return self._api.route(request, request.path.removeprefix("/openai"), next_reply)
        match = self._PATH.fullmatch(request.path)
        if match is None:
            raise Refused(404, "Resource not found", code="404")
        deployment = urllib.parse.unquote(match["model"])
        return _with_filter_results(self._api.route(request, match["path"], next_reply, model=deployment))

    def error_body(self, refusal: Refused) -> bytes:
        """Return the error JSON; errors of the gateway have a code and a message only."""
        if refusal.code in {"401", "404"}:
            return encoded({"error": {"code": refusal.code, "message": refusal.message}})
        return self._api.error_body(refusal)

    def error_event(self, message: str | None, code: str | None) -> bytes:
        """Return the event of an error inside a stream."""
        return self._api.error_event(message, code)
