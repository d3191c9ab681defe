"""The use of the context window in a transcript of Claude Code."""

from __future__ import annotations

import os

from harnlite.agent_hooks.budgets.transcript_lines import objects_of
from harnlite.agent_hooks.calls.context_windows import claude_window
from harnlite.agent_hooks.formats.fields import number_of, object_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent_hooks.budgets.reading import Reading
    from harnlite.agent_hooks.budgets.tail import Tail
    from harnlite.agent_hooks.calls.agent_calls import AgentCall

_SIGNS = (b'"usage"', b"compact_boundary")
_PARTS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def path_of(call: AgentCall) -> str:
    """Return the path of the transcript of the conversation in which the event happens."""
    path = call.transcript
    if not call.actor or os.path.basename(path).startswith("agent-"):
        return path
    actor = call.actor.removeprefix("agent-")
    if not actor or actor != os.path.basename(actor) or "\\" in actor or not path.endswith(".jsonl"):
        return ""
    return os.path.join(path.removesuffix(".jsonl"), "subagents", f"agent-{actor}.jsonl")


def read(tail: Tail, reading: Reading, since: int, call: AgentCall) -> None:
    """Set the reading from the last call of the model; one before the last compaction is stale."""
    for line in objects_of(tail.lines(), _SIGNS):
        if _is_boundary(line):
            reading.used, reading.generation = 0, _mark(line)
            return
        message = object_of(line.get("message"))
        if line.get("type") != "assistant" or (line.get("isSidechain") is True and not call.actor):
            continue
        usage = object_of(message.get("usage"))
        used = int(sum(number_of(usage, (part,)) for part in _PARTS))
        if used:
            window = claude_window(text_of(message, ("model",)), used)
            if window and call.model:
                window = max(window, claude_window(call.model, used))
            reading.used, reading.is_exact = used, False
            reading.window = max(window, reading.window) if window else 0  # a long window does not become short again
            break
    if since < tail.size:
        _look_for_boundary(tail, reading, since)


def _look_for_boundary(tail: Tail, reading: Reading, since: int) -> None:
    """Set the generation from a compaction after a position, which a later call of the model hides."""
    for line in objects_of(tail.lines(since), (b"compact_boundary",)):
        if _is_boundary(line):
            reading.generation = _mark(line)
            return


def _is_boundary(line: dict[str, object]) -> bool:
    return line.get("type") == "system" and line.get("subtype") == "compact_boundary"


def _mark(line: dict[str, object]) -> str:
    return text_of(line, ("uuid", "timestamp")) or "compacted"
