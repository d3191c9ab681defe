"""Recorded sessions: which agent has written a file, and the calls of hooks that follow from it and its sub-agents."""

from __future__ import annotations

import os
from heapq import merge
from itertools import chain, islice

from harnlite.agent_hooks.calls.json_text import parsed
from harnlite.agent_hooks.formats.fields import text_of
from harnlite.agent_hooks.replay import codex_session, gemini_session, qwen_session
from harnlite.agent_hooks.replay.claude_session import ClaudeSession
from harnlite.agent_hooks.replay.codex_session import CodexSession
from harnlite.agent_hooks.replay.gemini_session import GeminiSession
from harnlite.agent_hooks.replay.qwen_session import QwenSession
from harnlite.agent_hooks.replay.recorded_lines import LONGEST, RecordedLines
from harnlite.regular_files import regular_file_of_any_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO, Protocol

    from harnlite.agent_hooks.replay.steps import Step

    class SessionReader(Protocol):
        """Reads the records of one conversation."""

        def feed(self, record: dict[str, object]) -> Iterator[Step]:
            """Yield the calls that follow from a record."""

        def end(self) -> Iterator[Step]:
            """Yield the calls that follow from the end of the file."""


CLAUDE, CODEX, GEMINI, QWEN = "claude-code", "codex", "gemini", "qwen"
AGENTS = {CLAUDE: CLAUDE, "codebuddy": CLAUDE, CODEX: CODEX, GEMINI: GEMINI, "tabnine": GEMINI, QWEN: QWEN}
"""The agents whose recorded sessions can be read, and in whose form."""
_MOST_BEFORE = 100
"""The number of records in which one must show the agent."""
_CHILD, _LINES, _ABOUT = "agent-", ".jsonl", ".meta.json"


class UnknownRecording(ValueError):
    """Raised if a file is not the recorded session of an agent that can be read."""


class RecordedSession:
    """The session in a stream. `path` is that of its file, beside which the files of its sub-agents are looked for."""

    def __init__(self, stream: BinaryIO, agent: str | None = None, path: str | None = None) -> None:
        self._path = path
        self._lines = [RecordedLines(stream)]
        self._open: list[BinaryIO] = []
        records: Iterator[dict[str, object]] = iter(self._lines[0])
        if path is not None and path.endswith(".json"):
            records = self._whole(stream)
        first = list(islice(records, _MOST_BEFORE))
        self.agent = agent or _agent_of(first)
        """The agent that is named or recognized, or an empty text if the file is empty."""
        if not self.agent and self._lines[0].count:
            raise UnknownRecording("it is not the recorded session of an agent")
        self._first = first
        self._records = chain(first, records)

    @property
    def damaged(self) -> int:
        """Return the number of lines that could not be read until now."""
        return sum(lines.damaged for lines in self._lines)

    @property
    def lines(self) -> int:
        """Return the number of lines that were read until now."""
        return sum(lines.count for lines in self._lines)

    def steps(self) -> Iterator[Step]:
        """Yield the calls of hooks in the order of their times; once only."""
        form = AGENTS.get(self.agent)
        if form is None:
            return
        try:
            yield from _in_order([_steps(self._reader(form), self._records), *self._children(form)])
        finally:
            for file in self._open:
                file.close()

    def _reader(self, form: str) -> SessionReader:
        if form == CLAUDE:
            return ClaudeSession()
        if form == CODEX:
            known = (codex_session.origin_of(record) for record in self._first)
            name, parent, kind = next((one for one in known if one[0]), ("", "", ""))
            return CodexSession(name, kind, parent) if parent else CodexSession()
        return QwenSession() if form == QWEN else GeminiSession()

    # Sub-agents with files of their own

    def _children(self, form: str) -> Iterator[Iterator[Step]]:
        if self._path is None:
            return
        if form == CLAUDE and self._path.endswith(_LINES):
            folder = os.path.join(self._path.removesuffix(_LINES), "subagents")
            for name in _names_in(folder):
                if name.startswith(_CHILD) and name.endswith(_LINES):
                    base = os.path.join(folder, name.removesuffix(_LINES))
                    actor = name.removeprefix(_CHILD).removesuffix(_LINES)
                    reader = ClaudeSession(actor, _type_in(base + _ABOUT))
                    yield from self._child(reader, base + _LINES)
        elif form == CODEX:
            own = next((name for name, _, _ in map(codex_session.origin_of, self._first) if name), "")
            folder = os.path.dirname(os.path.abspath(self._path))
            for name in _names_in(folder) if own else ():
                path = os.path.join(folder, name)
                found = _first_record(path) if name.startswith("rollout-") and name.endswith(_LINES) else {}
                actor, parent, kind = codex_session.origin_of(found)
                if actor and parent == own:
                    yield from self._child(CodexSession(actor, kind, own), path)

    def _child(self, reader: SessionReader, path: str) -> Iterator[Iterator[Step]]:
        try:
            file = open(path, "rb", opener=regular_file_of_any_size)  # noqa: SIM115 - it is read while the steps are, and closed after them
        except OSError:
            return
        self._open.append(file)
        lines = RecordedLines(file)
        self._lines.append(lines)
        yield _steps(reader, lines)

    def _whole(self, stream: BinaryIO) -> Iterator[dict[str, object]]:
        """Yield the only object of a file that is not a series of lines."""
        lines = self._lines[0]
        lines.count = 1
        try:
            value = parsed(stream.read(LONGEST).decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            yield value
        else:
            lines.damaged = 1


def _agent_of(records: Iterable[dict[str, object]]) -> str:
    for record in records:
        if codex_session.is_record(record):
            return CODEX
        if qwen_session.is_record(record):
            return QWEN
        if gemini_session.is_record(record):
            return GEMINI
        if isinstance(record.get("message"), dict) and "uuid" in record:
            return CLAUDE
    return ""


def _steps(reader: SessionReader, records: Iterable[dict[str, object]]) -> Iterator[Step]:
    for record in records:
        yield from reader.feed(record)
    yield from reader.end()


def _in_order(streams: list[Iterator[Step]]) -> Iterator[Step]:
    """Yield the steps of several conversations by their times; those of each stay in their order."""
    if len(streams) == 1:
        return streams[0]
    return (step for _, step in merge(*map(_timed, streams), key=lambda pair: pair[0]))


def _timed(steps: Iterator[Step]) -> Iterator[tuple[float, Step]]:
    last = 0.0
    for step in steps:
        last = max(last, step.time or 0.0)
        yield last, step


def _names_in(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _type_in(path: str) -> str:
    """Return the type of a sub-agent from the file about it."""
    return text_of(_first_record(path), ("agentType", "agent_type"))


def _first_record(path: str) -> dict[str, object]:
    try:
        with open(path, "rb", opener=regular_file_of_any_size) as file:
            return next(iter(RecordedLines(file)), {})
    except OSError:
        return {}
