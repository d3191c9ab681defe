"""The messages of a request in the form of the Messages API, with at most four cache marks."""

from __future__ import annotations

import re

from harnlite.llm.dialects.content import (
    ANTHROPIC,
    CALL,
    IMAGE,
    MEDIA,
    NATIVE,
    PDF,
    REASONING,
    RESULT,
    TEXT,
    refused,
)
from harnlite.llm.dialects.turns import (
    ASSISTANT,
    USER,
    Turn,
    alternating,
    instructions,
    is_reminder,
    turns_of,
    with_user_first,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.llm.backend import ChatRequest
    from harnlite.llm.dialects.content import Block
    from harnlite.llm.dialects.parameters import Parameters

    Fields = dict[str, Any]

EPHEMERAL = {"type": "ephemeral"}
_MARK = "cache_control"
_MOST_MARKS = 4
_CONTINUE = "Continue."


def turns_and_system(request: ChatRequest, parameters: Parameters) -> tuple[list[Turn], str]:
    """Return the alternating turns of a request, and its system text with that of its first messages."""
    texts, turns = instructions(turns_of(request.messages))
    for turn in turns:
        turn.blocks = [block for block in turn.blocks if _is_sent(block, turn.role, parameters)]
    system = [request.system] if request.system else []
    return with_user_first(alternating(turns)), "\n\n".join([*system, *texts])


def _is_sent(block: Block, role: str, parameters: Parameters) -> bool:
    """Return whether a block has a form in this API: blank texts and blocks of other vendors have none."""
    kind = block["type"]
    if kind == TEXT:
        return bool(block["text"].strip())
    if kind == REASONING:
        return block["provider"] == ANTHROPIC and role == ASSISTANT
    if kind == NATIVE and block["provider"] not in ("", ANTHROPIC):
        parameters.note(f"a content block of type '{block['native'].get('type')}' is not sent to anthropic")
        return False
    return True


def with_user_last(turns: list[Turn], parameters: Parameters) -> list[Turn]:
    """Return turns that end with the user, for models that refuse to continue a message of their own."""
    if not turns or turns[-1].role == USER:
        return turns
    parameters.note("a last message of the assistant is followed by a user message: the model does not continue it")
    return [*turns, Turn(USER, [{"type": TEXT, "text": _CONTINUE}])]


def wire_messages(turns: list[Turn]) -> list[Fields]:
    """Return turns as messages of the API."""
    messages: list[Fields] = []
    for turn in turns:
        blocks = [_block(block) for block in turn.blocks]
        is_plain = turn.is_plain and len(blocks) == 1 and blocks[0].keys() == {"type", "text"}
        messages.append({"role": turn.role, "content": blocks[0]["text"] if is_plain else blocks})
    if messages and messages[-1]["role"] == ASSISTANT:
        last = messages[-1]
        if isinstance(last["content"], str):
            last["content"] = last["content"].rstrip()
        elif last["content"][-1]["type"] == TEXT:
            last["content"][-1]["text"] = last["content"][-1]["text"].rstrip()
    return messages


def starts_with_thinking(turns: list[Turn]) -> bool:
    """Return whether the last turn with tool calls, if it is being answered, begins with Anthropic's own thinking."""
    if len(turns) < 2 or not turns[-2].calls:  # noqa: PLR2004 - the call and its result
        return True
    first = turns[-2].blocks[0]
    return bool(first["type"] == REASONING and first["provider"] == ANTHROPIC)


def _block(block: Block) -> Fields:
    kind = block["type"]
    if kind == TEXT:
        return _marked({"type": TEXT, "text": block["text"]}, block)
    if kind == CALL:
        wired = {"type": "tool_use", "id": _id(block["id"]), "name": block["name"], "input": block["arguments"]}
        return _marked(wired, block)
    if kind == RESULT:
        return _marked(_result(block), block)
    if kind == MEDIA:
        return _marked(_media(block), block)
    native: Fields = block["native"]
    return native


def _marked(wired: Fields, block: Block) -> Fields:
    if _MARK in block:
        wired[_MARK] = block[_MARK]
    return wired


def _id(call_id: str) -> str:
    """Return an id of the characters that the API accepts."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", call_id)


def _result(block: Block) -> Fields:
    content = block["content"]
    if not isinstance(content, str):
        content = [_block(item) for item in content if item["type"] != TEXT or item["text"].strip()]
    wired: Fields = {"type": "tool_result", "tool_use_id": _id(block["id"]), "content": content}
    if block["is_error"]:
        wired["is_error"] = True
    return wired


def _media(block: Block) -> Fields:
    native = block.get("native")
    if native is not None:
        return {key: value for key, value in native.items() if key != _MARK}
    kind = block["kind"]
    if kind not in (IMAGE, PDF):
        raise refused(f"anthropic does not take content of the type {block['media_type']}")
    wired: Fields = {"type": "image" if kind == IMAGE else "document", "source": _source(block)}
    if kind == PDF and "name" in block:
        wired["title"] = block["name"]
    return wired


def _source(block: Block) -> Fields:
    if "data" in block:
        return {"type": "base64", "media_type": block["media_type"], "data": block["data"]}
    if "url" in block:
        return {"type": "url", "url": block["url"]}
    return {"type": "file", "file_id": block["file_id"]}


# Cache marks


def mark_cached(body: Fields) -> None:
    """Mark the tools, the system text and the last message of a request as what the cache keeps."""
    if body.get("tools"):
        tools = body["tools"] = list(body["tools"])
        last = next((at for at in range(len(tools) - 1, -1, -1) if not tools[at].get("defer_loading")), None)
        if last is not None:
            tools[last] = {**tools[last], _MARK: EPHEMERAL}
    if body.get("system"):
        body["system"] = [{"type": TEXT, "text": body["system"], _MARK: EPHEMERAL}]
    for message in reversed(body["messages"]):
        if isinstance(message["content"], str):
            message["content"] = [{"type": TEXT, "text": message["content"]}]
        for at in range(len(message["content"]) - 1, -1, -1):
            block = message["content"][at]
            if block["type"] not in ("thinking", "redacted_thinking"):
                message["content"][at] = {**block, _MARK: EPHEMERAL}
                return


def drop_marks(body: Fields, request: ChatRequest, parameters: Parameters) -> None:
    """Drop marks beyond the four that the API accepts: those of the oldest reminders, then the first others."""
    kept = sum(_MARK in block for part in ("tools", "system") for block in _blocks_of(body.get(part)))
    places = [
        (blocks, at) for message in body["messages"] for blocks in _lists_in(message) for at in range(len(blocks))
    ]
    marked = [(blocks, at) for blocks, at in places if _MARK in blocks[at]]
    surplus = kept + len(marked) - _MOST_MARKS
    if surplus <= 0:
        return
    reminders = [place for place in marked if is_reminder(place[0][place[1]])]
    if request.ordinary and request.ordinary[0].get("role") == USER:
        reminders.reverse()  # each reminder was placed in front of the older ones
    last = marked[-1]
    others = [place for place in marked if place not in reminders and place is not last]
    candidates = [place for place in reminders if place is not last or not parameters.get("cache")]
    for blocks, at in [*candidates, *others][:surplus]:
        blocks[at] = {key: value for key, value in blocks[at].items() if key != _MARK}
    parameters.note(f"{surplus} cache_control marks are not sent to anthropic, which accepts {_MOST_MARKS}")


def _blocks_of(value: object) -> list[Fields]:
    return value if isinstance(value, list) else []


def _lists_in(message: Fields) -> list[list[Fields]]:
    """Return the lists of blocks in a message: its own, and those of its tool results."""
    blocks = _blocks_of(message["content"])
    return [*(block["content"] for block in blocks if isinstance(block.get("content"), list)), blocks]
