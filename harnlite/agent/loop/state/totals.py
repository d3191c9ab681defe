"""The totals of a loop over its model calls: tokens, cost, time and tools."""

from __future__ import annotations

from harnlite.agent.option_values import int_option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from harnlite.agent.sessions.session import Session
    from harnlite.runtime.tasks.execution import Execution


class Totals:
    """The totals of a loop over its model calls."""

    __slots__ = (
        "calls",
        "cost_usd",
        "duration_ms",
        "input_tokens",
        "iterations",
        "output_tokens",
        "rejected",
        "successful",
    )

    def __init__(self) -> None:
        self.iterations = 0
        self.input_tokens = 0
        self.output_tokens = 0
        self.duration_ms = 0
        self.cost_usd = 0.0
        self.calls: list[dict[str, object]] = []
        self.successful: list[str] = []
        self.rejected: list[str] = []

    @property
    def tokens_used(self) -> int:
        """Return the number of all tokens so far."""
        return self.input_tokens + self.output_tokens

    def as_dict(self) -> dict[str, object]:
        """Return the totals as a script sees them."""
        return {
            "iterations": self.iterations,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "tokens_used": self.tokens_used,
            "cost_usd": self.cost_usd,
            "duration_ms": self.duration_ms,
            "tool_calls": len(self.calls),
            "successful_tools": list(self.successful),
            "rejected_tools": list(self.rejected),
        }


def note_tools(totals: Totals, calls: Sequence[dict[str, object]], results: Sequence[dict[str, Any]]) -> None:
    """Add the calls of a turn, and the names of the tools that succeeded or failed."""
    totals.calls += calls
    for result in results:
        (totals.successful if result.get("ok") else totals.rejected).append(str(result.get("tool_name")))


def count_usage(run: Execution, session: Session, totals: Totals, reply: dict[str, Any], cost_usd: float) -> None:
    """Add the usage of a model call to the totals, and record the call."""
    input_tokens, output_tokens = int_option(reply, "input_tokens", 0), int_option(reply, "output_tokens", 0)
    totals.iterations += 1
    totals.input_tokens += input_tokens
    totals.output_tokens += output_tokens
    totals.cost_usd += cost_usd
    stop_reason = reply.get("stop_reason")
    facts: dict[str, object] = {
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
        "provider": reply.get("provider"),
        "model": reply.get("model"),
        "cost_usd": cost_usd,
        "provider_stop_reason": stop_reason,
        "canonical_stop_reason": canonical_stop_reason(stop_reason),
    }
    session.lifecycle(run, "llm_call", "llm_call", facts)


_STOP_REASONS = {
    "stop": "end_turn",
    "end_turn": "end_turn",
    "stop_sequence": "end_turn",
    "length": "max_tokens",
    "max_tokens": "max_tokens",
    "tool_calls": "tool_use",
    "tool_use": "tool_use",
    "content_filter": "refusal",
    "refusal": "refusal",
}


def canonical_stop_reason(stop_reason: object) -> str | None:
    """Return the common name for a provider's stop reason."""
    return _STOP_REASONS.get(stop_reason, "end_turn") if isinstance(stop_reason, str) else None
