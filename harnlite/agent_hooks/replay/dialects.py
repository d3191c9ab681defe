"""How each agent names its events, and which fields of its payloads differ from those of the others."""

from __future__ import annotations

from dataclasses import dataclass, field

from harnlite.agent_hooks.calls import agent_calls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_CLAUDE = {
    agent_calls.SESSION_START: "SessionStart",
    agent_calls.USER_PROMPT: "UserPromptSubmit",
    agent_calls.PRE_TOOL_USE: "PreToolUse",
    agent_calls.POST_TOOL_USE: "PostToolUse",
    agent_calls.PRE_COMPACT: "PreCompact",
    agent_calls.POST_COMPACT: "SessionStart",
    agent_calls.SESSION_IDLE: "Notification",
    agent_calls.STOP: "Stop",
    agent_calls.SUBAGENT_START: "SubagentStart",
    agent_calls.SUBAGENT_STOP: "SubagentStop",
}
_BATCHED = {**_CLAUDE, agent_calls.POST_TOOL_USE: "PostToolBatch"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """The agent's names of the events that a replay makes, and of some fields."""

    natives: Mapping[str, str]
    turn_id: str = ""
    """The field with the id of the turn at a prompt."""
    last_message: str = "last_assistant_message"
    has_prompt_at_stop: bool = False
    has_tool_ids: bool = True
    is_batching: bool = False
    """Whether one call after all tools of a message reports them together."""
    idle_seconds: float | None = None
    """The time without a prompt after which the agent reports that it is idle."""
    registered: frozenset[str] = field(default_factory=frozenset)
    """The events that are registered although the rules do not ask for them, besides those of all agents."""


CLAUDE_CODE = Dialect(_BATCHED, turn_id="prompt_id", is_batching=True, idle_seconds=60.0)
CODEX = Dialect({name: _CLAUDE[name] for name in _CLAUDE if name != agent_calls.SESSION_IDLE}, turn_id="turn_id")
QWEN = Dialect(_BATCHED, is_batching=True, idle_seconds=60.0)
GEMINI = Dialect(
    {
        agent_calls.SESSION_START: "SessionStart",
        agent_calls.USER_PROMPT: "BeforeAgent",
        agent_calls.PRE_TOOL_USE: "BeforeTool",
        agent_calls.POST_TOOL_USE: "AfterTool",
        agent_calls.PRE_COMPACT: "PreCompress",
        agent_calls.STOP: "AfterAgent",
    },
    last_message="prompt_response",
    has_prompt_at_stop=True,
    has_tool_ids=False,
    registered=frozenset({agent_calls.PRE_COMPACT}),
)
