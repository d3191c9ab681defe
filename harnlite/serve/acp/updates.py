"""The translation of live events into `session/update` notifications.

`UPDATES` has a row for each type of event that clients see; all other events are internal. Each function returns the
updates of one event, which are sent as consecutive lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from harnlite.reminders.spec import PROVIDER_SOURCE
from harnlite.serve.acp.client_options import ClientOptions
from harnlite.values.display import display

if TYPE_CHECKING:
    from collections.abc import Callable

    Event: TypeAlias = dict[str, Any]
    Update: TypeAlias = dict[str, Any]

KINDS = frozenset({"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode"})
STATUSES = frozenset({"pending", "in_progress", "completed", "failed"})
_PLAN_STATUSES = frozenset({"pending", "in_progress", "completed"})
_PRIORITIES = frozenset({"high", "medium", "low"})
_SEVERITIES = frozenset({"info", "warning", "error"})


def _without_absent(fields: Update) -> Update:
    return {key: value for key, value in fields.items() if value is not None}


def text_block(text: str) -> dict[str, Any]:
    """Return a text as a content block."""
    return {"type": "text", "text": text}


def kind_of_tool(kind: object) -> str:
    """Return the kind of a tool for clients."""
    return kind if isinstance(kind, str) and kind in KINDS else "other"


# Messages


def user_message(event: Event, options: ClientOptions) -> list[Update]:
    """Return the echo of a message: one chunk per block, and the whole message."""
    message_id, blocks = event["message_id"], event.get("blocks") or event.get("content") or []
    chunks: list[Update] = [
        {"sessionUpdate": "user_message_chunk", "messageId": message_id, "content": block} for block in blocks
    ]
    if options.has_user_message:
        chunks.append({"sessionUpdate": "user_message", "messageId": message_id, "content": blocks})
    return chunks


def _chunk(name: str) -> Callable[[Event, ClientOptions], list[Update]]:
    def chunk(event: Event, _options: ClientOptions) -> list[Update]:
        content = event.get("content")
        text = content.get("text") if isinstance(content, dict) else content
        if not isinstance(text, str) or not text:
            return []
        block = {"sessionUpdate": name, "content": text_block(text), "messageId": event.get("message_id")}
        return [_without_absent(block)]

    return chunk


# Tools


def tool_call(event: Event, _options: ClientOptions) -> list[Update]:
    """Return the update for a requested call of a tool."""
    call = {
        "sessionUpdate": "tool_call",
        "toolCallId": event["tool_call_id"],
        "title": event.get("tool_name") or "tool",
        "kind": kind_of_tool(event.get("tool_kind", event.get("kind"))),
        "status": "pending",
        "rawInput": event.get("raw_input"),
    }
    return [_without_absent(call)]


def tool_call_update(event: Event, _options: ClientOptions) -> list[Update]:
    """Return the update for a call that starts or has ended."""
    status = event.get("status")
    update: Update = {
        "sessionUpdate": "tool_call_update",
        "toolCallId": event["tool_call_id"],
        "status": status if status in STATUSES else "failed",
    }
    return [{**update, **_outcome(event)}]


def _outcome(event: Event) -> Update:
    """Return the content, the raw output and the metadata of a call, those that it has."""
    raw = event.get("raw_output")
    fields: Update = {}
    shown = raw if raw is not None else event.get("error")
    if shown is not None:
        text = shown if isinstance(shown, str) else display(shown)
        if text:
            fields["content"] = [{"type": "content", "content": text_block(text)}]
    if raw is not None:
        fields["rawOutput"] = raw
    facts = {
        "durationMs": event.get("execution_duration_ms"),
        "errorCategory": event.get("error_category"),
        "executor": event.get("executor"),
    }
    if any(value is not None for value in facts.values()):
        fields["_meta"] = {"harn": _without_absent(facts)}
    return fields


def failed_call(call_id: str, reason: str) -> Update:
    """Return the update for a call that ended without an event of the loop."""
    content = [{"type": "content", "content": text_block(reason)}]
    return {"sessionUpdate": "tool_call_update", "toolCallId": call_id, "status": "failed", "content": content}


def replayed_call(item: Event) -> Update:
    """Return a call of an earlier turn as one update with its final status."""
    (call,) = tool_call(item, ClientOptions())
    status = item.get("status")
    return {**call, "status": status if status in STATUSES else "failed", **_outcome(item)}


# Plans, usage, compaction


def plan(event: Event, _options: ClientOptions) -> list[Update]:
    """Return the update for a plan."""
    given = event.get("plan", event)
    steps = given if isinstance(given, list) else given.get("steps") or given.get("entries") or []
    if not steps and isinstance(given, dict):
        steps = [{"content": given.get("summary") or given.get("title") or "Plan"}]
    return [{"sessionUpdate": "plan", "entries": [_plan_entry(step) for step in steps]}]


def _plan_entry(step: Any) -> dict[str, str]:  # noqa: ANN401 - any value of a script
    given = step if isinstance(step, dict) else {"content": step}
    priority, status = given.get("priority"), given.get("status")
    return {
        "content": display(given.get("content") or ""),
        "priority": priority if isinstance(priority, str) and priority in _PRIORITIES else "medium",
        "status": status if isinstance(status, str) and status in _PLAN_STATUSES else "pending",
    }


def _usage(event: Event, _options: ClientOptions) -> list[Update]:
    return [{"sessionUpdate": "usage_update", "used": event["used"], "size": event["size"]}]


def _compaction(event: Event, options: ClientOptions) -> list[Update]:
    if not options.has_compaction:
        return []
    compaction_id = event.get("compaction_id") or event.get("archive_id") or event.get("id")
    return [
        {
            "sessionUpdate": "compaction_update",
            "compactionId": str(compaction_id or options.next_compaction_id()),
            "status": "completed",
        }
    ]


def _notice(event: Event, options: ClientOptions) -> list[Update]:
    if not options.has_notices:
        return []
    severity = event.get("level")
    notice = {"severity": severity if severity in _SEVERITIES else "warning", "title": event.get("message") or "notice"}
    return [{"sessionUpdate": "notice", **notice}]


def session_info(event: Event, _options: ClientOptions) -> list[Update]:
    """Return the update for a changed title, time or `_meta` of a session."""
    changes = event.get("changes") or {}
    return [{"sessionUpdate": "session_info_update", **changes}] if changes else []


# Reminders

_RUNTIME_KEYS = {
    "reminder_id": "reminderId",
    "tags": "tags",
    "body": "body",
    "role_hint": "roleHint",
    "rendered_role": "renderedRole",
    "ttl_turns": "ttlTurns",
    "turn": "turn",
    "turn_number": "turn",
    "hook_event": "hookEvent",
    "new_id": "reminderId",
    "dropped_ids": "droppedReminderIds",
    "reason": "reason",
}


def _meta(event: Event) -> Update:
    """Return `_meta`: the metadata that came with the reminder, and the reminder with the names of the runtime."""
    given = event.get("meta")
    meta = dict(given) if isinstance(given, dict) else {}
    harn = meta.get("harn")
    facts = event.get("harn")
    if not isinstance(facts, dict):
        facts = {wire: event[key] for key, wire in _RUNTIME_KEYS.items() if event.get(key) is not None}
        source = event.get("runtime_source", event.get("source"))
        if source is not None:
            facts["source"] = source
        if source == PROVIDER_SOURCE and event.get("provider_id") is not None:
            facts["providerId"] = event["provider_id"]
        if event["type"] != "reminder_emitted" and event.get("dedupe_key") is not None:
            facts["dedupeKey"] = event["dedupe_key"]
    meta["harn"] = {**(harn if isinstance(harn, dict) else {}), "reminder": facts}
    return meta


def _reminder_emitted(event: Event, options: ClientOptions) -> list[Update]:
    if not options.has_reminders:
        return []
    fields = {
        "sessionUpdate": "reminder_emitted",
        "reminderId": event["reminder_id"],
        "body": event.get("body"),
        "tags": event.get("tags"),
        "dedupeKey": event.get("dedupe_key"),
        "source": event.get("source"),
        "providerId": event.get("provider_id"),
        "firedAtTurn": event.get("fired_at_turn"),
        "_meta": _meta(event),
    }
    return [_without_absent(fields)]


def _reminder_deduped(event: Event, options: ClientOptions) -> list[Update]:
    if not options.has_reminders:
        return []
    fields = {
        "sessionUpdate": "reminder_deduped",
        "reminderId": event.get("reminder_id", event.get("new_id")),
        "dedupeKey": event.get("dedupe_key"),
        "droppedReminderIds": event.get("dropped_reminder_ids", event.get("dropped_ids")) or [],
        "_meta": _meta(event),
    }
    return [_without_absent(fields)]


def _reminder_expired(event: Event, options: ClientOptions) -> list[Update]:
    if not options.has_reminders:
        return []
    fields = {
        "sessionUpdate": "reminder_expired",
        "reminderId": event["reminder_id"],
        "phase": event.get("phase"),
        "expiredAtTurn": event.get("expired_at_turn", event.get("turn")),
        "_meta": _meta(event),
    }
    return [_without_absent(fields)]


UPDATES: dict[str, Callable[[Event, ClientOptions], list[Update]]] = {
    "agent_message_chunk": _chunk("agent_message_chunk"),
    "agent_thought_chunk": _chunk("agent_thought_chunk"),
    "tool_call": tool_call,
    "tool_call_update": tool_call_update,
    "plan": plan,
    "usage": _usage,
    "transcript_compacted": _compaction,
    "notice": _notice,
    "session_info": session_info,
    "user_message": user_message,
    "reminder_emitted": _reminder_emitted,
    "reminder_deduped": _reminder_deduped,
    "reminder_expired": _reminder_expired,
}
