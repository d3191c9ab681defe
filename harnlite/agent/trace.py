"""The trace of all loops of a run: what `agent_trace` lists and `agent_trace_summary` adds up."""

from __future__ import annotations

from harnlite.llm.trace import Trace, trace_of

__all__ = ["Trace", "trace_of"]
