"""The messages of a request as input items of the Responses API."""

from __future__ import annotations

from harnlite.formats.json.writing import json_text
from harnlite.llm.dialects.content import (
    CALL,
    FILE,
    IMAGE,
    MEDIA,
    NATIVE,
    PDF,
    REASONING,
    RESULT,
    TEXT,
    media_url,
    refused,
    result_text,
    text_of,
)
from harnlite.llm.dialects.turns import ASSISTANT, DEVELOPER, INSTRUCTIONS, USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from harnlite.llm.dialects.content import Block
    from harnlite.llm.dialects.openai_options import Notes
    from harnlite.llm.dialects.turns import Turn

    Item = dict[str, Any]

_SEPARATOR = "\n\n"
_REASONING_KEYS = ("type", "id", "summary", "content", "encrypted_content")


class InputItems:
    """The conversion of turns to input items.

    `is_stored` is whether the server keeps the responses. If it does not, it can only read reasoning items that contain
    their encrypted content.
    """

    __slots__ = ("_is_stored", "_notes", "_provider")

    def __init__(self, provider: str, notes: Notes, *, is_stored: bool) -> None:
        self._provider = provider
        self._notes = notes
        self._is_stored = is_stored

    def of(self, turns: Sequence[Turn]) -> list[Item]:
        """Return the items, in order."""
        return [item for turn in turns for item in self._of_turn(turn)]

    def _of_turn(self, turn: Turn) -> list[Item]:
        if turn.role in INSTRUCTIONS:
            return [{"role": DEVELOPER, "content": text_of(turn.blocks, _SEPARATOR)}]
        if turn.role == ASSISTANT:
            return self._of_assistant(turn)
        results = [self._result(block) for block in turn.blocks if block["type"] == RESULT]
        blocks = [block for block in turn.blocks if block["type"] != RESULT]
        if results and not blocks:
            return results
        return [*results, {"role": USER, "content": self._content(blocks)}]

    def _of_assistant(self, turn: Turn) -> list[Item]:
        items: list[Item] = []
        for block in turn.blocks:
            kind = block["type"]
            if kind == TEXT and block["text"]:
                items.append({"role": ASSISTANT, "content": block["text"]})
            elif kind == CALL:
                items.append(
                    {
                        "type": "function_call",
                        "call_id": block["id"],
                        "name": block["name"],
                        "arguments": json_text(block["arguments"]),
                    }
                )
            elif kind == REASONING:
                items += self._reasoning(block)
            elif kind in (MEDIA, NATIVE):
                self._notes.add(f"content other than text in an assistant message is not sent to {self._provider}")
        # The server refuses reasoning without the item that it led to.
        while items and items[-1].get("type") == REASONING:
            del items[-1]
        return items

    def _reasoning(self, block: Block) -> list[Item]:
        """Return the item of a reasoning block that came from this API and that the server can read again."""
        native = block["native"]
        if block["provider"] != self._provider or native.get("type") != REASONING:
            return []
        if not native.get("encrypted_content") and not self._is_stored:
            return []
        item = {name: native[name] for name in _REASONING_KEYS if native.get(name) is not None}
        return [{"summary": [], **item}]

    def _result(self, block: Block) -> Item:
        content = block["content"]
        is_plain = isinstance(content, str) or all(part["type"] == TEXT for part in content)
        output = result_text(block) if is_plain else self._content(content)
        return {"type": "function_call_output", "call_id": block["id"], "output": output}

    # Content

    def _content(self, blocks: list[Block]) -> str | list[Item]:
        if all(block["type"] == TEXT for block in blocks) and len(blocks) <= 1:
            return text_of(blocks)
        return [part for block in blocks if (part := self._part(block)) is not None]

    def _part(self, block: Block) -> Item | None:
        kind = block["type"]
        if kind == TEXT:
            return {"type": "input_text", "text": block["text"]}
        if kind == MEDIA:
            return self._media(block)
        if kind == NATIVE and block["provider"] in ("", self._provider):
            return dict(block["native"])
        self._notes.add(f"a content block of type '{kind}' is not sent to {self._provider}")
        return None

    def _media(self, block: Block) -> Item:
        kind = block["kind"]
        if "text" in block:
            return {"type": "input_text", "text": block["text"]}
        if kind == IMAGE:
            if "file_id" in block:
                return {"type": "input_image", "file_id": block["file_id"]}
            return {"type": "input_image", "image_url": media_url(block)}
        if kind not in (PDF, FILE):
            raise refused(f"{self._provider} does not accept {kind} content in the Responses API")
        if "file_id" in block:
            return {"type": "input_file", "file_id": block["file_id"]}
        if "url" in block:
            return {"type": "input_file", "file_url": block["url"]}
        name = block.get("name") or ("document.pdf" if kind == PDF else "file")
        return {"type": "input_file", "filename": name, "file_data": media_url(block)}
