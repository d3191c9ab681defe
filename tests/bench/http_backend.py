"""The backend of the measurements of HTTP, with the smallest dialect."""

from __future__ import annotations

from harnlite.llm.backend import ChatReply
from harnlite.llm.dialects.dialect import SSE, TEXT, Delta, Host, WireRequest
from harnlite.llm.vendors.vendor_backend import Endpoint, VendorBackend

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnlite.llm.backend import ChatRequest


class _Reader:
    def __init__(self) -> None:
        self._texts: list[str] = []
        self.is_complete = False

    def feed(self, _event: str | None, data: Mapping[str, Any]) -> list[Delta]:
        """Read an event."""
        if "end" in data:
            self.is_complete = True
            return []
        self._texts.append(data["text"])
        return [Delta(TEXT, data["text"])]

    def reply(self) -> ChatReply:
        """Return the whole reply."""
        return ChatReply(text="".join(self._texts))


class _Plain:
    """The smallest dialect."""

    framing = SSE

    def wire(self, request: ChatRequest, host: Host) -> WireRequest:
        """Return the request."""
        url = host.base_url + "stream" if request.stream else host.base_url
        return WireRequest(url, {}, {"model": request.model, "messages": list(request.messages)})

    def reply(self, body: Mapping[str, Any], _request: ChatRequest, _host: Host) -> ChatReply:
        """Return the reply that was not streamed."""
        return ChatReply(text=body["text"])

    def reader(self, _request: ChatRequest, _host: Host) -> _Reader:
        """Return a reader."""
        return _Reader()


def backend(url: str) -> VendorBackend:
    """Return a backend whose requests go to a server of these measurements."""
    endpoint = Endpoint(_Plain(), Host(provider="bench", base_url=url))
    return VendorBackend("bench", lambda _run, _request: endpoint)
