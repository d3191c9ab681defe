"""The use of the context window in a rollout of Codex CLI."""

from __future__ import annotations

import os

from harnlite.agent_hooks.budgets.transcript_lines import objects_of
from harnlite.agent_hooks.formats.fields import number_of, object_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent_hooks.budgets.reading import Reading
    from harnlite.agent_hooks.budgets.tail import Tail
    from harnlite.agent_hooks.calls.agent_calls import AgentCall

_SIGNS = (b'"token_usage_record"', b'"model_context_window"', b'"compacted"')
_WINDOW = ("model_context_window",)


def path_of(call: AgentCall) -> str:
    """Return the path of the rollout of the conversation in which the event happens."""
    path = call.transcript
    return path if not call.actor or call.actor in os.path.basename(path) else ""


def read(tail: Tail, reading: Reading, since: int, call: AgentCall) -> None:  # noqa: ARG001 -- the interface
    """Set the reading from the last count of tokens; one before the last compaction is stale.

    The newest count stands in a `token_usage_record`, which does not state the window, until the tool has run.
    """
    used = window = 0
    for line in objects_of(tail.lines(), _SIGNS):
        if not used and line.get("type") == "compacted":
            reading.used, reading.generation = 0, _mark(line)
            return
        payload = object_of(line.get("payload"))
        info = object_of(payload.get("info"))
        used = used or _tokens(payload.get("usage") if line.get("type") == "token_usage_record" else None)
        used = used or _tokens(info.get("last_token_usage"))
        window = int(number_of(info, _WINDOW) or number_of(payload, _WINDOW))
        if used and (window or reading.window):
            break
    if used:
        reading.used, reading.is_exact = used, True
        reading.window = window or reading.window
    if since < tail.size:
        for line in objects_of(tail.lines(since), (b'"compacted"',)):
            if line.get("type") == "compacted":
                reading.generation = _mark(line)
                return


def _tokens(usage: object) -> int:
    return int(number_of(object_of(usage), ("total_tokens",)))


def _mark(line: dict[str, object]) -> str:
    ordinal = line.get("ordinal")
    return text_of(line, ("timestamp",)) or (f"ordinal {ordinal}" if isinstance(ordinal, int) else "compacted")
