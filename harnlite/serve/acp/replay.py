"""The replay of a conversation: the updates of stored items, with which a client rebuilds what people saw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harnlite.serve.acp.updates import UPDATES, replayed_call, user_message

if TYPE_CHECKING:
    from harnlite.serve.acp.client_options import ClientOptions
    from harnlite.serve.conversation_values import SessionInfo

_CHUNKS = {"agent": "agent_message_chunk", "thought": "agent_thought_chunk"}


def history_updates(item: dict[str, Any], options: ClientOptions) -> list[dict[str, Any]]:
    """Return the updates of one item."""
    match item["kind"]:
        case "user":
            return user_message(item, options)
        case "agent" | "thought" as kind:
            return UPDATES[_CHUNKS[kind]]({"content": item["text"], "message_id": item.get("message_id")}, options)
        case "tool_call":
            return [replayed_call(item)]
        case "plan":
            return UPDATES["plan"](item, options)
    return []


def replayed_items(item: dict[str, Any]) -> list[str]:
    """Return the id of the message or tool call in an item."""
    found = item.get("message_id") or item.get("tool_call_id")
    return [found] if isinstance(found, str) else []


def info_update(info: SessionInfo) -> list[dict[str, Any]]:
    """Return the update with the title, the time and the `_meta` of a session."""
    update: dict[str, Any] = {"sessionUpdate": "session_info_update"}
    if info.title is not None:
        update["title"] = info.title
    if info.updated_at is not None:
        update["updatedAt"] = info.updated_at
    if info.meta:
        update["_meta"] = info.meta
    return [update]
