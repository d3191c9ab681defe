"""The content of messages in one neutral form, whichever provider's format it was written in.

The kinds of neutral blocks, all of them dicts with a `type`:

- `text`: `{text, cache_control?, thought_signature?}`
- `tool_call`: `{id, name, arguments, thought_signature?}`; the arguments are a dict
- `tool_result`: `{id, name, content, is_error, cache_control?}`; the content is a text or a list of neutral blocks
- `media`: `{kind, media_type, data | url | file_id | text, name?, native?, cache_control?}`; the kind is image, pdf,
  audio or file; the data is in base64, and `native` is the block in the form of the Messages API
- `reasoning`: `{provider, native}`, the block with which a provider delivered its reasoning
- `native`: `{provider, native}`, a block that only one provider understands
"""

from __future__ import annotations

from harnlite.formats.json.reading import JsonError, read_json
from harnlite.formats.json.writing import json_text
from harnlite.llm.dialects.tool_names import wire_name
from harnlite.llm.errors import categorised
from harnlite.values.display import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnlite.llm.backend import ChatRequest
    from harnlite.values.errors import ScriptError

    Block = dict[str, Any]

ANTHROPIC = "anthropic"
TEXT, CALL, RESULT, MEDIA, REASONING, NATIVE = "text", "tool_call", "tool_result", "media", "reasoning", "native"
IMAGE, PDF, AUDIO, FILE = "image", "pdf", "audio", "file"

_OURS = ("visibility", "provider")
_MEDIA_KINDS = {
    "image": IMAGE,
    "image_url": IMAGE,
    "input_image": IMAGE,
    "pdf": PDF,
    "document": PDF,
    "file": FILE,
    "input_file": FILE,
    "audio": AUDIO,
    "input_audio": AUDIO,
}
_MEDIA_TYPES = {IMAGE: "image/png", PDF: "application/pdf", AUDIO: "audio/wav", FILE: "application/octet-stream"}
_DATA_URL = "data:"


def refused(text: str) -> ScriptError:
    """Return the error for a request that cannot be expressed in the vendor's API; it is terminal."""
    return categorised("generic", f"invalid_request: {text}")


def nothing_to_send(request: ChatRequest) -> ScriptError:
    """Return the error for a request without any text, which vendors refuse."""
    return refused(f"there is nothing to send to {request.provider}: the prompt and all messages are empty")


def content_blocks(content: object) -> list[Block]:
    """Return the content of a message as neutral blocks, without empty texts that carry no signature."""
    items = content if isinstance(content, list) else [content]
    blocks = [block for item in items if (block := _block(item)) is not None]
    return [block for block in blocks if block["type"] != TEXT or block["text"] or "thought_signature" in block]


def text_of(blocks: list[Block], separator: str = "\n\n") -> str:
    """Return the texts among the blocks, joined."""
    return separator.join([block["text"] for block in blocks if block["type"] == TEXT])


def call_block(call: Block) -> Block:
    """Return the neutral block of a tool call: ours, or one in the form of any vendor."""
    function = call.get("function")
    if not isinstance(function, dict):
        function = call
    arguments = function.get("arguments", call.get("input"))
    block: Block = {
        "type": CALL,
        "id": _string(call.get("call_id") or call.get("id")),
        "name": wire_name(_string(function.get("name"))),
        "arguments": _arguments(arguments),
    }
    return _with(block, call, "thought_signature")


def result_block(call_id: object, name: object, content: object, *, is_error: bool = False) -> Block:
    """Return the neutral block of the result of a tool call."""
    if isinstance(content, list) and content and all(_is_block(item) for item in content):
        blocks = content_blocks(content)
        text = all(block["type"] == TEXT for block in blocks)
        content = text_of(blocks, "\n") if text else blocks
    elif content is None:
        content = ""
    elif content.__class__ is not str:
        content = json_text(content)
    name = wire_name(_string(name))
    return {"type": RESULT, "id": _string(call_id), "name": name, "content": content, "is_error": is_error}


def result_text(block: Block) -> str:
    """Return the text of a tool result."""
    content = block["content"]
    return content if isinstance(content, str) else text_of(content, "\n")


def media_url(block: Block) -> str:
    """Return the URL of a media block; its data becomes a data URL."""
    return block["url"] if "url" in block else f"data:{block['media_type']};base64,{block.get('data', '')}"


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _is_block(item: object) -> bool:
    return isinstance(item, dict) and isinstance(item.get("type"), str)


def _with(block: Block, given: Block, *names: str) -> Block:
    block.update({name: given[name] for name in names if given.get(name) is not None})
    return block


def _arguments(value: object) -> dict[str, Any]:
    """Return the arguments of a call; a text that is not a JSON object becomes no arguments."""
    if isinstance(value, str):
        try:
            value = read_json(value)
        except JsonError:
            return {}
    return value if isinstance(value, dict) else {}


