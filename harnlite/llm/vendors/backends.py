"""The built-in backends: one for each provider with an address, in the dialect that its host speaks."""

from __future__ import annotations

from harnlite.llm.configuration import configuration_of
from harnlite.llm.providers import WITHOUT_BACKEND
from harnlite.llm.routes import MOCK, Route
from harnlite.llm.vendors.hosts import credentials_of, dialect_of, host_of
from harnlite.llm.vendors.vendor_backend import Endpoint, VendorBackend

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.llm.backend import ChatRequest
    from harnlite.llm.dialects.dialect import WireRequest
    from harnlite.runtime.tasks.execution import Execution


def vendor_backend(run: Execution, name: str) -> VendorBackend | None:
    """Return the backend of a provider that the configuration of a run knows, or None."""
    known = configuration_of(run)
    if name not in known.endpoints or name in WITHOUT_BACKEND or name == MOCK:
        return None
    return VendorBackend(name, endpoint_of)


def endpoint_of(run: Execution, request: ChatRequest) -> Endpoint:
    """Return where a request goes; throw if its provider lacks a key or an address."""
    route = _route_of(request)
    return Endpoint(dialect_of(run, route, request.options), host_of(run, route), credentials_of(run, route))


def wire_of(run: Execution, request: ChatRequest) -> WireRequest:
    """Return a request in the form in which it would be sent, without the header with the key."""
    route = _route_of(request)
    return dialect_of(run, route, request.options).wire(request, host_of(run, route, needs_key=False))


def _route_of(request: ChatRequest) -> Route:
    return Route(request.provider, request.model, None, "", "")
