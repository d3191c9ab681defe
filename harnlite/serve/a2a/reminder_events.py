"""The events of reminders on the streams of a task, and the notifications for streams that have opted in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harnlite.serve.a2a.task_events import TaskNotice

if TYPE_CHECKING:
    from harnlite.serve.a2a.dialects import Json

_NAMES = {"reminder_emitted": "emitted", "reminder_deduped": "deduped", "reminder_expired": "expired"}
_METHODS = {
    "emitted": "tasks/reminderEmitted",
    "deduped": "tasks/reminderDeduped",
    "expired": "tasks/reminderExpired",
}


def reminder_event(task_id: str, event: dict[str, Any]) -> tuple[Json, TaskNotice]:
    """Return the `harn` metadata for a live event of a reminder, and the notification that follows it."""
    name = _NAMES[event["type"]]
    reminder = _READERS[name](event)
    params: Json = {"taskId": task_id}
    if name == "emitted":
        params["reminder"] = reminder
    else:
        params |= {("reminderId" if key == "id" else key): value for key, value in reminder.items()}
    params["metadata"] = event.get("metadata") or {}
    return {"event": name, "reminder": reminder}, TaskNotice(_METHODS[name], params)


def _given(fields: Json) -> Json:
    return {key: value for key, value in fields.items() if value is not None}


def _emitted(event: dict[str, Any]) -> Json:
    return _given(
        {
            "id": event.get("reminder_id"),
            "body": event.get("body"),
            "tags": event.get("tags") or [],
            "dedupeKey": event.get("dedupe_key"),
            "source": event.get("label") or event.get("source"),
            "providerId": event.get("provider_id"),
            "firedAtTurn": event.get("fired_at_turn"),
        }
    )


def _deduped(event: dict[str, Any]) -> Json:
    return _given(
        {
            "id": event.get("reminder_id"),
            "dedupeKey": event.get("dedupe_key"),
            "droppedReminderIds": event.get("dropped_reminder_ids") or [],
        }
    )


def _expired(event: dict[str, Any]) -> Json:
    return _given(
        {
            "id": event.get("reminder_id"),
            "phase": event.get("phase"),
            "expiredAtTurn": event.get("expired_at_turn"),
        }
    )


_READERS = {"emitted": _emitted, "deduped": _deduped, "expired": _expired}
