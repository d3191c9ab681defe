"""The parts of messages as Gemini CLI and Qwen Code store them."""

from __future__ import annotations

from harnlite.agent_hooks.formats.fields import list_of, object_of, text_of


def text_in(content: object) -> str:
    """Return the text of a message: a string, parts, or an object with parts. Thoughts are not part of it."""
    if isinstance(content, str):
        return content
    parts = content.get("parts") if isinstance(content, dict) else content
    if isinstance(content, dict) and parts is None:
        parts = [content]
    texts = [
        part if isinstance(part, str) else text_of(object_of(part), ("text",))
        for part in list_of(parts)
        if object_of(part).get("thought") is not True
    ]
    return "\n".join(text for text in texts if text)


def calls_in(message: dict[str, object]) -> list[dict[str, object]]:
    """Return the calls of tools in a message."""
    return _parts(message.get("parts"), "functionCall")


def responses_in(content: object) -> list[dict[str, object]]:
    """Return the results of tools in a message, or in a list of parts."""
    return _parts(content.get("parts") if isinstance(content, dict) else content, "functionResponse")


def response_of(response: dict[str, object]) -> dict[str, object]:
    """Return a result as hooks get it: the text that the model reads, and the error."""
    value = response.get("response")
    fields = object_of(value)
    error = text_of(fields, ("error",)) or text_of(object_of(fields.get("error")), ("message",))
    if error:
        return {"llmContent": error, "returnDisplay": error, "error": {"message": error}}
    output = fields.get("output", fields.get("content", fields.get("result")))
    return {
        "llmContent": output if output is not None else value if isinstance(value, str) else "",
        "returnDisplay": "",
    }


def _parts(parts: object, name: str) -> list[dict[str, object]]:
    found = [object_of(object_of(part).get(name)) for part in list_of(parts)]
    return [one for one in found if one]
