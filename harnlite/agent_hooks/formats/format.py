"""The base class of the formats of coding agents."""

from __future__ import annotations

from abc import ABC, abstractmethod

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.agent_hooks.calls.agent_calls import AgentCall, Answer, Speech


class Format(ABC):
    """The events of one coding agent, and the form of its calls and of the answers to them."""

    name = ""
    """The name of the agent, as in `--agent`."""
    events: Mapping[str, str] = {}
    """The harnlite event of each event of the agent that harnlite uses."""
    speaking: frozenset[str] = frozenset()
    """The events of the agent whose answer may contain text for the model."""
    denying: frozenset[str] = frozenset()
    """The events of the agent whose answer may refuse the tool call, the prompt or the compaction."""
    speaking_with_denial: frozenset[str] = frozenset()
    """The events of the agent whose refusal may contain text for the model too."""
    continuing: frozenset[str] = frozenset()
    """The events of the agent whose answer may make it continue."""
    changing: frozenset[str] = frozenset()
    """The events of the agent whose answer may change the arguments of the tool."""
    empty = ""
    """What the agent gets if there is nothing to say."""
    limit: tuple[int, int, int] = (10_000, 0, 0)
    """The longest text that the agent takes whole, in characters, tokens and bytes; 0 where it states no limit."""

    def can_speak(self, call: AgentCall) -> bool:
        """Return whether the model reads text of the answer to this very call."""
        return call.native in self.speaking

    @abstractmethod
    def read(self, data: dict[str, object], native: str, env: Mapping[str, str]) -> AgentCall:
        """Return a call in the terms of harnlite. Wrong or missing fields have their defaults."""

    @abstractmethod
    def answer(self, call: AgentCall, speech: Speech) -> Answer:
        """Return the answer that the event of the agent accepts; what it cannot express is left out."""
