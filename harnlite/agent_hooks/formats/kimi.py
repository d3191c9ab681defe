"""The format of Kimi Code."""

from __future__ import annotations

from harnlite.agent_hooks.formats.claude_like import ClaudeLikeFormat
from harnlite.agent_hooks.formats.table_format import json_answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent_hooks.calls.agent_calls import AgentCall, Answer


class KimiFormat(ClaudeLikeFormat):
    """Kimi Code: calls like those of Claude Code; only a prompt takes text, as a message of its own."""

    name = "kimi"
    speaking = frozenset(("UserPromptSubmit",))
    denying = frozenset(("PreToolUse",))
    continuing = frozenset(("Stop",))
    changing = frozenset()
    limit = (0, 0, 0)

    def statement(self, call: AgentCall, context: str, arguments: dict[str, object] | None) -> Answer:  # noqa: ARG002 - the interface
        """Return text for the model."""
        return json_answer({"message": context})


FORMAT = KimiFormat()
