"""Structured answers: the JSON in a reply, its validation, and the nudge with which the model is asked again."""

from __future__ import annotations

from harnlite.formats.json.extraction import json_part
from harnlite.formats.json.reading import JsonError, read_json
from harnlite.formats.json.writing import json_text
from harnlite.formats.schemas.forms import SchemaError, canonical
from harnlite.formats.schemas.validation import Validator
from harnlite.llm.text_protocol import parse_reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from harnlite.llm.backend import ChatReply

NO_JSON = "response did not contain parseable JSON"
_CUT = "response hit the token limit before producing complete JSON"
_CUT_REASONS = ("length", "max_tokens")
_MOST_LINES, _MOST_KEYS, _DEEPEST = 8, 16, 3
_NO_RETRIES = (
    " (hint: set `schema_retries: N` in the llm_call options to automatically re-prompt the model with a "
    "corrective nudge)"
)
_RETRIES_USED = (
    " (hint: schema_retries budget exhausted — the model did not produce conforming output after the configured "
    "retries; consider raising `schema_retries` or relaxing the schema)"
)
_AGAIN = "Respond again with ONLY valid JSON conforming to the schema. No prose, no markdown fences."


class Answer:
    """The result of reading a reply: its JSON data, if it contains any, and all validation errors."""

    __slots__ = ("data", "errors", "has_data", "is_extracted")

    def __init__(self) -> None:
        self.data: object = None
        self.has_data = False
        self.is_extracted = False
        self.errors: list[str] = []

    @property
    def is_good(self) -> bool:
        """Return whether the answer has no errors."""
        return not self.errors


def read_answer(reply: ChatReply, schema: dict[str, Any] | None) -> Answer:
    """Find the JSON in a reply and validate it."""
    answer = Answer()
    for candidate in _candidates(reply):
        part = json_part(candidate)
        try:
            answer.data = read_json(part)
        except JsonError:
            continue
        answer.has_data = True
        answer.is_extracted = part != candidate.strip()
        answer.errors = [] if schema is None else _violations(answer.data, schema)
        return answer
    answer.errors = _without_json(reply)
    return answer


def _candidates(reply: ChatReply) -> Iterator[str]:
    """Yield the texts that may contain the JSON, the best candidate first."""
    public = [
        block.get("text")
        for block in reply.blocks
        if block.get("type") == "output_text" and block.get("visibility") == "public"
    ]
    shown = "".join([text for text in public if isinstance(text, str)])
    texts = [reply.text] if shown == reply.text else [reply.text, shown]
    texts = [text for text in texts if text.strip()]
    yield from texts
    for call in reply.tool_calls:
        yield json_text(call.get("arguments"))
    for text in texts:
        prose = parse_reply(text)["prose"]
        if prose and prose != text:
            yield prose


def _violations(data: object, schema: dict[str, Any]) -> list[str]:
    try:
        validator = Validator(canonical(schema), "llm_call")
    except SchemaError as error:
        return [str(error)]
    validator.check(data)
    return list(validator.errors)


def _without_json(reply: ChatReply) -> list[str]:
    errors = [NO_JSON]
    violations = parse_reply(reply.text)["protocol_violations"] if "<" in reply.text else []
    if violations:
        errors.append(f"protocol violations: {'; '.join(violations)}")
    if reply.stop_reason in _CUT_REASONS:
        errors.append(_CUT)
    return errors


def exhausted_message(errors: list[str], retries: int) -> str:
    """Return the error message for a call whose last answer is still not valid."""
    return f"LLM output failed schema validation: {'; '.join(errors)}{_RETRIES_USED if retries else _NO_RETRIES}"


# Nudges


def nudge_for(setting: object, errors: list[str], schema: dict[str, Any] | None) -> str | None:
    """Return the message that tells the model what is wrong with its answer, or None if nudges are turned off."""
    if setting is False:
        return None
    found = "; ".join(errors)
    if isinstance(setting, str):
        return f"{setting}\n\nValidation errors: {found}"
    lines = ["Your previous response did not match the required JSON schema.", f"Validation errors: {found}."]
    required, allowed = _required(schema), _allowed(schema)
    if required:
        lines.append(f"Required keys: {', '.join(required)}.")
    if allowed:
        lines.append(f"Allowed top-level keys: {', '.join(allowed)}.")
    shape: list[str] = []
    _describe(schema, "root", 1, shape)
    if shape:
        lines += ["Expected JSON schema shape:", *shape[:_MOST_LINES]]
    lines.append(_AGAIN)
    return "\n".join(lines)


def _required(schema: object) -> list[str]:
    names = schema.get("required") if schema.__class__ is dict else None
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _allowed(schema: object) -> list[str]:
    properties = schema.get("properties") if schema.__class__ is dict else None
    return sorted(properties) if isinstance(properties, dict) else []


def _describe(schema: object, path: str, depth: int, lines: list[str]) -> None:
    """Append a line for each object in a schema, outer objects first."""
    if schema.__class__ is not dict or depth > _DEEPEST:
        return
    fields: dict[str, Any] = schema
    if fields.get("items") is not None:
        _describe(fields["items"], f"{path}[]", depth + (path != "root"), lines)
        return
    allowed, required = _allowed(fields), _required(fields)
    if not allowed:
        return
    line = f"- {path} object allowed keys: {_listed(allowed)}"
    lines.append(f"{line}; required keys: {_listed(required)}" if required else line)
    for name in allowed:
        _describe(fields["properties"][name], name if path == "root" else f"{path}.{name}", depth + 1, lines)


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:_MOST_KEYS])
    more = len(names) - _MOST_KEYS
    return f"{shown}, ... (+{more} more)" if more > 0 else shown
