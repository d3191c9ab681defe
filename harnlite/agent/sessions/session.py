"""The session: a conversation with its transcript, its inbox, and the state that outlives a loop."""

from __future__ import annotations

import _thread

from harnlite.reminders.inbox import Inbox
from harnlite.reminders.messages import message_event
from harnlite.reminders.transcript import Transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Protocol

    from harnlite.reminders.enabled_providers import Enabled
    from harnlite.reminders.inbox_entries import Entry
    from harnlite.reminders.transcript_store import LazyEvent
    from harnlite.runtime.tasks.execution import Execution

    class OptionsOfLoop(Protocol):
        """The options of a loop that other packages read through its session."""

        @property
        def given(self) -> dict[str, Any]:
            """Return the options as the caller passed them."""
            ...

        @property
        def enabled(self) -> Enabled:
            """Return the enabled reminder providers."""
            ...

    class RunningLoop(Protocol):
        """The loop that runs on a session."""

        @property
        def task(self) -> str:
            """Return the task of the loop."""
            ...

        @property
        def options(self) -> OptionsOfLoop:
            """Return the options of the loop."""
            ...

    class Keeper(Protocol):
        """Stores the conversation of a session."""

        def delivered(self, entries: Sequence[Entry]) -> None:
            """Store the transcript, which contains the entries now, and that they no longer wait."""
            ...

        def rejected(self, entries: list[Entry]) -> None:
            """Store that a hook has rejected messages, which no longer wait."""
            ...

        def skipped(self, calls: list[dict[str, Any]], results: list[dict[str, Any]]) -> None:
            """Report the calls of tools that do not run, because a delivery has interrupted the turn."""
            ...

        def replied(self, run: Execution, reply: dict[str, Any]) -> None:
            """Store the transcript, which contains the reply of a model call now."""
            ...


DEFAULT_MOUNT_MODE = "read_only"
PARENT_KEY = "parent_session_id"
"""The metadata key of a fork for the id of its source session."""


class Session:
    """A conversation. Only the thread that runs the turn may use the transcript; any thread may use the inbox."""

    __slots__ = (
        "_mismatches",
        "active_skills",
        "branched_at_event_index",
        "child_ids",
        "closed",
        "created_at",
        "holders",
        "id",
        "inbox",
        "is_hosted",
        "keeper",
        "loop",
        "parent_id",
        "seam",
        "shown",
        "system_prompt",
        "tool_format",
        "transcript",
        "turn",
        "turns",
        "workspace_anchor",
        "workspace_policy",
    )

    def __init__(self, session_id: str, created_at: float, transcript: Transcript | None = None) -> None:
        self.id = session_id
        self.created_at = created_at
        self.transcript = transcript or Transcript.new(session_id)
        self.inbox = Inbox()
        self.parent_id: str | None = None
        self.child_ids: list[str] = []
        self.branched_at_event_index: int | None = None
        self.system_prompt: str | None = None
        self.tool_format: str | None = None
        self.workspace_anchor: dict[str, Any] | None = None
        self.workspace_policy: dict[str, object] = {"default_mount_mode": DEFAULT_MOUNT_MODE}
        self.active_skills: list[object] = []
        self.turn = 0
        """The number of model calls that the running loop has completed; 0 outside of a loop."""
        self.seam = ""
        """The last seam, or step between two seams, that the loop has reached."""
        self.loop: RunningLoop | None = None
        self.closed = False
        self.holders = 0
        """The number of host turns that run in the session or wait for it; it is not evicted unless this is 0."""
        self.is_hosted = False
        """Whether a host has opened the session, so that only its turns change the transcript."""
        self.keeper: Keeper | None = None
        """Stores the conversation, if it outlives the process."""
        self.turns = _thread.allocate_lock()
        """Held by a turn of a host while it runs, and by a host that changes the transcript between turns."""
        self.shown: set[str] = set()
        """The ids of the pending reminders that a prompt of a loop has shown."""
        self._mismatches: set[tuple[str, str]] = set()

    def append_message(self, run: Execution, message: dict[str, object]) -> None:
        """Append a message and its event."""
        self.transcript = self.transcript.with_message(message, message_event(message, run.ids.uuid7()))

    def append_event(self, event: dict[str, object] | LazyEvent) -> None:
        """Append an event."""
        self.transcript = self.transcript.with_event(event)

    def lifecycle(
        self,
        run: Execution,
        kind: str,
        text: str,
        metadata: dict[str, object] | None = None,
        role: str = "system",
        visibility: str = "internal",
    ) -> dict[str, object]:
        """Append a lifecycle event of the session, and return it."""
        event = lifecycle_event(run.ids.uuid7(), kind, text, metadata, role, visibility)
        self.append_event(event)
        return event

    def replace_transcript(self, transcript: Transcript) -> None:
        """Replace the transcript."""
        self.transcript = transcript

    def end_loop(self) -> None:
        """Detach the loop: later reminders are injected at turn 0 and at no seam."""
        self.loop = None
        self.turn = 0
        self.seam = ""

    def note_shown(self, reminder_ids: list[str]) -> None:
        """Record that a prompt has shown these reminders; discard the ids of reminders that no longer exist."""
        shown = self.shown
        shown.update(reminder_ids)
        transcript = self.transcript
        if len(shown) > 2 * transcript.pending_count + 16:
            self.shown = shown & {spec.id for spec in transcript.shown()}

    def is_news(self, reminder_id: str, route: str) -> bool:
        """Return whether this is the first time that a reminder has no slot on a route."""
        key = (reminder_id, route)
        if key in self._mismatches:
            return False
        self._mismatches.add(key)
        return True

    def clear(self) -> None:
        """Remove messages, events and summary; the next loop may use any tool format."""
        parent = (self.transcript.metadata or {}).get(PARENT_KEY)
        self.transcript = Transcript.new(self.id, metadata=None if parent is None else {PARENT_KEY: parent})
        self.system_prompt = None
        self.tool_format = None
        self.active_skills = []
        self.shown = set()
        self._mismatches = set()


_SHARED: dict[tuple[str, str], list[dict[str, str]]] = {}
_MOST_SHARED, _LONGEST_SHARED = 256, 40


def lifecycle_event(
    event_id: str,
    kind: str,
    text: str,
    metadata: dict[str, object] | None = None,
    role: str = "system",
    visibility: str = "internal",
) -> dict[str, object]:
    """Return a lifecycle event."""
    event: dict[str, object] = {
        "id": event_id,
        "kind": kind,
        "role": role,
        "visibility": visibility,
        "text": text,
        "blocks": _blocks(text, visibility),
    }
    if metadata is not None:
        event["metadata"] = metadata
    return event


def _blocks(text: str, visibility: str) -> list[dict[str, str]]:
    """Return the blocks of an event. Events with the same short text share them: most texts are names of seams."""
    found = _SHARED.get((text, visibility))
    if found is None:
        found = [{"type": "text", "text": text, "visibility": visibility}]
        if len(text) <= _LONGEST_SHARED and len(_SHARED) < _MOST_SHARED:
            _SHARED[text, visibility] = found
    return found
