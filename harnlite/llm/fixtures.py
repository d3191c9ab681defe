"""Fixture files of scripted answers, with one JSON object on each line, which answer the model calls of a run."""

from __future__ import annotations

from harnlite.formats.json.reading import JsonError, read_json
from harnlite.llm.mock_entries import MockEntry
from harnlite.regular_files import regular_file
from harnlite.values.errors import ScriptError, runtime_error

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
"""The fields of an entry other than its text and tool calls."""


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
