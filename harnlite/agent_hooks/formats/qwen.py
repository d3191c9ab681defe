"""The format of Qwen Code."""

from __future__ import annotations

from harnlite.agent_hooks.calls.agent_calls import STOP, USER_PROMPT, Budget
from harnlite.agent_hooks.calls.json_text import well_formed
from harnlite.agent_hooks.formats.claude_like import ClaudeLikeFormat
from harnlite.agent_hooks.formats.fields import number_of, object_of, text_of
from harnlite.agent_hooks.formats.plain_brackets import without_brackets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.agent_hooks.calls.agent_calls import AgentCall


class QwenFormat(ClaudeLikeFormat):
    """Qwen Code: its prompts are not all written by the user, and Stop states the use of the context window.

    It accepts text and changed arguments at PreToolUse, but uses neither. The id of a call that all events share is
    `tool_call_id`.
    """

    name = "qwen"
    speaking = ClaudeLikeFormat.speaking - {"PreToolUse"}
    changing = frozenset()
    tool_id = ("tool_call_id", "tool_use_id")
    limit = (0, 0, 0)
    folder_variables = ("QWEN_PROJECT_DIR", "CLAUDE_PROJECT_DIR")

    def finish(self, call: AgentCall, env: Mapping[str, str]) -> None:
        """Set the prompt as the user has submitted it, and the budget."""
        if call.event == USER_PROMPT:
            submitted = text_of(call.data, ("submitted_prompt",))
            call.is_user_prompt = "submitted_prompt" in call.data
            call.prompt = submitted or call.prompt
        elif call.event == STOP:
            call.budget = _budget(call.data)
        super().finish(call, env)

    def has_run(self, data: dict[str, object]) -> bool:
        """Return whether a call of a batch was started."""
        return object_of(data.get("tool_response")).get("execution_status") != "not_started"

    def shown(self, text: str) -> str:
        """Return a text in characters that the agent passes on to its model unchanged."""
        return without_brackets(well_formed(text))


def _budget(data: dict[str, object]) -> Budget | None:
    window = int(number_of(data, ("context_limit",)))
    used = number_of(data, ("input_tokens",)) or number_of(data, ("context_usage",)) * window
    return Budget(int(used), window) if used >= 1 else None


FORMAT = QwenFormat()
