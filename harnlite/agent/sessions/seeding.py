"""Creation of a session from a recorded one: an `llm_transcript.jsonl`, or a file with one message per line."""

from __future__ import annotations

from harnlite.agent.sessions.open_sessions import sessions_of
from harnlite.agent.sessions.recording import record_system_prompt
from harnlite.formats.json.reading import JsonError, read_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnlite.runtime.tasks.execution import Execution

    Record = dict[str, Any]

TRANSCRIPT_FORMAT, MESSAGES_FORMAT = "llm_transcript", "messages"
_ROUTE_KEYS = ("provider", "model", "tool_format")
_TOOL_ROLES = ("tool", "tool_result")


class Unreadable(Exception):
    """The error for a text from which no session can be created."""


class Seed:
    """The content of a file: messages, the last route and system prompt, and whether all lines are valid and typed."""

    __slots__ = ("is_partial", "is_typed", "messages", "records", "route", "system_prompt")

    def __init__(self, text: str, *, validate: bool) -> None:
        self.messages: list[Record] = []
        self.records = 0
        self.route: dict[str, str] = {}
        self.system_prompt: str | None = None
        self.is_partial = self.is_typed = False
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        for number, line in lines:
            record = _record(line)
            if record is not None and self._take(record):
                self.records += 1
            elif validate and (number, line) != lines[-1]:
                raise Unreadable(f"line {number} is not a transcript record")
            else:
                self.is_partial = True

    def _take(self, record: Record) -> bool:
        """Read one record; return whether it is valid."""
        for key in _ROUTE_KEYS:
            if isinstance(record.get(key), str):
                self.route[key] = record[key]
        kind = record.get("type")
        self.is_typed = self.is_typed or isinstance(kind, str)
        if kind == "system_prompt":
            content = record.get("content", record.get("text"))
            self.system_prompt = content if isinstance(content, str) else None
            return True
        message = record.get("message", record)
        if kind in {None, "message"}:
            if not isinstance(message, dict) or not isinstance(message.get("role"), str) or "content" not in message:
                return False
            self.messages.append({key: value for key, value in message.items() if key not in _RECORD_KEYS})
        return True


_RECORD_KEYS = frozenset({"type", "iteration", "timestamp", "ts_ms", "span_id", "session_id", "turn"})
"""The keys of a record that do not belong to its message."""


def _record(line: str) -> Record | None:
    try:
        record = read_json(line)
    except JsonError:
        return None
    return record if isinstance(record, dict) else None


def seed(run: Execution, text: str, options: dict[str, Any]) -> dict[str, object]:
    """Create a session from the text of a file, and return a summary of the loaded data."""
    store = sessions_of(run)
    name = options.get("rename_session")
    if isinstance(name, str) and store.get(name) is not None:
        raise Unreadable(f"session '{name}' already exists")
    found = Seed(text, validate=options.get("validate", True) is not False)
    messages = [plain for message in found.messages for plain in _without_tools(message, options)]
    kept = _last(messages, options.get("truncate_to_last"))
    session = store.open(run, name if isinstance(name, str) and name else None)
    if found.system_prompt is not None:
        record_system_prompt(run, session, found.system_prompt)
    for message in kept:
        session.append_message(run, message)
    return {
        "ok": True,
        "session_id": session.id,
        "turns_loaded": sum(message["role"] == "assistant" for message in kept),
        "messages_loaded": len(kept),
        "source_records": found.records,
        "source_format": TRANSCRIPT_FORMAT if found.is_typed else MESSAGES_FORMAT,
        "partial": found.is_partial,
        "truncated": len(kept) < len(messages),
        "provider": options.get("provider") or found.route.get("provider"),
        "model": options.get("model") or found.route.get("model"),
        "tool_format": found.route.get("tool_format"),
        "error": None,
    }


def _without_tools(message: Record, options: dict[str, Any]) -> list[Record]:
    """Return a list with the message, or with `drop_tool_calls` its part without tools; it may be empty."""
    if not options.get("drop_tool_calls"):
        return [message]
    if message["role"] in _TOOL_ROLES:
        return []
    plain = {key: value for key, value in message.items() if key != "tool_calls"}
    content = plain.get("content")
    if isinstance(content, list):
        blocks = [block for block in content if not (isinstance(block, dict) and "tool" in str(block.get("type")))]
        if not blocks:
            return []
        plain["content"] = blocks
    return [plain] if plain.get("content") else []


def _last(messages: list[Record], limit: object) -> list[Record]:
    """Return the last messages, without tool results at the start whose calls are cut off."""
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 0 or len(messages) <= limit:
        return messages
    kept = messages[len(messages) - limit :]
    while kept and kept[0]["role"] in _TOOL_ROLES:
        kept = kept[1:]
    return kept
