"""The backend of a vendor: sends requests in the form of a dialect over HTTP and reads the replies."""

from __future__ import annotations

import json
import re

from harnlite.formats.json.reading import JsonError, read_json
from harnlite.http.client import send
from harnlite.http.failures import broken
from harnlite.llm.dialects.dialect import END_MARK, SSE, TEXT
from harnlite.llm.dialects.tool_names import renamed_tools, with_own_names
from harnlite.llm.secrets import redacted, secret_parts
from harnlite.llm.stream_listener import listener_of
from harnlite.llm.vendors.advice import advice
from harnlite.llm.vendors.vendor_errors import response_error, unexpected, without_secrets
from harnlite.runtime.tasks.execution import SOURCE_KEY
from harnlite.values.errors import ScriptError, runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from harnlite.http.response import HttpResponse
    from harnlite.llm.backend import ChatReply, ChatRequest, OnDelta
    from harnlite.llm.dialects.dialect import Dialect, Host, StreamReader, WireRequest
    from harnlite.llm.secrets import Secret
    from harnlite.llm.stream_listener import StreamListener
    from harnlite.runtime.tasks.execution import Execution

LLM_CALL = "llm_call"
MAX_REPLY = 64 * 1024 * 1024
_SHORTEST_OF_HEADER = 16
_NOTES_KEY = "llm_wire_notes"
_REST_SECONDS = 1.0
"""How long a stream may stay open after the vendor's end mark; a last event with the usage may follow the mark."""
_OF_GARBAGE = (KeyError, TypeError, IndexError, ValueError, AttributeError)
"""What a dialect raises for a reply that does not have the form that the vendor documents."""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(?P<half>u[dD][89a-fA-F]\w\w)|.)", re.DOTALL)
"""An escape sequence of JSON; `half` is one of a surrogate without its other half, as servers send them that cut a
text into pieces without regard for characters."""


class Endpoint:
    """Where the requests for a model go: a dialect, a host, and the headers that contain its key."""

    __slots__ = ("credentials", "dialect", "host")

    def __init__(self, dialect: Dialect, host: Host, credentials: Mapping[str, Secret] | None = None) -> None:
        self.dialect = dialect
        self.host = host
        self.credentials = credentials or {}
        """Headers that are added when the request is sent, and are never part of `host.headers`."""

    @property
    def secrets(self) -> tuple[Secret | str, ...]:
        """Return what no error may show: the key, and configured headers that are long enough to be one."""
        configured = (part for part in secret_parts(self.host.headers) if len(part) >= _SHORTEST_OF_HEADER)
        return (*self.credentials.values(), *configured)