def _block(item: object) -> Block | None:
    if item is None:
        return None
    if not isinstance(item, dict):
        return {"type": TEXT, "text": display(item)}
    kind = _string(item.get("type")) or TEXT
    read = _READERS.get(kind)
    if read is not None:
        return read(item)
    native = {key: value for key, value in item.items() if key not in _OURS}
    return {"type": NATIVE, "provider": _string(item.get("provider")), "native": native}


def _text(item: Block) -> Block:
    text = item.get("text", item.get("refusal"))
    block: Block = {"type": TEXT, "text": "" if text is None else display(text)}
    return _with(block, item, "cache_control", "thought_signature")


def _result(item: Block) -> Block:
    call_id = item.get("tool_use_id") or item.get("tool_call_id") or item.get("call_id")
    content = item.get("content", item.get("output"))
    block = result_block(call_id, item.get("name"), content, is_error=item.get("is_error") is True)
    return _with(block, item, "cache_control")


def _thinking(item: Block) -> Block:
    """Return the block for reasoning in the form of the Messages API."""
    native = {key: value for key, value in item.items() if key not in _OURS}
    return {"type": REASONING, "provider": ANTHROPIC, "native": native}


def _reasoning(item: Block) -> Block | None:
    native = item.get("native")
    if isinstance(native, dict):
        return {"type": REASONING, "provider": _string(item.get("provider")), "native": native}
    return None


def _media(item: Block) -> Block:
    """Return the block for an image, document or recording, with its data or its address."""
    given = _string(item.get("type"))
    kind = _MEDIA_KINDS[given]
    block: Block = {"type": MEDIA, "kind": kind}
    source = _source(item, given)
    if isinstance(item.get("source"), dict):
        block["native"] = {key: value for key, value in item.items() if key not in _OURS}
        if item["source"].get("type") in ("text", "content"):
            return _document(item["source"], block["native"])
    address = source.get("url")
    data = source.get("data")
    media_type = _string(source.get("media_type"))
    if isinstance(address, str) and address.startswith(_DATA_URL):
        head, _comma, data = address.partition(",")
        media_type, address = head[len(_DATA_URL) :].partition(";")[0], None
    if isinstance(data, str) and data:
        block["data"] = data
    elif isinstance(address, str) and address:
        block["url"] = address
    elif isinstance(source.get("file_id"), str):
        block["file_id"] = source["file_id"]
    else:
        raise refused(f"a content block of type `{given}` has neither data nor a URL")
    block["media_type"] = media_type or _MEDIA_TYPES[kind]
    block["kind"] = _kind(kind, block["media_type"])
    name = item.get("title") or source.get("filename") or item.get("name") or item.get("filename")
    if isinstance(name, str):
        block["name"] = name
    return _with(block, item, "cache_control")


def _source(item: Block, given: str) -> Block:
    """Return `{data?, media_type?, url?, file_id?, filename?}` of a media block."""
    inner = item.get("source", item.get(given, item))
    if isinstance(inner, str):
        inner = {"url": inner}
    source: Block = dict(inner) if isinstance(inner, dict) else {}
    if source.get("media_type") is None:
        source["media_type"] = source.get("mimeType", source.get("mime_type"))
    if source.get("media_type") is None and isinstance(source.get("format"), str):
        source["media_type"] = f"audio/{source['format']}"
    for name in ("image_url", "file_url", "uri", "file_data"):
        if isinstance(source.get(name), str):
            source.setdefault("url", source[name])
    data = source.get("file_data")
    if isinstance(data, str):
        source["url"] = data if data.startswith(_DATA_URL) else f"{_DATA_URL};base64,{data}"
    if source.get("data") is None:
        source["data"] = source.get("base64")
    return source


def _kind(kind: str, media_type: str) -> str:
    """Return the kind that a media type shows, or else the kind of the block."""
    if media_type == _MEDIA_TYPES[PDF]:
        return PDF
    main = media_type.partition("/")[0]
    return main if main in (IMAGE, AUDIO) else FILE if kind == PDF else kind


def _document(source: Block, native: Block) -> Block:
    """Return the block for a document that is given as text."""
    content = source.get("data") if source.get("type") == TEXT else source.get("content")
    text = text_of(content_blocks(content))
    return {"type": MEDIA, "kind": FILE, "media_type": "text/plain", "text": text, "native": native}


_READERS: dict[str, Callable[[Block], Block | None]] = {
    "text": _text,
    "output_text": _text,
    "input_text": _text,
    "refusal": _text,
    "tool_use": call_block,
    "tool_call": call_block,
    "function_call": call_block,
    "tool_result": _result,
    "function_call_output": _result,
    "thinking": _thinking,
    "redacted_thinking": _thinking,
    "reasoning": _reasoning,
    **dict.fromkeys(_MEDIA_KINDS, _media),
}
