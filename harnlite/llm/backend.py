"""The interface between harnlite and the backends that call models: requests and replies."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol, TypeAlias

    from harnlite.reminders.capabilities import Capabilities
    from harnlite.reminders.rendering import Rendered
    from harnlite.runtime.tasks.execution import Execution

    Message: TypeAlias = dict[str, Any]
    OnDelta: TypeAlias = Callable[[str], object]

    class ChatBackend(Protocol):
        """A connection to the models of one provider.

        Calls need the capability `net`, unless the backend has an attribute `uses_network` that is false.
        """

        name: str

        def complete(self, run: Execution, request: ChatRequest, on_delta: OnDelta | None) -> ChatReply:
            """Answer a request and pass pieces of text to `on_delta` as they arrive; raise ScriptError on failure."""
            ...

    class Preview(Protocol):
        """A host that shows the first request of a run instead of sending it; `context["preview"]` holds it."""

        def routed(self, run: Execution, options: dict[str, Any]) -> dict[str, Any]:
            """Return the options of a call with the provider and the model of the preview."""
            ...

        def take(self, run: Execution, request: ChatRequest) -> object:
            """Show a request and end the run."""
            ...

    class ReminderSource(Protocol):
        """The source of the session's reminders for a call."""

        def rendered(self, capabilities: Capabilities) -> Rendered | None:
            """Return the pending reminders in the form that a route supports, or None if there are none."""
            ...

        def sent(self, rendered: Rendered | None, turn_number: int) -> None:
            """Record which reminders are in the prompt of a call; `rendered` is None if there are none.

            A call does this for its first request, and again for reminders that only a fallback route renders or
            cannot render.
            """
            ...


BACKENDS_KEY = "llm_backends"
BUILT_IN_KEY = "built_in_backends"
"""The key of a run's context for the function that returns the built-in backend of a provider."""


class ChatRequest:
    """A request to a model, as it is sent."""

    __slots__ = (
        "messages",
        "model",
        "options",
        "ordinary",
        "origin",
        "provider",
        "rendered",
        "stream",
        "system",
        "tool_choice",
        "tools",
        "wire_format",
    )

    def __init__(  # noqa: PLR0913 - each is a keyword
        self,
        *,
        provider: str,
        model: str,
        messages: Sequence[Message],
        system: str | None = None,
        tools: list[dict[str, object]] | None = None,
        tool_choice: object = None,
        options: dict[str, Any] | None = None,
        stream: bool = False,
        ordinary: Sequence[Message] | None = None,
        origin: object = None,
        wire_format: str = "openai",
        rendered: Rendered | None = None,
    ) -> None:
        self.provider = provider
        self.model = model
        self.messages = messages
        self.system = system
        self.tools = tools
        self.tool_choice = tool_choice
        self.options = options or {}
        self.stream = stream
        self.ordinary = messages if ordinary is None else ordinary
        """The messages without the reminders placed in front of them: a list that only grows during a session."""
        self.origin = origin
        """Of two such lists with the same origin, the longer one begins with the shorter one."""
        self.wire_format = wire_format
        self.rendered = rendered
        """The reminders in the system prompt and the messages."""


class ChatReply:
    """The reply of a model. Its tool calls are dicts of the form `{id, name, arguments}`."""

    __slots__ = (
        "blocks",
        "cache_read_tokens",
        "cache_write_tokens",
        "input_tokens",
        "logprobs",
        "model",
        "output_tokens",
        "provider",
        "response_id",
        "stop_reason",
        "text",
        "thinking",
        "thinking_summary",
        "tool_calls",
    )

    def __init__(  # noqa: PLR0913 - each is a keyword
        self,
        *,
        text: str = "",
        tool_calls: Sequence[dict[str, Any]] = (),
        input_tokens: int = 0,
        output_tokens: int = 0,
        cache_read_tokens: int = 0,
        cache_write_tokens: int = 0,
        thinking: str | None = None,
        thinking_summary: str | None = None,
        stop_reason: str | None = None,
        model: str = "",
        provider: str = "",
        blocks: Sequence[dict[str, Any]] = (),
        logprobs: object = None,
        response_id: str | None = None,
    ) -> None:
        self.text = text
        self.tool_calls = tool_calls
        self.input_tokens = input_tokens
        self.output_tokens = output_tokens
        self.cache_read_tokens = cache_read_tokens
        self.cache_write_tokens = cache_write_tokens
        self.thinking = thinking
        self.thinking_summary = thinking_summary
        self.stop_reason = stop_reason
        self.model = model
        self.provider = provider
        self.blocks = blocks
        self.logprobs = logprobs
        self.response_id = response_id
        """The id of an answer that the provider keeps, for the option `previous_response_id` of a later call."""


class Backends:
    """The backends of a run by provider name; backends of installed packages are loaded on first use."""

    __slots__ = ("_known", "_missing")

    def __init__(self) -> None:
        self._known: dict[str, ChatBackend] = {}
        self._missing: set[str] = set()

    def register(self, backend: ChatBackend) -> None:
        """Register a backend to answer the calls to its provider."""
        self._known[backend.name] = backend

    def find(self, name: str) -> ChatBackend | None:
        """Return the backend of a provider, or None if there is none."""
        found = self._known.get(name)
        if found is None and name not in self._missing:
            found = _installed(name)
            if found is None:
                self._missing.add(name)
            else:
                self._known[name] = found
        return found

    def has_own(self, name: str) -> bool:
        """Return whether a provider has a backend of its own, registered by a host or installed as a package."""
        return self.find(name) is not None

    def names(self) -> list[str]:
        """Return the names of the providers whose backends are registered or loaded."""
        return sorted(self._known)


def _installed(name: str) -> ChatBackend | None:
    from harnlite.llm.installed_backends import installed_backend

    return installed_backend(name)


def backends_of(run: Execution) -> Backends:
    """Return the backends of a run; a host may provide its own in `context["backends"]`."""
    given = run.context.get("backends")
    return given if isinstance(given, Backends) else run.state(BACKENDS_KEY, Backends)


def preview_of(run: Execution) -> Preview | None:
    """Return the preview that takes the requests of a run, or None if they are sent."""
    return run.context.get("preview")  # type: ignore[return-value]  # set by the host alone


def backend_of(run: Execution, name: str) -> ChatBackend | None:
    """Return the backend of a provider: a registered or installed one, or the one that is built in, or None."""
    built_in = run.context.get(BUILT_IN_KEY)
    found = backends_of(run).find(name)
    return built_in(run, name) if found is None and callable(built_in) else found
