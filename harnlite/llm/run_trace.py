"""The trace of a run: its model calls, tool calls and loop events, with totals."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.runtime.tasks.execution import Execution

_COUNTS = {
    "llm_call": "llm_calls",
    "tool_execution": "tool_executions",
    "tool_rejected": "tool_rejections",
    "loop_intervention": "interventions",
    "context_compaction": "compactions",
    "native_tool_fallback": "native_text_tool_fallbacks",
    "empty_completion_retry": "empty_completion_retries",
    "typed_checkpoint": "typed_checkpoints",
}
"""The counter that each type of entry increments."""

_SUMS = {
    "llm_call": (
        ("input_tokens", "total_input_tokens"),
        ("output_tokens", "total_output_tokens"),
        ("duration_ms", "total_llm_duration_ms"),
    ),
    "tool_execution": (("duration_ms", "total_tool_duration_ms"),),
    "loop_complete": (("total_duration_ms", "total_duration_ms"), ("iterations", "iterations")),
}
"""The totals to which the numbers in each type of entry are added."""

_EXTRA = ("native_text_tool_fallback_rejections", "typed_checkpoint_failures")


class Trace:
    """Entries in order, and their totals, which are updated with each entry so that a summary takes constant time."""

    __slots__ = ("_entries", "_status", "_sums", "_tools")

    def __init__(self) -> None:
        self._entries: list[dict[str, Any]] = []
        self._status = "unknown"
        totals = [total for sums in _SUMS.values() for _, total in sums]
        self._sums: dict[str, Any] = dict.fromkeys([*_COUNTS.values(), *totals, *_EXTRA], 0)
        self._tools: dict[str, None] = {}

    def add(self, kind: str, **fields: Any) -> None:  # noqa: ANN401 - values of the language
        """Append an entry."""
        self._entries.append({"type": kind, **fields})
        counted = _COUNTS.get(kind)
        if counted:
            self._sums[counted] += 1
        for name, total in _SUMS.get(kind, ()):
            self._sums[total] += fields.get(name) or 0
        if kind == "loop_complete":
            self._status = fields.get("status", self._status)
        elif kind == "tool_execution":
            self._tools[str(fields.get("tool_name"))] = None
        elif kind == "native_tool_fallback" and fields.get("accepted") is False:
            self._sums["native_text_tool_fallback_rejections"] += 1
        elif kind == "typed_checkpoint" and fields.get("ok") is False:
            self._sums["typed_checkpoint_failures"] += 1

    def add_call(self, entry: dict[str, Any]) -> None:
        """Append the entry of a model call, which is complete."""
        self._entries.append(entry)
        sums = self._sums
        sums["llm_calls"] += 1
        sums["total_input_tokens"] += entry["input_tokens"] or 0
        sums["total_output_tokens"] += entry["output_tokens"] or 0
        sums["total_llm_duration_ms"] += entry["duration_ms"] or 0

    def entries(self) -> list[dict[str, Any]]:
        """Return the entries so far."""
        return list(self._entries)

    def summary(self) -> dict[str, object]:
        """Return the totals so far and the status of the loop that ended last."""
        return {"status": self._status, "tools_used": list(self._tools), **self._sums}


def trace_of(run: Execution) -> Trace:
    """Return the trace of a run."""
    return run.state("agent_trace", Trace)
