"""The progress line of a long run on a terminal; the output of the program appears above it."""

from __future__ import annotations

from harnlite.reminders.seams import ITERATION_END, ITERATION_START, LOOP_CHECKPOINT
from harnlite.runtime.tasks.clock import waiting_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO

    from harnlite.agent.sessions.open_sessions import SessionStore

_PATIENCE_SECONDS, _GAP_SECONDS = 2.0, 0.1
_ERASE = "\r\x1b[2K"
_EVENTS = frozenset({ITERATION_START, ITERATION_END, "reminder_emitted", "tool_call", LOOP_CHECKPOINT})


class Progress:
    """Turn, tokens and pending reminders of the loop with the latest event; hidden during the first 2 seconds."""

    __slots__ = ("_drawn_at", "_is_shown", "_sessions", "_terminal", "_tokens", "_turn", "_worth_from", "output")

    def __init__(self, terminal: TextIO, stdout: TextIO) -> None:
        self._terminal = terminal
        self._sessions: SessionStore | None = None
        self._turn = 0
        self._tokens = 0
        self._is_shown = False
        self._drawn_at = 0.0
        self._worth_from = waiting_time() + _PATIENCE_SECONDS
        self.output = _Output(stdout, self)

    def watch(self, sessions: SessionStore) -> None:
        """Subscribe to the sessions of a run."""
        self._sessions = sessions
        sessions.listen(self._hear)

    def _hear(self, event: dict[str, Any]) -> None:
        kind = event["type"]
        if kind not in _EVENTS:
            return
        if kind == ITERATION_START:
            self._turn = event["iteration"]
        elif kind == ITERATION_END:
            info = event["iteration_info"]
            self._tokens += int(info.get("input_tokens") or 0) + int(info.get("output_tokens") or 0)
        now = waiting_time()
        if now >= self._worth_from and now >= self._drawn_at + _GAP_SECONDS:
            self._drawn_at = now
            self._draw(event["session_id"])

    def _draw(self, session_id: str) -> None:
        session = self._sessions.get(session_id) if self._sessions is not None else None
        pending = len(session.transcript.pending()) if session is not None else 0
        plural = "" if pending == 1 else "s"
        line = f"turn {self._turn} · {self._tokens:,} tokens · {pending} reminder{plural} pending"
        self._terminal.write(f"{_ERASE}\x1b[2m{line}\x1b[0m")
        self._terminal.flush()
        self._is_shown = True

    def clear(self) -> None:
        """Erase the line."""
        if self._is_shown:
            self._is_shown = False
            self._terminal.write(_ERASE)
            self._terminal.flush()


class _Output:
    """The output of the program, written to the same terminal."""

    __slots__ = ("_progress", "_stdout")

    def __init__(self, stdout: TextIO, progress: Progress) -> None:
        self._stdout = stdout
        self._progress = progress

    def write(self, text: str) -> int:
        """Erase the line and write the program's output."""
        self._progress.clear()
        return self._stdout.write(text)

    def flush(self) -> None:
        """Flush the underlying stream."""
        self._stdout.flush()

    def isatty(self) -> bool:
        """Return whether the underlying stream is a terminal."""
        return self._stdout.isatty()
