"""The use of the context window in a rollout of Codex CLI."""

from __future__ import annotations

import os

from harnlite.agent_hooks.budgets.transcript_lines import objects_of
from harnlite.agent_hooks.formats.fields import number_of, object_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent_hooks.agent_calls import AgentCall
    from harnlite.agent_hooks.budgets.reading import Reading
    from harnlite.agent_hooks.budgets.tail import Tail

_SIGNS = (b'"token_count"', b'"compacted"')
_WINDOW = ("model_context_window",)


def path_of(call: AgentCall) -> str:
    """Return the path of the rollout of the conversation in which the event happens."""
    path = call.transcript
    return path if not call.actor or call.actor in os.path.basename(path) else ""


def read(tail: Tail, reading: Reading, since: int, call: AgentCall) -> None:  # noqa: ARG001 -- the interface
    """Set the reading from the last count of tokens; one before the last compaction is stale."""
    for line in objects_of(tail.lines(), _SIGNS):
        if line.get("type") == "compacted":
            reading.used, reading.generation = 0, _mark(line)
            return
        payload = object_of(line.get("payload"))
        info = object_of(payload.get("info"))
        used = int(number_of(object_of(info.get("last_token_usage")), ("total_tokens",)))
        if line.get("type") == "event_msg" and payload.get("type") == "token_count" and used:
            reading.used, reading.is_exact = used, True
            reading.window = int(number_of(info, _WINDOW))
            break
    if since < tail.size:
        for line in objects_of(tail.lines(since), (b'"compacted"',)):
            if line.get("type") == "compacted":
                reading.generation = _mark(line)
                return


def _mark(line: dict[str, object]) -> str:
    ordinal = line.get("ordinal")
    return text_of(line, ("timestamp",)) or (f"ordinal {ordinal}" if isinstance(ordinal, int) else "compacted")
