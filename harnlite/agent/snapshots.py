"""What a script sees of a session."""

from __future__ import annotations

from harnlite.runtime.values import LazyDict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.session import Session


def snapshot(session: Session) -> LazyDict:
    """Return the transcript of a session and what else it keeps; the lists are made when somebody looks at them."""
    transcript = session.transcript
    facts: dict[str, object] = {
        "parent_id": session.parent_id,
        "child_ids": session.child_ids,
        "branched_at_event_index": session.branched_at_event_index,
        "length": transcript.message_count,
        "created_at": str(int(session.created_at)),
        "system_prompt": session.system_prompt,
        "tool_format": session.tool_format,
        "workspace_anchor": session.workspace_anchor,
        "workspace_policy": session.workspace_policy,
    }
    return LazyDict(transcript, lambda: {**transcript.as_dict(), **facts})
