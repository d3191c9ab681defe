"""The format of Claude Code."""

from __future__ import annotations

from harnlite.agent_hooks.calls.agent_calls import SESSION_START, SUBAGENT_STOP, USER_PROMPT, Budget
from harnlite.agent_hooks.calls.context_windows import claude_window
from harnlite.agent_hooks.formats.claude_like import ClaudeLikeFormat
from harnlite.agent_hooks.formats.fields import number_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.agent_hooks.calls.agent_calls import AgentCall

_WRITTEN_BY_USER = frozenset(("", "user", "sdk"))

_REFUSED = ("Claude requested permissions to ", "The user doesn't want to proceed with this tool use.")


class ClaudeCodeFormat(ClaudeLikeFormat):
    """Claude Code: PreToolUse may explain a refusal further, and a compaction may be refused."""

    name = "claude-code"
    denying = frozenset(("PreToolUse", "UserPromptSubmit", "PreCompact"))
    speaking_with_denial = frozenset(("PreToolUse",))
    limit = (10_000, 0, 0)

    def finish(self, call: AgentCall, env: Mapping[str, str]) -> None:
        """Set who has written a prompt, and how full the context is when a session is resumed."""
        if call.event == USER_PROMPT:
            call.is_user_prompt = text_of(call.data, ("source",)) in _WRITTEN_BY_USER
        elif call.event == SESSION_START:
            used = int(number_of(call.data, ("context_tokens",)))
            if used:
                call.budget = Budget(used, claude_window(call.model, used), is_exact=False)
        super().finish(call, env)
        if call.event == SUBAGENT_STOP and call.data.get("agent_type") == "":
            # Claude Code compacts with agents of its own. They are no sub-agents of the session, and must not continue.
            call.event, call.transcript = "", text_of(call.data, ("transcript_path",))

    def has_run(self, data: dict[str, object]) -> bool:
        """Return whether neither a hook nor the user has refused a call of a batch."""
        response = data.get("tool_response")
        refusal = f"PreToolUse:{text_of(data, self.tool_name)} hook error: "
        return not (isinstance(response, str) and response.startswith((refusal, *_REFUSED)))


FORMAT = ClaudeCodeFormat()
