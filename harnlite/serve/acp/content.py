"""Content blocks of a user: the check of what arrives, and the text that the script and the model get."""

from __future__ import annotations

import re
from typing import Any

from harnlite.serve.acp.errors import invalid
from harnlite.serve.conversation_values import Content

_BINARY = frozenset({"image", "audio"})


def read_content(blocks: object) -> Content:
    """Return the content of a list of blocks; raise RpcError for anything else, an empty list, or a wrong block."""
    if not isinstance(blocks, list) or not blocks:
        raise invalid("invalid_content")
    return Content("\n".join(_text(block, index) for index, block in enumerate(blocks)), blocks)


def _text(block: Any, index: int) -> str:  # noqa: ANN401 - any JSON value
    kind = block.get("type") if isinstance(block, dict) else None
    if kind == "text" and isinstance(block.get("text"), str):
        return str(block["text"])
    if kind == "resource_link" and isinstance(block.get("uri"), str) and isinstance(block.get("name"), str):
        return f"[{block['name']}]({block['uri']})"
    if kind == "resource" and isinstance(resource := block.get("resource"), dict):
        if isinstance(resource.get("uri"), str) and isinstance(resource.get("text"), str):
            return f"{resource['uri']}\n{_fenced(resource['text'])}"
        if "blob" in resource:
            raise invalid("unsupported_content", index=index)
    if isinstance(kind, str) and kind in _BINARY:
        raise invalid("unsupported_content", index=index)
    raise invalid("invalid_content", index=index)


def _fenced(text: str) -> str:
    """Return a text between two fences that it does not contain."""
    longest = max((len(ticks) for ticks in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    end = "" if text.endswith("\n") else "\n"
    return f"{fence}\n{text}{end}{fence}"
