"""The format of Codex CLI, which rejects an answer with a key that it does not know."""

from __future__ import annotations

from harnlite.agent_hooks.calls.agent_calls import (
    POST_TOOL_USE,
    PRE_COMPACT,
    PRE_TOOL_USE,
    SESSION_END,
    SESSION_START,
    STOP,
    SUBAGENT_START,
    SUBAGENT_STOP,
    USER_PROMPT,
)
from harnlite.agent_hooks.formats.claude_like import ClaudeLikeFormat

_EVENTS = {
    "SessionStart": SESSION_START,
    "UserPromptSubmit": USER_PROMPT,
    "PreToolUse": PRE_TOOL_USE,
    "PostToolUse": POST_TOOL_USE,
    "PreCompact": PRE_COMPACT,
    "Stop": STOP,
    "SubagentStart": SUBAGENT_START,
    "SubagentStop": SUBAGENT_STOP,
    "SessionEnd": SESSION_END,
}
_FIELDS: dict[str, tuple[str, ...]] = {**ClaudeLikeFormat.fields, "turn_id": ("turn_id",)}


class CodexFormat(ClaudeLikeFormat):
    """Codex: five events take text, and a refusal takes nothing but its reason."""

    name = "codex"
    events = _EVENTS
    speaking = frozenset(("SessionStart", "SubagentStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"))
    fields = _FIELDS
    limit = (0, 2_500, 0)

    def changed(self, arguments: dict[str, object]) -> dict[str, object]:
        """Return the part of the answer that changes the arguments; Codex takes it only with a permission."""
        return {"permissionDecision": "allow", "updatedInput": arguments}


FORMAT = CodexFormat()
