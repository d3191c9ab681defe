"""The interface between a dialect, which knows the JSON of a vendor, and the backend, which transports it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol

    from harnlite.llm.backend import ChatReply, ChatRequest
    from harnlite.values.errors import ScriptError

    class StreamReader(Protocol):
        """The reply of one streamed request, read event by event."""

        def feed(self, event: str | None, data: Mapping[str, Any]) -> list[Delta]:
            """Read an event of the stream and return what it adds. Raise the vendor's error that it contains.

            `event` is the name of a server-sent event, or None. The end mark `data: [DONE]`, which is not JSON, is
            passed as the event `END_MARK` without data.
            """
            ...

        @property
        def is_complete(self) -> bool:
            """Return whether the vendor's own end mark has been read."""
            ...

        def reply(self) -> ChatReply:
            """Return the reply that all events together form."""
            ...

    class Dialect(Protocol):
        """The requests and replies of one API of a vendor. It performs no input or output and keeps no state."""

        framing: str
        """How events are separated in a streamed reply: `SSE` or `JSON_LINES`."""

        def wire(self, request: ChatRequest, host: Host) -> WireRequest:
            """Return the request as the vendor demands it."""
            ...

        def reply(self, body: Mapping[str, Any], request: ChatRequest, host: Host) -> ChatReply:
            """Return the reply of a request that was not streamed."""
            ...

        def reader(self, request: ChatRequest, host: Host) -> StreamReader:
            """Return a reader for the reply of a streamed request."""
            ...

        def failure(self, status: int, body: str, host: Host, retry_after: str | None = None) -> ScriptError:
            """Return the error for an HTTP error response. `retry_after` is the value of the header of that name."""
            ...


SSE, JSON_LINES = "sse", "json_lines"
END_MARK = "[DONE]"
"""The data of the last event in the streams of OpenAI and compatible hosts."""

TEXT, THINKING, TOOL_CALL = "text", "thinking", "tool_call"
"""The kinds of what an event of a stream adds."""


class Delta:
    """What an event of a stream adds: a piece of text or thinking, or a piece of the arguments of a tool call."""

    __slots__ = ("call_id", "call_name", "kind", "text")

    def __init__(self, kind: str, text: str, call_id: str = "", call_name: str = "") -> None:
        self.kind = kind
        self.text = text
        self.call_id = call_id
        self.call_name = call_name


class Host:
    """The server that a request goes to: a vendor's own, or one that is compatible with it.

    `flags` are the capabilities of the model (`llm.model_flags`), `quirks` what a compatible host wants otherwise.
    """

    __slots__ = ("base_url", "chat_endpoint", "flags", "headers", "max_output", "provider", "quirks", "window")

    def __init__(
        self,
        *,
        provider: str,
        base_url: str,
        chat_endpoint: str = "",
        headers: Mapping[str, str] | None = None,
        flags: Mapping[str, Any] | None = None,
        quirks: frozenset[str] = frozenset(),
        window: int | None = None,
        max_output: int | None = None,
    ) -> None:
        self.provider = provider
        self.base_url = base_url
        self.chat_endpoint = chat_endpoint
        self.headers = headers or {}
        """The headers of the configuration; a dialect adds its own to them. The key is added when a request is sent."""
        self.flags = flags or {}
        self.quirks = quirks
        self.window = window
        self.max_output = max_output


class WireRequest:
    """A request as it is sent: always POST, with a body of JSON whose keys keep their order."""

    __slots__ = ("body", "headers", "notes", "url")

    def __init__(
        self, url: str, headers: Mapping[str, str], body: Mapping[str, Any], notes: tuple[str, ...] = ()
    ) -> None:
        self.url = url
        self.headers = headers
        self.body = body
        self.notes = notes
        """What was left out because the vendor does not have it: `option 'seed' is not sent to anthropic`."""
