"""The use of the context window in a chat file of Qwen Code."""

from __future__ import annotations

from harnlite.agent_hooks.budgets.transcript_lines import objects_of
from harnlite.agent_hooks.formats.fields import number_of, object_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent_hooks.budgets.reading import Reading
    from harnlite.agent_hooks.budgets.tail import Tail
    from harnlite.agent_hooks.calls.agent_calls import AgentCall

_SIGNS = (b'"usageMetadata"', b'"chat_compression"')


def path_of(call: AgentCall) -> str:
    """Return the path of the chat file; those of sub-agents are not known."""
    return "" if call.actor else call.transcript


def read(tail: Tail, reading: Reading, since: int, call: AgentCall) -> None:  # noqa: ARG001 -- the interface
    """Set the reading from the last message or compression that states the tokens."""
    for line in objects_of(tail.lines(), _SIGNS):
        if _is_compression(line):
            info = object_of(object_of(line.get("systemPayload")).get("info"))
            reading.used, reading.generation = int(number_of(info, ("newTokenCount",))), _mark(line)
            return
        usage = object_of(line.get("usageMetadata"))
        used = int(number_of(usage, ("promptTokenCount", "totalTokenCount")))
        if line.get("type") == "assistant" and line.get("isSidechain") is not True and used:
            reading.used = used
            reading.window = int(number_of(line, ("contextWindowSize",))) or reading.window
            break
    if since < tail.size:
        for line in objects_of(tail.lines(since), (b'"chat_compression"',)):
            if _is_compression(line):
                reading.generation = _mark(line)
                return


def _is_compression(line: dict[str, object]) -> bool:
    return line.get("type") == "system" and line.get("subtype") == "chat_compression"


def _mark(line: dict[str, object]) -> str:
    return text_of(line, ("uuid", "timestamp")) or "compressed"
