"""How full the context window is when an event happens."""

from __future__ import annotations

from harnlite.agent_hooks.budgets.reading import Reading
from harnlite.agent_hooks.budgets.tail import Tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent_hooks.calls.agent_calls import AgentCall

_READERS = {
    "claude-code": "claude_transcript",
    "codebuddy": "claude_transcript",
    "codex": "codex_rollout",
    "gemini": "gemini_chat",
    "tabnine": "gemini_chat",
    "qwen": "qwen_chat",
}


def budget_of(call: AgentCall, cached: Reading | None = None) -> Reading | None:
    """Return how full the context window is, or None if neither the event nor a transcript says so.

    `cached` is the reading at an earlier event of the same conversation: an unchanged transcript is not read again,
    and compactions since then give the reading another generation.
    """
    reading = _from_transcript(call, cached)
    native = call.budget
    if native is None or not native.used:
        return reading
    known = reading or cached or Reading()
    window, is_exact = native.window or known.window, native.is_exact if native.window else known.is_exact
    return Reading(native.used, window, known.generation, known.size, known.mtime, is_exact)


def _from_transcript(call: AgentCall, cached: Reading | None) -> Reading | None:
    name = _READERS.get(call.agent)
    if name is None:
        return None
    module = __import__(f"harnlite.agent_hooks.budgets.{name}", fromlist=("read",))
    path = module.path_of(call)
    if not path:
        return None
    try:
        tail = Tail(path)
    except (OSError, ValueError):
        return None
    try:
        if cached is not None and (cached.size, cached.mtime) == (tail.size, tail.mtime):
            return cached
        before = cached or Reading()
        reading = Reading(before.used, before.window, before.generation, tail.size, tail.mtime, before.is_exact)
        since = before.size if cached is not None and before.size <= tail.size else tail.size
        module.read(tail, reading, since, call)
    except OSError:
        return None
    finally:
        tail.close()
    return reading if reading.used or reading.generation else None
