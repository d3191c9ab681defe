"""The HTTP application: the rules of HTTP, the agent card, and the answers of the JSON-RPC endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from harnlite.serve.a2a import card
from harnlite.serve.a2a.errors import CONTENT_TYPE, A2AError, wire_error
from harnlite.serve.a2a.event_stream import EventResponse
from harnlite.serve.a2a.http_rules import MOST_BYTES, MOST_HEADER_BYTES, is_json
from harnlite.serve.a2a.methods import VERSIONS, read_version
from harnlite.serve.a2a.request_params import EXTENSION
from harnlite.serve.a2a.times import monotonic
from harnlite.serve.json_rpc import INVALID_REQUEST, encoded

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from harnlite.serve.a2a.card import CardDocument
    from harnlite.serve.a2a.http_rules import HttpRules
    from harnlite.serve.a2a.rpc_endpoint import Answer, RpcEndpoint

EXTENSION_HEADERS = ("a2a-extensions", "x-a2a-extensions")
_SPELLINGS = {"a2a-extensions": "A2A-Extensions", "x-a2a-extensions": "X-A2A-Extensions"}
_VERSION_HEADER = "a2a-version"
_VERSION_PARAMETER = "A2A-Version"
_JSON = "application/json"
_MOST_DRAINED = 4 * MOST_BYTES
"""The bytes of a body that are read and dropped, so that the client finds the answer before a closed connection."""
HEALTH = "/healthz"


class A2AApp:
    """The application. It is an ASGI application itself."""

    def __init__(
        self,
        rules: HttpRules,
        endpoint: RpcEndpoint,
        read_card: Callable[[], CardDocument],
        log: Callable[..., None] | None,
    ) -> None:
        self._rules = rules
        self._endpoint = endpoint
        self._read_card = read_card
        self._log = log
        self.is_stopping = False
        pages = [Route(place, self._card, methods=["GET"]) for place in card.PLACES]
        health = Route(HEALTH, self._health, methods=["GET"])
        self._inner: ASGIApp = Starlette(routes=[Route("/", _Endpoint(self._rpc)), *pages, health])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, and log it."""
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        headers = _headers(scope)
        scope["a2a.headers"] = headers
        if self._log is None:
            await self._guarded(scope, receive, send)
            return
        start = monotonic()
        status = 0

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._guarded(scope, receive, noting)
        finally:
            answer: Answer | None = scope.get("a2a.answer")
            self._log(
                client=(scope.get("client") or ("-",))[0],
                http_method=scope["method"],
                path=scope["path"],
                rpc_method=answer.method if answer is not None else "-",
                status=status,
                error=answer.error if answer is not None else None,
                seconds=monotonic() - start,
            )

    async def _guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request with a foreign host or origin, or with too many headers."""
        headers: dict[str, str] = scope["a2a.headers"]
        if sum(len(name) + len(value) for name, value in scope["headers"]) > MOST_HEADER_BYTES:
            await _text("the headers are too large", 431)(scope, receive, send)
        elif not self._rules.allows_host(headers.get("host")):
            await _text("the Host of the request is not this server", 403)(scope, receive, send)
        elif not self._rules.allows_origin(headers.get("origin")):
            await _text("pages of this origin may not use this server", 403)(scope, receive, send)
        else:
            await self._inner(scope, receive, send)

    # Pages

    async def _card(self, request: object) -> Response:
        found = await run_in_threadpool(self._read_card)
        headers = {"Cache-Control": "public, max-age=300", "ETag": found.etag}
        given = request.headers.get("if-none-match") if isinstance(request, Request) else None
        if card.matches(found.etag, given):
            return Response(status_code=304, headers=headers)
        return Response(found.body, media_type=_JSON, headers=headers)

    async def _health(self, _request: object) -> Response:
        body = {"status": "stopping" if self.is_stopping else "ok"}
        return Response(encoded(body), 503 if self.is_stopping else 200, media_type=_JSON)

    # JSON-RPC

    async def _rpc(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            response = await self._answered(scope, receive)
        except ClientDisconnect:
            return
        await response(scope, receive, send)

    async def _answered(self, scope: Scope, receive: Receive) -> Response:
        headers: dict[str, str] = scope["a2a.headers"]
        if scope["method"] != "POST":
            return _text("send JSON-RPC with POST", 405, {"Allow": "POST"})
        if not self._rules.allows_token(headers.get("authorization")):
            return _text("a bearer token is required", 401, {"WWW-Authenticate": "Bearer"})
        if not is_json(headers.get("content-type")):
            await _read(receive, 0, headers)
            return self._refusal(A2AError(CONTENT_TYPE), 415, headers)
        body = await _read(receive, MOST_BYTES, headers)
        if body is None:
            return self._refusal(A2AError(INVALID_REQUEST, reason="BODY_TOO_LARGE"), 413, headers)
        activated = {name: EXTENSION for name in EXTENSION_HEADERS if EXTENSION in _uris(headers.get(name))}
        extensions = frozenset(activated.values())
        answer = await self._endpoint.answer(body, _version(scope, headers), extensions)
        scope["a2a.answer"] = answer
        return _response(answer, {_SPELLINGS[name]: uri for name, uri in activated.items()})

    def _refusal(self, error: A2AError, status: int, headers: dict[str, str]) -> Response:
        is_typed = read_version(headers.get(_VERSION_HEADER)) == max(VERSIONS)
        body = wire_error(None, error, self._endpoint.redactor, is_typed=is_typed)
        return Response(encoded(body), status, media_type=_JSON)


class _Endpoint:
    """An ASGI application for a route: an object, since a route takes functions for handlers of requests."""

    def __init__(self, answer: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._answer(scope, receive, send)


def _headers(scope: Scope) -> dict[str, str]:
    """Return the headers; those that occur more than once are joined."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1"), value.decode("latin-1")
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


def _uris(header: str | None) -> set[str]:
    return {uri.strip() for uri in (header or "").split(",")}


def _version(scope: Scope, headers: dict[str, str]) -> str | None:
    """Return the version in the header, or else in the query."""
    found = headers.get(_VERSION_HEADER)
    if found or not scope["query_string"]:
        return found
    query = {key.lower(): value for key, value in parse_qsl(scope["query_string"].decode("latin-1"))}
    return query.get(_VERSION_PARAMETER.lower())


async def _read(receive: Receive, limit: int, headers: dict[str, str]) -> bytes | None:
    """Return the body, or None if it is larger than the limit; raise ClientDisconnect if it does not arrive."""
    length = headers.get("content-length", "")
    is_waiting = headers.get("expect", "").lower() == "100-continue"
    if length.isdigit() and int(length[:20]) > limit and (is_waiting or int(length[:20]) > _MOST_DRAINED):
        return None
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        part = message.get("body", b"")
        size += len(part)
        if size <= limit:
            parts.append(part)
        elif size > _MOST_DRAINED:
            return None
        if not message.get("more_body", False):
            break
    return b"".join(parts) if size <= limit else None


def _text(text: str, status: int, headers: dict[str, str] | None = None) -> Response:
    return PlainTextResponse(text + "\n", status, headers)


def _response(answer: Answer, headers: dict[str, str]) -> Response:
    if answer.stream is not None:
        return EventResponse(answer.stream, headers, answer.end or (lambda: None))
    if answer.error_event is not None:
        headers = {"Cache-Control": "no-cache", **headers}
        return Response(answer.error_event, media_type="text/event-stream", headers=headers)
    if answer.body is None:
        return Response(status_code=204, headers=headers)
    return Response(answer.body, media_type=_JSON, headers=headers)