class VendorBackend:
    """A backend over HTTP. `find` returns the endpoint for a request, or throws if none is configured.

    Redirects are not followed: they could lead to a server that the user has not configured, and take the key along.
    """

    __slots__ = ("_find", "name")

    uses_network = True

    def __init__(self, name: str, find: Callable[[Execution, ChatRequest], Endpoint]) -> None:
        self.name = name
        self._find = find

    def complete(self, run: Execution, request: ChatRequest, on_delta: OnDelta | None) -> ChatReply:
        """Send a request and return its reply; pass the pieces of a streamed reply to `on_delta` as they arrive."""
        endpoint = self._find(run, request)
        secrets = endpoint.secrets
        failure: ScriptError | None = None
        try:
            return self._reply(run, request, endpoint, listener_of(on_delta))
        except ScriptError as error:
            failure = without_secrets(error, secrets)
        except _OF_GARBAGE as error:
            if _is_of_script(error):
                raise
            failure = unexpected(self.name, "a reply in an unknown form", type(error).__name__)
        failure.notes = (*failure.notes, *advice(run, failure, request))
        # Raised here, the error does not keep the frames that hold the request.
        raise failure

    def _reply(
        self, run: Execution, request: ChatRequest, endpoint: Endpoint, listener: StreamListener | None
    ) -> ChatReply:
        wire = endpoint.dialect.wire(request, endpoint.host)
        _write_notes(run, wire, endpoint)
        names = renamed_tools(request.tools)
        response = _sent(run, wire, endpoint, request)
        try:
            if not 200 <= response.status < 300:  # noqa: PLR2004 - HTTP
                raise response_error(response, endpoint)
            if request.stream and not _is_json(response, endpoint.dialect):
                reader = endpoint.dialect.reader(request, endpoint.host)
                return with_own_names(self._streamed(response, reader, endpoint, listener, names), names)
            reply = endpoint.dialect.reply(self._body(response), request, endpoint.host)
            if listener is not None and reply.text:
                listener(reply.text)
            return with_own_names(reply, names)
        finally:
            response.close()

    def _body(self, response: HttpResponse) -> dict[str, Any]:
        """Return the JSON object of a reply that was not streamed."""
        kind = response.content_type
        if kind and not kind.endswith("json"):
            raise unexpected(self.name, f"{kind} instead of JSON", _shown(response))
        return self._object(response.read().decode("utf-8", "replace"))

    def _streamed(
        self,
        response: HttpResponse,
        reader: StreamReader,
        endpoint: Endpoint,
        listener: StreamListener | None,
        names: Mapping[str, str],
    ) -> ChatReply:
        is_complete = False
        for name, data in self._events(response, endpoint.dialect):
            if data == END_MARK:
                reader.feed(END_MARK, {})
                response.drain()
                break
            for delta in reader.feed(name, self._object(data)):
                if listener is not None and delta.text:
                    if delta.kind == TEXT:
                        listener(delta.text)
                    else:
                        delta.call_name = names.get(delta.call_name, delta.call_name)
                        listener.detail(delta)
            if reader.is_complete and not is_complete:
                is_complete = True
                response.end_within(_REST_SECONDS)
        if not reader.is_complete:
            raise broken(response.address.place, "the stream ended without its end mark")
        return reader.reply()

    def _events(self, response: HttpResponse, dialect: Dialect) -> Iterator[tuple[str | None, str]]:
        kind = response.content_type
        if dialect.framing == SSE:
            if kind not in ("", "text/event-stream"):
                raise unexpected(self.name, f"{kind} instead of an event stream", _shown(response))
            yield from response.events()
            return
        if kind.startswith("text/html"):
            raise unexpected(self.name, f"{kind} instead of lines of JSON", _shown(response))
        for line in response.lines():
            if line.strip():
                yield None, line

    def _object(self, text: str) -> dict[str, Any]:
        """Return the JSON object that the server sent."""
        value = _read(text)
        if value is None and _SURROGATE.search(text):
            value = _read(_ESCAPE.sub(_without_surrogate, text))
        if not isinstance(value, dict):
            raise unexpected(self.name, "no JSON object", text)
        return value


def _read(text: str) -> object:
    """Return the value of a JSON text, or None if it is not valid."""
    try:
        return read_json(text)
    except JsonError:
        return None


def _without_surrogate(escape: re.Match[str]) -> str:
    """Return an escape sequence, or that of the replacement character for half a character."""
    return "\\ufffd" if escape["half"] else escape[0]


def _is_json(response: HttpResponse, dialect: Dialect) -> bool:
    """Return whether a reply is one JSON object although a stream was requested, as servers without streaming send."""
    return dialect.framing == SSE and response.content_type == "application/json"


def _sent(run: Execution, wire: WireRequest, endpoint: Endpoint, request: ChatRequest) -> HttpResponse:
    kind = "text/event-stream" if request.stream and endpoint.dialect.framing == SSE else "application/json"
    headers: dict[str, str | Secret] = {"content-type": "application/json", "accept": kind}
    headers.update((name.lower(), value) for name, value in wire.headers.items())
    headers.update((name.lower(), value) for name, value in endpoint.credentials.items())
    return send(
        run,
        "POST",
        wire.url,
        name=LLM_CALL,
        headers=headers.items(),
        body=_encoded(wire.body),
        timeout=_seconds(request.options.get("timeout")),
        idle_timeout=_seconds(request.options.get("idle_timeout")),
        max_bytes=MAX_REPLY,
        is_configured=True,
    )


def _seconds(value: object) -> float | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0 else None


def _encoded(body: Mapping[str, Any]) -> bytes:
    try:
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise runtime_error("the request contains a value that JSON cannot represent") from None
    return text.encode("utf-8", "replace")


def _write_notes(run: Execution, wire: WireRequest, endpoint: Endpoint) -> None:
    """Write once per run what the vendor does not have and the request therefore lacks."""
    if not wire.notes:
        return
    known: set[str] = run.state(_NOTES_KEY, set)
    for note in wire.notes:
        if note not in known:
            known.add(note)
            run.write_error(f"[harn] warning: {redacted(note, endpoint.secrets)}\n")


def _shown(response: HttpResponse) -> str:
    return response.start(2_000).decode("utf-8", "replace")


def _is_of_script(error: BaseException) -> bool:
    """Return whether an exception comes from the code of a script, such as a callback that listens."""
    trace = error.__traceback__
    while trace is not None:
        if SOURCE_KEY in trace.tb_frame.f_globals:
            return True
        trace = trace.tb_next
    return False
