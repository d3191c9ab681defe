"""One conversation: its transcript, its inbox, and what belongs to it from one loop to the next."""

from __future__ import annotations

from harnlite.reminders.inbox import Inbox
from harnlite.reminders.messages import message_event
from harnlite.reminders.transcript import Transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from harnlite.reminders.enabled_providers import Enabled
    from harnlite.runtime.tasks.execution import Execution

    class OptionsOfLoop(Protocol):
        """The options of a loop, as far as its session is asked for them."""

        @property
        def given(self) -> dict[str, Any]:
            """Return the options as the caller passed them."""
            ...

        @property
        def enabled(self) -> Enabled:
            """Return which reminder providers are enabled."""
            ...

    class RunningLoop(Protocol):
        """The loop that runs on a session."""

        @property
        def task(self) -> str:
            """Return what the loop is asked to do."""
            ...

        @property
        def options(self) -> OptionsOfLoop:
            """Return the options of the loop."""
            ...


DEFAULT_MOUNT_MODE = "read_only"
PARENT_KEY = "parent_session_id"
"""What the metadata of a fork calls the session that it comes from."""


class Session:
    """A conversation. Its transcript is touched only by the thread whose turn runs, its inbox by all."""

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
        "loop",
        "parent_id",
        "seam",
        "shown",
        "system_prompt",
        "tool_format",
        "transcript",
        "turn",
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
        """Model calls that the running loop has completed; 0 outside of a loop."""
        self.seam = ""
        """The seam, or the step between two of them, that the loop has come to last."""
        self.loop: RunningLoop | None = None
        self.closed = False
        self.holders = 0
        """How many turns of a host run in it or wait for it; while there are any, its store keeps it."""
        self.shown: set[str] = set()
        """The pending reminders that a prompt has shown."""
        self._mismatches: set[tuple[str, str]] = set()

    def append_message(self, run: Execution, message: dict[str, object]) -> None:
        """Append a message together with its event."""
        self.transcript = self.transcript.with_message(message, message_event(message, run.ids.uuid7()))

    def append_event(self, event: dict[str, object]) -> None:
        """Append an event as it is."""
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
        """Append the event of something that happened to the session, and return it."""
        event: dict[str, object] = {
            "id": run.ids.uuid7(),
            "kind": kind,
            "role": role,
            "visibility": visibility,
            "text": text,
            "blocks": [{"type": "text", "text": text, "visibility": visibility}],
        }
        if metadata is not None:
            event["metadata"] = metadata
        self.append_event(event)
        return event

    def replace_transcript(self, transcript: Transcript) -> None:
        """Go on with another version of the transcript."""
        self.transcript = transcript

    def end_loop(self) -> None:
        """Be without a loop: what enters now enters at turn 0 and at no seam."""
        self.loop = None
        self.turn = 0
        self.seam = ""

    def note_shown(self, reminder_ids: list[str]) -> None:
        """Remember that a prompt has shown these reminders, and forget those that are gone."""
        shown = self.shown
        shown.update(reminder_ids)
        transcript = self.transcript
        if len(shown) > 2 * transcript.pending_count + 16:
            self.shown = shown & {spec.id for spec in transcript.shown()}

    def is_news(self, reminder_id: str, route: str) -> bool:
        """Say whether it is the first time that a reminder has no slot on a route."""
        key = (reminder_id, route)
        if key in self._mismatches:
            return False
        self._mismatches.add(key)
        return True

    def clear(self) -> None:
        """Empty messages, events and summary; any tool format may be claimed then."""
        parent = (self.transcript.metadata or {}).get(PARENT_KEY)
        self.transcript = Transcript.new(self.id, metadata=None if parent is None else {PARENT_KEY: parent})
        self.system_prompt = None
        self.tool_format = None
        self.active_skills = []
        self.shown = set()
        self._mismatches = set()
