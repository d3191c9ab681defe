"""The format of Kiro CLI, formerly Amazon Q."""

from __future__ import annotations

import os

from harnlite.agent_hooks.calls.agent_calls import (
    POST_TOOL_USE,
    PRE_TOOL_USE,
    SESSION_START,
    STOP,
    USER_PROMPT,
    Answer,
)
from harnlite.agent_hooks.formats.table_format import TableFormat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harnlite.agent_hooks.calls.agent_calls import AgentCall

_EVENTS = {
    "agentSpawn": SESSION_START,
    "userPromptSubmit": USER_PROMPT,
    "preToolUse": PRE_TOOL_USE,
    "postToolUse": POST_TOOL_USE,
    "stop": STOP,
}
_FIELDS: dict[str, tuple[str, ...]] = {"session": ("session_id", "conversation_id"), "cwd": ("cwd",)}
_EVENT_TEXTS: dict[str, dict[str, tuple[str, ...]]] = {
    USER_PROMPT: {"prompt": ("prompt",)},
    STOP: {"message": ("assistant_response",)},
}

_SHELLS = frozenset((b"sh", b"dash", b"bash", b"zsh", b"fish"))


class KiroFormat(TableFormat):
    """Kiro: the text for the model is stdout itself, a refusal is exit code 2, and a session has no id."""

    name = "kiro"
    events = _EVENTS
    speaking = frozenset(("agentSpawn", "userPromptSubmit"))
    denying = frozenset(("preToolUse",))
    limit = (0, 0, 0)
    fields = _FIELDS
    event_texts = _EVENT_TEXTS

    def finish(self, call: AgentCall, env: Mapping[str, str]) -> None:  # noqa: ARG002 - the interface
        """Set a session that stays the same while one process of the agent works in one folder."""
        call.session = call.session or f"{_agent_process()} {call.cwd}"
        if call.event == SESSION_START:
            call.source = "startup"

    def denial(self, call: AgentCall, reason: str, context: str) -> Answer:  # noqa: ARG002 - the interface
        """Return the refusal of a tool call; Kiro has no other form."""
        return Answer(status=2, stderr=reason)

    def statement(self, call: AgentCall, context: str, arguments: dict[str, object] | None) -> Answer:  # noqa: ARG002 - the interface
        """Return text for the model."""
        return Answer(context)


def _agent_process() -> int:
    """Return the process that started the command, or the one that started a shell for it."""
    parent = os.getppid()
    try:
        descriptor = os.open(f"/proc/{parent}/stat", os.O_RDONLY)
        try:
            start, _, rest = os.read(descriptor, 4096).rpartition(b") ")
        finally:
            os.close(descriptor)
        return int(rest.split()[1]) if start.partition(b"(")[2] in _SHELLS else parent
    except (OSError, ValueError, IndexError):
        return parent


FORMAT = KiroFormat()
