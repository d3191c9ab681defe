"""The options of a request as a dialect reads them: mapped ones, unsupported ones, and fields for the body."""

from __future__ import annotations

from harnlite.llm.thinking import DISABLED, thinking_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from harnlite.llm.backend import ChatRequest
    from harnlite.llm.dialects.dialect import Host

    Fields = dict[str, Any]

_OURS = frozenset(
    {
        "api_mode",
        "anthropic_beta_features",
        "audio",
        "cache",
        "completion",
        "force_native_tool_search",
        "frequency_penalty",
        "idle_timeout",
        "interleaved_thinking",
        "logprobs",
        "max_tokens",
        "model",
        "output_format",
        "pdf",
        "prefill",
        "presence_penalty",
        "provider",
        "reasoning_effort",
        "seed",
        "stop",
        "stream",
        "temperature",
        "thinking",
        "timeout",
        "tool_format",
        "top_k",
        "top_p",
        "user_visible",
        "vision",
    }
)
"""The options that a dialect maps, or that never reach a vendor. All others are fields of the vendor's body."""

_OF_OPENAI = ("background", "include", "previous_response_id", "store", "truncation")
"""The options that only the APIs of OpenAI have."""

_PRIVATE = ("_", "x-harn-")


class Parameters:
    """The options of a request. `notes` says what was not sent, or was sent in another form."""

    __slots__ = ("_model", "_options", "_provider", "notes")

    def __init__(self, request: ChatRequest) -> None:
        self._model = request.model
        self._options = request.options
        self._provider = request.provider
        self.notes: list[str] = []

    def get(self, name: str) -> Any:  # noqa: ANN401 - an option may have any value
        """Return the value of an option, or None."""
        return self._options.get(name)

    def number(self, name: str) -> int | float | None:
        """Return the value of an option that is a number, or None."""
        value = self._options.get(name)
        return value if isinstance(value, int | float) and value.__class__ is not bool else None

    def stops(self) -> list[str]:
        """Return the texts that end the answer."""
        value = self._options.get("stop")
        items = value if isinstance(value, list) else [value]
        return [item for item in items if isinstance(item, str) and item]

    def schema(self) -> Fields | None:
        """Return the JSON Schema of the answer, or None."""
        form = self._options.get("output_format")
        schema = form.get("schema") if isinstance(form, dict) and form.get("kind") == "json_schema" else None
        return schema if isinstance(schema, dict) else None

    @property
    def wants_json(self) -> bool:
        """Return whether the answer must be a JSON object without a schema."""
        form = self._options.get("output_format")
        return isinstance(form, dict) and form.get("kind") == "json_object"

    def thinking(self, host: Host) -> Fields:
        """Return the settings for thinking: `{mode, budget_tokens?, level?}`, or those of the vendor's own form.

        A model that does not think, to which only a fallback can lead, gets none.
        """
        value = self._options.get("thinking")
        if isinstance(value, dict) and "type" in value:
            return value
        if value is None and self._options.get("reasoning_effort") in (None, "none"):
            return DISABLED
        found = value if isinstance(value, dict) and "mode" in value else None
        if found is None:
            found = thinking_of({"thinking": value} if value is not None else self._options)
        if host.flags.get("thinking") is False and found.get("mode") != DISABLED["mode"]:
            self.note(f"option 'thinking' is not sent to {self._provider}: {self._model} does not think")
            return DISABLED
        return found

    def skip(self, *names: str) -> None:
        """Note each of these options that is given: the vendor does not have it."""
        for name in names:
            if self._options.get(name) not in (None, False):
                self.note(f"option '{name}' is not sent to {self._provider}")

    def note(self, text: str) -> None:
        """Add a note, once."""
        if text not in self.notes:
            self.notes.append(text)

    def extra(self) -> Fields:
        """Return the fields that the options give for this provider alone."""
        self.skip(*_OF_OPENAI)
        known = _OURS.union(_OF_OPENAI)
        found = {name: value for name, value in self._options.items() if name not in known}
        own = found.pop("provider_tools", None)
        if isinstance(own, list) and own:
            found["tools"] = [*found.get("tools", ()), *own]
        return {name: value for name, value in found.items() if not name.startswith(_PRIVATE)}

    def added_to(self, body: Fields) -> Fields:
        """Return the body with the fields that the options give for this provider alone."""
        return merged(body, self.extra())


def merged(body: Fields, extra: Fields) -> Fields:
    """Return a body with more fields: dicts are merged, tools are appended, None removes a field."""
    found = dict(body)
    for name, value in extra.items():
        old = found.get(name)
        if value is None:
            found.pop(name, None)
        elif isinstance(old, dict) and isinstance(value, dict) and "type" not in value:
            found[name] = merged(old, value)
        elif name == "tools" and isinstance(old, list) and isinstance(value, list):
            found[name] = [*old, *value]
        else:
            found[name] = value
    return found


def without_empty(fields: Iterable[tuple[str, Any]]) -> Fields:
    """Return the fields that have a value."""
    return {name: value for name, value in fields if value is not None and value not in ([], {})}
