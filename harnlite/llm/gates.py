"""What a call asks for and a model cannot do."""

from __future__ import annotations

from _operator import is_

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
    Wants = Callable[["Asked", Flags], bool]


class BlockKinds:
    """The kinds of content blocks in the last list of messages; of one that has grown only the rest is looked at."""

    __slots__ = ("_count", "_kinds", "_seen")

    def __init__(self) -> None:
        self._seen: list[Any] = []
        self._count = 0
        self._kinds: set[str] = set()

    def of(self, messages: list[Any]) -> AbstractSet[str]:
        """Return the kinds of blocks in these messages."""
        if messages is self._seen and len(messages) == self._count:
            return self._kinds
        grows = len(messages) >= self._count and all(map(is_, self._seen, messages))
        if not grows:
            self._count, self._kinds = 0, set()
        for message in messages[self._count :]:
            content = message.get("content") if message.__class__ is dict else None
            for block in content if content.__class__ is list else ():
                kind = block.get("type") if block.__class__ is dict else None
                if isinstance(kind, str):
                    self._kinds.add(kind)
        self._seen, self._count = messages, len(messages)
        return self._kinds


class Asked:
    """What a call asks for, as the gates look at it."""

    __slots__ = ("options", "route", "run")

    def __init__(self, run: Execution, route: Route, options: dict[str, Any]) -> None:
        self.run = run
        self.route = route
        self.options = options

    def has_media(self, option: str, *kinds: str) -> bool:
        """Say whether an option is on, or one of the messages has a block of these kinds."""
        messages = self.options.get("messages")
        if self.options.get(option) is True or not isinstance(messages, list):
            return self.options.get(option) is True
        return not self.run.state("llm_block_kinds", BlockKinds).of(messages).isdisjoint(kinds)


def gates(run: Execution, route: Route, options: dict[str, Any]) -> None:
    """Throw for the first option that the model cannot honour.

    While a scripted answer is queued there are no gates; whoever knows the queue does not call this then.
    """
    flags = flags_of(run, route.provider, route.model)
    asked = Asked(run, route, options)
    for option, able, wants in _GATES:
        if not (able and flags[able]) and wants(asked, flags):
            raise thrown(f"option `{option}` is not supported by `{route.model}` (provider `{route.provider}`).")


def _wants_thinking(asked: Asked, _flags: Flags) -> bool:
    value = asked.options.get("thinking")
    if isinstance(value, dict):
        return value.get("enabled") is not False and value.get("mode") != "disabled"
    return value not in (None, False, "disabled", "off", "none")


def _is_on(option: str) -> Wants:
    return lambda asked, _flags: asked.options.get(option) is True


def _has_media(option: str, *kinds: str) -> Wants:
    return lambda asked, _flags: asked.has_media(option, *kinds)


def _wanted_output(asked: Asked) -> str:
    """Return the kind of structured output that is asked for: json_schema, json_object or nothing."""
    given = asked.options.get("output_format")
    kind = given.get("kind") if isinstance(given, dict) else given
    if kind in ("json_schema", "schema"):
        return "json_schema"
    return "json_object" if kind in ("json", "json_object") else ""


def _wants_output(asked: Asked, flags: Flags) -> bool:
    """Say whether structured output is asked for that the model does not have in that form."""
    wanted = _wanted_output(asked)
    if not wanted or asked.route.provider == MOCK:
        return False
    has = flags["structured_output"]
    return has is None if wanted == "json_object" else has not in ("native", "tool_use", "format")


def _wants_native_tools(asked: Asked, _flags: Flags) -> bool:
    tools = asked.options.get("tools")
    offered = tools.get("tools") if isinstance(tools, dict) else tools
    return bool(offered) and (asked.options.get("tool_format") or asked.route.tool_format) == NATIVE


# the option, the flag that lets everything pass, and what else may not
_GATES: tuple[tuple[str, str, Wants], ...] = (
    ("thinking", "thinking", _wants_thinking),
    (
        "reasoning_effort",
        "reasoning_effort_supported",
        lambda asked, _: asked.options.get("reasoning_effort") not in (None, "none"),
    ),
    ("interleaved_thinking", "interleaved_thinking_supported", _is_on("interleaved_thinking")),
    ("output_format", "", _wants_output),
    ("vision", "vision_supported", _has_media("vision", "image", "image_url")),
    ("audio", "audio", _has_media("audio", "audio", "input_audio")),
    ("pdf", "pdf", _has_media("pdf", "pdf", "document", "file")),
    ("cache", "prompt_caching", _is_on("cache")),
    ("tools", "native_tools", _wants_native_tools),
    ("tool_choice", "native_tools", lambda asked, _: asked.options.get("tool_choice") is not None),
)
