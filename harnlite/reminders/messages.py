"""The transcript events of messages."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Block = dict[str, Any]

_TOOL_ROLES = ("tool_result", "tool")


def _named(block: Block) -> str:
    return f"<{block['type']}:{block.get('name') or 'tool'}>"


def _labelled(block: Block) -> str:
    label = block.get("label")
    return label if label.__class__ is str and label else f"<{block['type']}>"


def _own(block: Block) -> str:
    text = block.get("text")
    return text if text.__class__ is str else ""


_TEXTS: dict[str, Callable[[Block], str]] = {
    "text": _own,
    "output_text": _own,
    "reasoning": lambda _block: "",
    "tool_call": _named,
    "tool_result": _named,
    "image": _labelled,
    "file": _labelled,
}


def block_text(block: Block) -> str:
    """Return the text of a block of content, or a placeholder for it."""
    kind = block["type"]
    if kind.__class__ is not str:
        return ""
    write = _TEXTS.get(kind)
    return write(block) if write else f"<{kind}>"


def _block(item: object, visibility: str) -> Block:
    if item.__class__ is dict:
        return {"type": "text", "visibility": visibility, **item}
    return {"type": "text", "text": item if item.__class__ is str else "", "visibility": visibility}


def _blocks(content: object, visibility: str) -> list[Block]:
    if content.__class__ is list:
        return [_block(item, visibility) for item in content]
    return [] if content is None else [_block(content, visibility)]


def content_text(content: object) -> str:
    """Return the text of the content of a message: the content itself, or the texts of its blocks on separate lines."""
    if content.__class__ is str:
        return content
    blocks = _blocks(content, "public")
    return "\n".join(text for text in map(block_text, blocks) if text)


def is_message_event(event: object) -> bool:
    """Return whether an event belongs to a message."""
    return event.__class__ is dict and event.get("kind") in ("message", "tool_result")


def message_event(message: dict[str, Any], event_id: str) -> dict[str, Any]:
    """Return the event of a message. Tool results are internal unless one of their blocks is public."""
    role = message.get("role", "user")
    is_result = role in _TOOL_ROLES
    usual = "internal" if is_result else "public"
    blocks = _blocks(message.get("content"), usual)
    shown = any(block["visibility"] == "public" for block in blocks) or (usual == "public" and not blocks)
    return {
        "id": event_id,
        "kind": "tool_result" if is_result else "message",
        "role": role,
        "visibility": "public" if shown else "internal",
        "text": " ".join(text for text in map(block_text, blocks) if text),
        "blocks": blocks,
    }
