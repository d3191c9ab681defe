"""The messages of a request as contents of the Gemini API."""

from __future__ import annotations

from harnlite.formats.json.reading import JsonError, read_json
from harnlite.llm.dialects.call_numbers import is_made
from harnlite.llm.dialects.content import CALL, MEDIA, NATIVE, REASONING, RESULT, TEXT, refused, result_text
from harnlite.llm.dialects.turns import ASSISTANT, USER, Turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.llm.dialects.content import Block
    from harnlite.llm.dialects.parameters import Parameters

    Fields = dict[str, Any]

GEMINI = "gemini"
PART = "gemini_part"
"""The type of the blocks for parts of a reply that only Gemini understands."""

_UNSIGNED = "skip_thought_signature_validator"
"""The signature of calls that another model made, with which Gemini does not check them."""

_CONTINUE = "Continue."


def contents_of(turns: list[Turn], parameters: Parameters, *, needs_signatures: bool) -> list[Fields]:
    """Return turns as contents."""
    contents: list[Fields] = []
    for turn in turns:
        parts = [part for block in turn.blocks for part in _parts(block, parameters)]
        if turn.role == ASSISTANT and needs_signatures:
            first = next((part for part in parts if "functionCall" in part), None)
            if first is not None:
                first.setdefault("thoughtSignature", _UNSIGNED)
        if parts:
            contents.append({"role": "model" if turn.role == ASSISTANT else "user", "parts": parts})
    if contents and contents[-1]["role"] == "model" and not parameters.get("prefill"):
        parameters.note("a last message of the assistant is followed by a user message")
        contents.append({"role": USER, "parts": [{"text": _CONTINUE}]})
    return contents


def _parts(block: Block, parameters: Parameters) -> list[Fields]:
    kind = block["type"]
    if kind == TEXT:
        return [_signed({"text": block["text"]}, block)]
    if kind == CALL:
        return [_signed({"functionCall": _with_id({"name": block["name"], "args": block["arguments"]}, block)}, block)]
    if kind == RESULT:
        content = block["content"]
        response = {"functionResponse": _with_id({"name": block["name"], "response": _response(block)}, block)}
        media = [item for item in content if item["type"] == MEDIA] if isinstance(content, list) else []
        return [response, *(_media(item) for item in media)]
    if kind == MEDIA:
        return [_media(block)]
    native: Fields = block["native"]
    if block["provider"] == GEMINI:
        return [native.get("part", native)] if kind == NATIVE else [native]
    if kind != REASONING:
        parameters.note(f"a content block of type '{native.get('type')}' is not sent to {GEMINI}")
    return []


def _signed(part: Fields, block: Block) -> Fields:
    if "thought_signature" in block:
        part["thoughtSignature"] = block["thought_signature"]
    return part


def _with_id(fields: Fields, block: Block) -> Fields:
    """Add the id of a call, unless it was made for a vendor without ids."""
    if block["id"] and not is_made(block["id"]):
        return {"id": block["id"], **fields}
    return fields


def _response(block: Block) -> Fields:
    """Return the result of a call as an object."""
    text = result_text(block)
    if block["is_error"]:
        return {"error": text}
    if text.lstrip().startswith("{"):
        try:
            value = read_json(text)
        except JsonError:
            return {"result": text}
        if isinstance(value, dict):
            return value
    return {"result": text}


def _media(block: Block) -> Fields:
    if "text" in block:
        return {"text": block["text"]}
    if "data" in block:
        return {"inlineData": {"mimeType": block["media_type"], "data": block["data"]}}
    address = block.get("url") or block.get("file_id")
    if not isinstance(address, str):
        raise refused("gemini takes content as data or as the URI of a file")
    return {"fileData": {"fileUri": address, "mimeType": block["media_type"]}}
