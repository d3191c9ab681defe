"""The progress line of a long run on a terminal; the output of the program appears above it."""

from __future__ import annotations

from threading import Event, RLock, Thread

from harnlite.diagnostics.excerpt import without_controls
from harnlite.reminders.seams import ITERATION_END, ITERATION_START, LOOP_CHECKPOINT
from harnlite.runtime.tasks.clock import waiting_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO

    from harnlite.agent.sessions.open_sessions import SessionStore

_PATIENCE_SECONDS, _GAP_SECONDS = 2.0, 0.1
_TICK_SECONDS, _LONG_SECONDS = 0.5, 1.0
_LONGEST_NAME = 40
_CALL, _RUNNING = "tool_call_update", "in_progress"
_ERASE = "\r\x1b[2K"
_EVENTS = frozenset({ITERATION_START, ITERATION_END, "reminder_emitted", "tool_call", LOOP_CHECKPOINT})


class Progress:
    """Turn, tokens and pending reminders of the loop with the latest event; hidden during the first 2 seconds.

    While a tool runs there are no events, so a thread shows the tool and its time once it has run for a second.
    """

    __slots__ = (
        "_calls", "_drawn_at", "_is_shown", "_sessions", "_terminal", "_ticker", "_tokens", "_turn", "_worth_from",
        "lock", "output",
    )  # fmt: skip

    def __init__(self, terminal: TextIO, stdout: TextIO) -> None:
        self._terminal = terminal
        self._sessions: SessionStore | None = None
        self._turn = 0
        self._tokens = 0
        self._is_shown = False
        self._drawn_at = 0.0
        self._worth_from = waiting_time() + _PATIENCE_SECONDS
        self._calls: dict[object, tuple[str, str, float]] = {}
        self._ticker: Thread | None = None
        self.lock = RLock()
        self.output = _Output(stdout, self)

    def watch(self, sessions: SessionStore) -> None:
        """Subscribe to the sessions of a run."""
        self._sessions = sessions
        sessions.listen(self._hear)

    def _hear(self, event: dict[str, Any]) -> None:
        kind = event["type"]
        if kind == _CALL:
            self._note(event)
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

    def _note(self, event: dict[str, Any]) -> None:
        """Note the begin or the end of a tool call."""
        key = event.get("tool_call_id")
        if event.get("status") != _RUNNING:
            self._calls.pop(key, None)
            self.clear()
            return
        self._calls[key] = str(event.get("tool_name")), event["session_id"], waiting_time()
        if self._ticker is None:
            self._ticker = Thread(target=self._tick, daemon=True)
            self._ticker.start()

    def _tick(self) -> None:
        pause = Event()
        while True:
            pause.wait(_TICK_SECONDS)
            try:
                calls = list(self._calls.values())
            except RuntimeError:  # a call began or ended meanwhile
                continue
            if calls:
                name, session_id, began = calls[0]
                seconds = waiting_time() - began
                if seconds >= _LONG_SECONDS:
                    more = f" and {len(calls) - 1} more" if len(calls) > 1 else ""
                    with self.lock:
                        if self._calls:
                            self._draw(
                                session_id,
                                f"{without_controls(name)[:_LONGEST_NAME]}{more} running for {seconds:.0f} s · ",
                            )

    def _draw(self, session_id: str, before: str = "") -> None:
        session = self._sessions.get(session_id) if self._sessions is not None else None
        pending = len(session.transcript.pending()) if session is not None else 0
        plural = "" if pending == 1 else "s"
        line = f"{before}turn {self._turn} · {self._tokens:,} tokens · {pending} reminder{plural} pending"
        with self.lock:
            self._terminal.write(f"{_ERASE}\x1b[2m{line}\x1b[0m")
            self._terminal.flush()
            self._is_shown = True

    def clear(self) -> None:
        """Erase the line."""
        with self.lock:
            if self._is_shown:
                self._is_shown = False
                self._terminal.write(_ERASE)
                self._terminal.flush()

    def finish(self) -> None:
        """Erase the line for good."""
        self._calls.clear()
        self.clear()


class _Output:
    """The output of the program, written to the same terminal."""

    __slots__ = ("_progress", "_stdout")

    def __init__(self, stdout: TextIO, progress: Progress) -> None:
        self._stdout = stdout
        self._progress = progress

    def write(self, text: str) -> int:
        """Erase the line and write the program's output."""
        with self._progress.lock:
            self._progress.clear()
            return self._stdout.write(text)

    def flush(self) -> None:
        """Flush the underlying stream."""
        self._stdout.flush()

    def isatty(self) -> bool:
        """Return whether the underlying stream is a terminal."""
        return self._stdout.isatty()
