"""Fixture files of scripted answers, with one JSON object on each line, which a run can read or record."""

from __future__ import annotations

from harnlite.durable_files import LineFile, replace_file
from harnlite.formats.json.reading import JsonError, read_json
from harnlite.formats.json.writing import data_text
from harnlite.llm.mock_entries import MockEntry
from harnlite.regular_files import regular_file
from harnlite.values.errors import ScriptError, runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnlite.llm.backend import ChatReply

FIELDS = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "thinking",
    "thinking_summary",
    "stop_reason",
    "model",
    "provider",
    "logprobs",
)
"""The fields of a recorded entry other than its text and tool calls."""


def read_fixtures(path: str) -> list[MockEntry]:
    """Read the entries of a file; raise a runtime error if it cannot be read or parsed."""
    try:
        with open(path, encoding="utf-8", opener=regular_file) as file:
            lines = file.read().split("\n")
    except OSError as error:
        raise runtime_error(f"--llm-mock: cannot read '{path}': {error.strerror}") from None
    except UnicodeDecodeError:
        raise runtime_error(f"--llm-mock: '{path}' is not UTF-8") from None
    return [_entry(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]


def _entry(path: str, number: int, line: str) -> MockEntry:
    try:
        fields = read_json(line)
        if fields.__class__ is not dict:
            raise runtime_error("not an object")
        return MockEntry(fields)
    except JsonError as error:
        text, _, column = str(error).partition(" at line 1 column ")
        place = f"{path}:{number}:{column}" if column else f"{path}:{number}"
        raise runtime_error(f"--llm-mock: {place}: {text}") from None
    except ScriptError as error:
        text = str(error.value).removeprefix("Runtime error: ").removeprefix("llm_mock: ")
        raise runtime_error(f"--llm-mock: {path}:{number}: {text}") from None


class Recorder:
    """A recorder that writes the answers of models to a fixture file, so that a later run can replay them."""

    __slots__ = ("_is_begun", "_path")

    def __init__(self, path: str) -> None:
        self._path = path
        self._is_begun = False

    def _write(self, entry: dict[str, object]) -> None:
        line = data_text(entry).encode("utf-8", "replace") + b"\n"
        try:
            if self._is_begun:
                with LineFile(self._path) as lines:
                    lines.append(line)
                lines.close()
            else:
                replace_file(self._path, line)
        except OSError as error:
            raise runtime_error(f"--llm-mock-record: cannot write '{self._path}': {error.strerror}") from None
        self._is_begun = True

    def reply(self, reply: ChatReply) -> None:
        """Append a reply to the file."""
        calls = [{"name": call.get("name"), "arguments": call.get("arguments")} for call in reply.tool_calls]
        entry: dict[str, object] = {"text": reply.text}
        if calls:
            entry["tool_calls"] = calls
        for name in FIELDS:
            value = getattr(reply, name)
            if value not in (None, ""):
                entry[name] = value
        self._write(entry)

    def failure(self, fields: dict[str, object]) -> None:
        """Append a failure to the file."""
        kept = ("category", "kind", "reason", "message", "status", "retry_after_ms")
        self._write({"error": {key: fields[key] for key in kept if fields.get(key) is not None}})
