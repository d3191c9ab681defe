"""The first request to a model that a program would make, as its vendor would receive it."""

from __future__ import annotations

from harnlite.llm.backend import backends_of
from harnlite.llm.configuration import configuration_of
from harnlite.llm.routes import MOCK, infer, require_backend
from harnlite.llm.secrets import HIDDEN
from harnlite.llm.vendors.backends import wire_of
from harnlite.llm.vendors.hosts import AUTHORIZATION, key_header
from harnlite.values.errors import ExitRun, ScriptError, runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from harnlite.llm.backend import ChatRequest
    from harnlite.llm.dialects.dialect import WireRequest
    from harnlite.runtime.tasks.execution import Execution

METHOD = "POST"
_AUTO = "auto"


class PreviewedRequest:
    """A request in the form of its vendor. `reminders` are the texts of the reminders in it."""

    __slots__ = ("body", "headers", "model", "notes", "provider", "reminders", "url")

    def __init__(self, run: Execution, request: ChatRequest, wire: WireRequest) -> None:
        self.provider = request.provider
        self.model = request.model
        self.url = wire.url
        self.headers = {"content-type": "application/json"} | {
            name.lower(): value for name, value in wire.headers.items()
        }
        header = key_header(configuration_of(run), request.provider)
        if header is not None:
            self.headers[header] = f"Bearer {HIDDEN}" if header == AUTHORIZATION else HIDDEN
        self.body = wire.body
        self.notes = wire.notes
        self.reminders = [] if request.rendered is None else request.rendered.texts()

    def as_dict(self) -> dict[str, Any]:
        """Return the request as data, with the place of each reminder in the body."""
        return {
            "provider": self.provider,
            "model": self.model,
            "method": METHOD,
            "url": self.url,
            "headers": self.headers,
            "body": self.body,
            "reminders": [
                {"path": path, "text": text} for text in self.reminders for path in _places(self.body, text, [])
            ],
            "notes": list(self.notes),
        }


class RequestPreview:
    """Takes the first request of a run for a provider and a model, which default to those of the program."""

    __slots__ = ("_model", "_provider", "error", "request")

    def __init__(self, provider: str | None, model: str | None) -> None:
        self._provider = provider
        self._model = model
        self.request: PreviewedRequest | None = None
        self.error: ScriptError | None = None

    def routed(self, run: Execution, options: dict[str, Any]) -> dict[str, Any]:
        """Return the options of a call with the provider and the model of the preview.

        The program's own model stays if it is one of the provider.
        """
        if self._provider is None and self._model is None:
            return options
        model = self._model
        if model is None:
            own = options.get("model")
            model = own if isinstance(own, str) and infer(configuration_of(run), own) == self._provider else None
        return {**options, "provider": self._provider or _AUTO, "model": model, "model_tier": None}

    def take(self, run: Execution, request: ChatRequest) -> None:
        """Keep the first request, or the error that prevents it, and end the run."""
        if self.request is None and self.error is None:
            try:
                self.request = PreviewedRequest(run, request, _wire(run, request))
            except ScriptError as error:
                self.error = error
        raise ExitRun(0)


def _wire(run: Execution, request: ChatRequest) -> WireRequest:
    name = request.provider
    if name == MOCK:
        raise runtime_error("this call goes to the mock, which receives no request; choose a vendor with --provider")
    if backends_of(run).has_own(name):
        raise runtime_error(f"provider `{name}` has a backend of its own, and only it knows what it sends")
    if name not in configuration_of(run).endpoints:
        require_backend(run, name)
        raise runtime_error(f"provider `{name}` is not known; `harnlite models` lists the known ones")
    return wire_of(run, request)


def _places(value: object, text: str, path: list[str | int]) -> Iterator[list[str | int]]:
    """Yield the path of each text in a body that contains another text."""
    if isinstance(value, str):
        if text in value:
            yield path
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _places(item, text, [*path, key])
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _places(item, text, [*path, index])
