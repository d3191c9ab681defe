"""Checks that reject a call whose options the model does not support."""

from __future__ import annotations

from harnlite.llm.messages import GrowingList
from harnlite.llm.model_flags import flags_of
from harnlite.llm.routes import MOCK
from harnlite.reminders.capabilities import NATIVE
from harnlite.values.errors import thrown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet
    from typing import Any

    from harnlite.llm.routes import Route
    from harnlite.runtime.tasks.execution import Execution

    Flags = dict[str, object]
    Check = Callable[["GatedCall", Flags], bool]


_OPENROUTER, _CACHED_THERE = "openrouter", "anthropic/"


class BlockKinds:
    """The kinds of content blocks in the last list of messages. If that list has grown, only its new part is read."""

    __slots__ = ("_count", "_kinds", "_last", "_seen")

    def __init__(self) -> None:
        self._seen = GrowingList()
        self._last: list[Any] = []
        self._count = 0
        self._kinds: set[str] = set()

    def of(self, messages: list[Any], origin: object = None) -> AbstractSet[str]:
        """Return the kinds of the blocks in these messages."""
        if messages is self._last and len(messages) == self._count:
            return self._kinds
        if not self._seen.continues(messages, origin):
            self._count, self._kinds = 0, set()
        for message in messages[self._count :]:
            content = message.get("content") if message.__class__ is dict else None
            for block in content if content.__class__ is list else ():
                kind = block.get("type") if block.__class__ is dict else None
                if isinstance(kind, str):
                    self._kinds.add(kind)
        self._last, self._count = messages, len(messages)
        return self._kinds


class GatedCall:
    """A call that the gates check: its run, route and options, and the origin of its messages."""

    __slots__ = ("options", "origin", "route", "run")

    def __init__(self, run: Execution, route: Route, options: dict[str, Any], origin: object) -> None:
        self.run = run
        self.route = route
        self.options = options
        self.origin = origin

    def has_media(self, option: str, *kinds: str) -> bool:
        """Return whether an option is on or a message contains a block of one of these kinds."""
        messages = self.options.get("messages")
        if self.options.get(option) is True or not isinstance(messages, list):
            return self.options.get(option) is True
        return not self.run.state("llm_block_kinds", BlockKinds).of(messages, self.origin).isdisjoint(kinds)


def gates(run: Execution, route: Route, options: dict[str, Any], origin: object = None) -> None:
    """Throw for the first option that the model does not support.

    There are no gates while a scripted answer is queued: in that case the caller does not call this function.
    """
    flags = flags_of(run, route.provider, route.model)
    call = GatedCall(run, route, options, origin)
    for option, flag, is_requested in _GATES:
        if not (flag and flags[flag]) and is_requested(call, flags):
            raise thrown(f"option `{option}` is not supported by `{route.model}` (provider `{route.provider}`).")


def _wants_thinking(call: GatedCall, _flags: Flags) -> bool:
    value = call.options.get("thinking")
    if isinstance(value, dict):
        return value.get("enabled") is not False and value.get("mode") != "disabled"
    return value not in (None, False, "disabled", "off", "none")


def _is_on(option: str) -> Check:
    return lambda call, _flags: call.options.get(option) is True


def _wants_cache(call: GatedCall, _flags: Flags) -> bool:
    """Return whether the call requests caching marks; OpenRouter passes those on to the models of Anthropic."""
    route = call.route
    return call.options.get("cache") is True and not (
        route.provider == _OPENROUTER and route.model.startswith(_CACHED_THERE)
    )


def _has_media(option: str, *kinds: str) -> Check:
    return lambda call, _flags: call.has_media(option, *kinds)


def _wanted_output(call: GatedCall) -> str:
    """Return the kind of structured output that is requested: json_schema, json_object or an empty string."""
    given = call.options.get("output_format")
    kind = given.get("kind") if isinstance(given, dict) else given
    if kind in ("json_schema", "schema"):
        return "json_schema"
    return "json_object" if kind in ("json", "json_object") else ""


def _wants_output(call: GatedCall, flags: Flags) -> bool:
    """Return whether the call requests structured output in a form that the model does not support."""
    wanted = _wanted_output(call)
    if not wanted or call.route.provider == MOCK:
        return False
    has = flags["structured_output"]
    return has is None if wanted == "json_object" else has not in ("native", "tool_use", "format")


def _wants_native_tools(call: GatedCall, _flags: Flags) -> bool:
    tools = call.options.get("tools")
    offered = tools.get("tools") if isinstance(tools, dict) else tools
    return bool(offered) and (call.options.get("tool_format") or call.route.tool_format) == NATIVE


# the option, the flag with which every value is supported, and the check whether the call uses the option
_GATES: tuple[tuple[str, str, Check], ...] = (
    ("thinking", "thinking", _wants_thinking),
    (
        "reasoning_effort",
        "reasoning_effort_supported",
        lambda call, _: call.options.get("reasoning_effort") not in (None, "none"),
    ),
    ("interleaved_thinking", "interleaved_thinking_supported", _is_on("interleaved_thinking")),
    ("output_format", "", _wants_output),
    ("vision", "vision_supported", _has_media("vision", "image", "image_url")),
    ("audio", "audio", _has_media("audio", "audio", "input_audio")),
    ("pdf", "pdf", _has_media("pdf", "pdf", "document", "file")),
    ("cache", "prompt_caching", _wants_cache),
    ("tools", "native_tools", _wants_native_tools),
    ("tool_choice", "native_tools", lambda call, _: call.options.get("tool_choice") is not None),
)
