"""The value of a session for scripts: its transcript and its other fields."""

from __future__ import annotations

from harnlite.values.data_types import LazyDict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.agent.sessions.session import Session


def snapshot(session: Session) -> LazyDict:
    """Return the transcript of a session, with its other fields, at this moment."""
    transcript = session.transcript
    fields: dict[str, object] = {
        "parent_id": session.parent_id,
        "child_ids": list(session.child_ids),
        "branched_at_event_index": session.branched_at_event_index,
        "length": transcript.message_count,
        "created_at": str(int(session.created_at)),
        "system_prompt": session.system_prompt,
        "tool_format": session.tool_format,
        "workspace_anchor": session.workspace_anchor,
        "workspace_policy": session.workspace_policy,
    }
    return LazyDict(transcript, lambda: {**transcript.as_dict(), **fields})
