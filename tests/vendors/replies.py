"""The replies that a test queues, described without reference to a vendor."""

import dataclasses
import typing
from collections.abc import Mapping

from tests.vendors.faults import Fault

Stop = typing.Literal["end", "tool_use", "max_tokens", "stop_sequence", "refusal", "pause", "context_window"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """Reasoning of the model, with whatever the vendor needs to get back in the next request.

    `signature` is the vendor's opaque value: Anthropic's signature, the encrypted content of a reasoning item, or
    Gemini's thought signature. A `redacted` block has no text; its `signature` is the data.
    """

    text: str = ""
    signature: str = "c2lnbmF0dXJlLW9mLXRoaW5raW5n"
    redacted: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool. Without an `id`, the vendor makes one; without a `signature`, Gemini 3 makes one."""

    name: str
    arguments: Mapping[str, object] = dataclasses.field(default_factory=dict)
    id: str | None = None
    signature: str | None = None


Part = str | Thinking | ToolCall


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Token counts. `input_tokens` is everything that the model read, cached or not; output includes thinking."""

    input_tokens: int = 25
    output_tokens: int = 12
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    thinking_tokens: int = 0


class Reply:
    """One reply of the model: its parts in order, and how the server delivers them.

    `stop` is derived from the parts if it is not given. `latency` is the time before the first byte, `pace` the time
    between two events, `piece` the number of characters in one delta. `fragment` sends the body in HTTP chunks of that
    many bytes, regardless of events and characters. `pings` adds the vendor's keep-alive events to a stream.
    """

    def __init__(  # noqa: PLR0913
        self,
        *parts: Part,
        stop: Stop | None = None,
        usage: Usage | None = None,
        fault: Fault | None = None,
        latency: float = 0.0,
        pace: float = 0.0,
        piece: int = 7,
        fragment: int = 0,
        pings: bool = True,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.parts = parts
        self.usage = usage or Usage()
        self.fault = fault
        self.latency = latency
        self.pace = pace
        self.piece = piece
        self.fragment = fragment
        self.pings = pings
        self.headers = dict(headers or {})
        self.stop: Stop = stop or ("tool_use" if self.tool_calls else "end")

    @property
    def text(self) -> str:
        """Return the text of the reply, without thinking."""
        return "".join(part for part in self.parts if isinstance(part, str))

    @property
    def tool_calls(self) -> list[ToolCall]:
        """Return the tool calls in their order."""
        return [part for part in self.parts if isinstance(part, ToolCall)]

    @property
    def thinking(self) -> list[Thinking]:
        """Return the thinking parts in their order."""
        return [part for part in self.parts if isinstance(part, Thinking)]

    def pieces(self, text: str) -> list[str]:
        """Split the text into the deltas of a stream."""
        return [text[start : start + self.piece] for start in range(0, len(text), self.piece)]
