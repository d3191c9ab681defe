"""The attributes of declarations and their descriptions."""

from __future__ import annotations

ATTRIBUTES = {
    "deprecated": 'calls are reported; `@deprecated(since: "1.2", use: "other")` names a replacement',
    "test": "a test for `harnlite test`",
    "step": "a step of a persona; step hooks run before and after it",
    "persona": "a named agent",
    "acp_tool": "a function that is offered to clients as a tool",
    "acp_skill": "a function that is offered to clients as a skill",
    "complexity": "`@complexity(allow)` silences the complexity rule",
    "invariant": "accepted, but has no effect",
    "deterministic": "accepted, but has no effect",
    "semantic": "accepted, but has no effect",
    "archivist": "accepted, but has no effect",
    "retroactive": "accepted, but has no effect",
}
