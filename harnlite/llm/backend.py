"""What a model is to the rest of harnlite: a request goes in, a reply comes out."""

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
        """Talks to the models of one provider."""

        name: str

        def complete(self, run: Execution, request: ChatRequest, on_delta: OnDelta | None) -> ChatReply:
            """Answer a request, handing over pieces of the text as they come; a failure is a ScriptError."""
            ...

    class ReminderSource(Protocol):
        """Where a call gets the reminders of its session from."""

        def rendered(self, capabilities: Capabilities) -> Rendered | None:
            """Return the pending reminders in the form that a route takes; nothing if there are none."""
            ...

        def sent(self, rendered: Rendered | None, turn_number: int) -> None:
            """Take note of what the prompt of a call has of the reminders; nothing if there are none.

            A call does this with its first request, and again for what only a fallback route shows or cannot show.
            """
            ...


BACKENDS_KEY = "llm_backends"
ENTRY_POINTS = "harnlite.backends"


class ChatRequest:
    """One request to a model, as it goes out."""

    __slots__ = (
        "messages",
        "model",
        "options",
        "ordinary",
        "provider",
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
        wire_format: str = "openai",
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
        """The messages without what reminders have put in front of them: a list that only grows along a session."""
        self.wire_format = wire_format


class ChatReply:
    """What a model has answered. Tool calls are dicts `{id, name, arguments}`."""

    __slots__ = (
        "blocks",
        "cache_read_tokens",
        "cache_write_tokens",
        "input_tokens",
        "logprobs",
        "model",
        "output_tokens",
        "provider",
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


class Backends:
    """The backends of a run, by the name of their provider; those of installed packages are found when asked for."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[str, ChatBackend] = {}

    def register(self, backend: ChatBackend) -> None:
        """Have a backend answer what goes to its provider."""
        self._known[backend.name] = backend

    def find(self, name: str) -> ChatBackend | None:
        """Return the backend of a provider, if there is one."""
        found = self._known.get(name)
        if found is None:
            found = _installed(name)
            if found is not None:
                self._known[name] = found
        return found

    def names(self) -> list[str]:
        """Return the providers whose backends were registered."""
        return sorted(self._known)


def _installed(name: str) -> ChatBackend | None:
    """Load the backend that a package declares under `harnlite.backends`: a class or function that makes it."""
    from importlib.metadata import entry_points

    for point in entry_points(group=ENTRY_POINTS, name=name):
        made: ChatBackend = point.load()()
        return made
    return None


def backends_of(run: Execution) -> Backends:
    """Return the backends of a run; a host may hand over its own as `context["backends"]`."""
    given = run.context.get("backends")
    return given if isinstance(given, Backends) else run.state(BACKENDS_KEY, Backends)
