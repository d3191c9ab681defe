"""The base class of the formats of coding agents."""

from __future__ import annotations

from harnlite.agent_hooks.agent_calls import AgentCall, Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.agent_hooks.agent_calls import Speech


class Format:
    """The events of one coding agent, and the form of its calls and of the answers to them."""

    name = ""
    """The name of the agent, as in `--agent`."""
    events: Mapping[str, str] = {}
    """The harnlite event of each event of the agent that harnlite uses."""
    speaking: frozenset[str] = frozenset()
    """The events of the agent whose answer may contain text for the model."""
    denying: frozenset[str] = frozenset()
    """The events of the agent whose answer may refuse the tool call or the prompt."""
    continuing: frozenset[str] = frozenset()
    """The events of the agent whose answer may make it continue."""
    changing: frozenset[str] = frozenset()
    """The events of the agent whose answer may change the arguments of the tool."""
    empty = ""
    """What the agent gets if there is nothing to say."""

    def read(self, data: dict[str, object], native: str, env: Mapping[str, str]) -> AgentCall:  # noqa: ARG002 - for other formats
        """Return a call in the terms of harnlite. Wrong or missing fields have their defaults."""
        return AgentCall(self.name, native, self.events.get(native, ""), data)

    def answer(self, call: AgentCall, speech: Speech) -> Answer:  # noqa: ARG002 - for other formats
        """Return the answer that the event of the agent accepts; what it cannot express is left out."""
        return Answer(self.empty)
