"""The attributes of declarations, with their meanings."""

from __future__ import annotations

ATTRIBUTES = {
    "deprecated": 'calls are reported; `@deprecated(since: "1.2", use: "other")` names a replacement',
    "test": "a test for `harnlite test`",
    "step": "a step of a persona; step hooks run before and after it",
    "persona": "an agent with a name of its own",
    "acp_tool": "a function that is offered to a client as a tool",
    "acp_skill": "a function that is offered to a client as a skill",
    "complexity": "`@complexity(allow)` silences the rule about complexity",
    "invariant": "accepted, without effect",
    "deterministic": "accepted, without effect",
    "semantic": "accepted, without effect",
    "archivist": "accepted, without effect",
    "retroactive": "accepted, without effect",
}
